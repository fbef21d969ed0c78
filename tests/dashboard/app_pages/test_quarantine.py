"""What if documents were taken out, and the view of a family: the library's numbers, in the link, literal."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import sample_data
from dashboard.charts import family as family_figures
from dashboard.charts import whatif as policy_figures
from dashboard.views.corpus import family, quarantine
from dashboard.words import label_code
from guard_core.cli.main import main
from guard_core.corpus.coverage import FamilyMembers, count_coverage, count_group_sources, list_family_members
from guard_core.corpus.exposure import measure_exposure
from guard_core.corpus.quarantine import Quarantine, apply_quarantine
from guard_core.judging.judge import Verdicts, judge
from guard_core.judging.policy import load_policy
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief
from guard_core.provenance.evidence import Evidence
from tests.dashboard.conftest import OpenPage
from tests.support import hostile_log
from tests.support.pages import read_metric, read_page

PAGE = "app_pages/anchors.py"
POLICY = load_policy(sample_data.POLICY).policy
VIEW = POLICY.belief


@pytest.fixture(scope="module")
def verdicts(evidence: Evidence) -> Verdicts:
    return judge(Statistics.from_evidence(evidence, POLICY.top_k), POLICY)


@pytest.fixture(scope="module")
def almanac(verdicts: Verdicts) -> FamilyMembers:
    return members_of(verdicts.statistics, "almanac", VIEW)


def members_of(statistics: Statistics, name: str, belief: Belief) -> FamilyMembers:
    families = count_coverage(statistics, belief).families
    place = families.names.index(name)
    return list_family_members(statistics, belief, int(families.codes[place]), bool(families.resolved[place]))


@pytest.mark.parametrize(
    ("parameter", "field", "name"),
    [
        ("out_anchor", "anchors", "almanac"),
        ("out_document", "documents", "soap-retold-1-1"),
        ("out_originator", "originators", "Saltrook Press (TEST)"),
        ("out_generator", "generators", "loom-4"),
        ("out_collection", "collections", "web"),
        ("out_document", "documents", "nobody"),
    ],
)
def test_the_numbers_are_the_library_s(
    open_page: OpenPage, verdicts: Verdicts, parameter: str, field: str, name: str
) -> None:
    found = apply_quarantine(verdicts, Quarantine(**{field: (name,)}))
    page = open_page(("--demo",), PAGE, {parameter: name})
    assert not page.exception
    assert read_metric(page, "Verdicts that change") == f"{len(found.flipped):,}"
    assert read_metric(page, "Left short") == f"{len(found.short):,}"
    assert read_metric(page, "Left empty") == f"{len(found.empty):,}"
    numbers = next(
        frame.value for frame in page.dataframe if list(frame.value.columns) == ["Number", "Before", "After"]
    )
    after = dict(zip(numbers["Number"], numbers["After"], strict=True))
    macro = found.after.summary().macro_ratio
    assert after["Grounding ratio, mean of retrievals"] == f"{macro:.3f}"
    assert after["Judged results"] == f"{found.after.statistics.judged_results:,}"
    assert "a real re-query would fill them" in read_page(page)
    if name == "nobody":
        assert "Occurs nowhere in this log: `Document nobody`" in read_page(page)
        assert "nothing changes" in quarantine.describe_outcome(found, waived=False).title
    if not len(found.flipped):
        assert "Retrievals that flip" not in read_page(page)
        return
    flips = next(frame.value for frame in page.dataframe if "Results left" in frame.value.columns)
    log = verdicts.statistics.evidence.log
    listed = [log.retrieval_id(int(verdicts.statistics.retrievals[p])) for p in found.flipped]
    assert flips["Retrieval"].tolist() == listed[:500]


def test_what_is_taken_out_is_chosen_here_and_stands_in_the_link(open_page: OpenPage, verdicts: Verdicts) -> None:
    page = open_page(("--demo",), PAGE)
    assert "Choose a family, documents" in read_page(page)
    page.multiselect(key="widget.out.generators").set_value(["loom-4"]).run()
    page.multiselect(key="widget.out.collections").set_value(["press"]).run()
    assert not page.exception
    assert page.query_params["out_generator"] == "loom-4"
    assert page.query_params["out_collection"] == "press"
    found = apply_quarantine(verdicts, Quarantine(generators=("loom-4",), collections=("press",)))
    assert read_metric(page, "Verdicts that change") == f"{len(found.flipped):,}"
    link = {name: str(value) for name, value in page.query_params.items()}
    again = open_page((), PAGE, link)
    assert read_metric(again, "Verdicts that change") == f"{len(found.flipped):,}"
    # it is still there after another page, and gone when nothing is taken out any more
    again.switch_page("app_pages/retrievals.py").run()
    again.switch_page(PAGE).run()
    assert again.multiselect(key="widget.out.generators").value == ["loom-4"]
    again.button(key="quarantine.clear").click().run()
    assert "out_generator" not in again.query_params
    assert again.multiselect(key="widget.out.generators").value == []
    assert "Choose a family, documents" in read_page(again)


def test_a_family_and_a_document_are_taken_out_by_a_button(open_page: OpenPage) -> None:
    page = open_page(("--demo",), PAGE, {"family": "almanac"})
    page.button(key="anchors.take_out").click().run()
    assert page.query_params["out_anchor"] == "almanac"
    assert page.button(key="anchors.take_out").disabled
    page = open_page(("--demo",), "app_pages/document.py", {"document": "soap-retold-1-1"})
    page.button(key="document.take_out").click().run()
    assert not page.exception
    assert page.query_params["out_document"] == "soap-retold-1-1"
    assert "Taken out: document soap-retold-1-1" in read_page(page)


def test_flips_open_their_retrieval(open_page: OpenPage, verdicts: Verdicts) -> None:
    page = open_page(("--demo",), PAGE, {"out_anchor": "almanac"})
    page.session_state["quarantine.flips"] = {"selection": {"rows": [3], "columns": [], "cells": []}}
    page.run()
    found = apply_quarantine(verdicts, Quarantine(anchors=("almanac",)))
    number = int(verdicts.statistics.retrievals[found.flipped[3]])
    assert page.query_params["retrieval"] == verdicts.statistics.evidence.log.retrieval_id(number)


def test_the_command_line_says_the_same(open_page: OpenPage, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = ["--catalogue", str(sample_data.CATALOGUE), "--trust", str(sample_data.TRUST_STORE)]
    inputs += ["--policy", str(sample_data.POLICY), "--at", sample_data.AT, "--json"]
    taken = ["--anchor", "almanac", "--collection", "web"]
    assert main(["quarantine", str(sample_data.LOG), *taken, *inputs]) == 0
    told = json.loads(capsys.readouterr().out)
    page = open_page(("--demo",), PAGE, {"out_anchor": "almanac", "out_collection": "web"})
    assert read_metric(page, "Left short") == f"{told['short']:,}"
    assert read_metric(page, "Left empty") == f"{told['empty']:,}"
    shares = next(
        frame.value for frame in page.dataframe if list(frame.value.columns)[1:3] == ["Before", "Share before"]
    )
    for when in ("before", "after"):
        listed = dict(zip(shares["Verdict"], shares[when.capitalize()], strict=True))
        assert {label_code(name): number for name, number in told[when]["verdicts"].items()} | {
            "No results": told[when]["no_results"]
        } == listed
    numbers = next(
        frame.value for frame in page.dataframe if list(frame.value.columns) == ["Number", "Before", "After"]
    )
    after = dict(zip(numbers["Number"], numbers["After"], strict=True))
    assert after["Independent human sources"] == f"{told['after']['effective_anchors']:,.1f}"
    assert after["Grounding ratio, all results together"] == f"{told['after']['micro_ratio']:.3f}"


def test_where_the_gate_hides_every_verdict_those_without_it_are_compared(
    open_page: OpenPage, logs: dict[str, tuple[str, ...]]
) -> None:
    page = open_page((*logs["sample"], "--preset", "strict"), PAGE, {"out_anchor": "almanac"})
    assert not page.exception
    assert "signatures waived" in read_page(page)
    assert read_metric(page, "Verdicts that change") != "0"
    page.segmented_control(key="widget.reading").set_value("judged").run()
    assert "signatures waived" not in read_page(page)


def test_all_retrievals_stand_in_both_bars(verdicts: Verdicts) -> None:
    found = quarantine.describe_outcome(
        apply_quarantine(verdicts, Quarantine(collections=("web", "press", "archive"))), waived=False
    )
    compared = found.comparison
    assert sum(compared.before) == sum(compared.after) == compared.total
    assert compared.after[4] > compared.before[4]
    for drawn in (policy_figures.draw_comparison(compared), policy_figures.draw_flow(compared)):
        type(drawn)(drawn.to_dict())  # the constructor checks each setting


@pytest.mark.parametrize("belief", [Belief.DECLARED, Belief.UPHELD])
def test_sources_over_time_are_those_of_each_stretch_alone(evidence: Evidence, belief: Belief) -> None:
    statistics = Statistics.from_evidence(evidence)
    group = np.arange(len(statistics.retrievals)) % 7 - 1
    found = count_group_sources(statistics, belief, group, 6)
    for place, number in enumerate(found):
        assert number == Statistics.from_evidence(evidence, keep=group == place).independent_sources(belief)
    assert count_group_sources(statistics, belief, np.full(len(group), -1), 2) == (None, None)


def test_a_family_over_time_adds_up(verdicts: Verdicts, almanac: FamilyMembers) -> None:
    found = family.count_family_trend(verdicts.statistics, VIEW, almanac)
    assert found is not None
    assert sum(found.results) == verdicts.statistics.judged_results
    assert sum(found.inside) == len(almanac.places)
    assert found.title == "The family holds 0% of the results of the first week, 89% of the last"
    whole = family.count_family_trend(verdicts.statistics, VIEW, None)
    assert whole is not None
    assert whole.sources == found.sources
    assert sum(whole.inside) == 0
    for drawn in (family_figures.draw_family_trend(found), family_figures.draw_family_trend(whole)):
        type(drawn)(drawn.to_dict())


def test_a_family_s_depths_and_ranks_add_up(verdicts: Verdicts, almanac: FamilyMembers) -> None:
    depths = family.count_family_depths(verdicts.statistics, VIEW, almanac)
    ranks = family.count_family_ranks(verdicts.statistics, almanac)
    assert sum(depths.counts) == sum(ranks.inside) == len(almanac.places) == int(almanac.results.sum())
    assert sum(ranks.results) == verdicts.statistics.judged_results
    drawn = family_figures.draw_family_ranks(ranks)
    type(drawn)(drawn.to_dict())


def test_amplification_is_the_library_s(open_page: OpenPage, verdicts: Verdicts, almanac: FamilyMembers) -> None:
    found = measure_exposure(verdicts.statistics, VIEW)
    assert found is not None
    page = open_page(("--demo",), PAGE)
    frame = next(frame.value for frame in page.dataframe if "Amplification" in frame.value.columns)
    assert frame["Where"].tolist() == ["Catalogue", "First rank", "First 5", "First 10"]
    assert frame["Synthetic"].tolist() == [found.synthetic, *(at.synthetic for at in found.at)]
    assert frame["Of"].tolist() == [found.documents, *(at.results for at in found.at)]
    own = family.measure_family_exposure(verdicts.statistics, VIEW, almanac)
    assert own is not None
    assert own.at[0].retrievals <= len(almanac.retrievals)
    drawn = family_figures.draw_amplification(family.compare_exposure(own))
    type(drawn)(drawn.to_dict())


def test_without_catalogue_or_times_there_are_no_empty_cards(open_page: OpenPage, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    rows = [{"query_id": f"q{n}", "rank": 1, "doc_id": f"d{n}", "origin": "human"} for n in range(3)]
    log.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for parameters in ({}, {"family": "d1"}):
        page = open_page(("--log", str(log)), PAGE, parameters)
        assert not page.exception
        assert "Synthetic text" not in read_page(page)
        assert "in the first" not in read_page(page)


@pytest.mark.parametrize("kind", ["document", "anchor", "originator", "generator", "collection"])
def test_hostile_names_are_taken_out_and_literal(
    open_page: OpenPage, logs: dict[str, tuple[str, ...]], kind: str
) -> None:
    names = list(hostile_log.list_attacks("http://127.0.0.1:9"))
    page = open_page(logs["hostile"], PAGE, {f"out_{kind}": names, "unresolved": names[0]})
    assert not page.exception
    assert "Taken out" in read_page(page)
    assert "Occurs nowhere" not in read_page(page)
    for element in (*page.markdown, *page.caption, *page.info, *page.warning):
        outside_code = "".join(str(element.value).split("`")[::2]) if "``" not in str(element.value) else ""
        assert "![" not in outside_code
        assert "<img" not in outside_code
    assert read_metric(page, "Left empty") != "0"


def test_hostile_families_open(open_page: OpenPage, logs: dict[str, tuple[str, ...]]) -> None:
    for text in hostile_log.list_attacks("http://127.0.0.1:9")[:6]:
        for name in ("family", "unresolved"):
            for by in ("", "originator", "generator"):
                page = open_page(logs["hostile"], PAGE, {name: text} | ({"depths": by} if by else {}))
                assert not page.exception


def test_the_documents_of_a_family_say_who_made_them(
    open_page: OpenPage, verdicts: Verdicts, almanac: FamilyMembers
) -> None:
    statistics = verdicts.statistics
    page = open_page(("--demo",), PAGE, {"family": "almanac"})
    frame = next(frame.value for frame in page.dataframe if "Generator" in frame.value.columns)
    evidence = statistics.evidence
    assert frame["Results"].tolist() == almanac.results.tolist()
    log = evidence.log
    rows = {log.document_ids.text(row): row for row in range(log.result_count - 1, -1, -1)}
    for name, originator, generator, depth in zip(
        frame["Document"], frame["Originator"], frame["Generator"], frame["Depth"], strict=True
    ):
        row = rows[name]
        assert generator == (evidence.generators.text(row) or "")
        assert originator == (evidence.originators.text(row) or "")
        assert depth in {str(evidence.under(Belief.UPHELD).depths[row]), "unknown"}
