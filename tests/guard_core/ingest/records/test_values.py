"""Single values: ids, ranks, depths, scores, times, classes, anchors, parents, text (R7, R8, R13, R16 to R19, R55)."""

from __future__ import annotations

import contextlib
import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.class_words import ClassWord
from guard_core.ingest.records import values

ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=5,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("001", "001"), ("1", "1"), (1, "1"), (0, "0"), (-7, "-7"), ("NA", "NA"), ("null", "null"), ("nan", "nan"),
        (18446744073709551617, "18446744073709551617"), (" a ", " a "), (None, None), ("", None),
    ], ids=repr)  # fmt: skip
def test_ids(value: object, text: str | None) -> None:
    assert values.read_id(value) == text


def test_odd_integers_are_ids() -> None:
    assert values.read_id(values.LongInteger("9" * 5000)) == "9" * 5000
    assert values.read_id(values.NegativeZero(0)) == "0"


@pytest.mark.parametrize("value", [True, False, 1.0, 1.5, [], {}, ["a"], "a\0b", "\ud800", "x\udfffy"], ids=repr)
def test_no_ids(value: object) -> None:
    with pytest.raises(values.Refused):
        values.read_id(value)


@pytest.mark.parametrize(
    ("value", "number"), [(1, 1), (7.0, 7), ("3", 3), ("03", 3), ("4.0", 4), (None, None)], ids=repr
)
def test_ranks(value: object, number: int | None) -> None:
    assert values.read_rank(value) == number


@pytest.mark.parametrize(
    "value",
    [0, -1, "0", 1.5, "1.5", "x", "", True, [1], math.nan, math.inf, 2**31, "9" * 40, "+1", "1e3", "\u0661",
     values.LongInteger("9" * 5000)], ids=repr)  # fmt: skip
def test_no_ranks(value: object) -> None:
    with pytest.raises(values.Refused):
        values.read_rank(value)


def test_depths_begin_at_zero() -> None:
    assert values.read_depth(0) == values.read_depth("0") == values.read_depth(-0.0) == 0
    assert values.read_depth(50) == 50
    for value in (-1, "-1", 0.5, False, "deep"):
        with pytest.raises(values.Refused):
            values.read_depth(value)


@pytest.mark.parametrize(
    ("value", "number"), [(0.5, 0.5), (3, 3.0), (-1e-7, -1e-7), (2**53 + 1, float(2**53 + 1)), (None, None)], ids=repr
)
def test_scores(value: object, number: float | None) -> None:
    assert values.read_score(value) == (number, None)


def test_minus_zero_stays() -> None:
    for value in (-0.0, values.NegativeZero(0)):
        score, _ = values.read_score(value)
        assert score is not None
        assert math.copysign(1, score) == -1


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, "0.5", "", True, [], {}], ids=repr)
def test_no_scores_are_missing_with_a_notice(value: object) -> None:
    assert values.read_score(value) == (None, values.SCORE_NOT_A_NUMBER)


@pytest.mark.parametrize(
    ("cell", "number"), [("0.5", 0.5), (" 3 ", 3.0), ("-1e-07", -1e-7), ("+.5", 0.5), ("5.", 5.0)], ids=repr
)
def test_scores_in_cells(cell: str, number: float) -> None:
    assert values.read_score_text(cell) == (number, None)


def test_decimal_commas() -> None:
    assert values.read_score_text("0,91", decimal_comma=True) == (0.91, None)
    assert values.read_score_text("0,91")[0] is None
    for cell in ("nan", "inf", "Infinity", "1e999", "1_0", "0x1", "", "1,2,3"):
        assert values.read_score_text(cell, decimal_comma=True) == (None, values.SCORE_NOT_A_NUMBER)


def _micro(text: str) -> int:
    since = datetime.fromisoformat(text) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


@pytest.mark.parametrize(
    ("value", "instant"),
    [
        ("2026-10-25T02:30:00+02:00", "2026-10-25T00:30:00+00:00"),
        ("2026-10-25T01:30:00Z", "2026-10-25T01:30:00+00:00"),
        ("2026-10-25t01:30:00z", "2026-10-25T01:30:00+00:00"),
        ("2026-10-25 01:30Z", "2026-10-25T01:30:00+00:00"),
        ("2026-10-25T01:30:00.123456789Z", "2026-10-25T01:30:00.123456+00:00"),
        ("2026-10-25T01:30:00,5Z", "2026-10-25T01:30:00.500000+00:00"),
        ("20261025T013000Z", "2026-10-25T01:30:00+00:00"),
        ("2026-10-25 01:30:00 -0130", "2026-10-25T03:00:00+00:00"),
        (0, "1970-01-01T00:00:00+00:00"),
        ("1761355800", "2025-10-25T01:30:00+00:00"),
        (1761355800.25, "2025-10-25T01:30:00.250000+00:00"),
        ("-1", "1969-12-31T23:59:59+00:00"),
    ],
    ids=repr,
)
def test_times(value: object, instant: str) -> None:
    assert values.read_time(value) == (_micro(instant), None)


@pytest.mark.parametrize("value", ["2026-10-25", "2026-10-25T00:00:00", "2026-10-25 00:00", "20261025T0000"], ids=repr)
def test_times_without_offset_are_utc(value: str) -> None:
    assert values.read_time(value) == (_micro("2026-10-25T00:00:00+00:00"), values.TIME_ASSUMED_UTC)


UNKNOWN_TIMES: list[object] = [
    *("", "soon", "25.10.2026", "2026-13-01", "2026-10-25T25:00Z", "2026-W43-7", "0001-01-01T00:00:00+05:00"),
    *(True, [], {}, math.nan, math.inf, 1e300, 1.7e302, 10**30, "9" * 30, values.LongInteger("9" * 5000)),
]


@pytest.mark.parametrize("value", UNKNOWN_TIMES, ids=repr)
def test_unknown_times(value: object) -> None:
    assert values.read_time(value) == (None, values.TIME_UNKNOWN)


def test_classes() -> None:
    assert values.read_class(" Human-Authored ") == (ClassWord.HUMAN, None)
    assert values.read_class("unknown") == (ClassWord.NONE, None)
    assert values.read_class(None) == values.read_class("") == (ClassWord.NONE, None)
    words: list[object] = ["robot", 1, True, [], "hum an"]
    for value in words:
        assert values.read_class(value) == (ClassWord.NONE, values.CLASS_NOT_UNDERSTOOD)


HASH = "sha256:" + "ab" * 32


@pytest.mark.parametrize(
    ("value", "pairs"),
    [
        (HASH, ((HASH, 1.0),)),
        ("AB" * 32, (("AB" * 32, 1.0),)),
        ("no digest", (("no digest", 1.0),)),
        ([HASH, {"sha256": "x", "weight": 0.25}], ((HASH, 1.0), ("x", 0.25))),
        ({"sha256": "x"}, (("x", 1.0),)),
        ([], ()), (None, ()), ("", ()), ([None, ""], ()),
        ("a|b", (("a|b", 1.0),)),
    ], ids=repr)  # fmt: skip
def test_anchors(value: object, pairs: tuple[tuple[str, float], ...]) -> None:
    assert values.read_anchors(value) == (pairs, None)


def test_anchors_in_cells() -> None:
    assert values.read_anchors("a||b", separated=True) == ((("a", 1.0), ("b", 1.0)), None)


BAD_ANCHORS: list[object] = [
    5,
    [HASH, 5],
    [{"weight": 1}],
    [{"sha256": HASH, "weight": 0}],
    [{"sha256": "x", "weight": "1"}],
    [{"sha256": "x", "weight": math.inf}],
    [[HASH]],
    {"sha256": ""},
]


@pytest.mark.parametrize("value", BAD_ANCHORS, ids=repr)
def test_one_bad_anchor_costs_the_list(value: object) -> None:
    assert values.read_anchors(value) == ((), values.ANCHOR_NOT_UNDERSTOOD)


def test_parents() -> None:
    assert values.read_parents(["a", 7, None]) == ("a", "7")
    assert values.read_parents("a|b") == ("a|b",)
    assert values.read_parents("a|b", separated=True) == ("a", "b")
    assert values.read_parents(None) == ()
    for value in (True, [1.5], {"a": 1}, ["a\0"]):
        with pytest.raises(values.Refused):
            values.read_parents(value)


def test_text_signature_digest_task() -> None:
    assert values.read_text("") == ("", None)
    assert values.read_text(7) == ("7", None)
    assert values.read_text(True) == values.read_text(1.5) == (None, values.VALUE_NOT_TEXT)
    assert values.read_signature("") == values.read_signature(None) == (None, None)
    assert values.read_signature("label") == ("label", None)
    assert values.read_signature(5) == (None, values.VALUE_NOT_TEXT)
    assert values.read_content_digest(" SHA256:" + "AB" * 32) == (HASH, None)
    assert values.read_content_digest("ab") == (None, values.CONTENT_DIGEST_NOT_UNDERSTOOD)
    assert values.read_content_digest(None) == values.read_content_digest("") == (None, None)
    assert values.is_creative("Creative")
    assert not any(map(values.is_creative, ("creative writing", "qa", None, True, ["creative"])))
    empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert values.compute_text_digest("") == empty
    for bad in ("a\0", "\ud800"):
        for rule in (values.read_text, values.read_signature):
            with pytest.raises(values.Refused):
                rule(bad)


@given(ANYTHING)
def test_every_rule_answers_or_refuses(value: object) -> None:
    for rule in values.RULES.values():
        with contextlib.suppress(values.Refused):
            rule(value)
