"""Test strict JSON: what is refused, what is read, and that depth and size cost nothing."""

from __future__ import annotations

import json
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.claims.strict_json import INEXACT, MAX_DEPTH, MAX_INTEGER, parse
from guard_core.errors import StrictJsonError

LIMIT = 1 << 20


REFUSED = [
    b'{"a":1,"a":1}',
    b'{"a":1,"\\u0061":1}',
    b'[{"b":{"a":1,"a":2}}]',
    b"NaN",
    b"[Infinity]",
    b"[-Infinity]",
    b'["\\ud800"]',
    b'["\\uDFFF"]',
    b'{"\\ud800":1}',
    b'["\\ud83d x"]',
    b'["\xed\xa0\x80"]',
    b'["\xff"]',
    b"\xef\xbb\xbf{}",
    "{}".encode("utf-16"),
    b"",
    b" ",
    b"{}{}",
    b"{} x",
    b"[1,]",
    b"[01]",
    b"[+1]",
    b"[1.]",
    b"[.5]",
    b"[0x1]",
    "[\u0661]".encode(),
    b"'a'",
    b"{a:1}",
    b'["a\nb"]',
    b'["\\x41"]',
    b'["a',
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"[" * 65 + b"]" * 65,
    b'{"a":[' * 33 + b"]}" * 33,
    b'"' + b'\\"' * 50_000,
    b'["' + b'\\"' * 50_000 + b"\\",
]


@pytest.mark.parametrize("text", REFUSED, ids=[f"{number}-{text[:16]!r}" for number, text in enumerate(REFUSED)])
def test_refused(text: bytes) -> None:
    begun = time.perf_counter()
    with pytest.raises(StrictJsonError) as caught:
        parse(text, max_bytes=LIMIT)
    assert time.perf_counter() - begun < 0.5
    assert len(str(caught.value)) < 80


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b' {"a" : [ 1 , null , true ] }\r\n', {"a": [1, None, True]}),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"\\u0000\\/"', "\0/"),
        (b"-0", 0),
        (b"[" * 64 + b"]" * 64, json.loads("[" * 64 + "]" * 64)),
        (b'["' + b"[" * 1000 + b'"]', ["[" * 1000]),
        (b'["\\"' + b"{" * 1000 + b'"]', ['"' + "{" * 1000]),
        (b'{"a":1,"b":{"a":1}}', {"a": 1, "b": {"a": 1}}),
    ],
    ids=[str(number) for number in range(8)],
)
def test_read(text: bytes, value: object) -> None:
    assert parse(text, max_bytes=LIMIT) == value


@pytest.mark.parametrize(
    "text",
    ["1.0", "1e3", "1E400", "-0.0", "9" * 5000, str(MAX_INTEGER + 1), str(-MAX_INTEGER - 1)],
    ids=["1.0", "1e3", "1E400", "-0.0", "long", "above", "below"],
)
def test_a_number_that_is_no_exact_integer_is_worth_nothing(text: str) -> None:
    assert parse(text.encode(), max_bytes=LIMIT) is INEXACT


@pytest.mark.parametrize("number", [MAX_INTEGER, -MAX_INTEGER])
def test_the_greatest_integers_stay_exact(number: int) -> None:
    assert parse(str(number).encode(), max_bytes=LIMIT) == number


def test_size_is_bounded() -> None:
    assert parse(b"[" + b" " * 98 + b"]", max_bytes=100) == []
    with pytest.raises(StrictJsonError, match="longer than 100"):
        parse(b"[" + b" " * 99 + b"]", max_bytes=100)


def test_depth_costs_no_memory() -> None:
    text = b"[" * 1_000_000
    tracemalloc.start()
    with pytest.raises(StrictJsonError):
        parse(text, max_bytes=1 << 21)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES, st.booleans())
def test_what_is_written_is_read_back(value: object, escaped: bool) -> None:
    assert parse(json.dumps(value, ensure_ascii=escaped).encode(), max_bytes=LIMIT) == value


@given(st.binary(max_size=200) | st.text('{}[]",:\\u0d8a1e.-N aftr').map(str.encode))
def test_anything_else_is_refused_by_our_error(data: bytes) -> None:
    try:
        value = parse(data, max_bytes=LIMIT)
    except StrictJsonError:
        return
    if "INEXACT" not in repr(value):
        assert value == json.loads(data)  # whatever we read, the ordinary reader reads to the same


def test_a_stack_that_is_nearly_used_up_is_our_error() -> None:
    text = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH

    def deeper() -> object:
        try:
            return deeper()
        except RecursionError:
            return parse(text, max_bytes=LIMIT)

    with pytest.raises(StrictJsonError, match="stack"):
        deeper()


def test_the_bound_is_the_documented_one() -> None:
    assert MAX_DEPTH == 64
