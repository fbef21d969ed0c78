"""Laws of selections and excerpts: narrowing is counting again, an excerpt says what the whole log says."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sample_data
from guard_core.codes import VERDICT_WORDS
from guard_core.judging.judge import COLUMNS, Verdicts, judge
from guard_core.judging.policy import NamedPolicy, load_policy
from guard_core.judging.selection import Selection, narrow_statistics, select_by_log, select_by_verdict
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief, Finding, SynthesisPolicy
from guard_core.output.evaluation import evaluate
from guard_core.output.excerpt import take_excerpt
from guard_core.output.json_lines import write_json
from guard_core.provenance.evidence import Evidence
from guard_core.provenance.inputs import load_inputs
from sample_data.documents import ARCHIVE, PRESS
from tests.support.log_files import write_lines
from tests.support.random_retrievals import Retrieval, make_evidence, policies, retrievals

SAMPLE = load_policy(sample_data.POLICY)


@given(st.lists(retrievals(), min_size=1, max_size=10), policies, st.data())
def test_narrowing_is_counting_again(log: list[Retrieval], policy: SynthesisPolicy, data: st.DataObject) -> None:
    evidence = make_evidence(log)
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=len(log), max_size=len(log))), bool)
    fast = judge(narrow_statistics(Statistics.from_evidence(evidence, policy.top_k), keep), policy)
    again = judge(Statistics.from_evidence(evidence, policy.top_k, keep), policy)
    assert fast.summary() == again.summary()
    assert np.array_equal(fast.statistics.retrievals, again.statistics.retrievals)
    assert np.array_equal(fast.statistics.owner, again.statistics.owner)
    for column in COLUMNS:
        assert np.array_equal(fast.per_retrieval(column), again.per_retrieval(column)), column
    for belief in Belief:
        assert fast.statistics.depth_histogram(belief) == again.statistics.depth_histogram(belief)
        assert fast.statistics.independent_sources(belief) == again.statistics.independent_sources(belief)
        for measure in ("effective_anchors", "top_anchor_share"):
            one, other = (getattr(v.statistics, measure)(belief) for v in (fast, again))
            assert np.array_equal(one, other, equal_nan=True), measure


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return load_inputs(
        [sample_data.LOG],
        catalogue=sample_data.CATALOGUE,
        trust=sample_data.TRUST_STORE,
        at=sample_data.AT_SECONDS,
    )


@pytest.fixture(scope="module")
def verdicts(evidence: Evidence) -> Verdicts:
    return judge(Statistics.from_evidence(evidence), SAMPLE.policy)


@pytest.mark.parametrize("word", VERDICT_WORDS)
def test_verdicts_keep_what_the_summary_counts(verdicts: Verdicts, word: str) -> None:
    creative = verdicts.statistics.profiles.creative[verdicts.statistics.profile_of]
    kept = select_by_verdict(verdicts, Selection(verdicts=(word,))) & ~creative
    expected = verdicts.summary().verdicts.get(word, verdicts.summary().no_results)
    assert kept.sum() == expected


@pytest.mark.parametrize("finding", Finding)
def test_findings_keep_what_the_summary_counts(verdicts: Verdicts, finding: Finding) -> None:
    kept = select_by_verdict(verdicts, Selection(findings=(finding.value,)))
    assert kept.sum() == verdicts.summary().findings[finding.value]


def test_several_values_widen_and_several_fields_narrow(evidence: Evidence, verdicts: Verdicts) -> None:
    press, archive = Selection(originators=(PRESS,)), Selection(originators=(ARCHIVE,))
    either = Selection(originators=(PRESS, ARCHIVE))
    assert np.array_equal(
        select_by_log(evidence, either), select_by_log(evidence, press) | select_by_log(evidence, archive)
    )
    both = Selection(originators=press.originators, text="ferry")
    assert np.array_equal(
        select_by_log(evidence, both), select_by_log(evidence, press) & select_by_log(evidence, Selection(text="FERRY"))
    )
    assert select_by_verdict(verdicts, both).all()
    assert both.log_part == both
    assert both.verdict_part.empty


def test_time_is_inclusive_and_a_missing_one_is_in_no_range(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    days = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", None)
    rows = [{"query_id": f"q{n}", "doc_id": "d", "timestamp": day} for n, day in enumerate(days)]
    write_lines(path, rows)
    found = load_inputs([path])
    moment = int(np.datetime64("2026-01-01", "us").astype(np.int64))
    assert select_by_log(found, Selection(start=moment)).tolist() == [True, True, False]
    assert select_by_log(found, Selection(end=moment)).tolist() == [True, False, False]
    assert select_by_log(found, Selection()).all()


@pytest.mark.parametrize("text", [".*", "(((", "\\", "q-0001[", "%", "\u202e"])
def test_text_is_searched_literally(evidence: Evidence, text: str) -> None:
    assert not select_by_log(evidence, Selection(text=text)).any()


def test_documents_and_anchors_are_found_byte_for_byte(evidence: Evidence) -> None:
    log = evidence.log
    for name in ("almanac", "ferry-press-02"):
        rows = [i for i in range(log.result_count) if log.document_ids.text(i) == name]
        owners = set(np.searchsorted(log.offsets, rows, side="right") - 1)
        assert set(np.flatnonzero(select_by_log(evidence, Selection(document=name)))) == owners
    assert select_by_log(evidence, Selection(anchor="almanac")).sum() == 202
    assert not select_by_log(evidence, Selection(anchor="Almanac")).any()
    hashed = str(evidence.hashes[0].as_py())
    assert select_by_log(evidence, Selection(anchor=hashed)).any()
    assert np.array_equal(
        select_by_log(evidence, Selection(anchor=hashed)),
        select_by_log(evidence, Selection(anchor=hashed.removeprefix("sha256:").upper())),
    )
    assert select_by_log(evidence, Selection(anchor="almanac"), belief=Belief.UPHELD).any()


def test_an_excerpt_says_of_its_retrievals_what_the_whole_log_says(evidence: Evidence, verdicts: Verdicts) -> None:
    chosen = np.flatnonzero(select_by_verdict(verdicts, Selection(findings=("class_conflict",))))
    assert len(chosen)
    part = evaluate(take_excerpt(evidence, chosen), SAMPLE)
    whole = evaluate(evidence, SAMPLE)
    assert [r for stretch in part.records() for r in stretch] == [
        whole.make_records(i, i + 1)[0] for i in chosen.tolist()
    ]
    head = part.head()
    assert head.log.rows_read == head.log.rows_accepted == part.evidence.log.result_count
    assert head.catalogue.matched_results <= part.evidence.log.result_count
    assert head.log.notices[-1].code == "excerpt"
    written = io.BytesIO()
    write_json(part, written)
    assert json.loads(written.getvalue())["summary"]["retrievals"] == len(chosen)


def test_an_excerpt_of_everything_is_the_log(evidence: Evidence) -> None:
    assert take_excerpt(evidence, np.arange(evidence.log.retrieval_count)) is evidence
    nothing = take_excerpt(evidence, np.empty(0, np.int64))
    assert evaluate(nothing, NamedPolicy("strict", SAMPLE.policy)).summary.retrievals == 0
