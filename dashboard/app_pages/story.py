"""Draw the story on Overview, one step at a time.

Flows in: a filtered log and the step.  Flows out: one sentence and one figure on screen, with ways forward and back.
Rules kept here: the arrow keys turn the steps, as the buttons do; the URL holds the step.
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
from dashboard.controls import choices, folding, state
from dashboard.filtered_log import FilteredLog
from dashboard.text import escape_markdown
from dashboard.view import STORY_STEPS
from dashboard.views import overview, story, trend, whatif
from dashboard.views.corpus import anchors
from guard_core.judging.judge import Verdicts


def draw_start_button() -> None:
    """Draw the button that shows the story."""
    st.button(
        "Show the story in five steps", key="story.begin", icon=":material/slideshow:", on_click=_show_step, args=(1,),
        shortcut="S",
    )  # fmt: skip


def draw_step(filtered: FilteredLog, number: int) -> None:
    """Draw one step of the story."""
    verdicts = filtered.judge(state.load_view().policy.policy)
    step, figure, rows = _make_step(verdicts, number)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.caption(
            f"Step {number:d} of {STORY_STEPS:d} · {escape_markdown(panel.describe_shown(filtered))}", width="content"
        )
        with st.container(horizontal=True, gap="small", width="content", key="story.turn"):
            st.button(
                "Back", key="story.back", icon=":material/arrow_back:", on_click=_turn_step, args=(False,),
                disabled=number == 1, shortcut="Left",
            )  # fmt: skip
            st.button(
                "Next", key="story.next", icon=":material/arrow_forward:", on_click=_turn_step, args=(True,),
                disabled=number == STORY_STEPS, shortcut="Right",
            )  # fmt: skip
            st.button(
                "Leave", key="story.end", icon=":material/close:", on_click=_show_step, args=(None,), shortcut="Escape"
            )
    st.title(escape_markdown(step.question))
    st.metric("Number of this step", escape_markdown(step.number), label_visibility="collapsed")
    st.markdown(f"### {escape_markdown(step.sentence)}")
    panel.draw_terms("story.terms")
    with st.container(border=True, key="story.figure"):
        panel.draw_figure(figure, f"story.{number}", rows.title)
        with folding.open_part("Numbers", "story.numbers", ":material/table:") as opened:
            if opened:
                panel.draw_table(rows.numbers, "story.table", rows.title)


def _make_step(verdicts: Verdicts, number: int) -> tuple[story.StoryStep, go.Figure, panel.Titled]:
    summary = verdicts.summary()
    shares = overview.count_shares(summary)
    statistics, belief = verdicts.statistics, verdicts.policy.belief
    if number == 1:
        found = compute(overview.count_bases, statistics)
        step = story.describe_evidence(summary, statistics.judged_results, found)
        return step, figures.draw_bases(found), found
    if number == 2:
        deep = compute(overview.count_depths, statistics, belief)
        return story.describe_depths(deep), figures.draw_depths(deep), deep
    if number == 3:
        spread = anchors.count_spread(statistics, belief)
        return (
            story.describe_sources(compute(overview.count_sources, statistics, belief)),
            anchor_figures.draw_spread(spread),
            spread,
        )
    if number == 4:
        moved = trend.count_trend(verdicts, choices.is_waived(verdicts))
        if moved is not None:
            return story.describe_verdicts(shares), figures.draw_trend(moved), moved
        return story.describe_verdicts(shares), figures.draw_shares(shares, wide=True), shares
    curve = whatif.compute_curve(verdicts, choices.is_waived(verdicts))
    return (story.describe_decisions(summary, shares, curve.title), policy_figures.draw_sweep(curve), curve)


def _show_step(step: int | None) -> None:
    state.store_view(state.load_view().show_step(step))


def _turn_step(forward: bool) -> None:
    state.store_view(state.load_view().turn_step(forward=forward))
