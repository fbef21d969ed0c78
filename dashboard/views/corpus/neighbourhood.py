"""A document's chain as a picture: who stands where, and which links lead from whom to whom, on which basis.

Flows in: ``Kin``, ``Facts`` of the documents that it holds.  Flows out: ``Picture`` with its two tables.
Rules kept here: sources stand on top, what derives from them below; what is left out is said in numbers; each link says
who names it, and whether class and depth follow it.
Not here: which documents a picture holds (``guard_core.corpus.neighbourhood``), drawing (``charts/neighbourhood.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.text import escape_text
from dashboard.views.retrieval import KNOWN_BY, format_depth
from dashboard.views.table import Table, make_table
from dashboard.words import count_noun, label_code
from guard_core.corpus.derivation import Bases
from guard_core.corpus.document_record import DocumentFacts
from guard_core.corpus.neighbourhood import Neighbourhood

BASES = (("claim", Bases.SIGNED), ("catalogue", Bases.CATALOGUE), ("log", Bases.DECLARED))
NAMED_BY = {"claim": "a valid claim", "catalogue": "the catalogue", "log": "the log only"}
"""Who names a link, the strongest basis of it."""


@dataclass(frozen=True, slots=True)
class ChainPoint:
    """One document of the picture, at ``x`` in its row ``y`` (0 is the opened document, below 0 are its sources)."""

    name: str
    known: str
    group: int
    """0 human, 1 depth 1, 2 deeper, 3 unknown."""
    x: float
    y: int
    opened: bool
    conflict: bool
    more: str
    """What leads from here to documents that are left out."""


@dataclass(frozen=True, slots=True)
class ChainLine:
    """A link between two points: ``basis`` is the strongest that names it, ``said`` all of them in words."""

    parent: int
    child: int
    basis: str
    anchor: bool
    counts: bool
    said: str


@dataclass(frozen=True, slots=True)
class ChainPicture:
    """``gap`` is the row in which what is left out upwards is said (``None``: nothing), ``open_above`` the points from
    which links lead there, and ``beyond`` the sources on the other side."""

    points: tuple[ChainPoint, ...]
    lines: tuple[ChainLine, ...]
    gap: int | None
    gap_text: str
    open_above: tuple[int, ...]
    beyond: tuple[int, ...]
    title: str
    detail: str
    documents: Table
    links: Table


def lay_out_chain(kin: Neighbourhood, facts: Sequence[DocumentFacts]) -> ChainPicture:
    """The picture; ``facts`` are those of ``kin.steps``, in their order."""
    place = {number: i for i, (number, _) in enumerate(kin.steps)}
    row = dict(kin.steps)
    across = _place_across(kin)
    points = tuple(
        ChainPoint(
            escape_text(fact.document_id, 60),
            _describe_facts(fact),
            _find_group(fact),
            across[fact.number],
            row[fact.number],
            fact.number == kin.document,
            bool(fact.conflicts),
            _describe_hidden(*hidden),
        )
        for fact, hidden in zip(facts, kin.hidden, strict=True)
    )
    names = {fact.number: escape_text(fact.document_id) for fact in facts}
    lines = tuple(
        ChainLine(
            place[link.parent],
            place[link.child],
            next(name for name, said in BASES if said in (link.parent_bases or link.anchor_bases)),
            not link.parent_bases,
            link.counts,
            _describe_link(link.parent_bases, link.anchor_bases),
        )
        for link in kin.links
    )
    rows = [
        (names[link.child], names[link.parent], line.said, "yes" if link.counts else "no")
        for link, line in zip(kin.links, lines, strict=True)
    ]
    up, _ = kin.left_out
    nearest = [step for number, step in kin.steps if number not in kin.beyond]
    gap = min(nearest) - 1 if up else None
    above = tuple(
        i for i, (number, step) in enumerate(kin.steps) if step <= 0 and number not in kin.beyond and kin.hidden[i][0]
    )
    return ChainPicture(
        points,
        lines,
        gap,
        f"{count_noun(up, 'document')} left out" if up else "",
        above,
        tuple(place[number] for number in kin.beyond),
        _title_chain(kin),
        _describe_chain(kin),
        _list_documents(kin, facts),
        make_table(("Document", "Comes from", "Named by", "Counts for class and depth"), rows),
    )


def _place_across(kin: Neighbourhood) -> Mapping[int, float]:
    """The place of each document in its row: near those that it is linked to in the row before, and centred."""
    rows: dict[int, list[int]] = {}
    for number, step in kin.steps:
        rows.setdefault(step, []).append(number)
    linked: dict[int, list[int]] = {}
    for link in kin.links:
        linked.setdefault(link.parent, []).append(link.child)
        linked.setdefault(link.child, []).append(link.parent)
    found: dict[int, float] = {}
    for step in sorted(rows, key=lambda step: (abs(step), step)):
        near = {
            number: [found[other] for other in linked.get(number, ()) if other in found] or [0.0]
            for number in rows[step]
        }
        ordered = sorted(rows[step], key=lambda number: (sum(near[number]) / len(near[number]), number))
        found |= {number: i - (len(ordered) - 1) / 2 for i, number in enumerate(ordered)}
    return found


def _find_group(fact: DocumentFacts) -> int:
    name = fact.authenticity.name
    return ("HUMAN_AUTHORED", "SYNTHETIC_DEPTH_1", "SYNTHETIC_DEPTH_2_PLUS", "UNKNOWN").index(name)


def _describe_facts(fact: DocumentFacts) -> str:
    return f"{label_code(fact.authenticity.name)}, depth {format_fact_depth(fact)}, {KNOWN_BY[fact.basis.value]}"


def format_fact_depth(fact: DocumentFacts) -> str:
    """The depth of a document as text."""
    return format_depth(fact.depth, fact.depth_at_least)


def _describe_hidden(up: int, down: int) -> str:
    parts = [f"{number:,} more {where}" for number, where in ((up, "above"), (down, "below")) if number]
    return " and ".join(parts)


def _describe_link(derived: Bases, anchored: Bases) -> str:
    parts = [
        f"{what} ({', '.join(name for name, bit in BASES if bit in said)})"
        for what, said in (("derived from", derived), ("anchor", anchored))
        if said
    ]
    return "; ".join(parts)


def _title_chain(kin: Neighbourhood) -> str:
    if kin.on_cycle:
        return "It descends from itself, so nothing that comes from it has a depth"
    if not kin.ancestors and not kin.descendants:
        return "Nobody says what it comes from, and nothing is known to come from it"
    up = (
        f"It comes from {count_noun(kin.sources, 'source')}"
        + (f" through {count_noun(kin.ancestors - kin.sources, 'document')}" if kin.ancestors > kin.sources else "")
        if kin.ancestors
        else "It comes from nobody else"
    )
    down = f"{count_noun(kin.descendants, 'document comes', 'documents come')}" if kin.descendants else "nothing comes"
    return f"{up}; {down} from it"


def _describe_chain(kin: Neighbourhood) -> str:
    total = 1 + kin.ancestors + kin.descendants
    if total == len(kin.steps):
        return f"All {count_noun(total, 'document')} of its family are drawn." if total > 1 else ""
    up, down = kin.left_out
    return (
        f"{len(kin.steps):,} of {count_noun(total, 'document')} are drawn, those with the most results first: "
        f"{up:,} above it and {down:,} below it are left out."
    )


def _list_documents(kin: Neighbourhood, facts: Sequence[DocumentFacts]) -> Table:
    rows = [
        (
            "opened" if not step else f"{abs(step)} {'above' if step < 0 else 'below'}",
            escape_text(fact.document_id),
            label_code(fact.authenticity.name),
            format_fact_depth(fact),
            label_code(fact.basis.value),
            fact.results,
            ", ".join(label_code(conflict.value) for conflict in fact.conflicts),
        )
        for (_, step), fact in zip(kin.steps, facts, strict=True)
    ]
    columns = ("Step", "Document", "Class", "Depth", "Known by", "Results", "Conflicts")
    return make_table(
        columns, rows, 1 + kin.ancestors + kin.descendants, documents=[fact.document_id for fact in facts]
    )
