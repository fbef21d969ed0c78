"""Assembly: grouping, order, repeats, numbering and account (R3, R9 to R12, R55, R71), against a plain oracle."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.errors import LogError
from guard_core.ingest import Limits, Log
from guard_core.ingest.assembly.assemble import PROBLEMS_LISTED, Assembly
from guard_core.ingest.batch import RowBatch
from guard_core.ingest.log import MISSING_TIME, LogFile
from guard_core.ingest.read_options import ReadOptions
from guard_core.ingest.records.json_strict import BadRecordError
from guard_core.ingest.records.records import RecordReader

Record = dict[str, object]


def batches(records: Sequence[Record | None], *, size: int = 3) -> list[RowBatch]:
    """Batches of a file; ``None`` is a record that cannot be read."""
    found: list[RowBatch] = []
    nested = any(record is not None and "results" in record for record in records)
    reader = RecordReader(ReadOptions(), nested=nested)
    for line, record in enumerate(records, 1):
        if record is None:
            reader.read(BadRecordError("is not JSON"), line)
        else:
            reader.read(record, line)
        if line % size == 0:
            found += reader.take_batches()
    return found + reader.take_batches()


def assemble(*files: Sequence[Record | None], size: int = 3) -> Log:
    assembly = Assembly(Limits())
    for number, records in enumerate(files):
        for batch in batches(records, size=size):
            assembly.add(batch, f"file{number}")
        assembly.end_file(LogFile(f"file{number}", "jsonl", ""))
    log = assembly.finish()
    assert log.rows_read == log.rows_accepted + log.rows_rejected + log.rows_ignored
    return log


Result = tuple[object, ...]
Retrieval = tuple[str, int, str | None, bool, int, tuple[Result, ...]]


def retrievals(log: Log) -> list[Retrieval]:
    """What a log holds, as values."""
    found: list[Retrieval] = []
    for n in range(log.retrieval_count):
        rows = range(log.offsets[n], log.offsets[n + 1])
        found.append(
            (
                log.retrieval_id(n),
                int(log.times[n]),
                log.queries.text(n),
                bool(log.creative[n]),
                int(log.rejected_results[n]),
                tuple(_result(log, row) for row in rows),
            )
        )
    return found


def _result(log: Log, row: int) -> Result:
    anchors = slice(log.anchors.offsets[row], log.anchors.offsets[row + 1])
    score = float(log.scores[row])
    return (
        log.result_ids.text(row),
        log.document_ids.text(row),
        int(log.ranks[row]),
        bool(log.ranks_given[row]),
        None if np.isnan(score) else score,
        int(log.depths[row]),
        tuple(log.anchor_hashes[code].as_py() for code in log.anchors.codes[anchors].tolist()),
        log.signatures.text(row),
    )


# -- the oracle ----------------------------------------------------------------------------------------------------


def oracle(*files: Sequence[Record | None]) -> tuple[list[Retrieval], int]:
    """Retrievals and ignored rows, record by record."""
    ignored = 0
    found: list[tuple[str, int, list[Record], bool, int]] = []
    for records in files:
        places: dict[tuple[str, int], int] = {}
        if any(record is not None and "results" in record for record in records):
            # In a file that has nested records, one without results and without an id is one with zero results (R9).
            records = [r if r is None or "results" in r or r.get("doc_id") else {**r, "results": []} for r in records]  # noqa: PLW2901 - the same records, spelled out
        lost = _lost(records)
        for record in records:
            if record is None:
                continue
            query_id, time = str(record["query_id"]), _time(record.get("ts"))
            if "results" in record:
                listed = record["results"]
                assert isinstance(listed, list)
                good = [{**record, **item} for item in listed if item.get("doc_id")]
                found.append((query_id, time, good or [{**record, "doc_id": None}], True, len(listed) - len(good)))
                continue
            if not record.get("doc_id"):
                if (query_id, time) in lost and (query_id, time) not in places:
                    places[query_id, time] = len(found)
                    found.append((query_id, time, [{"doc_id": None}], False, 0))
                continue
            place = places.setdefault((query_id, time), len(found))
            if place == len(found):
                found.append((query_id, time, [], False, 0))
            rows = found[place][2]
            if record.get("rank") and any(_same(record, other) for other in rows):
                ignored += 1
            else:
                rows.append(record)
        for record in records:
            if record is not None and "results" not in record and not record.get("doc_id"):
                key = str(record["query_id"]), _time(record.get("ts"))
                nearest = [n for (name, _), n in places.items() if name == key[0]]
                target = places.get(key, nearest[0] if nearest else None)
                if target is not None:
                    found[target] = (*found[target][:4], found[target][4] + 1)
    kept: list[tuple[str, int, str | None, bool, int, tuple[Result, ...]]] = []
    for query_id, time, rows, nested, rejected in found:
        ordered = _ordered(rows)
        query = next((str(r["query"]) for r in ordered if r.get("query")), None)
        results = tuple(_expected(r, place) for place, r in enumerate(ordered, 1) if r.get("doc_id"))
        whole = (query_id, time, query, all(r.get("task") == "creative" for r in ordered), rejected, results)
        queries = [r.get("query") for r in ordered]
        tasks = [r.get("task") for r in ordered]
        if any(whole == other and queries == q and tasks == t for other, q, t in _seen(kept)):
            ignored += len(results) if results or rejected else 1
        else:
            kept.append(whole)
            _WITH[id(whole)] = (queries, tasks)
        del nested
    numbers: Counter[str] = Counter()
    named: list[Retrieval] = []
    for query_id, *rest in kept:
        numbers[query_id] += 1
        name = query_id if numbers[query_id] == 1 else f"{query_id}#{numbers[query_id]}"
        named.append((name, *rest))  # type: ignore[arg-type]  # the rest of a retrieval is unchanged
    return named, ignored


def _lost(records: Sequence[Record | None]) -> set[tuple[str, int]]:
    """Flat retrievals of which there are only rejected results; one without a time may be any of its query id."""
    flat = [(r, (str(r["query_id"]), _time(r.get("ts")))) for r in records if r is not None and "results" not in r]
    kept = {key for record, key in flat if record.get("doc_id")}
    rejected = {key for record, key in flat if not record.get("doc_id")} - kept
    known = {name for name, _ in kept} | {name for name, time in rejected if time != MISSING_TIME}
    return {(name, time) for name, time in rejected if time != MISSING_TIME or name not in known}


_WITH: dict[int, tuple[list[object], list[object]]] = {}


def _seen(kept: list[Retrieval]) -> list[tuple[Retrieval, list[object], list[object]]]:
    return [(whole, *_WITH[id(whole)]) for whole in kept]


def _time(value: object) -> int:
    return MISSING_TIME if value is None else int(str(value)) * 1_000_000


_COLUMNS = ("query", "task", "rank", "doc_id", "score", "depth", "anchors", "claim")


def _same(one: Record, other: Record) -> bool:
    return all((one.get(c) or None) == (other.get(c) or None) for c in _COLUMNS if c != "task") and (
        one.get("task") == "creative"
    ) == (other.get("task") == "creative")


def _ordered(rows: list[Record]) -> list[Record]:
    if not all(row.get("rank") for row in rows):
        return rows
    return sorted(rows, key=lambda row: (row["rank"], str(row["doc_id"]).encode(), _content(row)))


def _content(row: Record) -> tuple[object, ...]:
    score = row.get("score")
    depth = row.get("depth")
    return (
        str(row.get("query") or ""),
        str(row.get("claim") or ""),
        (score is not None, score or 0.0),
        (0, -1 if depth is None else depth, row.get("task") == "creative"),
        tuple(row.get("anchors") or ()),  # type: ignore[arg-type]  # a list of text, or none
    )


def _expected(row: Record, place: int) -> Result:
    name, rank, depth = row["doc_id"], row.get("rank"), row.get("depth")
    listed = row.get("anchors")
    anchors = tuple(listed) if isinstance(listed, list) else ()
    return (
        name,
        name,
        rank or place,
        bool(rank),
        row.get("score"),
        -1 if depth is None else depth,
        anchors,
        row.get("claim"),
    )


def test_a_retrieval_whose_rows_are_all_rejected_stays_with_zero_results() -> None:
    log = assemble(
        [
            {"query_id": "lost", "doc_id": None, "ts": 5},
            {"query_id": "read", "doc_id": "a", "ts": 5},
            {"query_id": "read", "doc_id": None},  # its time may be what could not be read
            {"query_id": "read", "doc_id": None, "ts": 6},
            {"query_id": "lost", "doc_id": None, "ts": 5},
        ]
    )
    assert [(name, len(rows), rejected) for name, _, _, _, rejected, rows in retrievals(log)] == [
        ("lost", 0, 2),
        ("read", 1, 1),
        ("read#2", 0, 1),
    ]
    assert (log.rows_read, log.rows_accepted, log.rows_rejected, log.rows_ignored) == (5, 1, 4, 0)


# -- laws ----------------------------------------------------------------------------------------------------------

RESULT = st.fixed_dictionaries(
    {"doc_id": st.sampled_from(["a", "b", "é", "z", None])},
    optional={
        "rank": st.integers(1, 3),
        "score": st.sampled_from([0.5, -1.0]),
        "depth": st.integers(0, 1),
        "anchors": st.lists(st.sampled_from(["g", "h"]), max_size=2),
        "claim": st.sampled_from(["x", "y"]),
    },
)
ABOUT = st.fixed_dictionaries(
    {"query_id": st.sampled_from(["p", "q"])},
    optional={
        "ts": st.integers(0, 1),
        "query": st.sampled_from(["?", "!"]),
        "task": st.sampled_from(["creative", "qa"]),
    },
)
FLAT = st.builds(lambda about, result: {**about, **result}, ABOUT, RESULT)
NESTED = st.builds(lambda about, results: {**about, "results": results}, ABOUT, st.lists(RESULT, max_size=4))
FILES = st.lists(
    st.one_of(st.lists(FLAT, max_size=8), st.lists(NESTED, max_size=4), st.lists(st.one_of(FLAT, NESTED), max_size=6)),
    min_size=1,
    max_size=3,
)


def readable(files: list[list[Record]]) -> list[list[Record]]:
    """Files of which each yields a retrieval or holds nothing (R3 refuses others)."""
    return [f if any("results" in r or r.get("doc_id") for r in f) else [] for f in files]


@given(FILES, st.integers(1, 5))
def test_assembly_equals_the_oracle(files: list[list[Record]], size: int) -> None:
    files = readable(files)
    log = assemble(*files, size=size)
    expected, ignored = oracle(*files)
    assert retrievals(log) == expected
    assert log.rows_ignored == ignored
    notice = log.notice("exact_repeat")
    assert (0 if notice is None else notice.count) == ignored


@given(st.lists(FLAT.map(lambda r: {"rank": 1, **r}), max_size=10), st.randoms(use_true_random=False))
def test_order_of_lines_changes_nothing_where_ranks_are_given(records: list[Record], order: random.Random) -> None:
    files = readable([records])
    shuffled = list(files[0])
    order.shuffle(shuffled)
    one, other = assemble(*files), assemble(shuffled)

    def whole(log: Log) -> Counter[object]:
        # The number of an occurrence follows the order of lines; what could not be read goes to the first of its name.
        return Counter(
            (name.partition("#")[0], time, query, task, rows) for name, time, query, task, _, rows in retrievals(log)
        )

    assert whole(one) == whole(other)
    assert (one.rows_read, one.rows_accepted, one.rows_ignored) == (
        other.rows_read,
        other.rows_accepted,
        other.rows_ignored,
    )
    assert one.rejected_results.sum() == other.rejected_results.sum()


@given(FILES)
def test_reading_everything_twice_adds_nothing(files: list[list[Record]]) -> None:
    files = readable(files)
    once, twice = assemble(*files), assemble(*files, *files)
    assert retrievals(once) == retrievals(twice)
    assert twice.rows_accepted == once.rows_accepted
    assert twice.rows_read == 2 * once.rows_read


# -- single rules --------------------------------------------------------------------------------------------------


def flat(name: str, rank: int | None = None, **members: object) -> Record:
    return {"query_id": "q", "doc_id": name, **({} if rank is None else {"rank": rank}), **members}


def test_interleaved_retrievals() -> None:
    records: list[Record] = [{"query_id": f"q{n % 3}", "doc_id": f"d{n}", "rank": 9 - n} for n in range(9)]
    log = assemble(records)
    assert [name for name, *_ in retrievals(log)] == ["q0", "q1", "q2"]
    assert [result[0] for result in retrievals(log)[1][5]] == ["d7", "d4", "d1"]


def test_equal_ranks_go_by_bytes_of_the_id() -> None:
    log = assemble([flat(name, 1) for name in ("é", "z", "a", "B", "10", "9")])
    assert [result[0] for result in retrievals(log)[0][5]] == ["10", "9", "B", "a", "z", "é"]


def test_without_ranks_as_listed_and_repeats_stay() -> None:
    log = assemble([flat("b"), flat("a"), flat("b")])
    assert [result[:3] for result in retrievals(log)[0][5]] == [("b", "b", 1), ("a", "a", 2), ("b", "b", 3)]
    assert log.rows_ignored == 0


def test_one_missing_rank_means_as_listed() -> None:
    log = assemble([flat("c", 3), flat("a"), flat("b", 1)])
    assert [result[0] for result in retrievals(log)[0][5]] == ["c", "a", "b"]


def test_weights_tell_rows_apart() -> None:
    weighed: list[Record] = [
        flat("a", 1, anchors=[{"sha256": "h", "weight": w}, {"sha256": "g"}]) for w in (0.5, 0.25, 0.5)
    ]
    assert assemble(weighed).rows_ignored == 1


def test_a_retrieval_whose_results_were_all_rejected_stays() -> None:
    log = assemble([{"query_id": "q", "results": [{"doc_id": None}]}, {"query_id": "p", "results": []}])
    assert [(name, rejected) for name, _, _, _, rejected, _ in retrievals(log)] == [("q", 1), ("p", 0)]
    assert (log.rows_read, log.rows_accepted, log.rows_rejected) == (2, 1, 1)


def test_rejected_rows_of_an_unreadable_time_count_somewhere() -> None:
    log = assemble([flat("a", 1, ts=5), flat("b", 2, ts="soon", depth=-1), flat("c", 3, ts=6)])
    assert [rejected for _, _, _, _, rejected, _ in retrievals(log)] == [1, 0]


def test_nothing_and_nothing_usable() -> None:
    log = assemble([], [])
    assert log.retrieval_count == 0
    notice = log.notice("empty_log")
    assert notice is not None
    assert notice.count == 2
    with pytest.raises(LogError, match="3 records read, 0 ignored, 3 rejected"):
        assemble([flat("a")], [None, None, {"query_id": "q"}])


def test_problems_are_listed_up_to_a_bound_and_counted_beyond() -> None:
    log = assemble([flat("a"), *[None] * (PROBLEMS_LISTED + 7)], size=1000)
    assert len(log.problems) == PROBLEMS_LISTED
    assert log.rows_rejected == PROBLEMS_LISTED + 7
    notice = log.notice("problems_not_listed")
    assert notice is not None
    assert notice.count == 7


def test_many_equal_rows_take_no_loop() -> None:
    records = [flat(f"d{n % 500}", n % 500 + 1, ts=0) for n in range(20_000)]
    log = assemble(records, size=5000)
    assert (log.rows_accepted, log.rows_ignored) == (500, 19_500)
