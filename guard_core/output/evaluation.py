"""From files and a policy to the evaluation object, with a digest over all that its verdicts rest on.

Flows in: paths, a policy, an evaluation time.  Flows out: ``Evaluation``: the head of the object, its retrieval
records in stretches, its digest.
Rules kept here:

1. Every number and word of a record is that of the scalar rule for that retrieval (a property test holds them equal).
2. The digest covers the accepted rows, the catalogue, the trust store, the policy, the summary and every retrieval
   record, and the evaluation time where one is given or a trust store is loaded (R68).  It does not cover file names,
   file bytes, counts of rows that did not count, problems and notices (R58).
3. It can be computed again from the object alone (``recompute.py``): SHA-256 over one line of canonical JSON for each
   of schema, log digest, catalogue, trust, policy, summary and each retrieval, each ended by a line feed.
4. A retrieval with zero results has ``NO_RESULTS`` and nulls (R54).

Not here: how an object is written to a file or a terminal (``output/``), reading one back (``recompute.py``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import Enum

from guard_core.codes import STATUSES
from guard_core.errors import SourceGuardError
from guard_core.judging.guard import SyntheticSourceGuard, unverified_statement
from guard_core.judging.items import passes_gate
from guard_core.judging.judge import Summary, Verdicts, judge
from guard_core.judging.policy import NamedPolicy, policy_fields
from guard_core.judging.statistics import Statistics
from guard_core.model import (
    NO_RESULTS,
    Applicability,
    AuthenticityClass,
    Finding,
    SearchResult,
    SignatureStatus,
    SynthesisManifest,
    SynthesisVerdict,
)
from guard_core.output.result_records import result_records, texts
from guard_core.output.schema import (
    SCHEMA,
    CatalogueRecord,
    FileRecord,
    HeadRecord,
    LogRecord,
    NoticeRecord,
    PolicyRecord,
    ProblemRecord,
    RetrievalRecord,
    SkippedKeyRecord,
    SummaryRecord,
    TrustRecord,
    encode,
)
from guard_core.provenance.evidence import Evidence

STRETCH = 1024
"""Retrievals that are turned into records at a time; bounds the memory of an export."""

NOTHING_TO_JUDGE = "No results: nothing to judge."
"""The directive of a retrieval with zero results."""


Counted = Callable[[int, int], None]
"""Called with (retrievals done, retrievals in all)."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A log judged under a policy.  ``evaluated_at`` is ISO 8601 UTC text, ``None`` where time plays no part."""

    evidence: Evidence
    named: NamedPolicy
    verdicts: Verdicts
    summary: Summary
    evaluated_at: str | None
    _judged: dict[int, SynthesisManifest] = field(default_factory=dict, repr=False)

    @property
    def retrieval_count(self) -> int:
        """Number of retrievals, those with zero results included."""
        return self.evidence.log.retrieval_count

    def head(self) -> HeadRecord:
        """The object up to its retrievals."""
        log, summary = self.evidence.log, self.summary
        notices = [*log.notices, *self.evidence.notices]
        return HeadRecord(
            schema=SCHEMA,
            log=LogRecord(
                files=[FileRecord(f.name, f.format, f.sha256) for f in log.files],
                rows_read=log.rows_read,
                rows_accepted=log.rows_accepted,
                rows_rejected=log.rows_rejected,
                rows_ignored=log.rows_ignored,
                incomplete=log.incomplete,
                problems=[ProblemRecord(p.file, p.line, p.field, p.reason) for p in log.problems],
                notices=[NoticeRecord(n.code, n.count, n.message) for n in notices],
                digest=self.evidence.log_digest,
            ),
            catalogue=CatalogueRecord(
                documents=self.evidence.catalogue_documents,
                matched_results=self.evidence.matched_results,
                unmatched_results=log.result_count - self.evidence.matched_results,
                digest=self.evidence.catalogue_digest,
            ),
            trust=self._trust_record(),
            policy=self.policy_record(),
            summary=SummaryRecord(
                retrievals=summary.retrievals,
                with_results=summary.with_results,
                no_results=summary.no_results,
                creative=summary.creative,
                evaluated_at=self.evaluated_at,
                macro_ratio=summary.macro_ratio,
                micro_ratio=summary.micro_ratio,
                verdicts_if_signatures_waived=dict(summary.verdicts_if_signatures_waived),
                verdicts=dict(summary.verdicts),
                proceed=summary.proceed,
                halt=summary.halt,
                findings=dict(summary.findings),
            ),
        )

    def _trust_record(self) -> TrustRecord:
        decided = self.evidence.decided
        if decided is None:
            return TrustRecord(keys=0, skipped=[], digest=None)
        skipped = sorted(decided.store.skipped, key=lambda key: (key.kid or "", key.reason))
        return TrustRecord(
            keys=len(decided.store.keys),
            skipped=[SkippedKeyRecord(key.kid, key.reason) for key in skipped],
            digest=decided.store.digest,
        )

    def policy_record(self) -> PolicyRecord:
        """The policy in force, with the preset that it started from."""
        return {"preset": self.named.preset, **policy_fields(self.named.policy)}

    def records(self, progress: Counted | None = None) -> Iterator[list[RetrievalRecord]]:
        """Every retrieval in the log's order, in stretches of at most ``STRETCH``."""
        count = self.retrieval_count
        for first in range(0, count, STRETCH):
            last = min(first + STRETCH, count)
            yield self.stretch(first, last)
            if progress is not None:
                progress(last, count)

    def stretch(self, first: int, last: int) -> list[RetrievalRecord]:
        """The records of retrievals ``first`` to ``last`` (exclusive)."""
        log = self.evidence.log
        bounds = log.offsets[first : last + 1].tolist()
        results = result_records(self.evidence, self.named.policy.signatures, bounds[0], bounds[-1])
        query_ids = texts(log.query_ids, slice(first, last))
        queries = texts(log.queries, slice(first, last))
        found = []
        for index in range(first, last):
            place = index - first
            own = results[bounds[place] - bounds[0] : bounds[place + 1] - bounds[0]]
            name = query_ids[place] or ""
            occurrence = int(log.occurrences[index])
            retrieval_id = name if occurrence == 1 else f"{name}#{occurrence}"
            if not own:
                rejected = [Finding.RESULTS_REJECTED.value] if log.rejected_results[index] else []
                found.append(
                    RetrievalRecord(
                        retrieval_id, name, queries[place], NO_RESULTS, None, None, None, NOTHING_TO_JUDGE, None,
                        0, 0, None, None, None, None, None, rejected, [],
                    )
                )  # fmt: skip
                continue
            manifest, directive, digest = self._manifest(index)
            found.append(
                RetrievalRecord(
                    retrieval_id,
                    name,
                    queries[place],
                    manifest.verdict.name,
                    _name(manifest.verdict_if_signatures_waived),
                    _name(manifest.decision),
                    _name(manifest.applicability),
                    directive,
                    digest,
                    manifest.total,
                    manifest.human,
                    manifest.authenticity_diversity_metric,
                    manifest.anchored_ratio,
                    manifest.effective_anchors,
                    manifest.max_depth,
                    manifest.margin,
                    [finding.value for finding in manifest.findings],
                    own,
                )
            )
        return found

    def manifest(self, retrieval: int) -> SynthesisManifest:
        """The scalar rule's judgement of one retrieval; it must have results."""
        manifest, directive, digest = self._manifest(retrieval)
        return replace(manifest, directive=directive, manifest_digest=digest)

    def _manifest(self, retrieval: int) -> tuple[SynthesisManifest, str, str]:
        """The judgement, and the directive and digest in force instead of those that it holds.

        Retrievals of one profile have one judgement but for the result that gate 1 names, so the rule runs once a
        profile.
        """
        profile = int(self.verdicts.statistics.profile_of[retrieval])
        manifest = self._judged.get(profile)
        if manifest is None:
            manifest = self._judge(retrieval)
            self._judged[profile] = manifest
        if manifest.verdict is not SynthesisVerdict.UNVERIFIED_SOURCES:
            return manifest, manifest.directive, manifest.manifest_digest
        directive, digest = unverified_statement(self._blocked(retrieval), self.named.policy.signatures)
        if manifest.applicability is Applicability.HUMAN_ONLY:  # its directive speaks of the set, not of a result
            directive = manifest.directive
        return manifest, directive, digest

    def _judge(self, retrieval: int) -> SynthesisManifest:
        policy = self.named.policy
        return SyntheticSourceGuard.evaluate_results(
            self.evidence.results(retrieval, policy.top_k),
            policy,
            creative_task=bool(self.evidence.log.creative[retrieval]),
            rejected_results=int(self.evidence.log.rejected_results[retrieval]),
        )

    def _blocked(self, retrieval: int) -> SearchResult:
        """The first judged result that gate 1 does not let pass, as far as the gate looks at it."""
        evidence, policy = self.evidence, self.named.policy
        first, last = evidence.log.offsets[retrieval : retrieval + 2].tolist()
        if policy.top_k is not None:
            last = min(last, first + policy.top_k)
        for row in range(first, last):
            status = STATUSES.member(evidence.signature_statuses[row])
            claim = None if status is SignatureStatus.MISSING else status.value
            seen = SearchResult(
                evidence.log.result_ids.text(row) or "",
                AuthenticityClass.UNKNOWN,
                None,
                claim,
                signature=status,
                catalogued=bool(evidence.catalogued[row]),
            )
            if not passes_gate(seen, policy.signatures):
                return seen
        raise SourceGuardError(f"retrieval {retrieval} is judged unverified, but every result passes the gate")

    def digest(self) -> str:
        """The digest alone, without writing the object."""
        running = RunningDigest(self.head())
        for stretch in self.records():
            running.add([encode(record) for record in stretch])
        return running.text()


class RunningDigest:
    """The digest of an evaluation object while it is written or read."""

    def __init__(self, head: HeadRecord) -> None:
        self._hash = hashlib.sha256()
        self.add([encode(part) for part in (head.schema, head.log.digest)])
        self.add([encode(part) for part in (head.catalogue, head.trust)])
        self.add([encode(head.policy), encode(head.summary)])

    def add(self, lines: Sequence[bytes]) -> None:
        """Cover some more lines of canonical JSON."""
        if lines:
            self._hash.update(b"\n".join(lines) + b"\n")

    def text(self) -> str:
        """``sha256:<hex>`` of what was covered so far."""
        return "sha256:" + self._hash.hexdigest()


def evaluate(evidence: Evidence, named: NamedPolicy, evaluated_at: str | None = None) -> Evaluation:
    """Judge a whole log under a policy.

    ``evaluated_at`` is ISO 8601 UTC text; where claims were judged, the time that they were judged at takes its place.
    """
    verdicts = judge(Statistics.of(evidence, named.policy.top_k), named.policy)
    if evidence.at is not None:
        evaluated_at = datetime.fromtimestamp(evidence.at, UTC).isoformat().replace("+00:00", "Z")
    return Evaluation(evidence, named, verdicts, verdicts.summary(), evaluated_at)


def _name(member: Enum | None) -> str | None:
    return None if member is None else member.name
