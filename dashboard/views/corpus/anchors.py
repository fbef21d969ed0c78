"""Count what Anchors shows: families by results, results against sources, what is retrieved together, one family.

Flows in: ``Coverage``, ``Clusters``, ``Statistics``.  Flows out: ``FamilyRanking``, ``SourceSpread``,
``AnchorMap``, ``OpenedFamily``.
Rules kept here: shares are of all judged results, those without an anchor included; a family that is only declared is
marked unresolved everywhere; a map that draws only some anchors says how many there are.
Not here: counting (``guard_core.corpus.coverage``), clusters (``guard_core.corpus.clusters``), pictures (``charts``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dashboard.text import escape_text
from dashboard.views.overview import describe_median
from dashboard.views.retrievals import name_retrievals
from dashboard.views.table import ROWS_ON_SCREEN, Table, make_table, number_repeats
from dashboard.words import FAMILY_STATE, format_share
from guard_core.corpus.clusters import Clusters
from guard_core.corpus.coverage import Coverage, Density, Families, count_density, find_illusions
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief
from guard_core.visible import count_noun

BARS = 15
"""Families in the bar chart."""

STRONGEST_ILLUSIONS = 50

FAMILY_COLUMNS = (
    "Anchor", "State", "Share of results", "Cumulative share", "Results", "Retrievals", "Documents", "Cluster",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FamilyRanking:
    """Families, the strongest first: the first ``BARS`` for the chart, and a table."""

    names: tuple[str, ...]
    resolved: tuple[bool, ...]
    mass: tuple[float, ...]
    cumulative: tuple[float, ...]
    title: str
    detail: str
    numbers: Table


def rank_families(families: Families, clusters: Clusters) -> FamilyRanking:
    """Rank families by the results that rest on them."""
    names = number_repeats([escape_text(name, 40) for name in families.names[:BARS]])
    cumulative = families.cumulative
    rows = [
        (
            escape_text(families.names[i]),
            FAMILY_STATE[bool(families.resolved[i])],
            format_share(float(families.mass[i]), families.judged),
            format_share(float(cumulative[i]) * families.judged, families.judged),
            int(families.results[i]),
            int(families.retrievals[i]),
            int(families.documents[i]),
            name_cluster(int(clusters.cluster[i])) if i < len(clusters.cluster) else "",
        )
        for i in range(min(len(families.names), ROWS_ON_SCREEN))
    ]
    return FamilyRanking(
        names,
        tuple(families.resolved[:BARS].tolist()),
        tuple(families.mass[:BARS].tolist()),
        tuple(cumulative[:BARS].tolist()),
        _title_ranking(families),
        _describe_ranking(families),
        make_table(FAMILY_COLUMNS, rows, len(families.names)),
    )


def _title_ranking(families: Families) -> str:
    if not families.judged:
        return "There is no result, so there is no anchor"
    first = format_share(float(families.mass[0]), families.judged)
    half = int(np.searchsorted(families.cumulative, 0.5)) + 1
    if half > len(families.names):
        known = format_share(float(families.mass.sum()), families.judged)
        return f"{known} of the results name an anchor; the largest family holds {first}"
    if half == 1:
        return f"One anchor carries {first} of the results"
    return f"Half of the results rest on {half:,} anchors; the largest carries {first}"


def _describe_ranking(families: Families) -> str:
    resolved = int(families.resolved.sum())
    declared = count_noun(len(families.names) - resolved, "family")
    parts = [f"{count_noun(resolved, 'resolved family')} and {declared} that the log only declares"]
    if families.unanchored:
        parts.append(
            f"{count_noun(families.unanchored, 'result')} "
            f"({format_share(families.unanchored, families.judged)}) without an anchor"
        )
    return "; ".join(parts) + "."


@dataclass(frozen=True, slots=True)
class SourceSpread:
    """Retrievals by results and independent human sources, which name the columns and the rows of ``counts``."""

    results: tuple[str, ...]
    sources: tuple[str, ...]
    counts: NDArray[np.int64]
    title: str
    numbers: Table


def count_spread(statistics: Statistics, belief: Belief) -> SourceSpread:
    """Count retrievals by their number of results and of independent human sources."""
    found = count_density(statistics, belief)
    step = found.step
    results = tuple(_name_range(j * step + 1, (j + 1) * step) for j in range(found.counts.shape[1]))
    sources = ("none", *(_name_range((i - 1) * step + 1, i * step) for i in range(1, found.counts.shape[0])))
    rows = [(name, *row, sum(row)) for name, row in zip(sources, found.counts.tolist(), strict=True)]
    columns = ("Independent human sources", *(f"{name} results" for name in results), "Retrievals")
    return SourceSpread(
        results, sources, found.counts, _title_spread(statistics, belief, found), make_table(columns, rows)
    )


def _title_spread(statistics: Statistics, belief: Belief, found: Density) -> str:
    if not found.counts.sum():
        return "No retrieval has results"
    profiles = statistics.profiles
    return describe_median(statistics, belief, (profiles.entries > 0) & ~profiles.creative)


def _name_range(first: int, last: int) -> str:
    return f"{first:,}" if first == last else f"{first:,} to {last:,}"


def list_illusions(statistics: Statistics, belief: Belief) -> Table:
    """List the retrievals with the most results for each independent human source."""
    log = statistics.evidence.log
    positions = find_illusions(statistics, belief, STRONGEST_ILLUSIONS)
    effective, entries = statistics.effective_anchors(belief), statistics.profiles.entries[statistics.profile_of]
    top = statistics.top_anchor_share(belief)
    numbers = statistics.retrievals[positions]
    rows = [
        (
            *names,
            int(entries[position]),
            round(float(effective[position]), 1),
            round(float(entries[position] / effective[position]), 1),
            format_share(float(top[position]), 1.0),
        )
        for position, names in zip(positions.tolist(), name_retrievals(log, numbers), strict=True)
    ]
    columns = ("Retrieval", "Query", "Results", "Sources", "Results for each source", "Share of the largest source")
    return make_table(columns, rows, len(rows), numbers.tolist())


@dataclass(frozen=True, slots=True)
class AnchorMap:
    """Anchors retrieved together: place ``i`` is the i-th family, ``groups[i]`` its cluster, ``links`` are pairs."""

    names: tuple[str, ...]
    resolved: tuple[bool, ...]
    mass: tuple[float, ...]
    retrievals: tuple[int, ...]
    groups: tuple[int, ...]
    places: tuple[tuple[float, float], ...]
    sizes: tuple[float, ...]
    links: tuple[tuple[int, int], ...]
    labels: tuple[str, ...]
    """One for each cluster: its letter and its strongest anchor."""
    title: str
    detail: str
    numbers: Table


def map_anchors(covered: Coverage, clusters: Clusters) -> AnchorMap:
    """Place the anchors on a map, and list their clusters."""
    families = covered.families
    drawn = len(clusters.cluster)
    names = tuple(escape_text(name, 40) for name in families.names[:drawn])
    rows, labels = [], []
    for group in range(clusters.count):
        inside = np.flatnonzero(clusters.cluster == group)
        first = names[int(inside[0])]
        mass = float(families.mass[inside].sum())
        labels.append(f"{name_cluster(group)}: {first}" + (f" and {len(inside) - 1:,} more" if len(inside) > 1 else ""))
        rows.append((name_cluster(group), first, len(inside), round(mass), format_share(mass, families.judged)))
    total = len(families.names)
    detail = f"All {count_noun(total, 'anchor')} are drawn." if drawn == total else (
        f"The {drawn:,} strongest of {count_noun(total, 'anchor')} are drawn."
    )  # fmt: skip
    alone = sum(int(np.count_nonzero(clusters.cluster == group)) == 1 for group in range(clusters.count))
    together = clusters.count - alone
    title = (
        "No two anchors are retrieved together"
        if not together
        else f"{count_noun(together, 'cluster')} of anchors that are retrieved together"
    )
    return AnchorMap(
        names,
        tuple(families.resolved[:drawn].tolist()),
        tuple(families.mass[:drawn].tolist()),
        tuple(families.retrievals[:drawn].tolist()),
        tuple(clusters.cluster.tolist()),
        tuple((round(float(x), 1), round(float(y), 1)) for x, y in clusters.places),
        tuple(round(float(size), 1) for size in clusters.sizes),
        tuple((int(a), int(b)) for a, b in clusters.links),
        tuple(labels),
        title,
        detail,
        make_table(("Cluster", "Strongest anchor", "Anchors", "Results", "Share of results"), rows),
    )


def name_cluster(number: int) -> str:
    """Return the name of a cluster: A to Z, then AA, AB ..."""
    name = ""
    while number >= 0:
        name = chr(ord("A") + number % 26) + name
        number = number // 26 - 1
    return name


@dataclass(frozen=True, slots=True)
class OpenedFamily:
    """One family, opened."""

    name: str
    state: str
    metrics: tuple[tuple[str, str], ...]
    sentence: str


def find_family(families: Families, name: str, resolved: bool) -> int | None:
    """Return the place of a family in the ranking, ``None`` if it is not there."""
    return next(
        (i for i, known in enumerate(families.names) if known == name and bool(families.resolved[i]) == resolved), None
    )


def describe_family(covered: Coverage, place: int) -> OpenedFamily:
    """Describe what rests on one anchor."""
    families = covered.families
    resolved = bool(families.resolved[place])
    beside = [
        escape_text(families.names[other], 40)
        for other in np.argsort(-covered.together[place], kind="stable").tolist()
        if other != place and covered.together[place, other]
    ] if place < len(covered.together) else []  # fmt: skip
    sentence = f"Most often retrieved together with {', '.join(beside[:3])}." if beside else ""
    if not resolved:
        lead = "Results name this anchor, but no known document has it: bring its document into the catalogue."
        sentence = f"{lead} {sentence}"
    return OpenedFamily(
        escape_text(families.names[place], 120),
        FAMILY_STATE[resolved],
        (
            ("Results", f"{int(families.results[place]):,}"),
            ("Share of all results", format_share(float(families.mass[place]), families.judged)),
            ("Retrievals", f"{int(families.retrievals[place]):,}"),
            ("Documents", f"{int(families.documents[place]):,}"),
        ),
        sentence,
    )


def join_links(rows: AnchorMap) -> tuple[list[float | None], list[float | None]]:
    """Return the links as one broken line: x and y, with a gap after each link."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for ends in rows.links:
        xs += [*(rows.places[end][0] for end in ends), None]
        ys += [*(rows.places[end][1] for end in ends), None]
    return xs, ys
