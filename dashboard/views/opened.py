"""One retrieval, opened: what the rule says of it and why, what each result rests on, what another policy would say.

Flows in: ``Evidence``, the number of a retrieval, two policies.  Flows out: ``Opened``.
Rules kept here: verdict, directive and margin are those of the scalar rule; class, depth and anchors those that the
policy in force counts, with what is declared beside them (R33, R66); a class is never said to be a fact, only on which
basis it is known; text from the log is written out.
Not here: the texts of results, which are read again on demand (``logs.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from dashboard.text import visible
from dashboard.views.table import Table, table
from dashboard.words import count, label
from guard_core.ingest.log import MISSING_TIME
from guard_core.judging.guard import SyntheticSourceGuard
from guard_core.model import NO_RESULTS, CountUnit, SynthesisManifest, SynthesisPolicy, SynthesisVerdict
from guard_core.output.columns import Stretch
from guard_core.output.directives import NOTHING_TO_JUDGE
from guard_core.output.evaluation import make_result_records
from guard_core.output.schema import ResultRecord
from guard_core.provenance.evidence import Evidence

_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")

KNOWN_BY = {
    "signed": "by a signed claim",
    "catalogue": "by the catalogue",
    "declared": "by the log's own word",
    "none": "nobody says",
}
"""How a class is known, behind the class."""

RESULT_COLUMNS = (
    "Rank",
    "Result",
    "Document",
    "Score",
    "Class",
    "Depth",
    "Known by",
    "Human sources",
    "Named anchors",
    "Signature",
    "Originator",
    "Declared class",
    "Conflicts",
)
_FIELDS = ("Verdict", "Signatures waived", "Decision", "Directive", "Human", "Margin", "Findings")


@dataclass(frozen=True, slots=True)
class Text:
    """The text of one result: what stands above it, and its digest (``None``: the log has no text for it)."""

    rank: int
    name: str
    known: str
    digest: str | None


@dataclass(frozen=True, slots=True)
class Opened:
    """A retrieval for the screen."""

    name: str
    query: str
    when: str
    directive: str
    margin: str
    facts: tuple[tuple[str, str], ...]
    results: Table
    compared: Table
    differs: bool
    texts: tuple[Text, ...]
    ids: tuple[str, ...]
    """Document ids, by which the texts are found in the file."""


def find(evidence: Evidence, query_id: str, occurrence: int) -> int | None:
    """The number of the retrieval with this query id and occurrence."""
    log = evidence.log
    values = log.query_ids.values
    if not len(values):
        return None
    code = pc.index(values, query_id).as_py()
    if code < 0:
        return None
    found = np.flatnonzero((log.query_ids.codes == code) & (log.occurrences == occurrence))
    return int(found[0]) if len(found) else None


def name_of(evidence: Evidence, number: int) -> tuple[str, int]:
    """What :func:`find` takes."""
    return evidence.log.query_ids.text(number) or "", int(evidence.log.occurrences[number])


def stretch(evidence: Evidence, number: int) -> tuple[int, int]:
    """The first result of the retrieval of this number, and the one after its last."""
    return int(evidence.log.offsets[number]), int(evidence.log.offsets[number + 1])


def opened(evidence: Evidence, number: int, policy: SynthesisPolicy, baseline: SynthesisPolicy) -> Opened:
    """The retrieval of this number under the policy in force, and under the baseline beside it."""
    log = evidence.log
    now, before = _judged(evidence, number, policy), _judged(evidence, number, baseline)
    first, last = int(log.offsets[number]), int(log.offsets[number + 1])
    left, right = _said(before, baseline), _said(now, policy)
    said = dict(zip(_FIELDS, right, strict=True))
    records = make_result_records(Stretch(evidence, policy.signatures.belief, number, number + 1))
    texts = tuple(
        Text(
            record.rank,
            visible(record.result_id, 80),
            f"{label(record.authenticity)}, {KNOWN_BY[record.basis]}",
            log.text_digests.text(row),
        )
        for row, record in enumerate(records, first)
    )
    return Opened(
        visible(log.retrieval_id(number), 120),
        log.queries.text(number) or "",
        when(int(log.times[number])),
        said["Directive"],
        said["Margin"],
        (
            ("Verdict", said["Verdict"]),
            ("Signatures waived", said["Signatures waived"] or "not applicable"),
            ("Human", said["Human"]),
            ("Independent human sources", _sources(now)),
            ("Findings", said["Findings"] or "none"),
        ),
        _results(records),
        table(("Field", "Baseline", "Policy in force"), list(zip(_FIELDS, left, right, strict=True))),
        left != right,
        texts,
        tuple({log.document_ids.text(row) or "" for row in range(first, last)}),
    )


def _judged(evidence: Evidence, number: int, policy: SynthesisPolicy) -> SynthesisManifest | None:
    log = evidence.log
    if log.offsets[number] == log.offsets[number + 1]:
        return None
    return SyntheticSourceGuard.evaluate_results(
        evidence.results(number, policy.top_k),
        policy,
        creative_task=bool(log.creative[number]),
        rejected_results=int(log.rejected_results[number]),
    )


def _said(manifest: SynthesisManifest | None, policy: SynthesisPolicy) -> tuple[str, ...]:
    if manifest is None:
        return label(NO_RESULTS), "", "", NOTHING_TO_JUDGE, "0 of 0", "", ""
    waived = manifest.verdict_if_signatures_waived
    return (
        label(manifest.verdict.name),
        "" if waived is None else label(waived.name),
        "" if manifest.decision is None else manifest.decision.value,
        visible(manifest.directive, None),
        f"{manifest.human:,} of {manifest.total:,} {policy.count.value}",
        margin(manifest, policy),
        ", ".join(label(finding.value) for finding in manifest.findings) or "none",
    )


def margin(manifest: SynthesisManifest, policy: SynthesisPolicy) -> str:
    """The margin as a sentence: "Two results would have to change class for the verdict to change."."""
    number = manifest.margin
    if number is None:
        if manifest.verdict is SynthesisVerdict.UNVERIFIED_SOURCES:
            return "No change of class would do: a signature is missing."
        return "No change of class would change the verdict."
    unit = "document" if policy.count is CountUnit.DOCUMENTS else "result"
    word = _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"
    return f"{word} {unit if number == 1 else unit + 's'} would have to change class for the verdict to change."


def _sources(manifest: SynthesisManifest | None) -> str:
    if manifest is None or manifest.effective_anchors is None:
        return "none known"
    return f"{manifest.effective_anchors:.1f}"


def when(microseconds: int) -> str:
    """An instant to the second, in UTC."""
    if microseconds == MISSING_TIME:
        return "no time given"
    return str(np.datetime64(microseconds, "us").astype("datetime64[s]")).replace("T", " ") + " UTC"


def _results(records: Sequence[ResultRecord]) -> Table:
    rows = [
        (
            record.rank,
            visible(record.result_id),
            visible(record.document_id),
            record.score,
            label(record.authenticity),
            depth_text(record.depth, record.depth_at_least),
            label(record.basis),
            ", ".join(visible(anchor, 80) for anchor in record.anchors) or "none",
            ", ".join(visible(anchor, 80) for anchor in record.declared_anchors),
            label(record.signature),
            visible(record.originator),
            label(record.declared_authenticity),
            ", ".join(label(conflict) for conflict in record.conflicts),
        )
        for record in records
    ]
    return table(RESULT_COLUMNS, rows, documents=[record.document_id for record in records])


def depth_text(depth: int | None, at_least: int | None) -> str:
    """A depth, "unknown" where it is, with what it is at least."""
    if depth is not None:
        return str(depth)
    return "unknown" if at_least is None else f"unknown, at least {at_least}"


def beyond(policy: SynthesisPolicy, opened_: Opened) -> str:
    """What a reader must know of results that are listed and not judged."""
    if policy.top_k is None or policy.top_k >= opened_.results.total:
        return ""
    return f"The policy judges the first {count(policy.top_k, 'result')} only."
