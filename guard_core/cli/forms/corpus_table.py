"""Draw a quarantine, and a ranking of documents, as tables for people.

Flows in: an ``Evaluation``, ``BeforeAndAfter`` or ``Leverage``, and the width of the screen.  Flows out: lines of text.
Rules kept here: every count stands beside what it is a part of; what is not listed is counted; that results are dropped
and not replaced is said before any number; text from outside is shown with visible escapes (R20).
Not here: the numbers, other forms (``corpus_records.py``, ``corpus_forms.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from guard_core.cli.forms.corpus_records import (
    SideRecord,
    make_document_records,
    make_quarantine_head,
    make_touched_records,
)
from guard_core.codes import VERDICT_WORDS
from guard_core.corpus.leverage import Leverage
from guard_core.corpus.quarantine import KINDS, Quarantine, QuarantineEffect
from guard_core.judging.policy import NamedPolicy
from guard_core.model import SignatureGate
from guard_core.output.evaluation import Evaluation
from guard_core.output.people.layout import NARROWEST, format_part, format_ratio, format_share, wrap_lines
from guard_core.output.people.sentences import describe_policy, find_warning
from guard_core.provenance.evidence import Evidence
from guard_core.visible import count_noun, shorten, visible

MOST_FLIPPED = 20
"""Retrievals that are listed."""

MOST_DOCUMENTS = 20
"""Documents that are listed where no other number is asked for."""

DROPPED = "Results are dropped from the lists; a real re-query would fill the places."
"""What every quarantine says of itself."""


LEGEND = (
    "settles: retrievals whose verdict stands once this document alone is checked, whatever the check says; if human, "
    "if synthetic: once it says so; open in: retrievals that are not settled and hold it."
)
"""What the columns of the ranking mean."""


def draw_quarantine(
    evaluation: Evaluation, named: Quarantine, found: QuarantineEffect, columns: int = 100
) -> Iterator[str]:
    """Draw the counts before and after, then the retrievals whose verdict changes."""
    columns = max(columns, NARROWEST)
    head = make_quarantine_head(evaluation, named, found)
    yield from _draw_inputs(evaluation.evidence, evaluation.named, columns)
    lists = (named.documents, named.anchors, named.originators, named.generators, named.collections)
    taken = [f"{kind} {visible(name)}" for kind, names in zip(KINDS, lists, strict=True) for name in names]
    yield from wrap_lines("Taken out", [shorten(", ".join(taken), 400)], columns)
    unmatched = [f"! {kind} {visible(name)}: no result has it" for kind, name in found.unmatched]
    yield from wrap_lines("", unmatched[:MOST_FLIPPED], columns)
    if len(unmatched) > MOST_FLIPPED:
        yield from wrap_lines("", [f"... and {len(unmatched) - MOST_FLIPPED:,} more that no result has"], columns)
    yield from wrap_lines("", [DROPPED], columns)
    if evaluation.named.policy.top_k is not None:
        filled = f"The first {evaluation.named.policy.top_k} of what is left are judged, as far as the log reaches."
        yield from wrap_lines("", [filled], columns)
    yield ""
    before, after = head.before, head.after
    yield f"{'':<31}{'before':>20}{'after':>24}"
    for word in VERDICT_WORDS[:4]:
        pair = (format_part(side.verdicts[word], side.counted) for side in (before, after))
        yield f"  {word:<29}{next(pair):>20}{next(pair):>24}"
    for label, old, new in _compare_facts(before, after):
        yield f"  {label:<29}{old:>20}{new:>24}"
    yield ""
    listed = found.before.statistics.evidence.log.result_count
    plain = before.counted
    dropped = f"{head.dropped_results:,} of {listed:,} results; {head.dropped_judged_results:,} were judged"
    yield from wrap_lines("Dropped", [dropped], columns)
    touched = f"{format_part(head.touched, plain)} of {plain:,} counted retrievals lose a judged result"
    yield from wrap_lines("Touched", [touched, f"{head.short:,} left short, {head.empty:,} of them empty"], columns)
    yield from _draw_flips(found, [f"{f.before} to {f.after}: {f.retrievals:,}" for f in head.flips], columns)


def _compare_facts(before: SideRecord, after: SideRecord) -> Iterator[tuple[str, str, str]]:
    yield "of retrievals counted", f"{before.counted:,}", f"{after.counted:,}"
    yield "without results, apart", f"{before.no_results:,}", f"{after.no_results:,}"
    proceed = [format_part(side.proceed, side.counted) for side in (before, after)]
    yield "decision PROCEED", proceed[0], proceed[1]
    yield "grounding, mean of retrievals", format_ratio(before.macro_ratio), format_ratio(after.macro_ratio)
    yield "grounding, over all results", format_ratio(before.micro_ratio), format_ratio(after.micro_ratio)
    yield "judged results", f"{before.judged_results:,}", f"{after.judged_results:,}"
    yield (
        "independent human sources",
        _format_sources(before.effective_anchors),
        _format_sources(after.effective_anchors),
    )


def _draw_flips(found: QuarantineEffect, changes: list[str], columns: int) -> Iterator[str]:
    flipped = found.flipped
    yield from wrap_lines("Flips", changes or ["no verdict changes"], columns)
    if not len(flipped):
        return
    yield ""
    yield f"Retrievals whose verdict changes ({min(len(flipped), MOST_FLIPPED):,} of {len(flipped):,})"
    for record in make_touched_records(found, flipped[:MOST_FLIPPED]):
        humans = f"{record.human_before}/{record.total_before} human to {record.human_after}/{record.total_after}"
        line = f"  {visible(record.retrieval_id)}  {record.verdict_before} to {record.verdict_after}: {humans}"
        yield shorten(line, columns)
        if record.query:
            yield shorten(f"      query: {visible(record.query)}", columns)
    if len(flipped) > MOST_FLIPPED:
        yield f"  ... and {len(flipped) - MOST_FLIPPED:,} more; --json and --csv list every retrieval that is touched"


def draw_leverage(
    evaluation: Evaluation, found: Leverage, limit: int | None, waived: bool, columns: int = 100
) -> Iterator[str]:
    """Draw how much is open, then the documents most worth checking."""
    columns = max(columns, NARROWEST)
    most = MOST_DOCUMENTS if limit is None else limit
    yield from _draw_inputs(evaluation.evidence, evaluation.named, columns)
    if waived:
        yield from wrap_lines(
            "", ["The signature gate is left out: only classes that are not known are open."], columns
        )
    open_lists = f"{format_part(found.unsettled_retrievals, found.counted)} of {found.counted:,} counted retrievals"
    yield from wrap_lines("Not settled", [f"{open_lists}: what a check says can change the verdict"], columns)
    documents = count_noun(found.open_documents, "document")
    matter = f"{documents}, {len(found.documents):,} of them where a check can change a verdict"
    yield from wrap_lines("Open", [matter], columns)
    yield ""
    if not len(found.documents):
        yield "No check of a document would change a verdict."
        return
    listed = min(most, len(found.documents))
    yield f"Documents most worth checking ({listed:,} of {len(found.documents):,})"
    yield f"  {'settles':>9}{'if human':>10}{'if synthetic':>14}{'open in':>9}  document"
    for record in islice(make_document_records(evaluation, found, most), most):
        why = " and ".join(w for w, holds in (("unknown", record.unknown), ("unverified", record.unverified)) if holds)
        numbers = f"{record.settles:>9,}{record.if_human:>10,}{record.if_synthetic:>14,}{record.open_in:>9,}"
        yield shorten(f"  {numbers}  {visible(record.document_id)} ({why})", columns)
    yield ""
    yield from wrap_lines("", [LEGEND], columns, indent=2)
    if not waived and not found.settles.any() and evaluation.named.policy.signatures is not SignatureGate.IGNORED:
        advice = "No document settles anything alone: several results of each list do not pass the signature gate. Try "
        yield from wrap_lines("", [f"{advice}--waive-signatures to rank by classes."], columns, indent=2)


def _draw_inputs(evidence: Evidence, named: NamedPolicy, columns: int) -> Iterator[str]:
    """Draw what was read, and under which policy it is judged."""
    log = evidence.log
    rows = f"{log.rows_read:,} read = {log.rows_accepted:,} accepted + {log.rows_rejected:,} rejected"
    yield from wrap_lines("Log", [visible(f"{file.name} ({file.format})") for file in log.files], columns)
    yield from wrap_lines("Rows", [f"{rows} + {log.rows_ignored:,} ignored"], columns)
    if log.incomplete:
        yield from wrap_lines("", ["! incomplete: the log ends early or says of itself that it is partial"], columns)
    if evidence.catalogue is not None:
        whole = log.result_count
        part = format_share(evidence.matched_results, whole)
        sentence = (
            f"{count_noun(evidence.catalogue_documents, 'document')}; "
            f"{evidence.matched_results:,} of {whole:,} results are in it"
        )
        yield from wrap_lines("Catalogue", [f"{sentence} ({part})"], columns)
    yield from wrap_lines("Policy", [describe_policy(named)], columns)
    warning = find_warning(named.policy)
    if warning:
        yield from wrap_lines("", [f"! {warning}"], columns)


def _format_sources(value: float | None) -> str:
    return "none" if value is None else f"{value:,.1f}"
