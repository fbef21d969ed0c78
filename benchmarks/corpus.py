"""Measure the speed of derivation chains and of what-ifs on the corpus, each figure against its limit.

    python -m benchmarks.corpus [--quick] [--only WORD]

1. Class, depth and human sources of 1,000,000 documents of a catalogue that names parents (a random forest of mean
   depth 3), for a log that holds each of them once: under 10 s and 2 GB.  A chain of 1,000,000, a fan of 100,000
   parents and a diamond of 40 levels: within seconds.
2. Statistics of 10,000,000 results with human sources against the same without: at most 1.5 times; with one source a
   result, and with three sources for every tenth one.
3. Quarantine of one family in 1,000,000 retrievals of ten, before and after with flips: under 500 ms; and of a hundred
   families.
4. Leverage over 100,000 retrievals of ten, by classes alone and with a signature gate that most do not pass: under 2 s.

Flows in: evidence and catalogues made in memory (seeded).  Flows out: a table, and exit status 1 if a figure is beyond
its limit.  Each figure has a process of its own, so that its peak memory is its own; of several rounds the median is
taken, of ratios the median pair by pair.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.claims import Figure, seconds
from benchmarks.judging import RESULTS, evidence
from guard_core.class_words import ClassWord
from guard_core.codes import DEPTH_1
from guard_core.columns import Ragged, TextColumn
from guard_core.corpus.leverage import find_leverage
from guard_core.corpus.quarantine import Quarantine, apply_quarantine
from guard_core.ingest.batch import RowBatch
from guard_core.ingest.log import Log, LogFile
from guard_core.judging.judge import judge
from guard_core.judging.policy import PRESETS
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief
from guard_core.provenance.catalogue import Catalogue, build_catalogue
from guard_core.provenance.evidence import Evidence, build_evidence

Results = list[tuple[str, float, float | None]]
"""Name of a figure, its value, and the greatest value allowed."""


def catalogue(words: NDArray[np.int8], parents: Ragged) -> Catalogue:
    """Make a catalogue of documents ``n0000000`` and so on, with these classes and parents (numbers of documents)."""
    names = pa.array([f"n{number:07d}" for number in range(len(words))])
    lists = pa.ListArray.from_arrays(pa.array(parents.offsets.astype(np.int32)), names.take(pa.array(parents.codes)))
    columns = {"document_id": names, "authenticity": pa.array(words), "derived_from": lists}
    return build_catalogue(
        LogFile("made up", "jsonl", "0" * 64), [RowBatch(len(words), np.arange(len(words)), columns)]
    )


def log_of(documents: NDArray[np.int32]) -> Log:
    """Make a log of ten results a retrieval from these documents of the catalogue, without labels of its own."""
    whole = -(-len(documents) // RESULTS) * RESULTS
    codes = np.resize(documents, whole)
    distinct, inverse = np.unique(codes, return_inverse=True)
    names = pa.array([f"n{number:07d}" for number in distinct.tolist()])
    column = TextColumn(inverse.astype(np.int32), names)
    return dataclasses.replace(
        evidence(whole // RESULTS).log,
        document_ids=column,
        result_ids=column,
        depths=np.full(whole, -1, np.int32),
    )


def grounded(words: NDArray[np.int8], parents: Ragged, documents: NDArray[np.int32]) -> tuple[Evidence, float]:
    """Return the evidence of a log of these documents, and the seconds that it took."""
    known, log = catalogue(words, parents), log_of(documents)
    begun = time.perf_counter()
    made = build_evidence(log, known)
    return made, time.perf_counter() - begun


def forest(size: int) -> Results:
    """Make documents at depths 0 to 6, 3 on average, each with one or two parents a step above it."""
    random = np.random.default_rng(3)
    depth = np.sort(random.binomial(6, 0.5, size)).astype(np.int32)
    starts = np.searchsorted(depth, np.arange(8))
    derived = np.flatnonzero(depth > 0)
    number = np.where(random.random(len(derived)) < 0.8, 1, 2)
    owner = np.repeat(derived, number)
    above = depth[owner] - 1
    parent = starts[above] + random.integers(0, 1 << 40, len(owner)) % (starts[above + 1] - starts[above])
    lengths = np.zeros(size, np.int64)
    lengths[derived] = number
    parents = Ragged(np.append(np.int64(0), np.cumsum(lengths)), parent.astype(np.int32))
    words = np.where(depth == 0, ClassWord.HUMAN, ClassWord.MODEL).astype(np.int8)
    made, took = grounded(words, parents, np.arange(size, dtype=np.int32))
    order = np.array([int(name[1:]) for name in made.log.document_ids.values.to_pylist()])
    if not np.array_equal(made.under(Belief.DECLARED).depths[:size], depth[order[made.log.document_ids.codes[:size]]]):
        raise SystemExit("the forest has other depths than it was made with")
    return [(f"a forest of {size:,} documents, s", took, 10.0), ("  its peak, MB", _peak(), 2048.0)]


def shapes(size: int) -> Results:
    """Make a chain, a fan and a diamond; return the last document of each."""
    found: Results = []
    model = np.full(size, ClassWord.MODEL, np.int8)
    model[0] = ClassWord.HUMAN
    offsets = np.append(np.int64(0), np.arange(size, dtype=np.int64))
    line = Ragged(offsets, np.arange(size - 1, dtype=np.int32))
    made, took = grounded(model, line, np.array([size - 1], np.int32))
    _expect(made, size - 1)
    found.append((f"a chain of {size:,}, s", took, 10.0))

    fan = size // 10
    words = np.full(fan + 1, ClassWord.HUMAN, np.int8)
    words[-1] = ClassWord.MODEL
    offsets = np.append(np.zeros(fan + 1, np.int64), np.int64(fan))
    made, took = grounded(words, Ragged(offsets, np.arange(fan, dtype=np.int32)), np.array([fan], np.int32))
    _expect(made, 1)
    found.append((f"a fan of {fan:,} parents, s", took, 5.0))

    words = np.full(82, ClassWord.MODEL, np.int8)
    words[:2] = ClassWord.HUMAN
    above = list(chain.from_iterable((i - i % 2 - 2, i - i % 2 - 1) for i in range(2, 82)))
    lengths = np.array([0, 0, *[2] * 80], np.int64)
    diamond = Ragged(np.append(np.int64(0), np.cumsum(lengths)), np.array(above, np.int32))
    made, took = grounded(words, diamond, np.array([81], np.int32))
    _expect(made, 40)
    return [*found, ("a diamond of 40 levels, s", took, 1.0), ("  peak of all three, MB", _peak(), 2048.0)]


def _expect(made: Evidence, depth: int) -> None:
    if int(made.under(Belief.DECLARED).depths[0]) != depth or made.under(Belief.DECLARED).anchors.offsets[1] == 0:
        raise SystemExit(
            f"a depth of {int(made.under(Belief.DECLARED).depths[0])} where {depth} was built, or no human source"
        )


def anchored(made: Evidence, several: bool) -> Evidence:
    """Catalogue every result with a human source; every tenth has three if ``several``."""
    rows = made.log.result_count
    lengths = np.ones(rows, np.int64)
    if several:
        lengths[::10] = 3
    offsets = np.append(np.int64(0), np.cumsum(lengths))
    codes = np.repeat(made.log.document_ids.codes % 20_000, lengths)
    codes += (np.arange(len(codes)) - np.repeat(offsets[:-1], lengths)).astype(np.int32)
    anchors = Ragged(offsets, codes.astype(np.int32))
    return catalogued(made, anchors)


def catalogued(made: Evidence, anchors: Ragged | None = None) -> Evidence:
    """Catalogue each class, with these human sources or none."""
    rows = made.log.result_count
    declared = made.under(Belief.DECLARED)
    counts = dataclasses.replace(declared, anchors=Ragged.empty(rows) if anchors is None else anchors)
    return dataclasses.replace(made, beliefs=(counts, counts), catalogued=np.ones(rows, bool))


def counting(retrievals: int, pairs: int) -> Results:
    """Measure statistics with human sources against statistics without."""
    made = evidence(retrievals)
    bare = catalogued(made)
    found: Results = []
    for several, words in ((False, "one source a result"), (True, "three for every tenth result")):
        rich = anchored(made, several)
        Statistics.from_evidence(bare)
        Statistics.from_evidence(rich)
        measured = [
            (seconds(lambda: Statistics.from_evidence(bare)), seconds(lambda: Statistics.from_evidence(rich)))  # noqa: B023
            for _ in range(pairs)
        ]
        ratio = statistics.median(with_them / without for without, with_them in measured)
        size = f"{made.log.result_count:,} results"
        found.append((f"statistics of {size}, {words} / none", ratio, 1.5))
        found.append(("  seconds", statistics.median(with_them for _, with_them in measured), None))
    return found


def quarantining(retrievals: int, rounds: int) -> Results:
    """Measure a quarantine with its flips, from a judgement that is there."""
    made = anchored(evidence(retrievals), several=False)
    before = judge(Statistics.from_evidence(made), PRESETS["reference"])
    mass = np.bincount(made.under(Belief.DECLARED).anchors.codes, minlength=len(made.sources))
    strongest = np.argsort(-mass, kind="stable")
    found: Results = []
    for families, limit in ((1, 500.0), (100, None)):
        names = tuple(made.sources.take(pa.array(strongest[:families])).to_pylist())

        def work(names: tuple[str, ...] = names) -> None:
            after = apply_quarantine(before, Quarantine(anchors=names))
            after.flips.sum()
            after.after.summary()

        work()
        touched = len(apply_quarantine(before, Quarantine(anchors=names)).touched)
        what = "the strongest family" if families == 1 else f"the {families} strongest families"
        took = 1000 * _median(work, rounds)
        found.append((f"quarantine of {what} ({touched:,} of {retrievals:,} retrievals), ms", took, limit))
    return found


def ranking(retrievals: int, rounds: int) -> Results:
    """Measure the leverage by classes alone, and with a gate that only catalogued documents pass."""
    made = anchored(evidence(retrievals), several=False)
    counted = Statistics.from_evidence(made)
    half = dataclasses.replace(made, catalogued=made.under(Belief.DECLARED).classes <= DEPTH_1)
    gated = Statistics.from_evidence(half)
    strict = dataclasses.replace(PRESETS["strict"], signatures=type(PRESETS["strict"].signatures).CATALOGUED)
    size = f"{retrievals:,} retrievals"
    return [
        (
            f"leverage over {size}, by classes, s",
            _median(lambda: find_leverage(counted, PRESETS["reference"]), rounds),
            2.0,
        ),
        (f"leverage over {size}, with a gate, s", _median(lambda: find_leverage(gated, strict), rounds), 2.0),
    ]


def _median(work: Callable[[], object], rounds: int) -> float:
    work()
    return statistics.median(seconds(work) for _ in range(rounds))


def _peak() -> float:
    """Return the greatest memory of this process so far, in MB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)


TASKS: dict[str, Callable[[int], Results]] = {
    "forest": lambda part: forest(1_000_000 // part),
    "shapes": lambda part: shapes(1_000_000 // part),
    "statistics": lambda part: counting(1_000_000 // part, 5),
    "quarantine": lambda part: quarantining(1_000_000 // part, 7),
    "leverage": lambda part: ranking(100_000 // part, 7),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 if a limit is broken."""
    parser = argparse.ArgumentParser(description="Speed of chains, quarantine and leverage against its limits.")
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    parser.add_argument("--only", choices=TASKS, help="one of the measurements")
    parser.add_argument("--task", choices=TASKS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    part = 10 if options.quick else 1
    if options.task is not None:
        print(json.dumps(TASKS[options.task](part)))
        return 0
    holds = True
    for task in TASKS if options.only is None else (options.only,):
        command = [sys.executable, "-m", "benchmarks.corpus", "--task", task, *(["--quick"] if options.quick else [])]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        for figure in (Figure(name, value, most) for name, value, most in json.loads(done.stdout)):
            print(figure, flush=True)
            holds &= figure.holds
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
