"""Make the directive of each retrieval, and the digest of its manifest, in the words and bytes of the scalar rule.

Flows in: ``Verdicts`` of a whole log.  Flows out: texts.
Rules kept here: the scalar rule runs once a profile, because retrievals of one profile have one judgement, but for the
result that gate 1 names; a retrieval with zero results has nothing to judge (R54).
Not here: the rule (``guard_core.judging.guard``), the other columns (``columns.py``).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pyarrow as pa

from guard_core.codes import STATUSES
from guard_core.errors import SourceGuardError
from guard_core.judging.guard import SyntheticSourceGuard, state_unverified
from guard_core.judging.items import result_passes_gate
from guard_core.judging.judge import Verdicts
from guard_core.model import Applicability, SignatureStatus, SynthesisManifest, SynthesisVerdict

NOTHING_TO_JUDGE = "No results: nothing to judge."
"""The directive of a retrieval with zero results."""


@dataclass(frozen=True, slots=True, eq=False)
class Directives:
    """The directives of a judged log; manifests are kept, one for each profile that was asked for."""

    verdicts: Verdicts
    _manifests: dict[int, SynthesisManifest] = field(default_factory=dict, repr=False)
    _passing: dict[tuple[int, bool], bool] = field(default_factory=dict, repr=False)
    _latest: dict[tuple[int, int], list[tuple[str, str | None]]] = field(default_factory=dict, repr=False)

    def directives(self, first: int, last: int) -> pa.Array:
        """Make the directives of the retrievals ``first`` to ``last`` (exclusive)."""
        return pa.array([directive for directive, _ in self._statements(first, last)], pa.string())

    def digests(self, first: int, last: int) -> pa.Array:
        """Make the digests of their manifests; null for a retrieval with zero results."""
        return pa.array([digest for _, digest in self._statements(first, last)], pa.string())

    def manifest(self, retrieval: int) -> SynthesisManifest:
        """Judge one retrieval by the scalar rule; it must have results."""
        directive, digest = self._statement(retrieval)
        assert digest is not None
        return replace(self._manifest(retrieval), directive=directive, manifest_digest=digest)

    def _statements(self, first: int, last: int) -> list[tuple[str, str | None]]:
        """Directives and digests, kept until others are asked for: both columns of a stretch need them."""
        if (first, last) not in self._latest:
            self._latest.clear()
            self._latest[first, last] = [self._statement(retrieval) for retrieval in range(first, last)]
        return self._latest[first, last]

    def _statement(self, retrieval: int) -> tuple[str, str | None]:
        log, policy = self.verdicts.statistics.evidence.log, self.verdicts.policy
        if log.offsets[retrieval] == log.offsets[retrieval + 1]:
            return NOTHING_TO_JUDGE, None
        manifest = self._manifest(retrieval)
        if manifest.verdict is not SynthesisVerdict.UNVERIFIED_SOURCES:
            return manifest.directive, manifest.manifest_digest
        directive, digest = state_unverified(*self._find_blocked(retrieval), policy.signatures)
        if manifest.applicability is Applicability.HUMAN_ONLY:  # its directive speaks of the set, not of a result
            directive = manifest.directive
        return directive, digest

    def _find_blocked(self, retrieval: int) -> tuple[str, SignatureStatus]:
        """Find the first judged result that gate 1 does not let pass: its id and the status of its claim."""
        evidence, policy = self.verdicts.statistics.evidence, self.verdicts.policy
        first, last = evidence.log.offsets[retrieval : retrieval + 2].tolist()
        if policy.top_k is not None:
            last = min(last, first + policy.top_k)
        columns = (evidence.signature_statuses, evidence.catalogued)  # all that the gate looks at
        seen = zip(*(column[first:last].tolist() for column in columns), strict=True)
        for row, facts in enumerate(seen, first):
            if facts not in self._passing:
                self._passing[facts] = result_passes_gate(evidence.result(row), policy.signatures)
            if not self._passing[facts]:
                return evidence.log.result_ids.text(row) or "", STATUSES.member(facts[0])
        raise SourceGuardError(f"retrieval {retrieval} is judged unverified, but every result passes the gate")

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
