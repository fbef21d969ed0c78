"""Count one anchor family against the rest: over time, by depth and rank, and how far synthetic text is preferred.

Flows in: ``Statistics``, ``Members``, ``Exposure``.  Flows out: ``FamilyTrend``, ``DepthCounts``,
``FamilyRanks``, ``Amplification``.
Rules kept here: shares are of all judged results of a period of time; independent sources of a period are those
behind all its judged results; exposure is compared with the catalogue, which represents the whole pool.
Not here: counting (``guard_core.corpus.coverage``, ``guard_core.corpus.exposure``), pictures (``charts/family.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dashboard.text import escape_text
from dashboard.views import depths
from dashboard.views.corpus.neighbourhood import list_fact_cells
from dashboard.views.numbers import format_number
from dashboard.views.overview import DepthCounts
from dashboard.views.table import ROWS_ON_SCREEN, Cell, Table, make_table
from dashboard.views.trend import divide_times
from dashboard.words import format_share
from guard_core.corpus.coverage import FamilyMembers, count_group_sources
from guard_core.corpus.derivation import DerivationGraph
from guard_core.corpus.document_record import gather_facts
from guard_core.corpus.exposure import Exposure, measure_exposure
from guard_core.ingest.log import MISSING_TIME
from guard_core.judging.selection import narrow_statistics
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief
from guard_core.visible import count_noun


@dataclass(frozen=True, slots=True)
class FamilyTrend:
    """``sources[i]`` independent human sources behind the ``results[i]`` of period ``i``, of which ``inside[i]`` rest
    on the family (all 0 where none is opened)."""

    unit: str
    periods: tuple[str, ...]
    sources: tuple[float | None, ...]
    results: tuple[int, ...]
    inside: tuple[int, ...]
    family: bool
    title: str
    note: str
    numbers: Table


def count_family_trend(statistics: Statistics, belief: Belief, inside: FamilyMembers | None) -> FamilyTrend | None:
    """Count independent sources, and the share of a family, over time; ``None`` for a log without times."""
    times = statistics.evidence.log.times[statistics.retrievals]
    timed = times != MISSING_TIME
    if not timed[statistics.owner].any():
        return None
    divided = divide_times(times[timed])
    size = len(divided.names)
    place = np.full(len(times), -1, np.int64)
    place[timed] = np.where(divided.place < size, divided.place, -1)
    group = place[statistics.owner]
    results = np.bincount(group[group >= 0], minlength=size)
    held = np.zeros(size, np.int64)
    if inside is not None:
        of_family = group[inside.places]
        held = np.bincount(of_family[of_family >= 0], minlength=size)
    sources = count_group_sources(statistics, belief, place, size)
    rows: list[tuple[Cell, ...]] = [
        (
            name,
            None if number is None else round(number, 1),
            total,
            *((part, format_share(part, total)) if inside else ()),
        )
        for name, number, total, part in zip(divided.names, sources, results.tolist(), held.tolist(), strict=True)
    ]
    own = ("Of this family", "Share of this family") if inside else ()
    columns = (divided.unit.capitalize(), "Independent human sources", "Results", *own)
    without = int(len(group) - results.sum())
    note = f" {count_noun(without, 'result')} without a time not shown." if without else ""
    return FamilyTrend(
        divided.unit, divided.names, sources, tuple(results.tolist()), tuple(held.tolist()), inside is not None,
        _title_trend(divided.unit, sources, results.tolist(), held.tolist(), family=inside is not None), note,
        make_table(columns, rows),
    )  # fmt: skip


def _title_trend(
    unit: str, sources: tuple[float | None, ...], results: list[int], held: list[int], *, family: bool
) -> str:
    filled = [i for i, total in enumerate(results) if total]
    first, last = filled[0], filled[-1]
    if family:
        start, end = format_share(held[first], results[first]), format_share(held[last], results[last])
        return (
            f"The family holds {start} of all results"
            if first == last
            else f"The family holds {start} of the results of the first {unit}, {end} of the last"
        )
    if first == last:
        return f"{format_number(sources[first]).capitalize()} independent human sources in the one {unit} of the log"
    start, end = format_number(sources[first]), format_number(sources[last])
    return f"Independent human sources: {start} in the first {unit}, {end} in the last"


def split_family_depths(statistics: Statistics, belief: Belief, by: str, inside: FamilyMembers) -> depths.DepthSplit:
    """Split the depths of the results of a family."""
    return depths.split_depths(statistics, belief, by, inside.places)


def list_family_documents(
    statistics: Statistics, graph: DerivationGraph, belief: Belief, inside: FamilyMembers
) -> Table:
    """List the documents of a family with class, depth and who made them, those with the most results first."""
    evidence = statistics.evidence
    chosen = inside.documents[:ROWS_ON_SCREEN]
    codes = evidence.log.document_ids.codes[statistics.rows][inside.places]
    present, first = np.unique(codes, return_index=True)
    rows = np.arange(evidence.log.result_count)[statistics.rows][inside.places[first]]
    row_of = dict(zip(present.tolist(), rows.tolist(), strict=True))
    facts = gather_facts(evidence, graph, graph.log_documents[chosen].tolist(), belief)
    listed = [
        (
            cells[0],
            results,
            *cells[1:-1],
            escape_text(evidence.originators.text(row_of[code]), 80),
            escape_text(evidence.generators.text(row_of[code]), 80),
        )
        for cells, results, code in zip(
            map(list_fact_cells, facts), inside.results[: len(chosen)].tolist(), chosen.tolist(), strict=True
        )
    ]
    columns = ("Document", "Results", "Class", "Depth", "Known by", "Originator", "Generator")
    return make_table(columns, listed, len(inside.documents), documents=[fact.document_id for fact in facts])


def count_family_depths(statistics: Statistics, belief: Belief, inside: FamilyMembers) -> DepthCounts:
    """Count the results of a family by depth."""
    found = depths.count_depths(statistics, belief, inside.places)
    total = sum(found.values())
    deep = sum(found[bucket] for bucket in ("2", "3", "4+"))
    title = f"{format_share(deep, total)} of its results are machine text built on machine text"
    rows = [(bucket, number, format_share(number, total)) for bucket, number in found.items()]
    return DepthCounts(tuple(found), tuple(found.values()), title, make_table(("Depth", "Results", "Share"), rows))


@dataclass(frozen=True, slots=True)
class FamilyRanks:
    """Where a family was retrieved: of the ``results`` of each group of ranks, ``inside`` rest on it."""

    groups: tuple[str, ...]
    results: tuple[int, ...]
    inside: tuple[int, ...]
    title: str
    numbers: Table


def count_family_ranks(statistics: Statistics, inside: FamilyMembers) -> FamilyRanks:
    """Count the share of a family at each group of ranks."""
    names, group = depths.group_ranks(statistics)
    results = np.bincount(group, minlength=len(names))
    held = np.bincount(group[inside.places], minlength=len(names))
    filled = np.flatnonzero(results).tolist()
    groups = tuple(names[i] for i in filled)
    totals, parts = (tuple(column[filled].tolist()) for column in (results, held))
    rows = [
        (name, part, total, format_share(part, total)) for name, part, total in zip(groups, parts, totals, strict=True)
    ]
    title = (
        f"The family holds {format_share(parts[0], totals[0])} of rank {groups[0]}"
        + (f", {format_share(parts[-1], totals[-1])} of ranks {groups[-1]}" if len(groups) > 1 else "")
        if groups
        else "No result is judged"
    )
    return FamilyRanks(groups, totals, parts, title, make_table(("Rank", "Of this family", "Results", "Share"), rows))


@dataclass(frozen=True, slots=True)
class Amplification:
    """The share of synthetic documents in the catalogue, and of synthetic results up to some ranks."""

    names: tuple[str, ...]
    catalogue: float | None
    shares: tuple[float | None, ...]
    title: str
    note: str
    numbers: Table


def measure_family_exposure(statistics: Statistics, belief: Belief, inside: FamilyMembers) -> Exposure | None:
    """Measure exposure in the retrievals in which a family occurs; ``None`` without a catalogue."""
    keep = np.zeros(len(statistics.retrievals), bool)
    keep[inside.retrievals] = True
    return measure_exposure(narrow_statistics(statistics, keep), belief)


def compare_exposure(found: Exposure) -> Amplification:
    """Compare synthetic text in results with the catalogue."""
    rows: list[tuple[Cell, ...]] = [
        ("Catalogue", found.synthetic, found.documents, _format_percent(found.share), "", "", "")
    ]
    rows += [
        (
            f"First {at.rank:,}" if at.rank > 1 else "First rank",
            at.synthetic,
            at.results,
            _format_percent(at.share),
            "" if at.difference is None else f"{100 * at.difference:+.1f} points",
            "not applicable" if at.ratio is None else f"{at.ratio:.2f} times",
            f"{at.reaching:,} of {at.retrievals:,}",
        )
        for at in found.at
    ]
    outside = found.at[-1].outside if found.at else 0
    note = _describe_reach(found) + (
        f" {count_noun(outside, 'result')} come from outside the catalogue." if outside else ""
    )
    return Amplification(
        tuple(str(row[0]) for row in rows),
        found.share,
        tuple(at.share for at in found.at),
        _title_amplification(found),
        note,
        make_table(
            ("Where", "Synthetic", "Of", "Share", "Difference", "Amplification", "Retrievals that reach it"), rows
        ),
    )


def _describe_reach(found: Exposure) -> str:
    """Count the retrievals that reach each rank: a share of the first ten says little where none has ten results."""
    if not found.at:
        return ""
    ranks = ", ".join(f"rank {at.rank:,} is reached by {at.reaching:,}" for at in found.at)
    return f" Of {count_noun(found.at[0].retrievals, 'retrieval')} with results, {ranks}."


def _title_amplification(found: Exposure) -> str:
    if found.share is None:
        return "The catalogue holds no document, so there is nothing to compare with"
    known = [at for at in found.at if at.share is not None]
    if not known:
        return "No result to compare with the catalogue"
    at = known[0]
    where = "at the first rank" if at.rank == 1 else f"at the first {at.rank:,} ranks"
    times = "" if at.ratio is None else f", {at.ratio:.1f} times as much"
    return (
        f"Synthetic text: {_format_percent(found.share)} of the catalogue, {_format_percent(at.share)} {where}{times}"
    )


def _format_percent(value: float | None) -> str:
    return "not applicable" if value is None else format_share(value, 1.0)
