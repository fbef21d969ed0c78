"""Finding retrievals and anchors, from the pages: filter, search, sort, pages, downloads, one opened."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

import sample_data
from dashboard.views import export, retrieval, search
from dashboard.words import FAMILY_STATE
from guard_core.corpus.coverage import count_coverage
from guard_core.ingest import read_log
from guard_core.judging.guard import SyntheticSourceGuard
from guard_core.judging.judge import Verdicts, judge
from guard_core.judging.policy import find_preset, load_policy, replace_fields, write_policy
from guard_core.judging.selection import Selection, select_by_log, select_by_verdict
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief
from guard_core.provenance.evidence import Evidence
from guard_core.provenance.inputs import load_inputs
from tests.dashboard.conftest import OpenPage
from tests.support.pages import read_address, read_page

SAMPLE = replace_fields(load_policy(sample_data.POLICY), {"signatures": "present"})
RETRIEVALS, ANCHORS = "app_pages/retrievals.py", "app_pages/anchors.py"


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return load_inputs([sample_data.LOG], catalogue=sample_data.CATALOGUE)


@pytest.fixture(scope="module")
def verdicts(evidence: Evidence) -> Verdicts:
    return judge(Statistics.from_evidence(evidence), SAMPLE.policy)


def listed(page: AppTest) -> list[str]:
    frame = next(frame.value for frame in page.dataframe if "What to do" in frame.value.columns)
    return [str(name) for name in frame["Retrieval"]]


@pytest.fixture
def options(logs: dict[str, tuple[str, ...]], tmp_path: Path) -> tuple[str, ...]:
    """The sample without its trust store, under the policy of these tests."""
    file = tmp_path / "policy.toml"
    file.write_text(write_policy(SAMPLE), encoding="utf-8")
    return (*logs["sample"], "--policy", str(file))


def test_the_filter_holds_on_every_page_and_says_of_how_many(
    open_page: OpenPage, options: tuple[str, ...], verdicts: Verdicts
) -> None:
    kept = int(select_by_verdict(verdicts, Selection(verdicts=("UNVERIFIED_SOURCES",))).sum())
    page = open_page(options)
    page.multiselect(key="widget.verdicts").set_value(["UNVERIFIED_SOURCES"]).run()
    for name in ("app_pages/overview.py", "app_pages/whatif.py", ANCHORS, RETRIEVALS):
        page.switch_page(name).run()
        assert not page.exception
        assert f"Showing {kept} of 400 retrievals" in read_page(page)
    assert read_address(page)["verdict"] == ["UNVERIFIED_SOURCES"]
    page.button(key="filter.clear").click().run()
    assert "Showing 400 of 400 retrievals" in read_page(page)
    assert "verdict" not in read_address(page)


def test_a_filter_that_leaves_nothing_says_so(open_page: OpenPage, options: tuple[str, ...]) -> None:
    page = open_page(options, parameters={"collection": ["no such collection"]})
    assert not page.exception
    assert "Showing 0 of 400 retrievals" in read_page(page)
    assert "Take a condition off" in read_page(page)


def test_on_what_if_the_baseline_decides_what_is_looked_at(
    open_page: OpenPage, options: tuple[str, ...], verdicts: Verdicts
) -> None:
    kept = int(select_by_verdict(verdicts, Selection(verdicts=("HUMAN_GROUNDED",))).sum())
    page = open_page(options, "app_pages/whatif.py", {"verdict": ["HUMAN_GROUNDED"]})
    page.select_slider(key="widget.min_human_grounding_ratio").set_value(1.0).run()
    assert f"Showing {kept} of 400 retrievals" in read_page(page)
    assert int(page.metric[0].value) > 0


@pytest.mark.parametrize(
    ("key", "value", "selection"),
    [
        ("widget.text", "FERRY", Selection(text="FERRY")),
        ("widget.text", "q-0007", Selection(text="q-0007")),
        ("widget.document", "almanac", Selection(document="almanac")),
        ("widget.anchor", "heron-archive-01", Selection(anchor="heron-archive-01")),
        ("widget.text", ".*", Selection(text=".*")),
    ],
)
def test_a_search_lists_what_matches(
    open_page: OpenPage,
    options: tuple[str, ...],
    evidence: Evidence,
    key: str,
    value: str,
    selection: Selection,
) -> None:
    kept = np.flatnonzero(select_by_log(evidence, selection))
    page = open_page(options, RETRIEVALS)
    page.text_input(key=key).set_value(value).run()
    assert not page.exception
    if not len(kept):
        assert "No retrieval matches" in read_page(page)
        return
    assert listed(page) == [evidence.log.retrieval_id(int(n)) for n in kept[: search.PAGE]]
    again = open_page(options, RETRIEVALS, read_address(page))
    assert listed(again) == listed(page)


def test_a_waived_verdict_is_a_search_too(open_page: OpenPage, options: tuple[str, ...]) -> None:
    page = open_page(options, RETRIEVALS)
    page.multiselect(key="widget.waived").set_value(["SYNTHETIC_DEPTH_1_ACCEPTABLE"]).run()
    frame = next(frame.value for frame in page.dataframe if "What to do" in frame.value.columns)
    assert set(frame["Signatures waived"]) == {"Synthetic depth 1 acceptable"}


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("by", ["log", "time", "ratio", "sources", "entries", "margin", "depth"])
def test_sorting_keeps_ties_in_order_and_what_is_missing_last(verdicts: Verdicts, by: str, descending: bool) -> None:
    statistics = verdicts.statistics
    order = search.sort_retrievals(verdicts, by, descending)
    assert sorted(order.tolist()) == list(range(len(statistics.retrievals)))
    if by == "log":
        return
    if by == "time":
        values = statistics.evidence.log.times.astype(np.float64)
    else:
        values = search._find_values(verdicts, by)[statistics.profile_of]
    expected = sorted(
        range(len(values)), key=lambda i: (bool(np.isnan(values[i])), -values[i] if descending else values[i], i)
    )
    missing = int(np.isnan(values).sum())
    assert order[: len(order) - missing].tolist() == expected[: len(order) - missing]
    assert np.isnan(values[order[len(order) - missing :]]).all()


def test_pages_turn_and_stand_in_the_url(open_page: OpenPage, options: tuple[str, ...]) -> None:
    page = open_page(options, RETRIEVALS, {"page": "2", "sort": "-ratio"})
    assert "26 to 50 of 400 retrievals" in read_page(page)
    assert page.selectbox(key="widget.sort").value == "ratio"
    page.text_input(key="widget.text").set_value("ferry").run()
    assert "page" not in read_address(page)


def test_a_retrieval_is_opened_by_its_row_and_by_its_link(
    open_page: OpenPage, options: tuple[str, ...], evidence: Evidence
) -> None:
    page = open_page(options, RETRIEVALS)
    page.session_state["retrievals.table"] = {"selection": {"rows": [6], "columns": [], "cells": []}}
    page.run()
    assert read_address(page)["retrieval"] == ["q-0007"]
    page = open_page(options, RETRIEVALS, {"retrieval": "q-0007"})
    assert not page.exception
    text = read_page(page)
    manifest = SyntheticSourceGuard.evaluate_results(evidence.results(6), SAMPLE.policy)
    assert manifest.directive in text
    assert "would have to change class for the verdict to change" in text
    results = next(frame.value for frame in page.dataframe if "Known by" in frame.value.columns)
    assert list(results["Result"]) == [r.result_id for r in evidence.results(6)]
    line = sample_data.LOG.read_text(encoding="utf-8").splitlines()[6]
    assert {r["text"] for r in json.loads(line)["results"]} <= {str(block.value) for block in page.code}
    page.button(key="retrievals.back").click().run()
    assert "1 to 25 of 400 retrievals" in read_page(page)


def test_a_retrieval_that_is_not_there_is_said(open_page: OpenPage, options: tuple[str, ...]) -> None:
    page = open_page(options, RETRIEVALS, {"retrieval": "![x](y)", "occurrence": "2"})
    assert not page.exception
    assert "no retrieval `![x](y)`, number 2" in read_page(page)


def test_a_file_that_changed_is_said(open_page: OpenPage, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    rows = [{"query_id": "q", "rank": n, "doc_id": f"d{n}", "text": f"words of {n}"} for n in (1, 2)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    page = open_page(("--log", str(path)), RETRIEVALS)
    path.write_text(path.read_text(encoding="utf-8").replace("of 2", "of 3"), encoding="utf-8")
    page.session_state["retrievals.table"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    page.run()
    assert "has changed since it was loaded" in read_page(page)
    assert "words of 1" in read_page(page)
    assert "words of 3" not in read_page(page)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"min_human_grounding_ratio": 0.5}, "Two results would have to change class"),
        ({"min_human_grounding_ratio": 0.0}, "No change of class would change the verdict"),
        ({"min_human_grounding_ratio": 0.7}, "One result would have to change class"),
        ({"signatures": "verified"}, "a signature is missing"),
    ],
)
def test_margins_in_words(evidence: Evidence, fields: dict[str, object], words: str) -> None:
    policy = replace_fields(find_preset("reference"), fields).policy
    assert words in retrieval.describe_margin(
        SyntheticSourceGuard.evaluate_results(evidence.results(2)[:5], policy), policy
    ) or (words in retrieval.open_retrieval(evidence, 6, policy, policy).margin)


@pytest.mark.parametrize("form", export.FORMS)
def test_downloads_hold_everything_that_matches(verdicts: Verdicts, tmp_path: Path, form: str) -> None:
    statistics = verdicts.statistics
    positions = np.flatnonzero(select_by_log(statistics.evidence, Selection(text="ferry")))[::-1]
    wanted = [statistics.evidence.log.retrieval_id(int(n)) for n in positions]
    data = export.write_download(form, verdicts, positions, SAMPLE)
    if form == "json":
        assert [r["retrieval_id"] for r in json.loads(data)["retrievals"]] == wanted
        return
    filled = [name for name, n in zip(wanted, positions, strict=True) if statistics.evidence.results(int(n))]
    if form == "parquet":
        assert list(dict.fromkeys(pq.read_table(io.BytesIO(data))["retrieval_id"].to_pylist())) == filled
        return
    path = tmp_path / "again.csv"
    path.write_bytes(data)
    again = read_log([path])
    assert [again.retrieval_id(n) for n in range(again.retrieval_count)] == filled


def test_formulas_are_guarded_in_downloads(logs: dict[str, tuple[str, ...]]) -> None:
    found = load_inputs([logs["hostile"][1]])
    hostile = judge(Statistics.from_evidence(found), SAMPLE.policy)
    data = export.write_download("csv", hostile, np.arange(found.log.retrieval_count), SAMPLE).decode()
    assert "'=HYPERLINK" in data
    assert ",=HYPERLINK" not in data
    assert ',"=HYPERLINK' not in data


def test_what_is_too_large_for_a_browser_is_refused_with_the_limit(
    verdicts: Verdicts, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert export.explain_limit(verdicts) is None
    monkeypatch.setattr(export, "LIMIT", 10)
    refusal = export.explain_limit(verdicts)
    assert refusal is not None
    assert "at most 10" in refusal
    assert "command line" in refusal


def test_bars_have_the_ids_of_the_list(verdicts: Verdicts) -> None:
    made = search.count_classes(verdicts, np.arange(6))
    assert made.names == tuple(f"q-000{n}" for n in range(1, 7))
    assert [sum(row) for row in made.counts] == [len(verdicts.statistics.evidence.results(n)) for n in range(6)]


def test_a_family_is_opened_from_the_table_and_by_its_link(
    open_page: OpenPage, options: tuple[str, ...], verdicts: Verdicts
) -> None:
    page = open_page(options, ANCHORS)
    assert not page.exception
    page.session_state["anchors.table"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    page.run()
    assert read_address(page)["family"] == ["almanac"]
    families = count_coverage(verdicts.statistics, Belief.DECLARED).families
    page = open_page(options, ANCHORS, {"family": "almanac"})
    assert [m.value.replace("\\", "") for m in page.metric][:1] == [f"{families.results[0]:,}"]
    assert len(listed(page)) == families.retrievals[0]
    page.button(key="anchors.search").click().run()
    assert read_address(page)["anchor"] == ["almanac"]


def test_unresolved_families_are_marked(open_page: OpenPage, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    rows = [{"query_id": "q", "rank": n, "doc_id": f"d{n}", "origin": "model", "anchors": ["a" * 64]} for n in (1, 2)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    page = open_page(("--log", str(path)), ANCHORS)
    frame = next(frame.value for frame in page.dataframe if "State" in frame.value.columns)
    assert frame["State"].tolist() == [FAMILY_STATE[False]]
    page = open_page(("--log", str(path)), ANCHORS, {"unresolved": "a" * 64})
    assert "no known document has it" in read_page(page)


def test_a_log_without_anchors_says_what_to_bring(open_page: OpenPage, logs: dict[str, tuple[str, ...]]) -> None:
    page = open_page(logs["bare"], ANCHORS)
    assert "No result names an anchor" in read_page(page)
    assert "Bring a catalogue" in read_page(page)


@pytest.mark.parametrize("step", ["1", "2", "3", "4", "5"])
@pytest.mark.parametrize("log", ["empty", "bare", "torn", "hostile", "demo"])
def test_the_story_is_told_of_any_log(
    open_page: OpenPage, logs: dict[str, tuple[str, ...]], log: str, step: str
) -> None:
    page = open_page(logs[log], parameters={"story": step})
    assert not page.exception
    assert page.title[0].value.endswith("?")


def test_the_story_goes_forward_and_back(open_page: OpenPage) -> None:
    page = open_page(("--demo",))
    page.button(key="story.begin").click().run()
    first = page.title[0].value
    page.button(key="story.next").click().run()
    assert page.title[0].value != first
    assert read_address(page)["story"] == ["2"]
    page.button(key="story.back").click().run()
    assert page.title[0].value == first
    page.button(key="story.end").click().run()
    assert page.title[0].value == "Overview"
