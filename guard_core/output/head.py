"""Make the head of the evaluation object: what was read, the policy, the summary; and the digest that covers it.

Flows in: ``Evidence``, a policy, a ``Summary``.  Flows out: ``HeadRecord``, ``RunningDigest``.
Rules kept here:

1. The digest covers the accepted rows, the catalogue, the trust store, the policy, the summary and every retrieval
   record, and the evaluation time where one is given or a trust store is loaded (R68).  It does not cover file names,
   file bytes, counts of rows that did not count, problems and notices (R58).
2. It can be computed again from the object alone (``recompute.py``): SHA-256 over one line of canonical JSON for each
   of schema, log digest, catalogue, trust, policy, summary and each retrieval, each ended by a line feed.

Not here: retrievals (``evaluation.py``), writing an object (``json_lines.py``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from guard_core.judging.judge import Summary
from guard_core.judging.policy import NamedPolicy, list_policy_fields
from guard_core.output.schema import (
    SCHEMA,
    CatalogueRecord,
    FileRecord,
    HeadRecord,
    LogRecord,
    NoticeRecord,
    ProblemRecord,
    SkippedKeyRecord,
    SummaryRecord,
    TrustRecord,
    encode,
)
from guard_core.provenance.evidence import Evidence


def make_head(evidence: Evidence, named: NamedPolicy, summary: Summary, evaluated_at: str | None) -> HeadRecord:
    """Make the evaluation object up to its retrievals."""
    log = evidence.log
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
            notices=[NoticeRecord(n.code, n.count, n.message) for n in (*log.notices, *evidence.notices)],
            digest=evidence.log_digest,
        ),
        catalogue=CatalogueRecord(
            documents=evidence.catalogue_documents,
            matched_results=evidence.matched_results,
            unmatched_results=log.result_count - evidence.matched_results,
            digest=evidence.catalogue_digest,
        ),
        trust=_make_trust_record(evidence),
        policy={"preset": named.preset, **list_policy_fields(named.policy)},
        summary=SummaryRecord(
            retrievals=summary.retrievals,
            with_results=summary.with_results,
            no_results=summary.no_results,
            creative=summary.creative,
            evaluated_at=evaluated_at,
            macro_ratio=summary.macro_ratio,
            micro_ratio=summary.micro_ratio,
            verdicts_if_signatures_waived=dict(summary.verdicts_if_signatures_waived),
            verdicts=dict(summary.verdicts),
            proceed=summary.proceed,
            halt=summary.halt,
            findings=dict(summary.findings),
        ),
    )


def _make_trust_record(evidence: Evidence) -> TrustRecord:
    if evidence.decided is None:
        return TrustRecord(keys=0, skipped=[], digest=None)
    store = evidence.decided.store
    skipped = sorted(store.skipped, key=lambda key: (key.kid or "", key.reason))
    return TrustRecord(
        keys=len(store.keys),
        skipped=[SkippedKeyRecord(key.kid, key.reason) for key in skipped],
        digest=store.digest,
    )


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
        """Return ``sha256:<hex>`` of what was covered so far."""
        return "sha256:" + self._hash.hexdigest()
