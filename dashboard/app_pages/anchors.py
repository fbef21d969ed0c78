"""Draw Anchors: how many human sources the results rest on, and which are retrieved together.

Flows in: the log, filter and policy of the session.  Flows out: the page, or one anchor family.
Rules kept here: aggregates only; a family is opened from the table, never from the picture.
Not here: numbers (``views/anchors.py``), pictures (``charts/anchors.py``).
"""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages import family, panel, quarantine
from dashboard.charts import anchors as figures
from dashboard.compute import compute
from dashboard.controls import state
from dashboard.filtered_log import FilteredLog
from dashboard.views.corpus import anchors
from guard_core.corpus import coverage
from guard_core.corpus.clusters import find_clusters
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief


def main() -> None:
    """Draw the page."""
    filtered = panel.start_page("Anchors")
    if filtered is None:
        return
    policy = state.load_view().policy.policy
    statistics, belief = filtered.count_statistics(policy.top_k), policy.belief
    covered = compute(coverage.count_coverage, statistics, belief)
    if not covered.families.names:
        _draw_empty(statistics)
        if statistics.judged_results:
            quarantine.draw_quarantine(filtered, covered.families)
        return
    opened = state.load_view().family
    place = None if opened is None else anchors.find_family(covered.families, *opened)
    if place is not None:
        family.draw_family(filtered, covered, place, statistics, belief)
        return
    if opened is not None:
        st.warning("The anchor of the link does not occur in what is shown.", icon=":material/anchor:")
    _draw_families(filtered, covered, statistics, belief)


def _draw_empty(statistics: Statistics) -> None:
    if not statistics.judged_results:
        st.info("There is no result, so there is no anchor to show. Load another log.", icon=":material/lightbulb:")
        return
    st.info(
        "No result names an anchor, and no result is known to be human. Bring a catalogue that says which documents "
        "people wrote, or a column with the anchor of each result, and the families appear here.",
        icon=":material/lightbulb:",
    )


def _draw_families(filtered: FilteredLog, covered: coverage.Coverage, statistics: Statistics, belief: Belief) -> None:
    grouped = compute(find_clusters, covered)
    ranking = anchors.rank_families(covered.families, grouped)
    spread = anchors.count_spread(statistics, belief)
    with st.grid(2, min_column_width=420, gap="medium"):
        panel.draw_chart(
            ranking,
            figures.draw_families(ranking),
            f"Bars: results of each family; a result with several anchors is split among them. Line: share of all "
            f"results up to that family. {ranking.detail}",
            "anchors.families",
        )
        panel.draw_chart(
            spread,
            figures.draw_spread(spread),
            "Each field counts retrievals. Low in the chart: many results from few sources. On the diagonal each "
            "result has a source of its own.",
            "anchors.spread",
        )
        family.draw_trend(statistics, belief, None)
        family.draw_amplification(statistics, belief)
    st.markdown("### Anchor families")
    st.caption("Choose a row to see what rests on it.")
    chosen = panel.choose_row(
        ranking.numbers, "anchors.table", "Anchor families with results, retrievals and documents", wide=("Anchor",)
    )
    if chosen is not None:
        families = covered.families
        name, resolved = families.names[chosen], bool(families.resolved[chosen])
        state.store_view(state.load_view().open_family(name, resolved=resolved))
        st.rerun()
    quarantine.draw_quarantine(filtered, covered.families)
    placed = anchors.map_anchors(covered, grouped)
    panel.draw_chart(
        placed,
        figures.draw_map(placed),
        f"A disc is an anchor, its size the results that rest on it, its letter and colour its cluster; a line joins "
        f"anchors that are often retrieved together; squares are unresolved. {placed.detail}",
        "anchors.map",
    )
    st.markdown("### The strongest coverage illusions")
    rows = compute(anchors.list_illusions, statistics, belief)
    if not rows.total:
        st.info("None: every result has a source of its own, or no known source.")
        return
    st.caption("Most results for each independent source. Choose a row to open the retrieval.")
    panel.choose_retrieval(
        rows, filtered, "anchors.illusions", "Retrievals with many results from few sources", wide=("Query",)
    )


main()
