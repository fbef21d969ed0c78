"""The story mode of Overview, and the numbers that it shares with the page: each is worked out once.

Flows in: a scene and the step.  Flows out: one sentence and one figure on screen, with ways forward and back.
Rules kept here: the arrow keys turn the steps, as the buttons do; the step stands in the URL.
Not here: sentences (``views/story.py``), figures (``charts``).
"""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from dashboard import looks
from dashboard.app_pages import panel
from dashboard.charts import anchors as anchor_figures
from dashboard.charts import overview as figures
from dashboard.charts import whatif as policy_figures
from dashboard.controls import folded, state
from dashboard.scene import Scene
from dashboard.text import markdown
from dashboard.views import overview, story, trend, whatif
from dashboard.views.corpus import anchors
from dashboard.views.table import Table
from guard_core.judging.judge import Verdicts


def sources(scene: Scene, verdicts: Verdicts) -> overview.Sources:
    """Independent sources behind everything that is judged."""
    statistics, belief = verdicts.statistics, verdicts.policy.belief
    return scene.once("sources", statistics.top_k, lambda: overview.sources(statistics, belief), belief)


def depths(scene: Scene, verdicts: Verdicts) -> overview.Depths:
    """Results by depth."""
    statistics, belief = verdicts.statistics, verdicts.policy.belief
    return scene.once("depths", statistics.top_k, lambda: overview.depths(statistics, belief), belief)


def known(scene: Scene, verdicts: Verdicts) -> overview.Known:
    """Results by how their class is known."""
    statistics = verdicts.statistics
    return scene.once("known", statistics.top_k, lambda: overview.known(statistics))


def invite() -> None:
    """The way into the story."""
    st.button(
        "Tell it in five steps", key="story.begin", icon=":material/slideshow:", on_click=state.tell, args=(1,),
        shortcut="S",
    )  # fmt: skip


def tell(scene: Scene, number: int) -> None:
    """One step."""
    verdicts = scene.verdicts(state.policy().policy)
    step, figure, numbers, alt = _step(scene, verdicts, number)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.caption(f"Step {number:d} of {looks.STORY_STEPS:d} · {markdown(panel.seen(scene))}", width="content")
        with st.container(horizontal=True, gap="small", width="content", key="story.turn"):
            st.button(
                "Back", key="story.back", icon=":material/arrow_back:", on_click=state.turn_story, args=(False,),
                disabled=number == 1, shortcut="Left",
            )  # fmt: skip
            st.button(
                "Next", key="story.next", icon=":material/arrow_forward:", on_click=state.turn_story, args=(True,),
                disabled=number == looks.STORY_STEPS, shortcut="Right",
            )  # fmt: skip
            st.button(
                "Leave", key="story.end", icon=":material/close:", on_click=state.tell, args=(None,), shortcut="Escape"
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


def _step(scene: Scene, verdicts: Verdicts, number: int) -> tuple[story.Step, go.Figure, Table, str]:
    summary = verdicts.summary()
    shares = overview.shares(summary)
    statistics, belief = verdicts.statistics, verdicts.policy.belief
    if number == 1:
        found = known(scene, verdicts)
        step = story.asked(summary, statistics.judged_results, found)
        return step, figures.basis(found), found.numbers, found.title
    if number == 2:
        deep = depths(scene, verdicts)
        return story.depth(deep), figures.depth_histogram(deep), deep.numbers, deep.title
    if number == 3:
        spread = anchors.spread(statistics, belief)
        return story.sources(sources(scene, verdicts)), anchor_figures.spread(spread), spread.numbers, spread.title
    if number == 4:
        moved = trend.trend(verdicts, state.waived(verdicts))
        if moved is not None:
            return story.verdict(shares), figures.trend(moved), moved.numbers, moved.title
        return story.verdict(shares), figures.verdict_shares(shares, wide=True), shares.numbers, shares.title
    curve = whatif.curve(verdicts, state.waived(verdicts))
    return story.action(summary, shares, curve.title), policy_figures.sweep(curve), curve.numbers, curve.title
