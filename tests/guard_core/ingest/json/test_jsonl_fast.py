"""Law: whatever the fast tier accepts, the strict tier reads to the same rows."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.files.lines import LineBlock
from guard_core.ingest.batch import TableKind
from guard_core.ingest.json.jsonl import BlockReader
from guard_core.ingest.json.jsonl_fast import BlockRows, FastTier
from guard_core.ingest.read_options import ReadOptions
from tests.support.batch_accounts import gather_account


def read(data: bytes, *, fast: bool, kind: TableKind = TableKind.LOG) -> BlockRows:
    return BlockReader(ReadOptions(kind), fast=fast).read_first(LineBlock(data))


def summarise(read: BlockRows) -> tuple[object, ...]:
    """Everything that a tier says but the encoding of columns."""
    told = gather_account(read.batches)
    mapping = {pair for batch in read.batches for pair in batch.mapping}
    rejected = sorted(told.rejected, key=lambda r: (r.line, r.field))
    # What a rejected row would have given is read by one tier and not by the other.
    used = None if rejected else mapping
    rows = [(line, record, {name: repr(cell) for name, cell in cells.items()}) for line, record, cells in told.rows]
    return read.lines, rows, rejected, told.empty, told.notices, used


def assert_same(data: bytes, kind: TableKind = TableKind.LOG) -> bool:
    """Check the law for one piece; tells whether the fast tier took it."""
    taken = FastTier(ReadOptions(kind)).read(data, nested=None) is not None
    assert summarise(read(data, fast=True, kind=kind)) == summarise(read(data, fast=False, kind=kind))
    return taken


TEXT = st.one_of(
    st.sampled_from(["", "a", "human", "2026-10-25T01:30:00Z", "2026-10-25", "1", "é", "e\u0301", "\u2028", "x" * 40]),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6),
)
ID = TEXT.filter(bool)
INTEGER = st.one_of(st.integers(-1, 12), st.sampled_from([2**31, 2**31 - 1, 2**53 + 1, 1761355800, 10**12]))
BIG = st.sampled_from([2**63, -(2**63) - 1, 10**30])
FLOAT = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([1.0, 2.0, -0.0, 1e9, 1761355800.25])
)
ODD_FLOAT = st.sampled_from([float("nan"), float("inf"), -float("inf")])
DATE = st.sampled_from(["2026-10-25T01:30:00Z", "2026-10-25", "2026-10-25T02:30:00+02:00"])
LIST = st.lists(TEXT, max_size=3)
OBJECT = st.dictionaries(st.sampled_from(["origin", "depth", "x"]), st.one_of(TEXT, INTEGER), max_size=2)
ANCHORS = st.lists(
    st.fixed_dictionaries({"sha256": TEXT}, optional={"weight": st.one_of(st.none(), FLOAT, INTEGER)}), max_size=2
)
METADATA = st.sampled_from(['{"origin": "human"}', '{"origin": "human"', '{"depth": 2, "depth": 3}', "plain", "{}"])
NUMBERS = [INTEGER, INTEGER, FLOAT, TEXT, st.one_of(INTEGER, FLOAT), st.one_of(INTEGER, BIG), ODD_FLOAT]
COLUMNS: dict[str, list[st.SearchStrategy[object]]] = {
    "query_id": [ID, st.integers(0, 3), TEXT, st.one_of(INTEGER, BIG), FLOAT],
    "qid": [ID, TEXT],
    "query": [TEXT, TEXT, DATE, INTEGER, FLOAT],
    "rank": [st.integers(1, 9), *NUMBERS],
    "position": [st.integers(1, 9), *NUMBERS],
    "result_id": [ID, TEXT, INTEGER],
    "id": [ID, DATE, INTEGER],
    "doc_id": [ID, ID, DATE, INTEGER, st.one_of(INTEGER, BIG), FLOAT],
    "score": [FLOAT, *NUMBERS],
    "text": [TEXT, DATE, INTEGER],
    "content": [TEXT],
    "authenticity": [st.sampled_from(["human", "Model", "hybrid", "trainedAlgorithmicMedia"]), TEXT, INTEGER, FLOAT],
    "origin": [TEXT],
    "depth": [st.integers(0, 4), *NUMBERS],
    "anchors": [
        TEXT,
        st.just([]),
        st.lists(st.fixed_dictionaries({"sha256": TEXT, "weight": st.none()})),
        LIST,
        ANCHORS,
        st.lists(DATE, max_size=2),
        st.lists(INTEGER, max_size=2),
        OBJECT,
    ],
    "claim": [TEXT, DATE, INTEGER],
    "ts": [DATE, TEXT, *NUMBERS],
    "task": [st.sampled_from(["creative", "Creative", "qa"]), st.booleans()],
    "parents": [TEXT, LIST, st.lists(INTEGER, max_size=2), st.lists(st.one_of(INTEGER, FLOAT), max_size=2)],
    "content_sha256": [TEXT, st.sampled_from(["AB" * 32, "sha256:" + "0a" * 32]), INTEGER],
    "metadata": [METADATA, OBJECT, TEXT, LIST, INTEGER],
    "title": [TEXT, DATE, st.none(), *NUMBERS],
    "note": [
        TEXT,
        LIST,
        OBJECT,
        st.booleans(),
        st.none(),
        st.lists(OBJECT, max_size=2),
        st.lists(ODD_FLOAT, max_size=1),
    ],
    "extra": NUMBERS,
}


@st.composite
def logs(draw: st.DrawFn) -> bytes:
    """Lines of records that mostly have the same members of the same types, as logs do, and now and then do not."""
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), max_size=8, unique=True))
    if draw(st.integers(0, 7)):
        names += [name for name in ("query_id", "doc_id") if name not in names]
    good = draw(st.booleans())
    kinds = {name: COLUMNS[name][0] if good else draw(st.sampled_from(COLUMNS[name])) for name in names}
    gaps = draw(st.sampled_from([0, 0, 9]))
    lines: list[bytes] = []
    for _ in range(draw(st.integers(1, 6))):
        record: dict[str, object] = {}
        for name, values in kinds.items():
            if gaps and not draw(st.integers(0, gaps)):
                if draw(st.booleans()):
                    record[name] = None
                continue
            record[name] = draw(values)
        text = json.dumps(record, ensure_ascii=draw(st.booleans()), separators=draw(SEPARATORS))
        lines.append(text.encode("utf-8", "surrogatepass"))
    if not draw(st.integers(0, 9)):
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(ODD_LINES)))
    end = draw(st.sampled_from([b"\n", b"\n", b"\n", b"\r\n"]))
    return end.join(lines) + end


RETRIEVAL = ("query_id", "id", "query", "ts", "task", "qid", "note", "doc_id", "title")
"""Members of a nested record, good and misplaced."""


@st.composite
def nested_logs(draw: st.DrawFn) -> bytes:
    """Lines of nested records, whose results mostly have the same members, and now and then do not."""
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), max_size=5, unique=True))
    names += ["doc_id"] if draw(st.integers(0, 7)) and "doc_id" not in names else []
    about = draw(st.lists(st.sampled_from(RETRIEVAL), max_size=3, unique=True))
    about += ["query_id"] if draw(st.integers(0, 7)) and "query_id" not in about else []
    good = draw(st.booleans())
    kinds = {n: COLUMNS[n][0] if good else draw(st.sampled_from(COLUMNS[n])) for n in {*names, *about}}
    gaps = draw(st.sampled_from([0, 0, 9]))

    def record(members: list[str]) -> dict[str, object]:
        kept = [n for n in members if not gaps or draw(st.integers(0, gaps))]
        return {n: None if gaps and not draw(st.integers(0, gaps)) else draw(kinds[n]) for n in kept}

    lines: list[bytes] = []
    for _ in range(draw(st.integers(1, 4))):
        whole = record(about)
        odd = 0 if good and not gaps else draw(st.integers(0, 30))
        if odd != 1:
            results: list[object] = [record(names) for _ in range(draw(st.integers(0, 3)))]
            whole["results"] = {2: None, 3: {}, 4: "x", 5: [*results, None], 6: [*results, "x"]}.get(odd, results)
        lines.append(json.dumps(whole, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass"))
    if not draw(st.integers(0, 9)):
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(ODD_LINES)))
    return b"\n".join(lines) + b"\n"


SEPARATORS = st.sampled_from([(", ", ": "), (",", ":")])
ODD_LINES = [
    b"",
    b"  \t",
    b"{}",
    b"[]",
    b'{"query_id": "q", "doc_id": "d"}{"query_id": "q", "doc_id": "e"}',
    b'{"query_id": "q", "doc_id": "d"} x',
    b'{"query_id": "q", "doc_id": "d", "doc_id": "e"}',
    b'{"query_id": "q", "doc_id": "d", "note": {"a": 1, "a": 2}}',
    b'{"query_id": "q", "doc_id": "d\\u0000"}',
    b'{"query_id": "q", "doc_id": "d", "text": "\\ud800"}',
    b'{"query_id": "q", "doc_id": "d", "text": "\\udc00"}',
    b'{"query_id": "q", "doc_id": "d", "text": "\\ud83d\\ude00"}',
    b'{"query_id": "q", "doc_id": "d", "score": NaN}',
    b'{"query_id": "q", "doc_id": "d", "score": Inf}',
    b'{"query_id": "q", "doc_id": "d", "extra": Inf}',
    b'{"query_id": "q", "doc_id": "d", "score": 1e400}',
    b'{"query_id": "q", "doc_id": "d", "score": -0}',
    b'{"query_id": "q", "doc_id": -0}',
    b'{"query_id": "q", "doc_id": 18446744073709551617}',
    b'{"query_id": "q", "doc_id": "d", "score": 01}',
    b'{"query_id": "q", "doc_id": "\xff"}',
    b'{"query_id": "q", "doc_id": "d", "note": "\xc0\x80"}',
    b'{"query_id": "q", "doc_id": "a\x00b"}',
    b'{"query_id": "q", "doc_id": "d"}\x00}',
    b'{"query_id": "q", "doc_id": "d",',
    b'"rank": 3}',
    b'{"query_id": "q", "doc_id": "d", "note": ' + b"[" * 63 + b"]" * 63 + b"}",
    b'{"query_id": "q", "doc_id": "d", "note": ' + b"[" * 64 + b"]" * 64 + b"}",
    b'{"query_id": "q", "doc_id": "d", "note": "' + b"[" * 80 + b'"}',
    b'{"query_id": "q", "results": [{"doc_id": "d"}]}',
    b'{"query_id": "q", "results": null}',
    b'{"query_id": "q", "results": 5}',
    b'{"query_id": "q", "metadata": {"origin": "human"}, "doc_id": "d"}',
    b'{"\xef\xbf\xbd": 1, "query_id": "q", "doc_id": "d"}',
    b'{"": 1, "query_id": "q", "doc_id": "d"}',
]


@given(logs())
def test_tiers_read_the_same(data: bytes) -> None:
    assert_same(data)


@given(nested_logs())
def test_tiers_read_the_same_nested(data: bytes) -> None:
    assert_same(data)


@given(logs())
def test_tiers_read_the_same_catalogue(data: bytes) -> None:
    assert_same(data, TableKind.CATALOGUE)


@pytest.mark.parametrize("line", ODD_LINES, ids=[str(n) for n in range(len(ODD_LINES))])
def test_odd_lines(line: bytes) -> None:
    good = b'{"query_id": "q", "doc_id": "a", "score": 0.5}'
    for lines in ([line], [line, good], [good, line], [good, line, good]):
        assert_same(b"\n".join(lines) + b"\n")


def test_a_plain_log_is_for_the_fast_tier() -> None:
    record = {
        "query_id": "q1", "query": "what?", "timestamp": "2026-10-25T01:30:00Z", "rank": 1, "result_id": "r",
        "doc_id": 17, "score": 0.5, "text": "some text", "authenticity": "human", "depth": 0,
        "anchors": ["sha256:" + "ab" * 32], "claim": None, "note": {"a": [1, 2]}, "task": "qa",
    }  # fmt: skip
    assert assert_same(b"".join(json.dumps(dict(record, rank=n)).encode() + b"\n" for n in range(1, 5)))


def test_a_plain_nested_log_is_for_the_fast_tier() -> None:
    result = {"rank": 1, "doc_id": "d", "score": 0.5, "anchors": [{"sha256": "h", "weight": 1.0}], "model": None}
    record = {"query_id": "q", "query": "?", "ts": "2026-10-25T01:30:00Z", "results": [result, dict(result, rank=2)]}
    for lines in ([record, {**record, "results": []}, record], [record] * 30):
        assert assert_same(b"".join(json.dumps(line).encode() + b"\n" for line in lines))


def test_deep_nesting_never_reaches_the_parser() -> None:
    for depth in (65, 3_000, 100_000):
        line = b'{"query_id": "q", "doc_id": "d", "note": ' + b'{"a":' * depth + b"1" + b"}" * depth + b"}\n"
        result = read(line, fast=True)
        assert [r.reason for b in result.batches for r in b.rejected] == ["is nested more than 64 deep"]


def test_types_learned_from_one_piece_do_not_bind_the_next() -> None:
    first = b'{"query_id": "q", "doc_id": "d", "rank": 1}\n'
    pieces = [
        b'{"query_id": 1, "doc_id": 2, "rank": "2"}\n',
        b'{"query_id": "q", "doc_id": "d", "rank": 1.0, "depth": 2}\n',
        b'{"query_id": "q", "doc_id": "d", "ts": "2026-10-25"}\n',
        b'{"query_id": "q", "doc_id": "2026-10-25", "rank": null}\n',
        first,
    ]
    fast, strict = (BlockReader(ReadOptions(), fast=fast) for fast in (True, False))
    assert summarise(fast.read_first(LineBlock(first))) == summarise(strict.read_first(LineBlock(first)))
    for data in pieces:
        assert summarise(fast.read(LineBlock(data))) == summarise(strict.read(LineBlock(data)))


def test_columns_are_arrow_arrays_of_their_types() -> None:
    batch = read(b'{"query_id": "q", "doc_id": 3, "rank": 1, "score": 1}\n', fast=True).batches[0]
    assert batch.columns["rank"].type == pa.int32()
    assert batch.columns["score"].type == pa.float64()
    assert batch.lines.dtype == np.int64
