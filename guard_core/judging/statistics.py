"""Statistics: what a policy needs to know of every retrieval, made from evidence in one columnar pass.

Flows in: ``Evidence``, how many results of each list are judged, and optionally which retrievals are kept.  Flows
out: an immutable ``Statistics``: distinct profiles, their multiplicity and the profile of each retrieval, and metrics
read off them. Rules kept here: the counts of both readings (with and without the log's own labels) and both units are
kept, so that judging fields only judge again; ``top_k`` and filters make new statistics from the same columns,
nothing is read again. Not here: verdicts (``judge.py``), formulas for single lists (``metrics.py``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import BASES, DOCUMENTS, HUMAN, RESULTS
from guard_core.errors import PolicyError
from guard_core.judging.counting import Reading, Shape, flags_of, reading, select
from guard_core.judging.masses import AnchorSums, occurrences, whole_masses
from guard_core.judging.metrics import EFFECTIVE_DECIMALS
from guard_core.judging.profiles import Category, Profiles, distinct_floats, number_profiles
from guard_core.model import Belief, CountUnit, SynthesisPolicy
from guard_core.provenance.evidence import Evidence

DEPTH_BUCKETS = ("0", "1", "2", "3", "4+", "unknown")
"""The buckets of a depth histogram; unknown is a bucket of its own and never 0."""


def unit_of(policy: SynthesisPolicy) -> int:
    """The unit that a policy counts: ``RESULTS`` or ``DOCUMENTS``."""
    return RESULTS if policy.count is CountUnit.RESULTS else DOCUMENTS


@dataclass(frozen=True, slots=True)
class Statistics:
    """Sufficient statistics of ``n`` kept retrievals.

    ``retrievals`` are their numbers in the log; ``rows`` the judged rows of the log (a slice when all are), ``owner``
    the kept retrieval of each judged row; ``profile_of`` the profile of each kept retrieval; ``multiplicity`` how
    many have each profile.  ``drop`` marks the results of the log that were taken out of their lists, ``None`` if none
    were.
    """

    evidence: Evidence
    top_k: int | None
    retrievals: NDArray[np.int64]
    rows: NDArray[np.int64] | slice
    owner: NDArray[np.int32]
    profiles: Profiles
    profile_of: NDArray[np.int32]
    multiplicity: NDArray[np.int64]
    sums: tuple[AnchorSums, AnchorSums]
    drop: NDArray[np.bool_] | None = None

    @staticmethod
    def of(
        evidence: Evidence,
        top_k: int | None = None,
        keep: NDArray[np.bool_] | None = None,
        drop: NDArray[np.bool_] | None = None,
    ) -> Statistics:
        """Count everything that a policy may ask.

        ``top_k`` judges the first k results of each list (R47); ``keep`` is a mask over the log's retrievals;
        ``drop`` a mask over its results: these are taken out of the lists before the first k are judged.
        """
        if top_k is not None and top_k < 1:
            raise PolicyError("top_k", "out of range", "a whole number from 1, or None")
        kept, rows, owner, lengths = select(evidence, top_k, keep, drop)
        shape = Shape.of(owner, lengths)
        documents = evidence.log.document_ids.codes[rows]
        repeated_document = occurrences(documents, owner, shape.longest) > 1
        believed = reading(evidence, Belief.DECLARED, rows, shape, documents, repeated_document)
        upheld = believed
        if evidence.under(Belief.UPHELD) is not evidence.under(Belief.DECLARED):
            upheld = reading(evidence, Belief.UPHELD, rows, shape, documents, repeated_document)
        columns = flags_of(evidence, rows, kept, shape, repeated_document)
        profiles, profile_of = _profiles(believed, upheld, columns, shape)
        multiplicity = np.bincount(profile_of, minlength=profiles.size).astype(np.int64)
        return Statistics(
            evidence, top_k, kept, rows, owner, profiles, profile_of, multiplicity, (believed.sums, upheld.sums), drop
        )

    @property
    def judged_results(self) -> int:
        """How many list entries are judged in all."""
        return len(self.owner)

    def human_grounding_ratio(self, belief: Belief, unit: int) -> NDArray[np.float64]:
        """human / total of every kept retrieval; NaN for those without results."""
        p = self.profiles
        return _share(p.counts[belief, unit, Category.HUMAN], p.counts[belief, unit].sum(axis=0))[self.profile_of]

    def anchored_ratio(self, belief: Belief, unit: int) -> NDArray[np.float64]:
        """Share of items with a resolved human source; NaN for retrievals without results."""
        p = self.profiles
        return _share(p.anchored[belief, unit], p.counts[belief, unit].sum(axis=0))[self.profile_of]

    def effective_anchors(self, belief: Belief) -> NDArray[np.float64]:
        """Independent human sources of every kept retrieval; NaN where no result is anchored."""
        effective: NDArray[np.float64] = self.profiles.effective[belief][self.profile_of]
        return effective

    def max_depth(self, belief: Belief) -> NDArray[np.int32]:
        """Greatest known depth of every kept retrieval; -1 where none is known."""
        deepest: NDArray[np.int32] = self.profiles.deepest[belief][self.profile_of]
        return deepest

    def top_anchor_share(self, belief: Belief) -> NDArray[np.float64]:
        """Largest anchor mass over judged results; NaN for retrievals without results."""
        return _share(self.sums[belief].top, self.profiles.entries[self.profile_of])

    def rank_weighted_ratio(self, belief: Belief) -> NDArray[np.float64]:
        """The grounding ratio with positions weighted by 1 / log2(position + 1); NaN for retrievals without results."""
        n = len(self.retrievals)
        firsts = np.flatnonzero(np.diff(self.owner, prepend=-1))
        position = np.arange(len(self.owner)) - np.repeat(firsts, np.diff(np.append(firsts, len(self.owner))))
        weight = 1.0 / np.log2(position + 2.0)
        human = self.classes(belief) == HUMAN
        return _share(
            np.bincount(self.owner, weights=weight * human, minlength=n).astype(np.float64),
            np.bincount(self.owner, weights=weight, minlength=n).astype(np.float64),
        )

    def classes(self, belief: Belief) -> NDArray[np.uint8]:
        """Class code of every judged row."""
        return self.evidence.under(belief).classes[self.rows]

    def depths(self, belief: Belief) -> NDArray[np.int32]:
        """Depth of every judged row; -1 unknown."""
        return self.evidence.under(belief).depths[self.rows]

    def depth_histogram(self, belief: Belief) -> dict[str, int]:
        """Judged results by depth, in the buckets of ``DEPTH_BUCKETS``."""
        depths = self.depths(belief)
        bucket = np.where(depths < 0, 5, np.minimum(depths, 4))
        return dict(zip(DEPTH_BUCKETS, np.bincount(bucket, minlength=6).tolist(), strict=True))

    def basis_counts(self) -> dict[str, int]:
        """Judged results by how their class is known, in the order of ``Basis``."""
        bases = self.evidence.bases[self.rows]
        return dict(
            zip((b.value for b in BASES.members), np.bincount(bases, minlength=len(BASES)).tolist(), strict=True)
        )

    def independent_sources(self, belief: Belief) -> float | None:
        """Effective number of human sources behind all judged results together; ``None`` if none is anchored."""
        anchors = self.evidence.under(belief).anchors
        masses = np.sort(whole_masses(anchors, self.rows, len(self.evidence.sources)))
        masses = masses[np.searchsorted(masses, 0.0, side="right") :]
        anchored = int(self.sums[belief].anchored.sum())
        if not anchored:
            return None
        terms = float((masses * np.log(masses)).sum())
        return round(math.exp(math.log(anchored) - terms / anchored), EFFECTIVE_DECIMALS)


def _profiles(
    believed: Reading, upheld: Reading, flags: dict[str, NDArray[np.bool_]], shape: Shape
) -> tuple[Profiles, NDArray[np.int32]]:
    """Number the distinct rows of all columns and keep one of each."""
    readings = (believed,) if upheld is believed else (believed, upheld)
    bits = np.zeros(shape.size, np.int64)
    for flag in (*flags.values(), *(f for r in readings for f in (r.deep_unknown, r.untraced))):
        bits = (bits << 1) | flag
    columns: list[NDArray[np.generic]] = [shape.entries, bits]
    for one in readings:
        for unit in one.units:
            columns += [*one.counts[unit], one.anchored[unit]]
        columns += [one.deepest, distinct_floats(one.effective)]
    profile_of, first = number_profiles(columns, shape.size)
    both = (believed, upheld)
    return Profiles(
        entries=shape.entries[first],
        counts=np.stack([r.counts[:, :, first] for r in both]),
        anchored=np.stack([r.anchored[:, first] for r in both]),
        deepest=np.stack([r.deepest[first] for r in both]),
        deep_unknown=np.stack([r.deep_unknown[first] for r in both]),
        effective=np.stack([r.effective[first] for r in both]),
        untraced=np.stack([r.untraced[first] for r in both]),
        gates=np.stack([flags["present"], flags["verified"], flags["catalogued"], np.ones(shape.size, bool)])[:, first],
        human_only=flags["human_only"][first],
        creative=flags["creative"][first],
        duplicate_documents=flags["duplicate_documents"][first],
        class_conflict=flags["class_conflict"][first],
        depth_conflict=flags["depth_conflict"][first],
        rank_repeated=flags["rank_repeated"][first],
        results_rejected=flags["results_rejected"][first],
    ), profile_of


def _share(
    part: NDArray[np.int32] | NDArray[np.float64], whole: NDArray[np.int32] | NDArray[np.float64]
) -> NDArray[np.float64]:
    """part / whole, NaN over nothing."""
    out = np.full(len(whole), np.nan)
    np.divide(part, whole, out=out, where=whole > 0)
    return out
