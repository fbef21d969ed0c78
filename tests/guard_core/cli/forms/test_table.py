"""The table for people: every number with its denominator, nothing hidden, nothing left out in silence.

Flows in: logs as columns.  Flows out: lines.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from guard_core.cli.forms.table import MOST_HALTED, MOST_PROBLEMS, draw_table, say_exposure
from guard_core.corpus.exposure import RankExposure
from guard_core.ingest.log import Notice, Problem
from guard_core.judging.policy import NamedPolicy
from guard_core.model import (
    AuthenticityClass,
    Basis,
    Finding,
    SearchResult,
    SignatureGate,
    SignatureStatus,
    SynthesisPolicy,
)
from guard_core.output.evaluation import Evaluation, evaluate
from guard_core.output.people.layout import NARROWEST, format_share
from guard_core.visible import width
from tests.support.random_retrievals import Retrieval, make_evidence, policies, retrievals


def result(name: str, kind: AuthenticityClass, signed: bool = True) -> SearchResult:
    return SearchResult(
        name,
        kind,
        None,
        "claim" if signed else None,
        document_id=name,
        basis=Basis.DECLARED,
        signature=SignatureStatus.UNCHECKED if signed else SignatureStatus.MISSING,
        anchors=(),
        upheld_anchors=(),
    )


HUMAN = result("h", AuthenticityClass.HUMAN_AUTHORED)
DEEP = result("s", AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS)
UNSIGNED = result("u", AuthenticityClass.HUMAN_AUTHORED, signed=False)


def judged(log: list[Retrieval], policy: SynthesisPolicy | None = None, **changes: object) -> Evaluation:
    evidence = make_evidence(log)
    evidence = dataclasses.replace(evidence, log=dataclasses.replace(evidence.log, **changes))  # type: ignore[arg-type]  # fields of Log
    return evaluate(evidence, NamedPolicy("reference", policy or SynthesisPolicy(0.5, True)))


def text(evaluation: Evaluation, columns: int = 100) -> str:
    return "\n".join(draw_table(evaluation, columns))


def test_the_summary_comes_first_and_the_halted_after_it() -> None:
    shown = text(judged([Retrieval((HUMAN,)), Retrieval((DEEP,)), Retrieval((UNSIGNED,)), Retrieval(())]))
    assert re.search(r"HUMAN_GROUNDED +1 \(33\.3 %\) +2 \(66\.7 %\)", shown)
    assert "4 retrievals; 1 without results, counted apart" in shown
    assert "PROCEED 1 (33.3 %), HALT 2 (66.7 %)" in shown
    assert "3 results, no human source" in shown
    assert "Halted retrievals (2 of 2)" in shown
    assert "q1  SYNTHETIC_DEPTH_EXCESSIVE: 0/1 human, margin 1" in shown
    assert "q2  UNVERIFIED_SOURCES: 1/1 human, HUMAN_GROUNDED if signatures were waived" in shown
    assert shown.index("Verdicts") < shown.index("Halted") < shown.index("What to do")


def test_nothing_counted_is_not_applicable() -> None:
    shown = text(judged([Retrieval(())]))
    assert re.search(r"HUMAN_GROUNDED +0 \(not applicable\) +0 \(not applicable\)", shown)
    assert "not applicable mean over retrievals" in shown
    assert "Nothing to judge" in shown
    assert "100" not in shown


def test_a_policy_that_believes_the_log_says_so() -> None:
    assert "believes the log's own labels" in text(judged([Retrieval((HUMAN,))])).replace("\n" + " " * 16, " ")
    waived = SynthesisPolicy(0.5, True, signatures=SignatureGate.IGNORED)
    assert "waives the signature gate" in text(judged([Retrieval((HUMAN,))], waived))
    verified = SynthesisPolicy(0.5, True, signatures=SignatureGate.VERIFIED)
    assert "! This policy" not in text(judged([Retrieval((HUMAN,))], verified))


def test_what_is_not_listed_is_counted() -> None:
    problems = tuple(Problem("log.jsonl", line, "doc_id", "missing") for line in range(1, 40))
    shown = text(
        judged(
            [Retrieval((DEEP,))] * 50,
            problems=problems,
            rows_rejected=39,
            notices=(Notice("empty_text", 3, "texts are empty"),),
        )
    )
    assert f"Halted retrievals ({MOST_HALTED} of 50)" in shown
    assert f"... and {50 - MOST_HALTED} more" in shown
    assert f"... and {39 - MOST_PROBLEMS} more" in shown
    assert "empty_text (3): texts are empty" in shown


def test_a_finding_that_halts_says_what_to_do() -> None:
    policy = SynthesisPolicy(0.0, True, halt_on=(Finding.FEW_RESULTS,))
    shown = text(judged([Retrieval((HUMAN,))], policy))
    assert "few_results: retrieve at least three results." in shown


def test_what_proceeds_because_it_is_all_human_is_said() -> None:
    vouched = dataclasses.replace(UNSIGNED, basis=Basis.CATALOGUE)
    shown = text(judged([Retrieval((vouched,)), Retrieval((HUMAN,)), Retrieval((UNSIGNED,))]))
    assert "PROCEED 2 (66.7 %), HALT 1 (33.3 %)" in shown
    assert "1 of those that proceed do because every result is human by catalogue or claim" in shown
    assert "of those that proceed" not in text(judged([Retrieval((HUMAN,)), Retrieval((UNSIGNED,))]))


def test_an_incomplete_log_says_so() -> None:
    assert "! incomplete" in text(judged([Retrieval((HUMAN,))], incomplete=True))


@example(
    [Retrieval((), creative=True), Retrieval((HUMAN,), creative=True)] * 1000, SynthesisPolicy(0.5, True), NARROWEST, ""
)
@given(st.lists(retrievals(), max_size=5), policies, st.integers(NARROWEST, 140), st.text())
def test_no_line_is_wide_or_hides_anything(
    log: list[Retrieval], policy: SynthesisPolicy, columns: int, name: str
) -> None:
    hostile = Problem(f"\x1b]0;{name}\x07", 1, name, name)
    for line in draw_table(judged(log, policy, problems=(hostile,)), columns):
        assert not {unicodedata.category(character) for character in line} & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
        if name.isascii() and len(name) < 10:
            assert width(line) <= columns


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [
        (0, 0, "not applicable"),
        (0, 3, "0.0 %"),
        (3, 3, "100.0 %"),
        (1, 3, "33.3 %"),
        (1, 9999, "0.1 %"),
        (9998, 9999, "99.9 %"),
    ],
)
def test_shares(part: int, whole: int, shown: str) -> None:
    assert format_share(part, whole) == shown


@pytest.mark.parametrize(
    ("at", "sentence"),
    [
        (
            RankExposure(5, 4, 2, 10, (4, 3, 2, 1), 0, (6, 2, 2, 0)),
            "first 5: 50.0 % of 10 results, +10.0 points, 1.25 times",
        ),
        (
            RankExposure(5, 4, 2, 10, (9, 0, 1, 0), 3, (8, 1, 1, 0)),
            "first 5: 10.0 % of 10 results, -10.0 points, 0.50 times",
        ),
        (RankExposure(5, 4, 2, 10, (9, 0, 1, 0), 0, (8, 0, 0, 2)), "first 5: 10.0 % of 10 results, +10.0 points"),
        (RankExposure(5, 4, 2, 10, (9, 0, 1, 0), 10, (0, 0, 0, 0)), "first 5: 10.0 % of 10 results"),
    ],
)
def test_exposure_is_told_with_its_denominators(at: RankExposure, sentence: str) -> None:
    assert say_exposure(at) == f"{sentence}; reached by 2 of 4"


def test_exposure_of_nothing() -> None:
    assert say_exposure(RankExposure(1, 0, 0, 0, (0, 0, 0, 0), 0, (1, 1, 0, 0))) == "first 1: no results"
