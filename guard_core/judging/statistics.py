"""Count what a policy needs to know of every retrieval, from evidence in one columnar pass.

Flows in: ``Evidence``, how many results of each list are judged, and optionally which retrievals are kept.  Flows
out: an immutable ``Statistics``: distinct profiles, their multiplicity and the profile of each retrieval, and metrics
read off them.
Rules kept here: the counts under both beliefs and of both units are kept, so that judging fields only judge again;
``top_k`` and filters make new statistics from the same columns, nothing is read again.
Not here: verdicts (``judge.py``), formulas for single lists (``metrics.py``).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import BASES
from guard_core.errors import PolicyError
from guard_core.judging.counting import (
    BeliefCounts,
    ListLayout,
    RetrievalMarks,
    count_belief,
    mark_claims,
    mark_retrievals,
    select_rows,
)
from guard_core.judging.masses import AnchorSums, count_effective, count_repeats, sum_masses
from guard_core.judging.profiles import Profiles, number_floats, number_profiles
from guard_core.model import Belief
from guard_core.provenance.evidence import Evidence

DEPTH_BUCKETS = ("0", "1", "2", "3", "4+", "unknown")
"""The buckets of a depth histogram; unknown is a bucket of its own and never 0."""


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
    def from_evidence(
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
        kept, rows, owner, lengths = select_rows(evidence, top_k, keep, drop)
        layout = ListLayout.from_lengths(owner, lengths)
        documents = evidence.log.document_ids.codes[rows]
        repeated_document = count_repeats(documents, owner, layout.longest) > 1
        claims = mark_claims(evidence, rows)
        declared = upheld = count_belief(evidence, Belief.DECLARED, rows, layout, claims, documents, repeated_document)
        if evidence.under(Belief.UPHELD) is not evidence.under(Belief.DECLARED):
            upheld = count_belief(evidence, Belief.UPHELD, rows, layout, claims, documents, repeated_document)
        marks = mark_retrievals(evidence, rows, kept, layout, claims, repeated_document)
        profiles, profile_of = _make_profiles(declared, upheld, marks, layout)
        return Statistics(
            evidence=evidence,
            top_k=top_k,
            retrievals=kept,
            rows=rows,
            owner=owner,
            profiles=profiles,
            profile_of=profile_of,
            multiplicity=np.bincount(profile_of, minlength=profiles.size).astype(np.int64),
            sums=(declared.sums, upheld.sums),
            drop=drop,
        )

    @property
    def judged_results(self) -> int:
        """How many list entries are judged in all."""
        return len(self.owner)

    def anchored_ratio(self, belief: Belief, unit: int | np.uint8) -> NDArray[np.float64]:
        """Return the share of items with a resolved human source; NaN for retrievals without results."""
        p = self.profiles
        return _divide(p.anchored[belief, unit], p.counts[belief, unit].sum(axis=0))[self.profile_of]

    def effective_anchors(self, belief: Belief) -> NDArray[np.float64]:
        """Return the independent human sources of every kept retrieval; NaN where no result is anchored."""
        effective: NDArray[np.float64] = self.profiles.effective[belief][self.profile_of]
        return effective

    def max_depth(self, belief: Belief) -> NDArray[np.int32]:
        """Return the greatest known depth of every kept retrieval; -1 where none is known."""
        deepest: NDArray[np.int32] = self.profiles.deepest[belief][self.profile_of]
        return deepest

    def top_anchor_share(self, belief: Belief) -> NDArray[np.float64]:
        """Return the largest anchor mass over judged results; NaN for retrievals without results."""
        return _divide(self.sums[belief].top, self.profiles.entries[self.profile_of])

    def classes(self, belief: Belief) -> NDArray[np.uint8]:
        """Return the class code of every judged row."""
        return self.evidence.under(belief).classes[self.rows]

    def depths(self, belief: Belief) -> NDArray[np.int32]:
        """Return the depth of every judged row; -1 unknown."""
        return self.evidence.under(belief).depths[self.rows]

    def depth_histogram(self, belief: Belief) -> dict[str, int]:
        """Count judged results by depth, in the buckets of ``DEPTH_BUCKETS``."""
        depths = self.depths(belief)
        bucket = np.where(depths < 0, 5, np.minimum(depths, 4))
        return dict(zip(DEPTH_BUCKETS, np.bincount(bucket, minlength=6).tolist(), strict=True))

    def basis_counts(self) -> dict[str, int]:
        """Count judged results by how their class is known, in the order of ``Basis``."""
        bases = self.evidence.bases[self.rows]
        return dict(
            zip((b.value for b in BASES.members), np.bincount(bases, minlength=len(BASES)).tolist(), strict=True)
        )

    def independent_sources(self, belief: Belief) -> float | None:
        """Return the effective number of human sources of all judged results together; ``None`` if none is anchored."""
        anchors = self.evidence.under(belief).anchors
        masses = sum_masses(anchors, self.rows, len(self.evidence.sources))
        return count_effective(masses, int(self.sums[belief].anchored.sum()))


def _make_profiles(
    declared: BeliefCounts, upheld: BeliefCounts, marks: RetrievalMarks, layout: ListLayout
) -> tuple[Profiles, NDArray[np.int32]]:
    """Number the distinct rows of all columns and keep one of each."""
    beliefs = (declared,) if upheld is declared else (declared, upheld)
    flags = {field.name: getattr(marks, field.name) for field in dataclasses.fields(marks) if field.name != "gates"}
    bits = np.zeros(layout.size, np.int64)
    for flag in (
        *marks.gates,
        *flags.values(),
        *(flag for each in beliefs for flag in (each.deep_unknown, each.untraced)),
    ):
        bits = (bits << 1) | flag
    columns: list[NDArray[np.generic]] = [layout.entries, bits]
    for each in beliefs:
        for unit in each.units:
            columns += [*each.counts[unit], each.anchored[unit]]
        columns += [each.deepest, number_floats(each.effective)]
    profile_of, first = number_profiles(columns, layout.size)
    both = (declared, upheld)
    return Profiles(
        entries=layout.entries[first],
        counts=np.stack([each.counts[:, :, first] for each in both]),
        anchored=np.stack([each.anchored[:, first] for each in both]),
        deepest=np.stack([each.deepest[first] for each in both]),
        deep_unknown=np.stack([each.deep_unknown[first] for each in both]),
        effective=np.stack([each.effective[first] for each in both]),
        untraced=np.stack([each.untraced[first] for each in both]),
        gates=marks.gates[:, first],
        **{name: flag[first] for name, flag in flags.items()},
    ), profile_of


def _divide(
    part: NDArray[np.int32] | NDArray[np.float64], whole: NDArray[np.int32] | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return part / whole; NaN over nothing."""
    out = np.full(len(whole), np.nan)
    np.divide(part, whole, out=out, where=whole > 0)
    return out
