"""Lay out where a document comes from and what comes from it: places of documents, and links with their basis.

Flows in: ``Neighbourhood``, facts about its documents.  Flows out: ``ChainPicture``.
Rules kept here: sources are on top, what derives from them below; the picture says how many documents it leaves out;
each link has its basis, and whether class and depth follow it.
Not here: which documents a picture holds (``guard_core.corpus.neighbourhood``), drawing (``charts/neighbourhood.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.text import escape_text
from dashboard.views.retrieval import format_depth
from dashboard.views.table import Cell, Table, make_table
from dashboard.words import KNOWN_BY, SPEAKER_NOUN, label_code
from guard_core.corpus.derivation import Bases
from guard_core.corpus.document_record import DocumentFacts
from guard_core.corpus.neighbourhood import Neighbourhood
from guard_core.visible import count_noun


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
    """A link between two points: ``basis`` is the strongest that names it, ``text`` names all of them."""

    parent: int
    child: int
    basis: Bases
    anchor: bool
    counts: bool
    text: str


@dataclass(frozen=True, slots=True)
class ChainPicture:
    """``gap`` is the row that says how many sources are left out (``None``: none), ``open_above`` the points from
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
    numbers: Table
    """The links."""


def lay_out_chain(around: Neighbourhood, facts: Sequence[DocumentFacts]) -> ChainPicture:
    """Lay out the documents around one; ``facts`` are those of ``around.steps``, in their order."""
    place = {number: i for i, (number, _) in enumerate(around.steps)}
    row = dict(around.steps)
    across = _place_across(around)
    points = tuple(
        ChainPoint(
            escape_text(fact.document_id, 60),
            _describe_facts(fact),
            _find_group(fact),
            across[fact.number],
            row[fact.number],
            fact.number == around.document,
            bool(fact.conflicts),
            _describe_hidden(*hidden),
        )
        for fact, hidden in zip(facts, around.hidden, strict=True)
    )
    names = {fact.number: escape_text(fact.document_id) for fact in facts}
    lines = tuple(
        ChainLine(
            place[link.parent],
            place[link.child],
            next(basis for basis in SPEAKER_NOUN if basis in (link.parent_bases or link.anchor_bases)),
            not link.parent_bases,
            link.counts,
            _describe_link(link.parent_bases, link.anchor_bases),
        )
        for link in around.links
    )
    rows = [
        (names[link.child], names[link.parent], line.text, "yes" if link.counts else "no")
        for link, line in zip(around.links, lines, strict=True)
    ]
    up, _ = around.left_out
    nearest = [step for number, step in around.steps if number not in around.beyond]
    gap = min(nearest) - 1 if up else None
    above = tuple(
        i
        for i, (number, step) in enumerate(around.steps)
        if step <= 0 and number not in around.beyond and around.hidden[i][0]
    )
    return ChainPicture(
        points,
        lines,
        gap,
        f"{count_noun(up, 'document')} left out" if up else "",
        above,
        tuple(place[number] for number in around.beyond),
        _title_chain(around),
        _describe_chain(around),
        _list_documents(around, facts),
        make_table(("Document", "Comes from", "Named by", "Counts for class and depth"), rows),
    )


def _place_across(around: Neighbourhood) -> Mapping[int, float]:
    """Return the place of each document in its row: near those of the row before that it is linked to, and centred."""
    rows: dict[int, list[int]] = {}
    for number, step in around.steps:
        rows.setdefault(step, []).append(number)
    linked: dict[int, list[int]] = {}
    for link in around.links:
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
    """Return the depth of a document as text."""
    return format_depth(fact.depth, fact.depth_at_least)


def list_fact_cells(fact: DocumentFacts) -> tuple[Cell, ...]:
    """List the id, class, depth, basis and conflicts of a document for a row of a table."""
    return (
        escape_text(fact.document_id),
        label_code(fact.authenticity.name),
        format_fact_depth(fact),
        label_code(fact.basis.value),
        ", ".join(label_code(conflict.value) for conflict in fact.conflicts),
    )


def _describe_hidden(up: int, down: int) -> str:
    parts = [f"{number:,} more {where}" for number, where in ((up, "above"), (down, "below")) if number]
    return " and ".join(parts)


def _describe_link(derived: Bases, anchored: Bases) -> str:
    parts = [
        f"{what} ({', '.join(name for basis, name in SPEAKER_NOUN.items() if basis in bases)})"
        for what, bases in (("derived from", derived), ("anchor", anchored))
        if bases
    ]
    return "; ".join(parts)


def _title_chain(around: Neighbourhood) -> str:
    if around.on_cycle:
        return "It descends from itself, so nothing that comes from it has a depth"
    if not around.ancestors and not around.descendants:
        return "Its parents are not known, and nothing is known to come from it"
    up = (
        f"It comes from {count_noun(around.sources, 'source')}"
        + (
            f" through {count_noun(around.ancestors - around.sources, 'document')}"
            if around.ancestors > around.sources
            else ""
        )
        if around.ancestors
        else "It has no parents"
    )
    down = (
        f"{count_noun(around.descendants, 'document comes', 'documents come')}"
        if around.descendants
        else "nothing comes"
    )
    return f"{up}; {down} from it"


def _describe_chain(around: Neighbourhood) -> str:
    total = 1 + around.ancestors + around.descendants
    if total == len(around.steps):
        return f"All {count_noun(total, 'document')} of its family are drawn." if total > 1 else ""
    up, down = around.left_out
    return (
        f"{len(around.steps):,} of {count_noun(total, 'document')} are drawn, those with the most results first: "
        f"{up:,} above it and {down:,} below it are left out."
    )


def _list_documents(around: Neighbourhood, facts: Sequence[DocumentFacts]) -> Table:
    rows = [
        (
            "opened" if not step else f"{abs(step)} {'above' if step < 0 else 'below'}",
            *list_fact_cells(fact)[:-1],
            fact.results,
            list_fact_cells(fact)[-1],
        )
        for (_, step), fact in zip(around.steps, facts, strict=True)
    ]
    columns = ("Step", "Document", "Class", "Depth", "Known by", "Results", "Conflicts")
    return make_table(
        columns, rows, 1 + around.ancestors + around.descendants, documents=[fact.document_id for fact in facts]
    )
