"""Take a part of a log out as evidence of its own: what is exported of a selection.

Flows in: ``Evidence`` and the retrievals to keep.  Flows out: ``Evidence`` of these alone.
Rules kept here: retrieval ids, classes, anchors and conflicts stay what they are in the whole log, also where what
decided them is left out; the excerpt says that it is one and of how many (notice ``excerpt``), and its account holds
its own rows only.
Not here: which retrievals (``selection.py``), how they are written (``output/``).
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guard_core.columns import Ragged, TextColumn, add_up_lengths, locate_items, number_items
from guard_core.ingest.log import Log, Notice
from guard_core.provenance.evidence import Evidence, ResultEvidence


def take_excerpt(evidence: Evidence, retrievals: NDArray[np.int64]) -> Evidence:
    """Return the evidence of these retrievals (numbers in the log), in this order; the same object if they are all."""
    log = evidence.log
    if len(retrievals) == log.retrieval_count and np.array_equal(retrievals, np.arange(log.retrieval_count)):
        return evidence
    lengths = np.diff(log.offsets)[retrievals]
    rows = np.repeat(log.offsets[:-1][retrievals], lengths) + number_items(lengths)
    taken: dict[str, Any] = {
        field.name: _take_rows(getattr(evidence, field.name), rows, log.result_count)
        for field in dataclasses.fields(evidence)
        if field.init and field.name not in ("log", "beliefs", "sources", "hashes")
    }
    declared, upheld = evidence.beliefs
    shown = _take_results(declared, rows)
    taken["beliefs"] = (shown, shown if upheld is declared else _take_results(upheld, rows))
    entries = taken["entries"]
    if isinstance(entries, np.ndarray):
        taken["matched_results"] = int(np.count_nonzero(entries >= 0))
    taken["documents"] = None  # its rows are those of the whole log
    return dataclasses.replace(evidence, **taken, log=_take_log(log, retrievals, rows, lengths))


def _take_results(results: ResultEvidence, rows: NDArray[np.int64]) -> ResultEvidence:
    return ResultEvidence(results.classes[rows], results.depths[rows], _take_lists(results.anchors, rows))


def _take_log(log: Log, retrievals: NDArray[np.int64], rows: NDArray[np.int64], lengths: NDArray[np.int64]) -> Log:
    of_results = (
        "result_ids", "document_ids", "ranks", "ranks_given", "scores", "class_words", "depths", "anchors",
        "signatures", "text_digests", "content_digests", "parents",
    )  # fmt: skip
    of_retrievals = ("query_ids", "occurrences", "queries", "times", "creative", "rejected_results")
    taken: dict[str, Any] = {name: _take_rows(getattr(log, name), rows, log.result_count) for name in of_results}
    taken |= {name: _take_rows(getattr(log, name), retrievals, log.retrieval_count) for name in of_retrievals}
    count = len(rows) + int(np.count_nonzero(lengths == 0))
    words = f"an excerpt: {len(retrievals):,} of {log.retrieval_count:,} retrievals of the log"
    return dataclasses.replace(
        log,
        **taken,
        offsets=add_up_lengths(lengths),
        labels={name: TextColumn(column.codes[rows], column.values) for name, column in log.labels.items()},
        rows_read=count,
        rows_accepted=count,
        rows_rejected=0,
        rows_ignored=0,
        problems=(),
        notices=(*log.notices, Notice("excerpt", len(retrievals), words)),
    )


def _take_rows(value: object, rows: NDArray[np.int64], size: int) -> object:
    """Take rows of a column of ``size`` rows; return anything else as it is."""
    if isinstance(value, TextColumn):
        return TextColumn(value.codes[rows], value.values)
    if isinstance(value, Ragged):
        return _take_lists(value, rows)
    if isinstance(value, np.ndarray) and value.shape[:1] == (size,):
        return value[rows]
    return value


def _take_lists(lists: Ragged, rows: NDArray[np.int64]) -> Ragged:
    places, lengths = locate_items(lists, rows)
    return Ragged(
        add_up_lengths(lengths), lists.codes[places], None if lists.weights is None else lists.weights[places]
    )
