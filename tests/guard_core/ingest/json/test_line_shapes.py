"""Lines of one shape: what is taken, what is not, and that a changed byte is never overlooked."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.files.limits import Limits
from guard_core.ingest.json.bare_values import parse_bare_values
from guard_core.ingest.json.line_columns import LineColumns
from guard_core.ingest.json.line_shapes import read_shapes
from guard_core.ingest.records.json_strict import BadRecordError, parse_line
from guard_core.ingest.records.values import NegativeZero

LIMITS = Limits()


def read(data: bytes) -> LineColumns | None:
    return read_shapes(data, LIMITS, lambda name: True)


def lines(*records: object, separators: tuple[str, str] = (", ", ": ")) -> bytes:
    return b"".join(json.dumps(r, ensure_ascii=False, separators=separators).encode() + b"\n" for r in records)


def as_records(columns: LineColumns) -> list[dict[str, object]]:
    """Records without the members that are null, as Arrow cannot tell them from those that are not there."""
    found: list[dict[str, object]] = [{} for _ in range(columns.lines)]
    for name, array in columns.columns.items():
        for record, value in zip(found, array.to_pylist(), strict=True):
            if value is not None:
                record[name] = value
    return found


def parsed(data: bytes) -> list[dict[str, object]] | None:
    """The same by the strict reader; ``None`` where it refuses a line."""
    try:
        records = [parse_line(line, LIMITS.nesting) for line in data.split(b"\n")[:-1]]
    except BadRecordError:
        return None
    return [{name: value for name, value in record.items() if value is not None} for record in records]


def assert_equal(data: bytes) -> bool:
    columns = read(data)
    if columns is None:
        return False
    records = parsed(data)
    assert records is not None
    found = as_records(columns)
    assert found == records
    assert [_types(record) for record in found] == [_types(record) for record in records]
    return True


def _types(record: dict[str, object]) -> dict[str, type]:
    return {name: int if isinstance(value, NegativeZero) else type(value) for name, value in record.items()}


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"], exclude_characters='"\\'), max_size=12)
VALUES: dict[str, st.SearchStrategy[object]] = {
    "query_id": TEXT,
    "rank": st.integers(-5, 10**17),
    "score": st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: "." in repr(x) or "e" in repr(x)),
    "claim": TEXT,
    "anchors": st.lists(TEXT, min_size=1, max_size=2),
    "flag": st.booleans(),
    "nothing": st.none(),
    "ends": st.integers(0, 9),
}


@st.composite
def logs(draw: st.DrawFn) -> bytes:
    names = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, unique=True))
    gaps = draw(st.booleans())
    records = [
        {name: None if gaps and not draw(st.integers(0, 4)) else draw(VALUES[name]) for name in names}
        for _ in range(draw(st.integers(1, 8)))
    ]
    return lines(*records, separators=draw(st.sampled_from([(", ", ": "), (",", ":"), (" ,  ", " :  ")])))


@given(logs())
def test_what_is_taken_is_what_stands_there(data: bytes) -> None:
    assert_equal(data)


@given(logs(), st.integers(0, 10_000), st.binary(min_size=0, max_size=2))
def test_a_changed_byte_is_never_overlooked(data: bytes, place: int, other: bytes) -> None:
    place %= len(data)
    assert_equal(data[:place] + other + data[place + 1 :])


@given(logs(), st.integers(0, 10_000), st.sampled_from(list(b'{}[]",: 0e-.ntf\n')))
def test_a_changed_mark_is_never_overlooked(data: bytes, place: int, mark: int) -> None:
    place %= len(data)
    assert_equal(data[:place] + bytes([mark]) + data[place + 1 :])


def test_usual_logs_are_taken() -> None:
    records = [
        {
            "query_id": f"q{n}",
            "rank": n,
            "score": n / 7,
            "claim": None if n % 3 else "x" * n,
            "anchors": ["h"] * (n % 3 + 1),
        }
        for n in range(1, 200)
    ]
    assert assert_equal(lines(*records))
    columns = read(lines(*records))
    assert columns is not None
    assert columns.columns["claim"].type == pa.dictionary(pa.int32(), pa.string())
    assert columns.columns["score"].type == pa.float64()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b'{"a": 1}',
        b'{"a": 1}\n\n',
        b'{"a": 1}\r\n',
        b'{"a": "\\n"}\n',
        b'{"a": "\x01"}\n',
        b'{"a": "\xff"}\n',
        b'{"a": 1, "a": 2}\n',
        b'{"a": {"b": 1}}\n',
        b"{}\n",
        b"[1]\n",
        b'{"a": 1}{"a": 2}\n',
        b'{"a": 01}\n',
        b'{"a": NaN}\n',
        b'{"a": 1e999}\n',
        b'{"a": 12345678901234567890}\n',
        b'{"a": 1}\n{"a": 1.5}\n',
        b'{"a": tru}\n',
        b'{"a": 1}\n{"a": true}\n',
        b'{"a": "x"}\n{"a": 1}\n',
        b'{"a": 1}\n{"a": ["x"]}\n',
    ],
    ids=repr,
)
def test_left_to_other_readers(data: bytes) -> None:
    assert read(data) is None


def test_too_many_shapes_and_too_long_lines() -> None:
    assert read(lines(*[{f"m{n}": 1} for n in range(20)])) is None
    assert read_shapes(lines({"a": "x" * 100}), Limits(line_bytes=50), lambda name: True) is None


def test_only_what_is_wanted_is_kept_but_everything_is_proved() -> None:
    columns = read_shapes(lines({"a": "x", "b": 1, "c": ["y"]}), LIMITS, lambda name: name == "a")
    assert columns is not None
    assert list(columns.columns) == ["a"]
    assert read_shapes(b'{"a": "x", "b": 1}\n{"a": "x", "b": 1-1}\n', LIMITS, lambda name: name == "a") is None


def test_bare_values() -> None:
    def read_bare(*texts: str) -> object:
        column = parse_bare_values(pa.array(texts).dictionary_encode())
        return None if column is None else column.to_pylist()

    assert read_bare("1", "null", "-5", "17") == [1, None, -5, 17]
    assert read_bare("0.5", "1e-7", "null", "-0.0") == [0.5, 1e-7, None, -0.0]
    assert read_bare("true", "false", "null") == [True, False, None]
    assert read_bare("null") == [None]
    for texts in (
        ("1", "0.5"),
        ("-0",),
        ("true", "1"),
        ("1.",),
        (".5",),
        ("+1",),
        ("0x1",),
        ("inf",),
        ("nan",),
        (" 1",),
        ("",),
    ):
        assert read_bare(*texts) is None


def test_values_of_more_lengths_than_are_guessed() -> None:
    records = [{"id": "x" * (n * 7 % 61), "n": 10 ** (n % 17), "s": n % 9 + 0.5, "z": "q"} for n in range(400)]
    assert assert_equal(lines(*records))
    assert assert_equal(lines(*sorted(records, key=lambda record: str(record["id"]))))


def test_members_that_some_lines_lack_are_null_there() -> None:
    full = {"a": "x", "list": ["p", "q"], "n": 1}
    others = [{"a": None, "list": ["r"], "n": None}, {"list": None, "n": 3}, {"a": "", "list": ["", "", "s"], "n": 4}]
    assert assert_equal(lines(full, *others, full, *reversed(others), full))
    found = read(lines(full, *others))
    assert found is not None
    assert found.columns["a"].null_count == 2
    assert found.columns["a"].dictionary.to_pylist() == ["x", ""]
    assert found.columns["list"].to_pylist() == [["p", "q"], ["r"], None, ["", "", "s"]]


def test_members_of_several_types_are_for_another_reader() -> None:
    assert read(lines({"a": "x"}, {"a": 1})) is None
    assert read(lines({"a": "x"}, {"a": ["x"]})) is None
    assert read(lines({"a": 1}, {"a": 0.5})) is None


@pytest.mark.parametrize("value", [b'"y","b":"z"', b'"y", "a": "z"', b'"y" ', b'"y""', b'"y"}{"a": "z"', b"", b'"'])
def test_a_quote_that_no_fixed_text_has_is_noticed(value: bytes) -> None:
    data = b'{"a": "x"}\n' * 20 + b'{"a": ' + value + b"}\n" + b'{"a": "x"}\n' * 20
    assert read(data) is None or assert_equal(data)
    if parsed(data) is None:
        assert read(data) is None


def test_a_value_does_not_reach_into_the_next_line() -> None:
    assert read(b'{"a": "1", "b": "2"}\n{"a": "1\n{"a": "", "b": "2"}\n') is None
    assert read(b'{"a": 1}\n{"a": \n1}\n') is None


def test_what_follows_the_text_may_look_like_its_end() -> None:
    """The end of a longer value is guessed where a shorter one is followed by the same text."""
    records = [{"a": "12345678", "b": "1"}, {"a": "", "b": ""}, {"a": "1", "b": ", b: "}]
    assert assert_equal(lines(*records, *reversed(records)))
