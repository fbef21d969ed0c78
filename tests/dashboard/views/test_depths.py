"""Depths split by rank, originator and month: nothing is counted twice or lost, on the page and by its link."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import sample_data
from dashboard.charts import depths as figures
from dashboard.views import depths
from guard_core.judging.statistics import DEPTH_BUCKETS, Statistics
from guard_core.model import Belief
from guard_core.provenance.evidence import Evidence
from guard_core.provenance.inputs import load_inputs
from tests.dashboard.conftest import OpenPage
from tests.support.screen_tables import list_rows


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return load_inputs([sample_data.LOG], catalogue=sample_data.CATALOGUE)


def written(folder: Path, rows: list[dict[str, object]]) -> Evidence:
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return load_inputs([path])


@pytest.mark.parametrize("by", ["rank", "originator", "generator", "month"])
@pytest.mark.parametrize("belief", [Belief.DECLARED, Belief.UPHELD])
@pytest.mark.parametrize("top_k", [None, 3])
def test_groups_add_up_to_the_histogram(evidence: Evidence, by: str, belief: Belief, top_k: int | None) -> None:
    statistics = Statistics.from_evidence(evidence, top_k)
    found = depths.split_depths(statistics, belief, by)
    assert [sum(column) for column in zip(*found.counts, strict=True)] == list(
        statistics.depth_histogram(belief).values()
    )
    assert len(found.groups) == len(set(found.groups)) == len(found.counts)
    assert all(sum(row) for row in found.counts)
    assert [row[0] for row in list_rows(found.numbers)] == list(found.groups)


def test_each_result_stands_in_its_group(evidence: Evidence) -> None:
    """The same counts by a plain walk over the log."""
    log = evidence.log
    by_month: Counter[tuple[str, str]] = Counter()
    by_rank: Counter[tuple[str, str]] = Counter()
    by_originator: Counter[tuple[str, str]] = Counter()
    names = {1: "1", 2: "2 to 3", 3: "2 to 3", 4: "4 to 5", 5: "4 to 5"} | dict.fromkeys(range(6, 11), "6 to 10")
    for number in range(log.retrieval_count):
        month = str(log.times[number].astype("datetime64[us]"))[:7]
        for row in range(int(log.offsets[number]), int(log.offsets[number + 1])):
            depth = int(evidence.under(Belief.DECLARED).depths[row])
            bucket = "unknown" if depth < 0 else "4+" if depth > 3 else str(depth)
            by_month[month, bucket] += 1
            by_rank[names[int(log.ranks[row])], bucket] += 1
            by_originator[evidence.originators.text(row) or "none named", bucket] += 1
    statistics = Statistics.from_evidence(evidence)
    for by, expected in (("month", by_month), ("rank", by_rank), ("originator", by_originator)):
        found = depths.split_depths(statistics, Belief.DECLARED, by)
        counted = {
            (group, DEPTH_BUCKETS[j]): number
            for group, row in zip(found.groups, found.counts, strict=True)
            for j, number in enumerate(row)
            if number
        }
        assert {key: n for key, n in counted.items() if "others" not in key[0]} == {
            key: n for key, n in expected.items() if key[0] in found.groups
        }


def test_of_many_groups_the_rest_is_one(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"query_id": f"q{n}", "doc_id": f"d{n}", "originator": f"<b>{n}</b>", "timestamp": f"20{n:02d}-05-01"}
        for n in range(30)
    ]
    rows.append({"query_id": "late", "doc_id": "d", "rank": 60})
    evidence = written(tmp_path, rows)
    statistics = Statistics.from_evidence(evidence)
    by_originator = depths.split_depths(statistics, Belief.DECLARED, "originator")
    assert by_originator.groups[-2:] == (f"{30 - depths.STRONGEST} others", "none named")
    by_month = depths.split_depths(statistics, Belief.DECLARED, "month")
    assert by_month.groups[0] == "before 2012-05"
    assert by_month.groups[-1] == "no time"
    assert len(by_month.groups) == depths.LATEST + 2
    assert depths.split_depths(statistics, Belief.DECLARED, "rank").groups == ("1", "51 and later")
    drawn = figures.draw_split(by_originator)
    assert all("<b>" not in name for name in drawn.data[0].y)


def test_only_what_a_log_has_is_offered(evidence: Evidence, tmp_path: Path) -> None:
    assert depths.list_splits(evidence) == ("rank", "originator", "generator", "month")
    assert depths.list_splits(written(tmp_path, [{"query_id": "q", "doc_id": "d"}])) == ("rank",)


@pytest.mark.parametrize("by", ["rank", "originator", "generator", "month"])
def test_every_figure_is_one_that_plotly_takes(evidence: Evidence, by: str) -> None:
    drawn = figures.draw_split(depths.split_depths(Statistics.from_evidence(evidence), Belief.DECLARED, by))
    type(drawn)(drawn.to_dict())  # the constructor checks each setting
    assert next(trace.name for trace in drawn.data) == "Depth 0 (human)"


def test_a_split_is_chosen_in_the_card_and_stands_in_the_link(open_page: OpenPage) -> None:
    page = open_page(("--demo",))
    page.segmented_control(key="widget.depths").set_value("month").run()
    assert not page.exception
    assert page.query_params["depths"] == "month"
    again = open_page(("--demo",), parameters={"depths": "month"})
    frame = next(frame.value for frame in again.dataframe if "Machine on machine" in frame.value.columns)
    assert frame["Month"].tolist() == ["2026-07", "2026-08", "2026-09"]
    again.segmented_control(key="widget.depths").set_value("").run()
    assert "depths" not in again.query_params


def test_a_split_that_the_log_cannot_have_is_not_drawn(open_page: OpenPage, logs: dict[str, tuple[str, ...]]) -> None:
    page = open_page(logs["bare"], parameters={"depths": "month"})
    assert not page.exception
    assert page.segmented_control(key="widget.depths").value == ""
    wrong = open_page(logs["bare"], parameters={"depths": "<b>"})
    assert any("depths" in str(element.value) for element in wrong.warning)


@pytest.mark.parametrize("by", ["rank", "originator"])
def test_hostile_originators_are_literal(open_page: OpenPage, logs: dict[str, tuple[str, ...]], by: str) -> None:
    page = open_page(logs["hostile"], parameters={"depths": by})
    assert not page.exception
    for element in (*page.markdown, *page.caption):
        outside_code = "".join(str(element.value).split("`")[::2])
        assert "![" not in outside_code
        assert "<img" not in outside_code
