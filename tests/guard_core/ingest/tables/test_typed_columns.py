"""Laws: every column function gives for each row what the scalar rule of ``values.py`` gives for its value."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.ingest.records import values
from guard_core.ingest.tables.arrays import TypedColumn
from guard_core.ingest.tables.typed_columns import (
    type_by_rule,
    type_ids,
    type_ranks,
    type_scores,
    type_texts,
    type_times,
)
from guard_core.ingest.tables.typed_lists import type_anchors, type_parents
from guard_core.ingest.tables.typed_table import CellRules

NUMBERS = st.from_regex(r"[+-]{0,2}[0-9]{0,4}[.,]?[0-9]{0,4}([eE][+-]?[0-9]{1,3})?", fullmatch=True)
NUMBER_WORDS = (
    "1",
    "01",
    "1.0",
    "-1",
    "0",
    "2147483647",
    "2147483648",
    "NaN",
    "nan",
    "inf",
    "1e400",
    "1e-400",
    "0x10",
    "1_0",
)
OTHER_WORDS = ("", " ", " 1", "1 ", "a\0b", "x|y", "|", "x||y", "human", "MODEL", "creative", " Creative ", "A" * 64)
TIME_WORDS = (
    "2024-01-02T03:04:05Z",
    "2024-01-02 03:04:05",
    "2024-01-02T03:04:05.123456+02:00",
    "2024-01-02T03:04:05.1234567Z",
    "2024-01-02T03:04:05+24:00",
    "2024-01-02T24:00:00Z",
    "2024-02-30T00:00:00Z",
    "2024-01-02",
    "20240102",
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59-23:59",
)
WORDS = st.sampled_from([*NUMBER_WORDS, *OTHER_WORDS, *TIME_WORDS, "sha256:" + "0" * 64])
TEXTS = st.lists(st.none() | WORDS | NUMBERS | st.text(st.characters(codec="utf-8"), max_size=6), max_size=8)
INTEGERS = st.lists(st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3), max_size=8)
FLOATS = st.lists(st.none() | st.floats() | st.sampled_from([1.0, 0.0, -0.0, 1e10, 1.7e9 + 0.25]), max_size=8)
BOOLS = st.lists(st.none() | st.booleans(), max_size=8)


def arrays() -> st.SearchStrategy[pa.Array]:
    text = TEXTS.map(lambda rows: pa.array(rows, pa.string()))
    return (
        text
        | text.map(lambda array: array.dictionary_encode())
        | text.map(lambda array: array.cast(pa.large_string()))
        | text.map(lambda array: array.cast(pa.binary()))
        | INTEGERS.map(lambda rows: pa.array(rows, pa.int64()))
        | FLOATS.map(lambda rows: pa.array(rows, pa.float64(), from_pandas=False))
        | BOOLS.map(lambda rows: pa.array(rows, pa.bool_()))
        | st.lists(st.none(), max_size=4).map(lambda rows: pa.array(rows, pa.null()))
        | st.lists(st.none() | st.lists(st.none() | WORDS, max_size=3), max_size=5).map(
            lambda rows: pa.array(rows, pa.list_(pa.string()))
        )
    )


def scalar(rule: Callable[[object], object], row: object) -> tuple[object, str | None, str | None]:
    """(value, notice, reason for refusal) of one row under a scalar rule."""
    try:
        found = rule(row)
    except values.Refused as reason:
        return None, None, str(reason)
    if isinstance(found, tuple) and len(found) == 2 and (found[1] is None or isinstance(found[1], str)):
        return found[0], found[1], None
    return found, None, None


def assert_law(column: TypedColumn, array: pa.Array, rule: Callable[[object], object]) -> None:
    rows = [_text(row) for row in array.to_pylist()]
    got = column.values.to_pylist()
    column.values.validate(full=True)
    assert len(got) == len(rows)
    for place, row in enumerate(rows):
        value, notice, reason = scalar(rule, row)
        assert column.refused.get(place) == reason, (row, column.refused.get(place), reason)
        if reason is None:
            assert got[place] == value or (value in ((), False) and not got[place]), (row, got[place], value)
            assert str(got[place]) == str(value) or value in ((), None, False), row
        codes = {code for code, mask in column.notices.items() if mask[place]}
        assert codes == ({notice} if notice else set()), row


@pytest.mark.parametrize("column", sorted(set(values.RULES) - {"human_source_anchor_hash", "derived_from"}))
@given(array=arrays())
def test_column_equals_scalar_rule(column: str, array: pa.Array) -> None:
    assert_law(CellRules().choose_typer(column)(array), array, values.RULES[column])


@given(rows=TEXTS, comma=st.booleans())
def test_score_cells_equal_scalar_rule(rows: list[str | None], comma: bool) -> None:
    array = pa.array(rows, pa.string())

    def rule(value: object) -> object:
        return (None, None) if value is None else values.read_score_text(str(value), comma)

    assert_law(type_scores(array, cells=True, decimal_comma=comma), array, rule)
    assert_law(type_scores(array.dictionary_encode(), cells=True, decimal_comma=comma), array, rule)


@given(array=arrays(), separated=st.booleans())
def test_parents_equal_scalar_rule(array: pa.Array, separated: bool) -> None:
    column = type_parents(array, separated=separated)
    for place, row in enumerate(array.to_pylist()):
        value, _, reason = scalar(lambda v: (values.read_parents(v, separated), None), _text(row))
        assert column.refused.get(place) == reason
        if reason is None:
            assert tuple(column.values[place].as_py() or ()) == value


@given(
    array=arrays()
    | st.lists(
        st.none()
        | st.lists(st.fixed_dictionaries({"sha256": st.none() | WORDS, "weight": st.none() | st.floats()}), max_size=3),
        max_size=4,
    ).map(lambda rows: pa.array(rows, pa.list_(pa.struct([("sha256", pa.string()), ("weight", pa.float64())])))),
    separated=st.booleans(),
)
def test_anchors_equal_scalar_rule(array: pa.Array, separated: bool) -> None:
    column = type_anchors(array, separated=separated)
    for place, row in enumerate(array.to_pylist()):
        value, notice, reason = scalar(lambda v: values.read_anchors(v, separated), _text(row))
        assert column.refused.get(place) == reason
        assert {code for code, mask in column.notices.items() if mask[place]} == ({notice} if notice else set())
        if reason is None:
            assert isinstance(value, tuple)
            assert tuple(column.values[place].as_py() or ()) == tuple(name for name, _ in value)
            if column.weights is not None:
                assert tuple(column.weights[place].as_py() or ()) == tuple(weight for _, weight in value)
            else:
                assert all(weight == 1 for _, weight in value)


def _text(row: object) -> object:
    return row.decode() if isinstance(row, bytes) else row


def test_text_digest_and_empty_text() -> None:
    column = type_by_rule("text", pa.array(["a", "", None, "a"]))
    a, empty = map(values.compute_text_digest, ("a", ""))
    assert column.values.to_pylist() == [a, empty, None, a]
    assert column.notices[values.EMPTY_TEXT].tolist() == [False, True, False, False]


def test_integer_ids_keep_every_digit() -> None:
    assert type_ids(pa.array([2**63, 2**64 - 1], pa.uint64())).values.to_pylist() == [str(2**63), str(2**64 - 1)]
    wide = pa.array([Decimal("1" + "0" * 29 + "1"), None], pa.decimal128(38, 0))
    assert type_ids(wide).values.to_pylist() == ["1" + "0" * 29 + "1", None]
    assert type_scores(wide).values.to_pylist() == [1e30, None]


def test_float_ids_refuse_their_rows() -> None:
    assert set(type_ids(pa.array([1.0, None, 2.5])).refused) == {0, 2}


def test_text_that_is_not_utf8_refuses_its_row_only() -> None:
    broken = pa.array([b"a", b"\xff", b"b", None, b"\xed\xa0\x80"], pa.binary())
    for array in (broken, broken.dictionary_encode()):
        for name in ("result_id", "title", "text", "authenticity"):
            column = CellRules().choose_typer(name)(array)
            assert set(column.refused) == {1, 4}
            assert set(column.refused.values()) == {"is not UTF-8"}
        assert type_ids(array).values.to_pylist() == ["a", None, "b", None, None]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_arrow_times(unit: str) -> None:
    moment = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    aware = pa.array([moment, None], pa.timestamp("us", "Asia/Tokyo")).cast(pa.timestamp(unit, "Asia/Tokyo"))
    naive = pa.array([moment.replace(tzinfo=None), None], pa.timestamp("us")).cast(pa.timestamp(unit))
    expected = [int(moment.timestamp()) * 1_000_000, None]
    assert type_times(aware).values.to_pylist() == expected
    assert not type_times(aware).notices
    assert type_times(naive).values.to_pylist() == expected
    assert type_times(naive).notices[values.TIME_ASSUMED_UTC].tolist() == [True, False]


def test_arrow_times_far_outside_are_unknown() -> None:
    far = pa.array([2**62, -(2**62), 0], pa.int64()).cast(pa.timestamp("s"))
    column = type_times(far)
    assert column.values.to_pylist() == [None, None, 0]
    assert column.notices[values.TIME_UNKNOWN].tolist() == [True, True, False]


def test_nanoseconds_are_cut_not_rounded_also_before_1970() -> None:
    column = type_times(pa.array([1999, -1], pa.int64()).cast(pa.timestamp("ns", "UTC")))
    assert column.values.to_pylist() == [1, -1]


def test_dates_are_midnights_and_useless_elsewhere() -> None:
    dates = pa.array([0, 1, None], pa.int32()).cast(pa.date32())
    assert type_times(dates).values.to_pylist() == [0, 86_400_000_000, None]
    assert set(type_ranks(dates).refused) == {0, 1}
    assert type_texts(dates).notices[values.VALUE_NOT_TEXT].tolist() == [True, True, False]
    assert set(type_ids(dates).refused) == {0, 1}


def test_small_and_unsigned_integers() -> None:
    for kind in (pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.uint64()):
        column = type_ranks(pa.array([0, 1, None, 7], kind))
        assert column.values.to_pylist() == [None, 1, None, 7]
        assert set(column.refused) == {0}
        assert column.values.type == pa.int32()


def test_sliced_arrays_stay_in_step() -> None:
    texts = pa.array(["x", "1", "", "a\0", None, "2"]).slice(1, 4)
    assert type_ids(texts).values.to_pylist() == ["1", None, None, None]
    assert set(type_ids(texts).refused) == {2}
    lists = pa.array([["z"], ["a", "b"], None, ["c"], []]).slice(1)
    assert type_anchors(lists).values.to_pylist() == [["a", "b"], None, ["c"], []]
    binary = pa.array([b"x", b"1", b"2"], pa.large_binary()).slice(1)
    assert type_ids(binary).values.to_pylist() == ["1", "2"]


def test_float_seconds() -> None:
    seconds = pa.array(np.array([1.5, float("nan"), -0.25]))
    column = type_times(seconds)
    assert column.values.to_pylist() == [1_500_000, None, -250_000]
    assert column.notices[values.TIME_UNKNOWN].tolist() == [False, True, False]
