"""Measure exposure: how much synthetic text is retrieved, against how much there is in the corpus.

Flows in: ``Statistics`` of evidence with a catalogue.  Flows out: ``Exposure``: the classes of the corpus, and of the
results at the first 1, 5 and 10 positions.
Rules kept here: the catalogue stands for the whole pool, and what was retrieved from outside it is counted; results of
unknown class stay in every denominator; a share over nothing is ``None``; creative tasks are left out (R55); positions
are those of the judged list, and a shorter list gives what it has.
Not here: which documents cause it (``coverage.py``), sentences (``output``, the dashboard).

Amplification is the difference and the ratio of the two shares: above 0 and above 1 where retrieval prefers synthetic
text to what the pool would give by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import DEPTH_1, DEPTH_2_PLUS
from guard_core.errors import SourceGuardError
from guard_core.judging.metrics import ratio
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief

RANKS = (1, 5, 10)
"""The positions at which exposure is measured unless others are given."""

ClassCounts = tuple[int, int, int, int]
"""Human, depth 1, deeper, unknown: the order of ``AuthenticityClass``."""

ClassShares = tuple[float | None, float | None, float | None, float | None]


@dataclass(frozen=True, slots=True)
class RankExposure:
    """Hold the exposure at the first ``rank`` positions.

    ``retrievals`` are those counted (with results, no creative task), ``reaching`` those of them with at least ``rank``
    judged results; ``results`` counts the results at these positions, ``classes`` the same by class, and ``outside``
    those for which no entry of the catalogue is used.  ``corpus`` counts the documents of the catalogue by class.
    """

    rank: int
    retrievals: int
    reaching: int
    results: int
    classes: ClassCounts
    outside: int
    corpus: ClassCounts

    @property
    def synthetic(self) -> int:
        """The number of results of depth 1 and deeper."""
        return _count_synthetic(self.classes)

    @property
    def share(self) -> float | None:
        """The share of synthetic results; ``None`` over nothing."""
        return ratio(self.synthetic, self.results)

    @property
    def shares(self) -> ClassShares:
        """The share of each class; ``None`` over nothing."""
        return _divide_counts(self.classes)

    @property
    def difference(self) -> float | None:
        """The share in results less the share in the corpus, -1..1; ``None`` where one of them is ``None``."""
        pool = ratio(_count_synthetic(self.corpus), sum(self.corpus))
        return None if self.share is None or pool is None else self.share - pool

    @property
    def ratio(self) -> float | None:
        """The share in results divided by the share in the corpus, from 0; ``None`` where a share is over nothing, or
        the corpus holds nothing synthetic."""
        synthetic, documents = _count_synthetic(self.corpus), sum(self.corpus)
        return ratio(self.synthetic * documents, self.results * synthetic)


@dataclass(frozen=True, slots=True)
class Exposure:
    """Hold the documents of the catalogue by class, parents followed (``corpus``), and the exposure at each rank."""

    corpus: ClassCounts
    at: tuple[RankExposure, ...]

    @property
    def documents(self) -> int:
        """The number of documents in the catalogue."""
        return sum(self.corpus)

    @property
    def synthetic(self) -> int:
        """The number of documents of depth 1 and deeper."""
        return _count_synthetic(self.corpus)

    @property
    def share(self) -> float | None:
        """The share of synthetic documents; ``None`` for an empty catalogue."""
        return ratio(self.synthetic, self.documents)

    @property
    def shares(self) -> ClassShares:
        """The share of each class in the corpus; ``None`` for an empty catalogue."""
        return _divide_counts(self.corpus)


def measure_exposure(statistics: Statistics, belief: Belief, ranks: Sequence[int] = RANKS) -> Exposure | None:
    """Measure the exposure of the judged results under a belief; ``None`` without a catalogue.

    ``ranks`` are whole numbers from 1; anything else raises ``SourceGuardError``.
    """
    if any(rank < 1 for rank in ranks):
        raise SourceGuardError(f"ranks start at 1; {min(ranks)} was asked for")
    corpus = statistics.evidence.corpus
    if corpus is None:
        return None
    entries = statistics.evidence.entries
    creative = statistics.evidence.log.creative[statistics.retrievals]
    lengths = np.where(creative, 0, np.bincount(statistics.owner, minlength=len(creative)))
    place = _number_rows(statistics.owner)
    place[creative[statistics.owner]] = np.iinfo(place.dtype).max
    deepest = max(ranks, default=0)
    first = np.flatnonzero(place < deepest)
    place = place[first]
    classes = statistics.classes(belief)[first].astype(np.int64)
    outside = np.ones(len(first), bool) if entries is None else entries[statistics.rows][first] < 0
    # Results by position, class and whether they are in the catalogue; sums over positions give every rank.
    cell = (place * 4 + classes) * 2 + outside
    counts = np.bincount(cell, minlength=deepest * 8).reshape(deepest, 4, 2).cumsum(axis=0)
    return Exposure(
        corpus.counts,
        tuple(
            RankExposure(
                rank=rank,
                retrievals=int(np.count_nonzero(lengths)),
                reaching=int(np.count_nonzero(lengths >= rank)),
                results=int(counts[rank - 1].sum()),
                classes=_split_counts(counts[rank - 1].sum(axis=1)),
                outside=int(counts[rank - 1, :, 1].sum()),
                corpus=corpus.counts,
            )
            for rank in ranks
        ),
    )


def _number_rows(owner: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the place of each judged row in its list, from 0."""
    firsts = np.flatnonzero(np.diff(owner, prepend=-1))
    return np.arange(len(owner)) - np.repeat(firsts, np.diff(np.append(firsts, len(owner))))


def _count_synthetic(counts: ClassCounts) -> int:
    return counts[DEPTH_1] + counts[DEPTH_2_PLUS]


def _divide_counts(counts: ClassCounts) -> ClassShares:
    human, first, deeper, unknown = (ratio(count, sum(counts)) for count in counts)
    return human, first, deeper, unknown


def _split_counts(counts: NDArray[np.int64]) -> ClassCounts:
    human, first, deeper, unknown = counts.tolist()
    return human, first, deeper, unknown
