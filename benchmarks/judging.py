"""Measure judging once a log is counted: 1,000,000 retrievals of ten results, evidence made up in memory.

    python benchmarks/judging.py [RETRIEVALS]

Prints the median of 30 runs of each step, and the number of profiles.
"""

from __future__ import annotations

import statistics as stats
import sys
import time
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from guard_core.codes import BASES, DEPTH_1, DEPTH_2_PLUS, HUMAN, STATUSES, UNKNOWN
from guard_core.columns import Ragged, TextColumn
from guard_core.ingest.log import MISSING_TIME, Log
from guard_core.judging.judge import COLUMNS, judge
from guard_core.judging.policy import PRESETS, NamedPolicy, replace_fields
from guard_core.judging.statistics import Statistics
from guard_core.judging.whatif import count_flips, find_flips, sweep
from guard_core.model import Basis, SignatureStatus
from guard_core.provenance.evidence import Evidence, ResultEvidence

RESULTS = 10
DOCUMENTS = 50_000


def evidence(retrievals: int) -> Evidence:
    """Make a log of declared labels: half of the documents human, the rest at depths 1 to 4 or unknown."""
    random = np.random.default_rng(7)
    rows = retrievals * RESULTS
    classes = random.choice(4, DOCUMENTS, p=(0.5, 0.3, 0.15, 0.05)).astype(np.uint8)
    depths = np.select(
        [classes == HUMAN, classes == DEPTH_1, classes == DEPTH_2_PLUS], [0, 1, random.integers(2, 5, DOCUMENTS)], -1
    ).astype(np.int32)
    popular = random.integers(0, DOCUMENTS // 20, rows)
    document = np.where(random.random(rows) < 0.8, popular, random.integers(0, DOCUMENTS, rows)).astype(np.int32)
    names = pa.array([f"doc-{i:06d}" for i in range(DOCUMENTS)])
    ids = TextColumn(document, names)
    human = classes[document] == HUMAN
    offsets = np.concatenate(([0], np.cumsum(human))).astype(np.int64)
    unchecked = STATUSES.code(SignatureStatus.UNCHECKED)
    missing = TextColumn(np.full(rows, -1, np.int32), pa.array([], pa.string()))
    log = Log(
        files=(),
        rows_read=rows,
        rows_accepted=rows,
        rows_rejected=0,
        rows_ignored=0,
        incomplete=False,
        problems=(),
        notices=(),
        offsets=np.arange(0, rows + 1, RESULTS, dtype=np.int64),
        query_ids=TextColumn(np.zeros(retrievals, np.int32), pa.array(["q"])),
        occurrences=np.arange(1, retrievals + 1, dtype=np.int32),
        queries=TextColumn.missing(retrievals),
        times=np.full(retrievals, MISSING_TIME, np.int64),
        creative=np.zeros(retrievals, bool),
        rejected_results=np.zeros(retrievals, np.int32),
        result_ids=ids,
        document_ids=ids,
        ranks=np.tile(np.arange(1, RESULTS + 1, dtype=np.int32), retrievals),
        ranks_given=np.ones(rows, bool),
        scores=np.full(rows, np.nan),
        class_words=np.zeros(rows, np.int8),
        depths=depths[document],
        anchors=Ragged.empty(rows),
        anchor_hashes=pa.array([], pa.string()),
        signatures=missing,
        text_digests=missing,
        content_digests=missing,
        parents=Ragged.empty(rows),
        parent_ids=pa.array([], pa.string()),
    )
    return Evidence(
        log=log,
        beliefs=(
            ResultEvidence(classes[document], depths[document], Ragged(offsets, document[human])),
            ResultEvidence(np.full(rows, UNKNOWN, np.uint8), np.full(rows, -1, np.int32), Ragged.empty(rows)),
        ),
        declared_classes=classes[document],
        bases=np.full(rows, BASES.code(Basis.DECLARED), np.uint8),
        depth_at_least=np.full(rows, -1, np.int32),
        catalogued=np.zeros(rows, bool),
        signature_statuses=np.full(rows, unchecked, np.uint8),
        conflicts=np.zeros(rows, np.uint8),
        sources=names,
        declared_anchors=Ragged.empty(rows),
        hashes=pa.array([], pa.string()),
        originators=missing,
        generators=missing,
        collections=missing,
        catalogue_documents=0,
        matched_results=0,
        catalogue_digest=None,
    )


def median_ms(work: Callable[[], object], runs: int = 30) -> float:
    """Return the median of several runs in milliseconds."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return stats.median(seconds) * 1000


def main() -> None:
    """Measure and print."""
    retrievals = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    made = evidence(retrievals)
    start = time.perf_counter()
    counted = Statistics.from_evidence(made)
    once = time.perf_counter() - start
    policy = PRESETS["reference"]
    other = replace_fields(NamedPolicy("reference", policy), {"min_human_grounding_ratio": 0.6}).policy
    baseline = judge(counted, policy)
    print(f"{retrievals:,} retrievals, {counted.profiles.size:,} profiles, counted once in {once:.2f} s")
    print(f"shares under one policy        {median_ms(lambda: judge(counted, other).summary()):8.2f} ms")
    arrays = (*COLUMNS[:2], "decisions", "findings", "margins")
    print(
        "five arrays of every retrieval "
        f"{median_ms(lambda: [judge(counted, other).per_retrieval(c) for c in arrays]):8.2f} ms"
    )
    print(f"sweep over every minimum       {median_ms(lambda: sweep(counted, policy)):8.2f} ms")
    print(f"flips between two policies     {median_ms(lambda: count_flips(baseline, judge(counted, other))):8.2f} ms")
    print(f"which retrievals flipped       {median_ms(lambda: find_flips(baseline, judge(counted, other))):8.2f} ms")


if __name__ == "__main__":
    main()
