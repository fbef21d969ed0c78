"""What titles and captions say: which verdicts they show, over how many, and one word for one idea.

Flows in: judgements of the sample with and without its catalogue's signatures, pages.  Flows out: nothing.
Not here: the numbers themselves (``test_views.py``, ``test_quarantine.py``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
import streamlit as st

import sample_data
from dashboard import words
from dashboard.charts import style
from dashboard.charts.depths import DEPTH_STYLE
from dashboard.charts.originators import STATUS_STYLE
from dashboard.charts.overview import draw_shares
from dashboard.view import LISTINGS, QUARANTINE_FIELDS, SELECTION_FIELDS, SORTS
from dashboard.views import overview, trend, whatif
from dashboard.views.corpus import anchors, family, leverage, quarantine
from dashboard.words import TERMS
from guard_core.claims import ContentCheck
from guard_core.class_words import ClassWord
from guard_core.cli.main import main
from guard_core.corpus.clusters import find_clusters
from guard_core.corpus.coverage import count_coverage
from guard_core.corpus.derivation import Bases
from guard_core.corpus.exposure import measure_exposure
from guard_core.corpus.quarantine import Quarantine, apply_quarantine
from guard_core.judging.judge import Verdicts, judge
from guard_core.judging.policy import FIELDS, find_preset, load_policy, replace_fields
from guard_core.judging.statistics import DEPTH_BUCKETS, Statistics
from guard_core.model import (
    NO_RESULTS,
    Basis,
    Belief,
    Conflict,
    CountUnit,
    Finding,
    SignatureGate,
    SignatureStatus,
    SynthesisVerdict,
)
from guard_core.provenance.inputs import load_inputs
from tests.dashboard.conftest import OpenPage
from tests.support.pages import read_page
from tests.support.screen_tables import list_rows

WAIVED = "signatures waived"


def unsigned(folder: Path) -> Path:
    """A log with times in two weeks, six empty retrievals and no signature; only the second week is human."""
    rows = [
        {"query_id": f"{week}-{n}", "timestamp": f"2026-01-{5 + 7 * week:02d}T00:00:00Z", "results": results}
        for week in range(2)
        for n in range(5)
        for results in [
            [
                {"doc_id": f"d{week}{n}", "origin": "human" if week else "synthetic", "collection": "web"},
                {"doc_id": "shared", "origin": "human", "collection": "press"},
            ]
        ]
    ]
    rows += [{"query_id": f"none-{n}", "timestamp": "2026-01-05T00:00:00Z", "results": []} for n in range(6)]
    path = folder / "unsigned.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def strict(path: Path) -> Verdicts:
    policy = find_preset("strict").policy
    return judge(Statistics.from_evidence(load_inputs([path]), policy.top_k), policy)


def test_every_title_of_waived_verdicts_says_so(tmp_path: Path) -> None:
    before = strict(unsigned(tmp_path))
    after = judge(before.statistics, replace_fields(find_preset("strict"), {"min_human_grounding_ratio": 0.4}).policy)
    out = apply_quarantine(before, Quarantine(collections=("press",)))
    for waived in (True, False):
        moved = trend.count_trend(before, waived)
        assert moved is not None
        change, without = whatif.compare_policies(before, after, waived), quarantine.describe_outcome(out, waived)
        titles = [moved.title, change.title, change.comparison.shares.title, change.comparison.moves.title]
        titles += [without.title, without.comparison.shares.title, without.comparison.moves.title]
        titles.append(whatif.compute_curve(before, waived).title)
        assert [title for title in titles if (WAIVED in title) != waived] == []
        assert ("Decisions are as judged." in change.decisions) == waived


def test_the_trend_does_not_contradict_the_card(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(("--log", str(unsigned(tmp_path)), "--preset", "strict"))
    assert not page.exception
    grounded = next(metric.value for metric in page.metric if metric.label == "Human grounded")
    assert str(grounded).replace("\\", "") == "0%"
    assert "With signatures waived, human grounded: " in read_page(page)
    assert "#### Human grounded: " not in read_page(page)


def test_what_is_taken_out_changes_verdicts_of_counted_retrievals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = unsigned(tmp_path)
    taken = ["--collection", "press", "--preset", "strict", "--json"]
    assert main(["quarantine", str(path), *taken]) == 0
    told = json.loads(capsys.readouterr().out)
    before = strict(path)
    found = quarantine.describe_outcome(apply_quarantine(before, Quarantine(collections=("press",))), waived=True)
    assert told["before"]["counted"] == 10
    assert f" of {told['before']['counted']} verdicts, {WAIVED}" in found.title
    moves = {row[:2]: row[2:] for row in list_rows(found.comparison.moves.numbers)}
    assert moves["No results", "No results"] == (6, "apart")
    assert sum(int(str(row[2])) for row in list_rows(found.comparison.moves.numbers) if row[3] != "apart") == 10
    assert "Would halt, as judged" in [row[0] for row in list_rows(found.numbers)]


def test_amplification_says_how_many_lists_reach_a_rank(open_page: OpenPage) -> None:
    evidence = load_inputs([sample_data.LOG], catalogue=sample_data.CATALOGUE)
    found = measure_exposure(Statistics.from_evidence(evidence), Belief.DECLARED)
    assert found is not None
    rows = family.compare_exposure(found)
    assert [row[-1] for row in list_rows(rows.numbers)[1:]] == [
        f"{at.reaching:,} of {at.retrievals:,}" for at in found.at
    ]
    said = ", ".join(f"rank {at.rank} is reached by {at.reaching}" for at in found.at)
    assert said in rows.note
    options = ("--log", str(sample_data.LOG), "--catalogue", str(sample_data.CATALOGUE))
    assert said in read_page(open_page(options, "app_pages/anchors.py"))


def test_a_rank_that_no_list_reaches_is_said(tmp_path: Path) -> None:
    catalogue = tmp_path / "catalogue.csv"
    catalogue.write_text("doc_id,origin\nshared,human\nd00,synthetic\n", encoding="utf-8")
    evidence = load_inputs([unsigned(tmp_path)], catalogue=catalogue)
    found = measure_exposure(Statistics.from_evidence(evidence), Belief.DECLARED)
    assert found is not None
    rows = family.compare_exposure(found)
    assert "Of 10 retrievals with results, rank 1 is reached by 10, rank 5 is reached by 0, rank 10 is" in rows.note


def test_one_word_for_one_idea(tmp_path: Path) -> None:
    assert "Review" not in TERMS
    before = strict(unsigned(tmp_path))
    covered = count_coverage(
        Statistics.from_evidence(load_inputs([sample_data.LOG], catalogue=sample_data.CATALOGUE)), Belief.DECLARED
    )
    assert " of anchors that are retrieved together" in (
        title := anchors.map_anchors(covered, find_clusters(covered)).title
    )
    assert "cluster" in title
    reasons = {row[-1] for row in list_rows(leverage.list_checks(before.statistics, before.policy).numbers)}
    assert reasons == {"unknown and unverified"}
    shares = overview.count_shares(before.summary())
    assert shares.numbers.columns[3] == "Signatures waived"
    assert WAIVED in shares.title
    assert list(draw_shares(shares, wide=True).data[0]["y"]) == ["As judged", "Signatures waived"]


@pytest.mark.parametrize(
    ("page", "name"),
    [("app_pages/overview.py", "Overview"), ("app_pages/anchors.py", "Anchors"), ("app_pages/load.py", "Load")],
)
def test_the_browser_s_title_names_the_page(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, page: str, name: str
) -> None:
    given: list[str] = []
    sets = st.set_page_config

    def told(**settings: str) -> None:
        given.append(settings["page_title"])
        sets(**settings)  # type: ignore[arg-type]  # passed on as they come

    monkeypatch.setattr(st, "set_page_config", told)
    assert not open_page(("--demo",), page).exception
    assert given[-1] == f"{name} · Source Guard"


def test_the_policy_of_the_sample_has_no_waived_title() -> None:
    policy = load_policy(sample_data.POLICY).policy
    evidence = load_inputs([sample_data.LOG], catalogue=sample_data.CATALOGUE)
    moved = trend.count_trend(judge(Statistics.from_evidence(evidence, policy.top_k), policy), waived=False)
    assert moved is not None
    assert moved.title.startswith("Human grounded: ")


@pytest.mark.parametrize(
    ("table", "codes"),
    [
        (words.BASIS_LABEL, [basis.value for basis in Basis]),
        (words.BASIS_MEANING, [basis.value for basis in Basis]),
        (words.KNOWN_BY, [basis.value for basis in Basis]),
        (words.SPEAKER, Bases),
        (words.SPEAKER_NOUN, Bases),
        (words.LINK_NAMED_BY, Bases),
        (words.CLASS_WORD, ClassWord),
        (words.CONTENT_CHECK, ContentCheck),
        (words.CONFLICT_MEANING, Conflict),
        (words.FINDING_MEANING, Finding),
        (words.UNIT_NOUN, CountUnit),
        (words.SIGNATURES_LABEL, [gate.value for gate in SignatureGate]),
        (words.FIELD_LABEL, FIELDS),
        (words.PICK_LABEL, SELECTION_FIELDS),
        (words.PICK_HELP, SELECTION_FIELDS),
        (words.SORT_LABEL, SORTS),
        (words.OUT_LABEL, QUARANTINE_FIELDS),
        (words.OUT_HELP, QUARANTINE_FIELDS),
        (words.LISTING_LABEL, LISTINGS),
        (style.VERDICT_COLOUR, [*(verdict.name for verdict in SynthesisVerdict), NO_RESULTS]),
        (style.VERDICT_SHAPE, [*(verdict.name for verdict in SynthesisVerdict), NO_RESULTS]),
        (DEPTH_STYLE, DEPTH_BUCKETS),
        (STATUS_STYLE, SignatureStatus),
    ],
)
def test_every_code_has_its_words_and_its_colour(table: Mapping[object, object], codes: Iterable[object]) -> None:
    assert list(table) == list(codes) or set(table) == set(codes)
