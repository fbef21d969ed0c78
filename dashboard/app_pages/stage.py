"""The story mode of Overview, and the numbers that it shares with the page: each is worked out once.

Flows in: a filtered and the step.  Flows out: one sentence and one figure on screen, with ways forward and back.
Rules kept here: the arrow keys turn the steps, as the buttons do; the step stands in the URL.
Not here: sentences (``views/story.py``), figures (``charts``).
"""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from dashboard.app_pages import panel
from dashboard.charts import anchors as anchor_figures
from dashboard.charts import overview as figures
from dashboard.charts import whatif as policy_figures
from dashboard.compute import compute
from dashboard.controls import choices, folded, state
from dashboard.filtered_log import FilteredLog
from dashboard.text import markdown
from dashboard.view import STORY_STEPS
from dashboard.views import overview, story, trend, whatif
from dashboard.views.corpus import anchors
from dashboard.views.table import Table
from guard_core.judging.judge import Verdicts


def sources(filtered: FilteredLog, verdicts: Verdicts) -> overview.Sources:
    """Independent sources behind everything that is judged."""
    statistics, belief = verdicts.statistics, verdicts.policy.belief
    return compute(overview.sources, statistics, belief)


def depths(filtered: FilteredLog, verdicts: Verdicts) -> overview.Depths:
    """Results by depth."""
    statistics, belief = verdicts.statistics, verdicts.policy.belief
    return compute(overview.depths, statistics, belief)


def known(filtered: FilteredLog, verdicts: Verdicts) -> overview.Known:
    """Results by how their class is known."""
    statistics = verdicts.statistics
    return compute(overview.known, statistics)


def invite() -> None:
    """The way into the story."""
    st.button(
        "Tell it in five steps", key="story.begin", icon=":material/slideshow:", on_click=_show, args=(1,),
        shortcut="S",
    )  # fmt: skip


def tell(filtered: FilteredLog, number: int) -> None:
    """One step."""
    verdicts = filtered.judge(state.load_view().policy.policy)
    step, figure, numbers, alt = _step(filtered, verdicts, number)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.caption(f"Step {number:d} of {STORY_STEPS:d} · {markdown(panel.seen(filtered))}", width="content")
        with st.container(horizontal=True, gap="small", width="content", key="story.turn"):
            st.button(
                "Back", key="story.back", icon=":material/arrow_back:", on_click=_turn, args=(False,),
                disabled=number == 1, shortcut="Left",
            )  # fmt: skip
            st.button(
                "Next", key="story.next", icon=":material/arrow_forward:", on_click=_turn, args=(True,),
                disabled=number == STORY_STEPS, shortcut="Right",
            )  # fmt: skip
            st.button(
                "Leave", key="story.end", icon=":material/close:", on_click=_show, args=(None,), shortcut="Escape"
            )
    st.title(markdown(step.question))
    st.metric("Number of this step", markdown(step.number), label_visibility="collapsed")
    st.markdown(f"### {markdown(step.sentence)}")
    panel.terms("story.terms")
    with st.container(border=True, key="story.figure"):
        panel.drawn(figure, f"story.{number}", alt)
        with folded.part("Numbers", "story.numbers", ":material/table:") as opened:
            if opened:
                panel.table(numbers, "story.table", alt)


def _step(filtered: FilteredLog, verdicts: Verdicts, number: int) -> tuple[story.Step, go.Figure, Table, str]:
    summary = verdicts.summary()
    shares = overview.shares(summary)
    statistics, belief = verdicts.statistics, verdicts.policy.belief
    if number == 1:
        found = known(filtered, verdicts)
        step = story.asked(summary, statistics.judged_results, found)
        return step, figures.basis(found), found.numbers, found.title
    if number == 2:
        deep = depths(filtered, verdicts)
        return story.depth(deep), figures.depth_histogram(deep), deep.numbers, deep.title
    if number == 3:
        spread = anchors.spread(statistics, belief)
        return story.sources(sources(filtered, verdicts)), anchor_figures.spread(spread), spread.numbers, spread.title
    if number == 4:
        moved = trend.trend(verdicts, choices.is_waived(verdicts))
        if moved is not None:
            return story.verdict(shares), figures.trend(moved), moved.numbers, moved.title
        return story.verdict(shares), figures.verdict_shares(shares, wide=True), shares.numbers, shares.title
    curve = whatif.curve(verdicts, choices.is_waived(verdicts))
    return story.action(summary, shares, curve.title), policy_figures.sweep(curve), curve.numbers, curve.title


def _show(step: int | None) -> None:
    state.store_view(state.load_view().show_step(step))


def _turn(forward: bool) -> None:
    state.store_view(state.load_view().turn_step(forward=forward))
