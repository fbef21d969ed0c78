"""Draw one anchor family on Anchors: what rests on it, how deep, by whom, since when, and where it was retrieved.

Flows in: a filtered, the families, the place of one.  Flows out: a part of the page.
Rules kept here: aggregates only, worked out once; shares of time are of all judged results.
Not here: numbers (``views/family.py``, ``views/anchors.py``), pictures (``charts``).
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard.app_pages import panel, quarantine
from dashboard.charts import depths as split_figures
from dashboard.charts import family as figures
from dashboard.charts import overview as depth_figures
from dashboard.compute import compute
from dashboard.controls import choices, documents, state
from dashboard.filtered_log import FilteredLog
from dashboard.text import escape_markdown
from dashboard.views import depths, retrievals
from dashboard.views.corpus import anchors, family
from guard_core.corpus import coverage
from guard_core.corpus.coverage import Coverage, FamilyMembers
from guard_core.corpus.exposure import Exposure, measure_exposure
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief


def draw_family(filtered: FilteredLog, covered: Coverage, place: int, statistics: Statistics, belief: Belief) -> None:
    """Draw the family at this place of the ranking."""
    families = covered.families
    code, resolved, name = int(families.codes[place]), bool(families.resolved[place]), families.names[place]
    inside = compute(coverage.list_family_members, statistics, belief, code, resolved)
    shown = anchors.describe_family(covered, place)
    st.button("All anchors", key="anchors.back", icon=":material/arrow_back:", on_click=_close_family)
    st.markdown(f"### {escape_markdown(shown.name)}")
    st.caption(escape_markdown(f"{shown.state}. {shown.sentence}"))
    panel.draw_metrics(shown.metrics)
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Search its retrievals",
            key="anchors.search",
            icon=":material/search:",
            on_click=state.search_retrievals,
            args=("anchor", name),
        )
        st.button(
            "Take this family out",
            key="anchors.take_out",
            icon=":material/block:",
            on_click=documents.quarantine,
            args=("anchors", name),
            disabled=name in state.load_view().quarantine.anchors,
        )
        if resolved and st.button("Open the source itself", key="anchors.source", icon=":material/description:"):
            documents.open_document(name)
            st.switch_page("app_pages/document.py")
    if state.is_leaving():
        st.switch_page("app_pages/retrievals.py")
    with st.grid(2, min_column_width=420, gap="medium"):
        _draw_depths(statistics, belief, inside)
        draw_trend(statistics, belief, inside)
        _draw_ranks(statistics, inside)
        _draw_family_amplification(statistics, belief, inside)
    quarantine.draw_quarantine(filtered, families)
    st.markdown("#### Its documents")
    st.caption("Choose a row to open the document.")
    graph = filtered.derive()
    rows = compute(family.list_family_documents, statistics, graph, belief, inside)
    panel.choose_document(rows, "anchors.documents", "Documents that rest on this anchor", wide=("Document",))
    st.markdown("#### Its retrievals")
    rows = retrievals.list_retrievals(filtered.judge(state.load_view().policy.policy), inside.retrievals)
    panel.choose_retrieval(
        rows, filtered, "anchors.retrievals", "Retrievals with this anchor", wide=("Query", "What to do")
    )


def _draw_depths(statistics: Statistics, belief: Belief, inside: FamilyMembers) -> None:
    """Draw its results by depth, or split by what the reader chose."""
    offered = compute(depths.list_splits, statistics.evidence)
    by = choices.get_depths(offered)
    control = partial(choices.choose_depths, offered)
    if by:
        rows = compute(family.split_family_depths, statistics, belief, by, inside)
        panel.draw_chart(
            rows,
            split_figures.draw_split(rows),
            "Each bar holds the results of one group that rest on this family, as shares by depth.",
            "family.depths",
            control,
        )
        return
    whole = family.count_family_depths(statistics, belief, inside)
    panel.draw_chart(
        whole,
        depth_figures.draw_depths(whole),
        "The results that rest on this family by steps of generation from a human author. Split them by originator or "
        "generator to see who made them, by rank or month to see where they were retrieved.",
        "family.depths",
        control,
    )


def _draw_ranks(statistics: Statistics, inside: FamilyMembers) -> None:
    """Draw the ranks of its results."""
    rows = compute(family.count_family_ranks, statistics, inside)
    panel.draw_chart(
        rows,
        figures.draw_family_ranks(rows),
        "Of all results at these ranks, the share that rests on this family.",
        "family.ranks",
    )


def _draw_family_amplification(statistics: Statistics, belief: Belief, inside: FamilyMembers) -> None:
    """Draw synthetic text in the retrievals of the family against the catalogue."""
    found = compute(family.measure_family_exposure, statistics, belief, inside)
    if found is not None:
        _draw_exposure(found, "Of the retrievals in which this family occurs. ", "family.amplified")


def draw_trend(statistics: Statistics, belief: Belief, inside: FamilyMembers | None) -> None:
    """Draw independent sources over time, and the share of a family where one is opened."""
    rows = compute(family.count_family_trend, statistics, belief, inside)
    if rows is None:
        return
    bars = "Bars: share of all judged results that rest on this family. " if rows.family else ""
    panel.draw_chart(
        rows,
        figures.draw_family_trend(rows),
        f"{bars}Line: independent human sources behind all judged results of each {rows.unit}, UTC.{rows.note}",
        "anchors.over",
    )


def draw_amplification(statistics: Statistics, belief: Belief) -> None:
    """Draw synthetic text in results against the catalogue."""
    found = compute(measure_exposure, statistics, belief)
    if found is not None:
        _draw_exposure(found, "", "anchors.amplified")


def _draw_exposure(found: Exposure, of: str, key: str) -> None:
    rows = family.compare_exposure(found)
    panel.draw_chart(
        rows,
        figures.draw_amplification(rows),
        f"{of}Bars: share of synthetic documents in the catalogue, which represents the whole pool and goes on as a "
        f"line, and of synthetic results among the first 1, 5 and 10. Above the line retrieval prefers synthetic "
        f"text.{rows.note}",
        key,
    )


def _close_family() -> None:
    state.store_view(state.load_view().close_family())
