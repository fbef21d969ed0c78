"""Make the directive of each retrieval, and the digest of its manifest, in the words and bytes of the scalar rule.

Flows in: ``Verdicts`` of a whole log.  Flows out: texts.
Rules kept here: the scalar rule runs once a profile, because retrievals of one profile have one judgement, but for the
result that gate 1 names; a retrieval with zero results has nothing to judge (R54).
Not here: the rule (``guard_core.judging.guard``), the other columns (``columns.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from guard_core.codes import STATUSES
from guard_core.judging.counting import mark_claims
from guard_core.judging.guard import SyntheticSourceGuard, state_unverified
from guard_core.judging.judge import Verdicts
from guard_core.judging.rule import passes_gate
from guard_core.model import Applicability, SignatureStatus, SynthesisManifest, SynthesisVerdict
from guard_core.output.arrays import make_texts, read_values

NOTHING_TO_JUDGE = "No results: nothing to judge."
"""The directive of a retrieval with zero results."""


@dataclass(frozen=True, slots=True, eq=False)
class Directives:
    """The directives of a judged log; manifests are kept, one for each profile that was asked for."""

    verdicts: Verdicts
    _manifests: dict[int, SynthesisManifest] = field(default_factory=dict, repr=False)
    _latest: dict[tuple[int, int], list[tuple[str, str | None]]] = field(default_factory=dict, repr=False)

    def directives(self, first: int, last: int) -> pa.Array:
        """Make the directives of the retrievals ``first`` to ``last`` (exclusive)."""
        return pa.array([directive for directive, _ in self._statements(first, last)], pa.string())

    def digests(self, first: int, last: int) -> pa.Array:
        """Make the digests of their manifests; null for a retrieval with zero results."""
        return pa.array([digest for _, digest in self._statements(first, last)], pa.string())

    def manifest(self, retrieval: int) -> SynthesisManifest:
        """Judge one retrieval by the scalar rule; it must have results."""
        directive, digest = self._statements(retrieval, retrieval + 1)[0]
        assert digest is not None
        return replace(self._manifest(retrieval), directive=directive, manifest_digest=digest)

    def _statements(self, first: int, last: int) -> list[tuple[str, str | None]]:
        """Return directives and digests, kept until others are asked for: both columns of a stretch need them."""
        if (first, last) not in self._latest:
            self._latest.clear()
            blocked = self._find_blocked(first, last)
            self._latest[first, last] = [self._make_statement(retrieval, blocked) for retrieval in range(first, last)]
        return self._latest[first, last]

    def _make_statement(
        self, retrieval: int, blocked: Mapping[int, tuple[str, SignatureStatus]]
    ) -> tuple[str, str | None]:
        offsets, policy = self.verdicts.statistics.evidence.log.offsets, self.verdicts.policy
        if offsets[retrieval] == offsets[retrieval + 1]:
            return NOTHING_TO_JUDGE, None
        manifest = self._manifest(retrieval)
        if manifest.verdict is not SynthesisVerdict.UNVERIFIED_SOURCES:
            return manifest.directive, manifest.manifest_digest
        directive, digest = state_unverified(*blocked[retrieval], policy.signatures)
        if manifest.applicability is Applicability.HUMAN_ONLY:  # its directive speaks of the set, not of a result
            directive = manifest.directive
        return directive, digest

    def _find_blocked(self, first: int, last: int) -> dict[int, tuple[str, SignatureStatus]]:
        """Find the first judged result of each retrieval that gate 1 does not let pass: its id and its status."""
        evidence, policy = self.verdicts.statistics.evidence, self.verdicts.policy
        offsets = evidence.log.offsets[first : last + 1]
        rows = slice(int(offsets[0]), int(offsets[-1]))
        owners = np.repeat(np.arange(last - first), np.diff(offsets))
        fails = ~passes_gate(policy.signatures, mark_claims(evidence, rows))
        if policy.top_k is not None:
            fails &= np.arange(rows.start, rows.stop) < offsets[owners] + policy.top_k
        failing = np.flatnonzero(fails)
        retrievals, firsts = np.unique(owners[failing], return_index=True)
        found = failing[firsts] + rows.start
        ids = map(str, read_values(make_texts(evidence.log.result_ids, found)))
        statuses = map(STATUSES.member, evidence.signature_statuses[found].tolist())
        return dict(zip((retrievals + first).tolist(), zip(ids, statuses, strict=True), strict=True))

    def _manifest(self, retrieval: int) -> SynthesisManifest:
        profile = int(self.verdicts.statistics.profile_of[retrieval])
        if profile not in self._manifests:
            evidence, policy = self.verdicts.statistics.evidence, self.verdicts.policy
            self._manifests[profile] = SyntheticSourceGuard.evaluate_results(
                evidence.results(retrieval, policy.top_k),
                policy,
                creative_task=bool(evidence.log.creative[retrieval]),
                rejected_results=int(evidence.log.rejected_results[retrieval]),
            )
        return self._manifests[profile]
