"""Digests of logs and evidence: they cover what rows say, and nothing of how it was written (R58)."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pyarrow as pa
from hypothesis import given

from guard_core.class_words import ClassWord
from guard_core.columns import Ragged, TextColumn
from guard_core.ingest import read_log
from guard_core.ingest.log import Log
from guard_core.provenance.evidence import build_evidence
from tests.support.catalogues_and_logs import Entry, Row, catalogues, digest, logs, make_catalogue, make_log
from tests.support.log_files import write_lines

HUMAN, MODEL = ClassWord.HUMAN, ClassWord.MODEL


def recoded(log: Log) -> Log:
    """The same log with every dictionary turned round and widened."""

    def turned(column: TextColumn) -> TextColumn:
        values = [*column.values.to_pylist()[::-1], "never used"]
        codes = np.where(column.codes < 0, -1, len(values) - 2 - column.codes).astype(np.int32)
        return TextColumn(codes, pa.array(values, pa.large_string()))

    anchors = turned(TextColumn(log.anchors.codes, log.anchor_hashes))
    weights = np.ones(len(anchors.codes)) if log.anchors.weights is None else log.anchors.weights
    columns = ("query_ids", "result_ids", "document_ids", "signatures", "text_digests", "content_digests")
    changed: dict[str, TextColumn] = {name: turned(getattr(log, name)) for name in columns}
    return dataclasses.replace(
        log,
        **changed,  # type: ignore[arg-type] # each is a text column of Log
        anchors=Ragged(log.anchors.offsets, anchors.codes, weights),
        anchor_hashes=anchors.values,
        labels={**{n: turned(c) for n, c in log.labels.items()}, "url": TextColumn.missing(log.result_count)},
    )


@given(logs)
def test_the_digest_is_of_what_rows_say(log: list[list[Row]]) -> None:
    plain = make_log(log, notes=["one.jsonl"])
    assert build_evidence(plain).log_digest == build_evidence(recoded(plain)).log_digest


@given(logs, logs)
def test_other_rows_have_another_digest(one_log: list[list[Row]], other: list[list[Row]]) -> None:
    equal = one_log == other
    assert (build_evidence(make_log(one_log)).log_digest == build_evidence(make_log(other)).log_digest) == equal


@given(catalogues, catalogues)
def test_evidence_names_its_catalogue(listed: list[Entry], other: list[Entry]) -> None:
    log = make_log([[Row("a")]])
    ours, theirs = (build_evidence(log, make_catalogue(e)) for e in (listed, other))
    assert (ours.digest == theirs.digest) == (ours.catalogue_digest == theirs.catalogue_digest)
    assert ours.digest != build_evidence(log).digest
    assert ours.log_digest == theirs.log_digest


def test_the_digest_is_the_same_on_every_machine() -> None:
    log = make_log([[Row("a", HUMAN, 0, text="t"), Row("é", MODEL, 1, ((digest("t"), 0.5),), signature="s")], []])
    evidence = build_evidence(log)
    assert evidence.log_digest == evidence.log_digest
    assert evidence.digest == "sha256:a3444bba129cda2b8be8a23a49c6c4bd8ff21470111022c5bc512494124885be"


def test_scores_count_as_given() -> None:
    log = make_log([[Row("a")]])
    digests = {
        build_evidence(dataclasses.replace(log, scores=np.array([score]))).log_digest
        for score in (0.0, -0.0, 1e-300, np.nan, -np.nan)
    }
    assert len(digests) == 4


def test_rows_equal_but_for_a_sign_or_a_missing_text_have_one_order(tmp_path: Path) -> None:
    pairs: list[tuple[dict[str, object], dict[str, object]]] = [
        ({"score": 0.0}, {"score": -0.0}),
        ({"title": ""}, {}),
    ]
    for number, (first, second) in enumerate(pairs):
        rows: list[dict[str, object]] = [
            {"query_id": "q", "rank": 1, "result_id": "a", **extra} for extra in (first, second)
        ]
        there = read_log([write_lines(tmp_path / f"a{number}.jsonl", rows)])
        back = read_log([write_lines(tmp_path / f"b{number}.jsonl", rows[::-1])])
        assert build_evidence(there).digest == build_evidence(back).digest
