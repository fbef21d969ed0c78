"""Check an evaluation object against itself: its digest, and every verdict in it.

Flows in: the text of an object that ``evaluate --json`` wrote, as it was or reformatted.  Flows out: nothing, or
``ManifestError`` that says what does not hold.
Rules kept here: an object with a member that is not known, that is missing, that stands twice or that is of another
type does not pass; neither does one of an unknown schema.  Verdicts are judged again from the results and the policy
in the object alone, by the scalar rule.
Not here: whether log, catalogue and trust store are the ones meant (compare their ``digest``), and whether a claim
that is said to be valid is (check it again with the trust store).

What the object does not hold cannot be judged again from it: effective anchors (which need the weights of anchors) and
findings are covered by the digest, and the decision is checked against the findings as listed.
"""

from __future__ import annotations

import json
import math

import msgspec

from guard_core.errors import ManifestError, PolicyError
from guard_core.judging.guard import SyntheticSourceGuard
from guard_core.judging.policy import find_preset, replace_fields
from guard_core.model import (
    NO_RESULTS,
    Anchor,
    Applicability,
    AuthenticityClass,
    Basis,
    Decision,
    SearchResult,
    SignatureStatus,
    SynthesisPolicy,
    SynthesisVerdict,
)
from guard_core.output.head import RunningDigest
from guard_core.output.schema import SCHEMA, EvaluationRecord, HeadRecord, ResultRecord, RetrievalRecord, encode

_DECODER = msgspec.json.Decoder(EvaluationRecord)
_UNTRUSTED = (SignatureStatus.MISSING.name, SignatureStatus.UNCHECKED.name)
_PROCEEDING = (SynthesisVerdict.HUMAN_GROUNDED.name, SynthesisVerdict.SYNTHETIC_DEPTH_1_ACCEPTABLE.name)


def verify(text: bytes) -> str:
    """Check an evaluation object and return its digest.  Raises ``ManifestError``, which says what does not hold."""
    record = read_object(text)
    computed = compute_digest(record)
    if computed != record.digest:
        raise ManifestError("digest", f"stated {record.digest[:80]}, but the content gives {computed}")
    policy = read_policy(record)
    trusted = _check_trust(record)
    for position, retrieval in enumerate(record.retrievals):
        _check_retrieval(retrieval, policy, f"retrievals[{position}]")
        _check_signatures(retrieval, trusted, f"retrievals[{position}]")
    _check_summary(record)
    return computed


def read_object(text: bytes) -> EvaluationRecord:
    """Read the object as records.  Raises ``ManifestError`` for anything that is not exactly one."""
    try:
        record = _DECODER.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ManifestError("object", str(error)) from None
    if record.schema != SCHEMA:
        raise ManifestError("schema", f"unknown; this version reads {SCHEMA}")
    if len(encode(record)) != len(text.strip()):
        _refuse_repeats(text)
    return record


def compute_digest(record: EvaluationRecord) -> str:
    """Compute the digest that the content of an object gives, whatever digest it states."""
    head = HeadRecord(record.schema, record.log, record.catalogue, record.trust, record.policy, record.summary)
    running = RunningDigest(head)
    running.add([encode(retrieval) for retrieval in record.retrievals])
    return running.text()


def read_policy(record: EvaluationRecord) -> SynthesisPolicy:
    """Read the policy that the object was judged under.  Raises ``ManifestError``."""
    fields: dict[str, object] = dict(record.policy)
    try:
        return replace_fields(find_preset(str(fields.pop("preset", ""))), fields).policy
    except PolicyError as error:
        raise ManifestError("policy", str(error)) from None


def _refuse_repeats(text: bytes) -> None:
    """Other spacing than ours is fine, a member that stands twice is not."""

    def members(pairs: list[tuple[str, object]]) -> None:
        if len({name for name, _ in pairs}) < len(pairs):
            raise ManifestError("object", "a member is repeated")

    json.loads(text, object_pairs_hook=members)


def _check_trust(record: EvaluationRecord) -> bool:
    """Return whether a trust store was loaded; check that what goes with one is there with one and only then."""
    trust = record.trust
    if trust.digest is None and (trust.keys or trust.skipped):
        raise ManifestError("trust", "lists keys of no trust store")
    if trust.digest is not None and record.summary.evaluated_at is None:
        raise ManifestError("summary.evaluated_at", "is missing, and claims are judged at a time")
    return trust.digest is not None


def _check_signatures(record: RetrievalRecord, trusted: bool, place: str) -> None:
    """Check that statuses and bases go together, and with the trust store (R34)."""
    for result in record.results:
        if not trusted and result.signature not in _UNTRUSTED:
            raise ManifestError(place, "a signature is said to be checked without a trust store")
        if trusted and result.signature == SignatureStatus.UNCHECKED.name:
            raise ManifestError(place, "a signature is said to be unchecked with a trust store")
        if (result.basis == Basis.SIGNED.value) != (result.signature == SignatureStatus.VALID.name):
            raise ManifestError(place, "a result is signed if and only if its claim is valid")


def _check_retrieval(record: RetrievalRecord, policy: SynthesisPolicy, place: str) -> None:
    if not record.results:
        if record.verdict != NO_RESULTS or record.total or record.human:
            raise ManifestError(place, "a retrieval without results has another verdict than NO_RESULTS")
        return
    creative = record.applicability == Applicability.CREATIVE_TASK.name
    try:
        results = tuple(_make_result(result) for result in record.results)
    except KeyError as error:
        raise ManifestError(place, f"unknown word {error}") from None
    again = SyntheticSourceGuard.evaluate_results(results, policy, creative_task=creative)
    waived, applicability = again.verdict_if_signatures_waived, again.applicability
    stated_and_judged = {
        "verdict": (record.verdict, again.verdict.name),
        "verdict_if_signatures_waived": (record.verdict_if_signatures_waived, waived.name if waived else None),
        "applicability": (record.applicability, applicability.name if applicability else None),
        "manifest_digest": (record.manifest_digest, again.manifest_digest),
        "total": (record.total, again.total),
        "human": (record.human, again.human),
        "authenticity_diversity_metric": (record.authenticity_diversity_metric, again.authenticity_diversity_metric),
        "anchored_ratio": (record.anchored_ratio, again.anchored_ratio),
        "max_depth": (record.max_depth, again.max_depth),
        "margin": (record.margin, again.margin),
        "decision": (record.decision, _decide(record, policy)),
    }
    for name, (stated, judged) in stated_and_judged.items():
        if stated != judged:
            raise ManifestError(f"{place}.{name}", "is not what its results give")


def _make_result(record: ResultRecord) -> SearchResult:
    """Return a listed result as the rule takes it; the class is already the one that the policy counts."""
    status = SignatureStatus[record.signature]
    basis = Basis(record.basis) if record.basis in {b.value for b in Basis} else None
    if basis is None:
        raise KeyError(record.basis)
    anchors = tuple(Anchor(source) for source in record.anchors)
    return SearchResult(
        record.result_id,
        AuthenticityClass[record.authenticity],
        None,
        None if status is SignatureStatus.MISSING else status.value,
        document_id=record.document_id,
        depth=record.depth,
        basis=basis,
        signature=status,
        catalogued=basis is Basis.CATALOGUE,
        anchors=anchors,
        upheld_anchors=anchors,
    )


def _decide(record: RetrievalRecord, policy: SynthesisPolicy) -> str:
    """Return the decision that verdict, applicability and the listed findings lead to."""
    proceeds = record.verdict in _PROCEEDING or record.applicability == Applicability.HUMAN_ONLY.name
    halted = any(finding.value in record.findings for finding in policy.halt_on)
    return (Decision.PROCEED if proceeds and not halted else Decision.HALT).name


def _check_summary(record: EvaluationRecord) -> None:
    """Check that the summary counts what the records say."""
    summary = record.summary
    judged = [r for r in record.retrievals if r.verdict != NO_RESULTS]
    counted = [r for r in judged if r.applicability != Applicability.CREATIVE_TASK.name]
    ratios = [r.authenticity_diversity_metric for r in counted if r.authenticity_diversity_metric is not None]
    macro = math.fsum(ratios) / len(ratios) if ratios else None
    facts = {
        "retrievals": (summary.retrievals, len(record.retrievals)),
        "with_results": (summary.with_results, len(judged)),
        "no_results": (summary.no_results, len(record.retrievals) - len(judged)),
        "creative": (summary.creative, len(judged) - len(counted)),
        "halt": (summary.halt, sum(r.decision == Decision.HALT.name for r in counted)),
        "proceed": (summary.proceed, sum(r.decision == Decision.PROCEED.name for r in counted)),
        "verdicts": (
            summary.verdicts,
            {v.name: sum(r.verdict == v.name for r in counted) for v in SynthesisVerdict},
        ),
        "verdicts_if_signatures_waived": (
            summary.verdicts_if_signatures_waived,
            {v.name: sum(r.verdict_if_signatures_waived == v.name for r in counted) for v in SynthesisVerdict},
        ),
        "findings": (
            summary.findings,
            {name: sum(name in r.findings for r in counted) for name in summary.findings},
        ),
    }
    for name, (stated, found) in facts.items():
        if stated != found:
            raise ManifestError(f"summary.{name}", "is not what its retrievals give")
    if (macro is None) != (summary.macro_ratio is None) or (
        macro is not None and summary.macro_ratio is not None and not math.isclose(macro, summary.macro_ratio)
    ):
        raise ManifestError("summary.macro_ratio", "is not what its retrievals give")
