"""Draw the evaluation for people: the summary first, then the retrievals that halt, and what to do about them.

Flows in: an ``Evaluation`` and the width of the screen.  Flows out: lines of text.
Rules kept here: every count stands beside the number it is a share of, a share of nothing is "not applicable"; text
from the log is shown with visible escapes (R20), never as it is; what is not listed is counted.
Not here: the numbers (``guard_core.judging``), how a line is set (``layout.py``), colours (there are none), other forms
(beside this file).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from guard_core.codes import CREATIVE_TASK, EXCESSIVE, HALT, PROCEED, STATUSES, UNVERIFIED
from guard_core.corpus.exposure import RankExposure, measure_exposure
from guard_core.ingest.log import Problem
from guard_core.judging.findings import advise_finding
from guard_core.judging.judge import Verdicts
from guard_core.model import SynthesisVerdict
from guard_core.output.evaluation import Evaluation
from guard_core.output.people.layout import NARROWEST, format_part, format_ratio, format_share, wrap_lines
from guard_core.output.people.sentences import (
    EXCESSIVE_ADVICE,
    UNVERIFIED_ADVICE,
    describe_policy,
    find_warning,
)
from guard_core.output.schema import HeadRecord, RetrievalRecord
from guard_core.visible import count_noun, shorten, visible, width

MOST_PROBLEMS = 10
"""Rejected rows that are listed."""

MOST_HALTED = 20
"""Halted retrievals that are listed."""

_ID = 32


def draw_table(evaluation: Evaluation, columns: int = 100) -> Iterator[str]:
    """Draw the lines of the table, none wider than ``columns`` (``NARROWEST`` at least) unless a single word is."""
    columns = max(columns, NARROWEST)
    head = evaluation.head()
    yield from wrap_lines("Log", _list_files(head), columns)
    yield from _draw_inputs(evaluation, head, columns)
    yield from _draw_claims(evaluation, head, columns)
    yield from wrap_lines("Policy", [describe_policy(evaluation.named)], columns)
    warning = find_warning(evaluation.named.policy)
    if warning:
        yield from wrap_lines("", [f"! {warning}"], columns)
    yield ""
    yield from _draw_verdicts(head, evaluation.summary.counted, columns)
    yield ""
    yield from _draw_numbers(evaluation, head, columns)
    yield from _draw_halted(evaluation, columns)


def _list_files(head: HeadRecord) -> list[str]:
    return [f"{visible(f.name)} ({f.format}, sha256 {f.sha256[:12]}…)" for f in head.log.files]


def _draw_inputs(evaluation: Evaluation, head: HeadRecord, columns: int) -> Iterator[str]:
    log = head.log
    rows = (
        f"{log.rows_read:,} read = {log.rows_accepted:,} accepted + {log.rows_rejected:,} rejected "
        f"+ {log.rows_ignored:,} ignored"
    )
    yield from wrap_lines("Rows", [rows], columns)
    if log.incomplete:
        yield from wrap_lines("", ["! incomplete: the log ends early or says of itself that it is partial"], columns)
    catalogue = evaluation.evidence.catalogue
    rejected = log.rows_rejected + (catalogue.rows_rejected if catalogue else 0)
    known: list[Problem] = [*evaluation.evidence.log.problems, *(catalogue.problems if catalogue else ())]
    listed = known[:MOST_PROBLEMS]
    problems = [f"{visible(p.file)}:{p.line}: {visible(p.field)}: {visible(p.reason)}" for p in listed]
    if rejected > len(listed):
        problems.append(f"... and {rejected - len(listed):,} more")
    yield from wrap_lines("Rejected", problems, columns)
    yield from wrap_lines("Notices", [f"{n.code} ({n.count:,}): {visible(n.message)}" for n in log.notices], columns)
    if head.catalogue.digest is not None:
        matched, unmatched = head.catalogue.matched_results, head.catalogue.unmatched_results
        sentence = (
            f"{head.catalogue.documents:,} documents; {matched:,} of {matched + unmatched:,} results are in it "
            f"({format_share(matched, matched + unmatched)})"
        )
        yield from wrap_lines("Catalogue", [sentence], columns)


def _draw_claims(evaluation: Evaluation, head: HeadRecord, columns: int) -> Iterator[str]:
    """Keys, and what became of the claims; nothing where none was checked."""
    if head.trust.digest is None:
        return
    keys, skipped = head.trust.keys, len(head.trust.skipped)
    sentence = f"{count_noun(keys, 'usable key')}, {skipped:,} skipped"
    entries = [f"{sentence}; claims judged at {head.summary.evaluated_at}"]
    entries += [f"skipped {visible(key.kid or '')}: {key.reason}" for key in head.trust.skipped[:MOST_PROBLEMS]]
    if skipped > MOST_PROBLEMS:
        entries.append(f"... and {skipped - MOST_PROBLEMS:,} more")
    yield from wrap_lines("Trust", entries, columns)
    statuses = evaluation.evidence.signature_statuses
    counts = np.bincount(statuses, minlength=len(STATUSES)).tolist()
    found = [
        f"{status.name} {format_part(count, len(statuses))}"
        for status, count in zip(STATUSES.members, counts, strict=True)
        if count
    ]
    yield from wrap_lines("Claims", [", ".join(found) or "no results"], columns)


def _draw_verdicts(head: HeadRecord, counted: int, columns: int) -> Iterator[str]:
    summary = head.summary
    yield f"{'Verdicts':<31}{'as judged':>20}{'signatures waived':>24}"
    for verdict in SynthesisVerdict:
        judged, waived = summary.verdicts[verdict.name], summary.verdicts_if_signatures_waived[verdict.name]
        yield f"  {verdict.name:<29}{format_part(judged, counted):>20}{format_part(waived, counted):>24}"
    yield f"  {'of retrievals counted':<29}{counted:>20,}{counted:>24,}"
    apart = count_noun(summary.retrievals, "retrieval")
    if summary.no_results:
        apart += f"; {summary.no_results:,} without results, counted apart"
    if summary.creative:
        apart += f"; {count_noun(summary.creative, 'creative task')}, counted apart"
    yield from wrap_lines("", [apart], columns, 2)


def _count_human_only(verdicts: Verdicts) -> int:
    """Count the retrievals that proceed although their verdict halts, because there is nothing but human text (R65)."""
    halts = np.isin(verdicts.verdicts, (EXCESSIVE, UNVERIFIED)) & (verdicts.decisions == PROCEED)
    return int(verdicts.statistics.multiplicity[halts & verdicts.counted].sum())


def _draw_numbers(evaluation: Evaluation, head: HeadRecord, columns: int) -> Iterator[str]:
    summary, counted = head.summary, evaluation.summary.counted
    decision = f"PROCEED {format_part(summary.proceed, counted)}, HALT {format_part(summary.halt, counted)}"
    human = _count_human_only(evaluation.verdicts)
    why = [f"{human:,} of those that proceed do because every result is human by catalogue or claim"] if human else []
    yield from wrap_lines("Decision", [decision, *why], columns)
    macro, micro = format_ratio(summary.macro_ratio), format_ratio(summary.micro_ratio)
    ratios = f"{macro} mean over retrievals, {micro} over all results"
    yield from wrap_lines("Grounding", [ratios], columns)
    statistics = evaluation.verdicts.statistics
    sources = statistics.independent_sources(evaluation.named.policy.belief)
    text = "no human source" if sources is None else f"{sources:,.1f} independent human sources"
    yield from wrap_lines("Sources", [f"{statistics.judged_results:,} results, {text}"], columns)
    yield from wrap_lines("Exposure", _say_exposures(evaluation), columns)
    found = [f"{name} {format_part(number, counted)}" for name, number in summary.findings.items() if number]
    yield from wrap_lines("Findings", found or ["none"], columns)


def _say_exposures(evaluation: Evaluation) -> list[str]:
    """Say how much synthetic text is retrieved, against the corpus; nothing without a catalogue."""
    found = measure_exposure(evaluation.verdicts.statistics, evaluation.named.policy.belief)
    if found is None:
        return []
    part = format_share(found.synthetic, found.documents)
    return [
        f"{part} of {found.documents:,} documents in the catalogue are synthetic",
        *(say_exposure(at) for at in found.at),
    ]


def say_exposure(at: RankExposure) -> str:
    """Say in one line how exposed the first positions are: the synthetic share, how it differs from that of the corpus
    in percentage points and as a multiple, and how many retrievals reach the last of these positions."""
    if at.share is None:
        return f"first {at.rank}: no results"
    sentence = f"first {at.rank}: {format_share(at.synthetic, at.results)} of {at.results:,} results"
    if at.difference is not None:
        sentence += f", {100 * at.difference:+.1f} points"
    if at.ratio is not None:
        sentence += f", {at.ratio:.2f} times"
    return f"{sentence}; reached by {at.reaching:,} of {at.retrievals:,}"


def _draw_halted(evaluation: Evaluation, columns: int) -> Iterator[str]:
    decisions = evaluation.verdicts.per_retrieval("decisions")
    creative = evaluation.verdicts.per_retrieval("applicability") == CREATIVE_TASK
    halted = np.flatnonzero((decisions == HALT) & ~creative).tolist()
    yield ""
    if not halted:
        yield "Nothing halts." if evaluation.summary.counted else "Nothing to judge: no retrieval with results."
        return
    shown = halted[:MOST_HALTED]
    records = [evaluation.make_records(index, index + 1, list_results=False)[0] for index in shown]
    longest = min(_ID, max(width(visible(r.retrieval_id)) for r in records))
    yield f"Halted retrievals ({min(len(halted), MOST_HALTED):,} of {len(halted):,})"
    for record in records:
        name = shorten(visible(record.retrieval_id), longest)
        yield from _draw_retrieval(record, name + " " * (longest - width(name)), columns)
    if len(halted) > MOST_HALTED:
        yield f"  ... and {len(halted) - MOST_HALTED:,} more; --json, --jsonl and --csv list all"
    yield ""
    yield "What to do"
    yield from _give_advice(evaluation, columns)


def _draw_retrieval(record: RetrievalRecord, name: str, columns: int) -> Iterator[str]:
    facts = f"{record.human}/{record.total} human"
    if record.verdict_if_signatures_waived != record.verdict:
        facts += f", {record.verdict_if_signatures_waived} if signatures were waived"
    if record.margin is not None:
        facts += f", margin {record.margin}"
    yield shorten(f"  {name}  {record.verdict}: {facts}", columns)
    yield shorten(f"  {' ' * width(name)}  {visible(record.directive)}", columns)
    if record.query:
        yield shorten(f"  {' ' * width(name)}  query: {visible(record.query)}", columns)


def _give_advice(evaluation: Evaluation, columns: int) -> Iterator[str]:
    """Give one sentence for each reason that halts something."""
    policy = evaluation.named.policy
    summary = evaluation.summary
    for verdict, sentence in (
        (SynthesisVerdict.UNVERIFIED_SOURCES.name, UNVERIFIED_ADVICE[policy.signatures]),
        (SynthesisVerdict.SYNTHETIC_DEPTH_EXCESSIVE.name, EXCESSIVE_ADVICE),
    ):
        if summary.verdicts[verdict]:
            yield from wrap_lines("", [f"{verdict}: {sentence}"], columns, indent=2)
    for finding in policy.halt_on:
        if summary.findings[finding.value]:
            yield from wrap_lines("", [f"{finding.value}: {advise_finding(finding)}"], columns, indent=2)
