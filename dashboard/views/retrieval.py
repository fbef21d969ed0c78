"""Describe one opened retrieval: its verdict and why, what each result rests on, what another policy would say.

Flows in: ``Evidence``, the number of a retrieval, two policies.  Flows out: ``OpenedRetrieval``.
Rules kept here: verdict, directive and margin are those of the scalar rule; class, depth and anchors those that the
policy in force counts, with what is declared beside them (R33, R66); a class is never called a fact, only on which
basis it is known; text from the log is escaped.
Not here: the texts of results, which are read again on demand (``logs.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from dashboard.text import escape_text
from dashboard.views.table import Table, make_table
from dashboard.words import KNOWN_BY, UNIT_NOUN, label_code
from guard_core.ingest.log import MISSING_TIME
from guard_core.judging.guard import SyntheticSourceGuard
from guard_core.model import NO_RESULTS, SynthesisManifest, SynthesisPolicy, SynthesisVerdict
from guard_core.output.columns import Stretch
from guard_core.output.directives import NOTHING_TO_JUDGE
from guard_core.output.evaluation import make_result_records
from guard_core.output.schema import ResultRecord
from guard_core.provenance.evidence import Evidence
from guard_core.visible import count_noun

_NUMBER_WORDS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")

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
class ResultText:
    """The text of one result: its heading, and its digest (``None`` if the log has no text for it)."""

    rank: int
    name: str
    known: str
    digest: str | None


@dataclass(frozen=True, slots=True)
class OpenedRetrieval:
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
    texts: tuple[ResultText, ...]
    ids: tuple[str, ...]
    """Document ids, by which the texts are found in the file."""


def find_retrieval(evidence: Evidence, query_id: str, occurrence: int) -> int | None:
    """Return the number of the retrieval with this query id and occurrence, ``None`` if there is none."""
    log = evidence.log
    values = log.query_ids.values
    if not len(values):
        return None
    code = pc.index(values, query_id).as_py()
    if code < 0:
        return None
    found = np.flatnonzero((log.query_ids.codes == code) & (log.occurrences == occurrence))
    return int(found[0]) if len(found) else None


def identify_retrieval(evidence: Evidence, number: int) -> tuple[str, int]:
    """Return the query id and the occurrence of a retrieval."""
    return evidence.log.query_ids.text(number) or "", int(evidence.log.occurrences[number])


def find_results(evidence: Evidence, number: int) -> tuple[int, int]:
    """Return the first result of a retrieval, and the one after its last."""
    return int(evidence.log.offsets[number]), int(evidence.log.offsets[number + 1])


def open_retrieval(
    evidence: Evidence, number: int, policy: SynthesisPolicy, baseline: SynthesisPolicy
) -> OpenedRetrieval:
    """Judge one retrieval under the policy in force, and under the baseline."""
    log = evidence.log
    now, before = _judge_retrieval(evidence, number, policy), _judge_retrieval(evidence, number, baseline)
    first, last = int(log.offsets[number]), int(log.offsets[number + 1])
    left, right = _describe_manifest(before, baseline), _describe_manifest(now, policy)
    fields = dict(zip(_FIELDS, right, strict=True))
    records = make_result_records(Stretch(evidence, policy.signatures.belief, number, number + 1))
    texts = tuple(
        ResultText(
            record.rank,
            escape_text(record.result_id, 80),
            f"{label_code(record.authenticity)}, {KNOWN_BY[record.basis]}",
            log.text_digests.text(row),
        )
        for row, record in enumerate(records, first)
    )
    return OpenedRetrieval(
        escape_text(log.retrieval_id(number), 120),
        log.queries.text(number) or "",
        format_instant(int(log.times[number])),
        fields["Directive"],
        fields["Margin"],
        (
            ("Verdict", fields["Verdict"]),
            ("Signatures waived", fields["Signatures waived"] or "not applicable"),
            ("Human", fields["Human"]),
            ("Independent human sources", _format_sources(now)),
            ("Findings", fields["Findings"] or "none"),
        ),
        _list_results(records),
        make_table(("Field", "Baseline", "Policy in force"), list(zip(_FIELDS, left, right, strict=True))),
        left != right,
        texts,
        tuple({log.document_ids.text(row) or "" for row in range(first, last)}),
    )


def _judge_retrieval(evidence: Evidence, number: int, policy: SynthesisPolicy) -> SynthesisManifest | None:
    log = evidence.log
    if log.offsets[number] == log.offsets[number + 1]:
        return None
    return SyntheticSourceGuard.evaluate_results(
        evidence.results(number, policy.top_k),
        policy,
        creative_task=bool(log.creative[number]),
        rejected_results=int(log.rejected_results[number]),
    )


def _describe_manifest(manifest: SynthesisManifest | None, policy: SynthesisPolicy) -> tuple[str, ...]:
    if manifest is None:
        return label_code(NO_RESULTS), "", "", NOTHING_TO_JUDGE, "0 of 0", "", ""
    waived = manifest.verdict_if_signatures_waived
    return (
        label_code(manifest.verdict.name),
        "" if waived is None else label_code(waived.name),
        "" if manifest.decision is None else manifest.decision.value,
        escape_text(manifest.directive, None),
        f"{manifest.human:,} of {manifest.total:,} {policy.count.value}",
        describe_margin(manifest, policy),
        ", ".join(label_code(finding.value) for finding in manifest.findings) or "none",
    )


def describe_margin(manifest: SynthesisManifest, policy: SynthesisPolicy) -> str:
    """Return the margin as a sentence: "Two results would have to change class for the verdict to change."."""
    number = manifest.margin
    if number is None:
        if manifest.verdict is SynthesisVerdict.UNVERIFIED_SOURCES:
            return "No change of class would help: a signature is missing."
        return "No change of class would change the verdict."
    unit = UNIT_NOUN[policy.count]
    word = _NUMBER_WORDS[number] if number < len(_NUMBER_WORDS) else f"{number:,}"
    return f"{word} {unit if number == 1 else unit + 's'} would have to change class for the verdict to change."


def _format_sources(manifest: SynthesisManifest | None) -> str:
    if manifest is None or manifest.effective_anchors is None:
        return "none known"
    return f"{manifest.effective_anchors:.1f}"


def format_instant(microseconds: int) -> str:
    """Return a time in microseconds since 1970 as text, to the second, in UTC."""
    if microseconds == MISSING_TIME:
        return "no time given"
    return str(np.datetime64(microseconds, "us").astype("datetime64[s]")).replace("T", " ") + " UTC"


def _list_results(records: Sequence[ResultRecord]) -> Table:
    rows = [
        (
            record.rank,
            escape_text(record.result_id),
            escape_text(record.document_id),
            record.score,
            label_code(record.authenticity),
            format_depth(record.depth, record.depth_at_least),
            label_code(record.basis),
            ", ".join(escape_text(anchor, 80) for anchor in record.anchors) or "none",
            ", ".join(escape_text(anchor, 80) for anchor in record.declared_anchors),
            label_code(record.signature),
            escape_text(record.originator),
            label_code(record.declared_authenticity),
            ", ".join(label_code(conflict) for conflict in record.conflicts),
        )
        for record in records
    ]
    return make_table(RESULT_COLUMNS, rows, documents=[record.document_id for record in records])


def format_depth(depth: int | None, at_least: int | None) -> str:
    """Return a depth as text; where it is unknown, with the depth that it has at least."""
    if depth is not None:
        return str(depth)
    return "unknown" if at_least is None else f"unknown, at least {at_least}"


def describe_unjudged(policy: SynthesisPolicy, opened: OpenedRetrieval) -> str:
    """Say how many of the listed results are judged; empty if all are."""
    if policy.top_k is None or policy.top_k >= opened.results.total:
        return ""
    return f"The policy judges the first {count_noun(policy.top_k, 'result')} only."
