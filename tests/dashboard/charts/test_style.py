"""Figures: aggregates only, one order and palette of verdicts, literal labels, contrast that can be read."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from itertools import pairwise
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

import sample_data
from dashboard.charts import anchors, overview, retrievals, style, whatif
from dashboard.views import overview as rows
from dashboard.views import search, trend
from dashboard.views import whatif as compared
from dashboard.views.corpus import anchors as families
from dashboard.words import VERDICTS, label_code
from guard_core.corpus.clusters import find_clusters
from guard_core.corpus.coverage import count_coverage
from guard_core.judging.judge import Verdicts, judge
from guard_core.judging.policy import load_policy, replace_fields
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief
from guard_core.provenance.evidence import Evidence

CONFIG = Path(__file__).parents[3] / "dashboard" / ".streamlit" / "config.toml"


@pytest.fixture(scope="module")
def judgements(evidence: Evidence) -> tuple[Verdicts, Verdicts]:
    start = load_policy(sample_data.POLICY)
    moved = replace_fields(start, {"min_human_grounding_ratio": 0.7}).policy
    statistics = Statistics.from_evidence(evidence)
    return judge(statistics, start.policy), judge(statistics, moved)


@pytest.fixture(scope="module")
def figures(judgements: tuple[Verdicts, Verdicts]) -> dict[str, go.Figure]:
    baseline, candidate = judgements
    moved = trend.count_trend(baseline, waived=False)
    assert moved is not None
    change = compared.compare_policies(baseline, candidate, waived=False).comparison
    covered = count_coverage(baseline.statistics, Belief.DECLARED)
    grouped = find_clusters(covered)
    return {
        "shares": overview.draw_shares(rows.count_shares(baseline.summary()), wide=True),
        "ratios": overview.draw_ratios(rows.count_ratios(baseline)),
        "depths": overview.draw_depths(rows.count_depths(baseline.statistics, Belief.DECLARED)),
        "basis": overview.draw_bases(rows.count_bases(baseline.statistics)),
        "trend": overview.draw_trend(moved),
        "side by side": whatif.draw_comparison(change),
        "flow": whatif.draw_flow(change),
        "sweep": whatif.draw_sweep(compared.compute_curve(candidate, waived=False)),
        "families": anchors.draw_families(families.rank_families(covered.families, grouped)),
        "spread": anchors.draw_spread(families.count_spread(baseline.statistics, Belief.DECLARED)),
        "map": anchors.draw_map(families.map_anchors(covered, grouped)),
        "makeup": retrievals.draw_classes(search.count_classes(baseline, np.arange(25))),
    }


NAMES = (
    "shares", "ratios", "depths", "basis", "trend", "side by side", "flow", "sweep", "families", "spread", "map",
    "makeup",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_small(figures: dict[str, go.Figure], name: str) -> None:
    limit = 40_000 if name == "map" else 20_000  # a map has two numbers a point and four a line
    assert len(figures[name].to_json()) < limit


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_is_what_plotly_takes(figures: dict[str, go.Figure], name: str) -> None:
    drawn = json.loads(figures[name].to_json())
    checked = go.Figure(drawn)  # every setting is checked here, and nowhere else
    assert json.loads(checked.to_json()) == drawn


@pytest.mark.parametrize(
    ("name", "axis"),
    [
        ("shares", "y"),
        ("depths", "x"),
        ("basis", "y"),
        ("trend", "x"),
        ("families", "y"),
        ("makeup", "y"),
        ("spread", "x"),
    ],
)
def test_axes_of_names_are_categories(figures: dict[str, go.Figure], name: str, axis: str) -> None:
    assert figures[name].layout[f"{axis}axis"].type == "category"


def test_numbers_as_names_stay_names_in_order() -> None:
    axis = style.order_categories(["10", "2", "001", "<b>7</b>"])
    assert axis == {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": ["10", "2", "001", "&lt;b&gt;7&lt;/b&gt;"],
    }
    made = style.start_figure(200)
    parts = style.list_verdict_parts(((1, 0, 0, 0), (0, 0, 0, 0)))
    style.add_share_bars(made, ("<a href='x'>y</a>", "2"), parts, "retrievals")
    assert "<a" not in made.build().to_json().replace("\\u003c", "<")


@pytest.mark.parametrize("name", ["shares", "trend", "side by side"])
def test_verdicts_keep_their_order_and_differ_without_colour(figures: dict[str, go.Figure], name: str) -> None:
    traces = json.loads(figures[name].to_json())["data"]
    assert [trace["name"] for trace in traces] == [label_code(verdict) for verdict in VERDICTS[:4]]
    shapes = [trace["marker"]["pattern"]["shape"] for trace in traces]
    assert len(set(shapes)) == 4


def test_flow_carries_every_retrieval(figures: dict[str, go.Figure], judgements: tuple[Verdicts, Verdicts]) -> None:
    link = json.loads(figures["flow"].to_json())["data"][0]["link"]
    assert sum(link["value"]) == judgements[0].summary().counted


def test_a_flow_without_flips_and_one_of_nothing_are_drawn(judgements: tuple[Verdicts, Verdicts]) -> None:
    still = compared.compare_policies(judgements[0], judgements[0], waived=False).comparison
    assert still.changed == 0
    assert whatif.draw_flow(still).data
    empty = judge(
        Statistics.from_evidence(judgements[0].statistics.evidence, keep=judgements[0].counted[:0]),
        judgements[0].policy,
    )
    nothing = compared.compare_policies(empty, empty, waived=False).comparison
    assert whatif.draw_flow(nothing).data
    assert whatif.draw_sweep(compared.compute_curve(empty, waived=False)).data


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(first: str, second: str) -> float:
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


THEMES = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "colour", sorted({*style.VERDICT_COLOUR.values(), style.NEUTRAL, style.ACCENT, *style.CLUSTER})
)
def test_colours_stand_out_on_both_themes(theme: str, colour: str) -> None:
    assert _contrast(colour, THEMES[theme]["backgroundColor"]) >= 3


@pytest.mark.parametrize("colour", sorted({*style.VERDICT_COLOUR.values(), *style.CLUSTER}))
def test_white_text_can_be_read_on_every_verdict(colour: str) -> None:
    assert _contrast(colour, "#ffffff") >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_of_the_page_can_be_read(theme: str) -> None:
    assert _contrast(THEMES[theme]["textColor"], THEMES[theme]["backgroundColor"]) >= 7
    assert _contrast(THEMES[theme]["textColor"], THEMES[theme]["secondaryBackgroundColor"]) >= 7
    assert _contrast(THEMES[theme]["primaryColor"], THEMES[theme]["backgroundColor"]) >= 3


@pytest.mark.parametrize("counts", [(1, 1, 1, 100_000), (100_000, 1, 1, 1), (1, 50_000, 1, 1), (5, 5, 5, 5), (7,)])
def test_names_beside_a_flow_never_stand_on_each_other(
    judgements: tuple[Verdicts, Verdicts], counts: tuple[int, ...]
) -> None:
    numbers = (*counts, *[0] * (4 - len(counts)))
    flows = tuple(tuple(n if i == j else 0 for j in range(4)) for i, n in enumerate(numbers))
    change = compared.compare_policies(*judgements, waived=False).comparison
    drawn = whatif.draw_flow(dataclasses.replace(change, before=numbers, after=numbers, flows=flows))
    heights = [note["y"] for note in json.loads(drawn.to_json())["layout"]["annotations"]][: len(counts)]
    assert len(heights) == len(counts)
    assert all(0 <= height <= 1 for height in heights)
    assert all(first - second > 0.16 for first, second in pairwise(heights))  # three lines of 13 px in 344 px
