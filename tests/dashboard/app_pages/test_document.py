"""A document opened from anywhere: its chain, what each basis says, what does not fit, where it was retrieved."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import sample_data
from dashboard.charts import neighbourhood as figures
from dashboard.views.corpus import document as views
from dashboard.views.corpus import neighbourhood
from guard_core.corpus.derivation import Bases, build_derivation_graph
from guard_core.corpus.document_record import gather_facts
from guard_core.corpus.leverage import find_leverage
from guard_core.corpus.neighbourhood import find_neighbourhood
from guard_core.judging.policy import load_policy
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief
from guard_core.provenance.evidence import Evidence
from guard_core.provenance.inputs import load_inputs
from tests.dashboard.conftest import OpenPage
from tests.support import hostile_log
from tests.support.pages import read_columns, read_page
from tests.support.screen_tables import list_rows

PAGE = "app_pages/document.py"


def picture_of(evidence: Evidence, name: str) -> neighbourhood.ChainPicture:
    graph = build_derivation_graph(evidence)
    number = graph.find_number(name)
    assert number is not None
    around = find_neighbourhood(graph, number)
    return neighbourhood.lay_out_chain(
        around, gather_facts(evidence, graph, [other for other, _ in around.steps], Belief.DECLARED)
    )


def written(folder: Path, log: list[dict[str, object]], catalogue: list[dict[str, object]]) -> tuple[str, ...]:
    options = []
    for name, rows in (("log", log), ("catalogue", catalogue)):
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        options += [f"--{name}", str(path)]
    return tuple(options)


def test_a_picture_has_every_document_and_link_with_its_basis(evidence: Evidence) -> None:
    found = picture_of(evidence, "ferry-retold-3-1")
    assert [(point.name, point.y) for point in found.points] == [
        ("almanac", -3), ("ferry-retold-1-1", -2), ("ferry-retold-2-1", -1), ("ferry-retold-3-1", 0),
        ("ferry-retold-4-1", 1),
    ]  # fmt: skip
    assert found.title == "It comes from 1 source through 2 documents; 1 document comes from it"
    assert list_rows(found.numbers)[-1] == ("ferry-retold-4-1", "ferry-retold-3-1", "derived from (catalogue)", "yes")
    assert {line.basis for line in found.lines} == {Bases.CATALOGUE}
    assert "All 5 documents" in found.detail
    drawn = figures.draw_chain(found)
    type(drawn)(drawn.to_dict())  # the constructor checks each setting
    assert sum(len(trace.text or ()) for trace in drawn.data) == 5


def test_a_large_family_is_cut_and_says_of_how_many(evidence: Evidence) -> None:
    found = picture_of(evidence, "almanac")
    assert "of 121 documents are drawn" in found.detail
    assert found.documents.is_cut
    assert found.documents.total == 121
    assert any(point.more for point in found.points)


def test_what_is_left_out_above_stands_between_the_sources_and_the_rest(tmp_path: Path) -> None:
    chain: list[dict[str, object]] = [{"doc_id": "d0", "origin": "human"}]
    chain += [{"doc_id": f"d{n}", "origin": "model", "derived_from": [f"d{n - 1}"]} for n in range(1, 30)]
    options = written(tmp_path, [{"query_id": "q", "doc_id": "d29"}], chain)
    found = picture_of(load_inputs([options[1]], catalogue=options[3]), "d29")
    assert found.gap_text == "24 documents left out"
    assert found.gap is not None
    assert [found.points[place].name for place in found.beyond] == ["d0"]
    assert len(found.open_above) == 1
    drawn = figures.draw_chain(found)
    assert drawn.layout.annotations[0].text == "24 documents left out"


def test_a_document_opens_by_its_link_and_shows_every_retrieval(open_page: OpenPage, evidence: Evidence) -> None:
    page = open_page(("--demo",), PAGE, {"document": "ferry-retold-3-1"})
    assert not page.exception
    text = read_page(page)
    assert "Synthetic depth 2 plus, by a signed claim" in text
    assert "It rests on 1 human source: almanac (100%)" in text
    log = evidence.log
    expected = [
        log.retrieval_id(number)
        for number in range(log.retrieval_count)
        for row in range(int(log.offsets[number]), int(log.offsets[number + 1]))
        if log.document_ids.text(row) == "ferry-retold-3-1"
    ]
    assert read_columns(page, "Time")["Retrieval"] == expected
    assert read_columns(page, "Stated depth")["Who"] == ["A valid claim", "The catalogue", "The log"]
    page.session_state["document.retrievals"] = {"selection": {"rows": [1], "columns": [], "cells": []}}
    page.run()
    assert page.query_params["retrieval"] == expected[1]
    assert f"Retrieval {expected[1]}" in read_page(page)


def test_a_retrieval_and_a_family_lead_to_their_documents(open_page: OpenPage, evidence: Evidence) -> None:
    page = open_page(("--demo",), "app_pages/retrievals.py", {"retrieval": "q-0263"})
    results = read_columns(page, "Known by")["Document"]
    page.session_state["opened.results"] = {"selection": {"rows": [2], "columns": [], "cells": []}}
    page.run()
    assert not page.exception
    assert page.query_params["document"] == results[2]
    page = open_page(("--demo",), "app_pages/anchors.py", {"family": "almanac"})
    page.session_state["anchors.documents"] = {"selection": {"rows": [1], "columns": [], "cells": []}}
    page.run()
    assert page.query_params["document"] == "soap-retold-1-1"
    assert "soap-retold-1-1" in read_page(page)
    page.switch_page(PAGE).run()
    number = build_derivation_graph(evidence).find_number("soap-retold-1-1")
    page.session_state[f"document.kin.{number}"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    page.run()
    assert page.query_params["document"] == "almanac"
    page.button(key="document.back").click().run()
    assert "document" not in page.query_params
    assert "Documents that were retrieved most often" in read_page(page)


def test_a_document_that_only_the_catalogue_knows_opens(open_page: OpenPage, tmp_path: Path) -> None:
    catalogue: list[dict[str, object]] = [
        {"doc_id": "a", "origin": "human", "title": "The first"},
        {"doc_id": "b", "origin": "model", "depth": 1, "derived_from": ["a"]},
        {"doc_id": "c", "origin": "model", "depth": 1, "derived_from": ["b", "nobody knows"]},
    ]
    options = written(tmp_path, [{"query_id": "q", "doc_id": "other"}], catalogue)
    page = open_page(options, PAGE, {"document": "c"})
    assert not page.exception
    text = read_page(page)
    assert "it was never retrieved in this log" in text
    assert "The catalogue states depth 1; depth 2 counts." in text
    assert "One of its parents is not known" in text
    assert "In none of the retrievals shown." in text
    assert read_columns(page, "Derived from")["Derived from"] == ["b, nobody knows (not known)"]
    assert "The first" in read_page(open_page(options, PAGE, {"document": "a"}))


def test_circles_are_said(open_page: OpenPage, tmp_path: Path) -> None:
    catalogue: list[dict[str, object]] = [
        {"doc_id": "a", "origin": "human", "derived_from": ["b"]},
        {"doc_id": "b", "origin": "model", "derived_from": ["a", "b"]},
    ]
    page = open_page(written(tmp_path, [{"query_id": "q", "doc_id": "a"}], catalogue), PAGE, {"document": "a"})
    assert not page.exception
    assert "It descends from itself" in read_page(page)
    assert "or from a document that does" in read_page(page)


@pytest.mark.parametrize("log", ["demo", "bare", "hostile", "empty", "torn"])
def test_an_id_that_nobody_knows_is_said(open_page: OpenPage, logs: dict[str, tuple[str, ...]], log: str) -> None:
    page = open_page(logs[log], PAGE, {"document": "![x](y) <b>"})
    assert not page.exception
    assert "has a document `![x](y) <b>`" in read_page(page)
    page.text_input(key="widget.opened").set_value("nobody").run()
    assert page.query_params["document"] == "nobody"


def test_every_hostile_document_opens_and_is_literal(open_page: OpenPage, logs: dict[str, tuple[str, ...]]) -> None:
    for text in hostile_log.list_attacks("http://127.0.0.1:9"):
        page = open_page(logs["hostile"], PAGE, {"document": text})
        assert not page.exception
        assert "has a document" not in read_page(page)
        for element in (*page.markdown, *page.caption, *page.info, *page.warning):
            outside_code = "".join(str(element.value).split("`")[::2]) if "``" not in str(element.value) else ""
            assert "![" not in outside_code
            assert "<img" not in outside_code
            assert "<b>" not in outside_code
        assert page.metric


def test_a_hostile_chain_is_drawn_literally(tmp_path: Path) -> None:
    texts = hostile_log.list_attacks("http://127.0.0.1:9")
    rows: list[dict[str, object]] = [
        {"query_id": "q", "doc_id": text, "origin": "model", "derived_from": [other]}
        for text, other in zip(texts[1:], texts, strict=False)
    ]
    options = written(tmp_path, [*rows, {"query_id": "q", "doc_id": texts[0], "origin": "human"}], [])
    found = picture_of(load_inputs([options[1]]), texts[5])
    drawn = figures.draw_chain(found)
    for trace in drawn.data:
        for text in (*(trace.text or ()), *(part for parts in (trace.customdata or ()) for part in parts)):
            bare = str(text).replace("<br>", "").replace("<b>", "").replace("</b>", "")
            assert "<" not in bare


def test_the_list_counts_results(open_page: OpenPage, evidence: Evidence) -> None:
    page = open_page(("--demo",), PAGE)
    listed = read_columns(page, "Results")
    codes = evidence.log.document_ids.codes
    counts = np.bincount(codes)
    assert listed["Results"] == sorted(counts.tolist(), reverse=True)[: views.LISTED]
    names = evidence.log.document_ids.values
    assert [counts[pa.compute.index(names, name).as_py()] for name in listed["Document"]] == listed["Results"]


def test_what_to_check_first_is_the_library_s_and_in_the_link(open_page: OpenPage, evidence: Evidence) -> None:
    page = open_page(("--demo",), PAGE)
    page.segmented_control(key="widget.listing").set_value("check").run()
    assert page.query_params["list"] == "check"
    again = open_page(("--demo",), PAGE, {"list": "check"})
    policy = load_policy(sample_data.POLICY).policy
    found = find_leverage(Statistics.from_evidence(evidence, policy.top_k), policy)
    listed = read_columns(again, "Settles")
    assert listed["Settles"] == found.settles.tolist()
    assert listed["Open in"] == found.unsettled.tolist()
    assert listed["Document"] == [str(evidence.log.document_ids.values[c].as_py()) for c in found.documents.tolist()]
    assert f"{found.unsettled_retrievals} of {found.counted} retrievals" in read_page(again)
    again.session_state["document.checks"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    again.run()
    assert again.query_params["document"] == listed["Document"][0]


def test_nothing_to_check_is_said(open_page: OpenPage, logs: dict[str, tuple[str, ...]]) -> None:
    assert "nothing to settle" in read_page(open_page(logs["empty"], PAGE, {"list": "check"}))
    assert any("list" in str(element.value) for element in open_page(logs["bare"], PAGE, {"list": "<b>"}).warning)
