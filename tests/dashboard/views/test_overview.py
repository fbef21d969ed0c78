"""Rows and numbers for the screens agree with the library's, on the sample and at the edges."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import sample_data
from dashboard.views import account, overview, retrievals, trend, whatif
from dashboard.views.numbers import compute_median, format_number
from dashboard.views.table import ROWS_ON_SCREEN, make_table
from dashboard.words import JUDGED, VERDICTS, format_share
from guard_core.codes import UNITS
from guard_core.judging.categories import Category
from guard_core.judging.judge import Verdicts, judge
from guard_core.judging.policy import find_preset, load_policy, replace_fields
from guard_core.judging.statistics import Statistics
from guard_core.judging.whatif import find_flips
from guard_core.model import Belief, SignatureGate, SynthesisPolicy
from guard_core.provenance.evidence import Evidence
from guard_core.provenance.inputs import load_inputs
from guard_core.visible import count_noun
from tests.support.screen_tables import list_rows

SAMPLE = load_policy(sample_data.POLICY)


def judged(evidence: Evidence, **fields: object) -> Verdicts:
    """The judgement under the sample's policy with some fields replaced."""
    policy = replace_fields(SAMPLE, fields).policy
    return judge(Statistics.from_evidence(evidence, policy.top_k), policy)


def log_of(folder: Path, rows: list[dict[str, object]]) -> Evidence:
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return load_inputs([path])


def test_shares_are_the_summary(evidence: Evidence) -> None:
    summary = judged(evidence).summary()
    rows = overview.count_shares(summary)
    assert dict(zip(JUDGED, rows.judged, strict=True)) == summary.verdicts
    assert dict(zip(JUDGED, rows.waived, strict=True)) == summary.verdicts_if_signatures_waived
    assert rows.total == summary.counted
    assert not rows.hidden


@pytest.mark.parametrize("minimum", [0.0, 0.3, 0.3333, 0.5, 0.55, 0.7, 1.0])
@pytest.mark.parametrize("counted", ["results", "documents"])
def test_ratio_bars_divide_where_the_rule_does(evidence: Evidence, minimum: float, counted: str) -> None:
    verdicts = judged(evidence, min_human_grounding_ratio=minimum, count=counted)
    rows = overview.count_ratios(verdicts)
    statistics, policy = verdicts.statistics, verdicts.policy
    counted_retrievals = verdicts.counted[statistics.profile_of]
    items = statistics.profiles.counts[policy.belief, UNITS.code(policy.count)]
    items = items[:, statistics.profile_of][:, counted_retrievals]
    ratios = items[Category.HUMAN] / items.sum(axis=0)
    assert sum(rows.reached) == int((ratios >= minimum).sum())
    assert sum(rows.below) == int((ratios < minimum).sum())
    assert rows.below[-1] + rows.reached[-1] == int((ratios == 1.0).sum())
    for index in range(overview.BINS):
        low, high = index / overview.BINS, (index + 1) / overview.BINS
        inside = int(((ratios >= low - 1e-12) & (ratios < high - 1e-12)).sum())
        assert rows.below[index] + rows.reached[index] == inside


def test_depths_and_bases_cover_every_judged_result(evidence: Evidence) -> None:
    statistics = Statistics.from_evidence(evidence, 4)
    assert sum(overview.count_depths(statistics, Belief.DECLARED).counts) == statistics.judged_results
    assert sum(overview.count_bases(statistics).counts) == statistics.judged_results
    assert overview.count_depths(statistics, Belief.DECLARED).buckets[-1] == "unknown"


def test_failures_count_what_leads_to_retrievals(evidence: Evidence) -> None:
    verdicts = judged(evidence)
    for failure in overview.count_findings(verdicts.summary(), verdicts.summary().counted):
        assert len(retrievals.find_retrievals(verdicts, failure.code)) == failure.number


def test_trend_counts_every_timed_retrieval_once(evidence: Evidence) -> None:
    verdicts = judged(evidence)
    moved = trend.count_trend(verdicts, waived=False)
    assert moved is not None
    assert sum(map(sum, moved.counts)) == verdicts.summary().counted
    assert np.sum(moved.counts, axis=0).tolist() == list(verdicts.summary().verdicts.values())
    assert moved.unit == "week"
    assert all(np.datetime64(day).astype("datetime64[D]").item().isoweekday() == 1 for day in moved.periods)


@pytest.mark.parametrize(
    ("times", "unit", "periods"),
    [
        (("2026-01-01T00:10:00Z", "2026-01-01T02:59:00Z"), "hour", 3),
        (("2026-01-01T00:00:00Z", "2026-01-10T00:00:00Z"), "day", 10),
        (("2026-01-01T00:00:00Z", "2027-03-01T00:00:00Z"), "week", 62),
        (("2020-01-01T00:00:00Z", "2026-01-01T00:00:00Z"), "month", 73),
        (("1970-01-01T00:00:00Z", "9999-12-31T00:00:00Z"), "year", 320),
    ],
)
def test_trend_takes_the_unit_that_fits(tmp_path: Path, times: tuple[str, str], unit: str, periods: int) -> None:
    rows: list[dict[str, object]] = [
        {"query_id": f"q{n}", "doc_id": "d", "origin": "human", "timestamp": time} for n, time in enumerate(times)
    ]
    moved = trend.count_trend(judged(log_of(tmp_path, rows)), waived=True)
    assert moved is not None
    assert (moved.unit, len(moved.periods)) == (unit, periods)


def test_no_times_no_trend(tmp_path: Path) -> None:
    assert trend.count_trend(judged(log_of(tmp_path, [{"query_id": "q", "doc_id": "d"}])), waived=False) is None


def test_an_unsigned_log_still_tells_its_story(tmp_path: Path) -> None:
    found = log_of(tmp_path, [{"query_id": f"q{n}", "doc_id": "d", "origin": "human"} for n in range(4)])
    rows = overview.count_shares(judged(found, signatures="present").summary())
    assert rows.hidden
    assert "100%" in rows.title


def test_a_rate_over_nothing_is_no_number(tmp_path: Path) -> None:
    found = log_of(tmp_path, [])
    verdicts = judged(found)
    rows = overview.count_shares(verdicts.summary())
    assert rows.total == 0
    assert {row[2] for row in list_rows(rows.numbers)} == {"not applicable"}
    assert overview.count_sources(verdicts.statistics, Belief.DECLARED).number == "none"
    assert whatif.compare_policies(verdicts, verdicts, waived=False).comparison.total == 0
    assert whatif.explain_minimum(verdicts) == "No retrieval to apply it to."
    assert account.list_missing(found) != ()


def test_flips_list_every_retrieval_that_flips_with_its_reason(evidence: Evidence) -> None:
    baseline, candidate = judged(evidence), judged(evidence, min_human_grounding_ratio=0.7)
    rows = whatif.list_flips(baseline, candidate, waived=False)
    compared = whatif.compare_policies(baseline, candidate, waived=False).comparison
    assert rows.total == compared.changed == len(find_flips(baseline, candidate))
    assert all(row[2] != row[3] for row in list_rows(rows))
    assert all(str(row[6]).endswith(("needed", "accepted", "item", "items", "allowed")) for row in list_rows(rows))
    assert "7 needed" in str(list_rows(rows)[0][6])


def test_flips_through_the_gate_name_it(evidence: Evidence) -> None:
    rows = whatif.list_flips(judged(evidence), judged(evidence, signatures="ignored"), waived=False)
    assert rows.total
    assert {row[5] for row in list_rows(rows)} == {"a result does not pass the signature gate (verified)"}


def test_flips_of_another_top_k(evidence: Evidence) -> None:
    baseline, candidate = judged(evidence), judged(evidence, top_k=3)
    rows = whatif.list_flips(baseline, candidate, waived=False)
    assert rows.total == whatif.compare_policies(baseline, candidate, waived=False).comparison.changed > 0
    assert any("of 3 human" in str(row[6]) for row in list_rows(rows))


@pytest.mark.parametrize("minimum", [0.0, 0.2, 0.5, 0.51, 1.0])
def test_the_curve_passes_through_the_verdicts(evidence: Evidence, minimum: float) -> None:
    for allowed in (False, True):
        verdicts = judged(evidence, min_human_grounding_ratio=minimum, allow_depth_1_synthetic=allowed)
        curve = whatif.compute_curve(verdicts, waived=False)
        point = int(np.searchsorted(curve.ratios, minimum))
        here = [curve.counts[allowed][verdict][point] for verdict in range(4)]
        assert here == list(verdicts.summary().verdicts.values())


def test_needs_is_said_for_the_list_in_the_middle(evidence: Evidence) -> None:
    verdicts = judged(evidence, min_human_grounding_ratio=0.55, count="results")
    assert whatif.explain_minimum(verdicts).endswith("needs 6 human of 10 results.")


def test_differences_name_every_field_that_differs() -> None:
    first, second = find_preset("reference").policy, find_preset("strict").policy
    rows = whatif.list_differences(first, second)
    assert rows.total == 7
    assert whatif.list_differences(first, first).total == 0
    assert len(list_rows(whatif.list_fields(second))) == 10


def test_tables_say_how_much_there_is() -> None:
    rows = make_table(("a", "a", "a (2)"), [(n, n, n) for n in range(ROWS_ON_SCREEN + 1)])
    assert rows.is_cut
    assert len(list_rows(rows)) == ROWS_ON_SCREEN
    assert len(set(rows.columns)) == 3


def test_words() -> None:
    assert format_share(1, 1000) == "<1%"
    assert format_share(999, 1000) == ">99%"
    assert format_share(0, 3) == "0%"
    assert format_share(3, 3) == "100%"
    assert format_share(0, 0) == "not applicable"
    assert count_noun(1, "retrieval") == "1 retrieval"
    assert count_noun(1200, "retrieval") == "1,200 retrievals"
    assert VERDICTS[4] == "NO_RESULTS"
    assert format_number(None) == "no"
    assert format_number(5.64) == "5.6"
    assert compute_median(np.array([1, 2, 3]), np.array([1, 1, 0])) == 1.0
    assert compute_median(np.array([], np.int64), np.array([], np.int64)) is None


def test_upheld_reading_shows_declared_classes_as_unknown(evidence: Evidence, tmp_path: Path) -> None:
    found = log_of(tmp_path, [{"query_id": "q", "doc_id": "d", "origin": "human"}])
    policy = SynthesisPolicy(0.5, True, signatures=SignatureGate.VERIFIED)
    statistics = judge(Statistics.from_evidence(found), policy).statistics
    assert overview.count_depths(statistics, policy.belief).counts[-1] == 1
    assert "log's own word" in overview.count_bases(statistics).title
    assert evidence.catalogue_documents
    assert "knows 3,904" in account.describe_match(evidence)
