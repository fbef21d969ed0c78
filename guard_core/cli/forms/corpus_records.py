"""Make records of what a quarantine and a ranking of documents give.

Flows in: an ``Evaluation``, ``BeforeAndAfter``, ``Leverage``.  Flows out: records, in the order in which JSON and CSV
write them.
Rules kept here: the members of log, catalogue, trust and policy are those of an evaluation object; a rate over nothing
is null; retrievals are named as everywhere (R11).
Not here: the numbers (``quarantine.py``, ``leverage.py``), bytes (``corpus_forms.py``).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.codes import DECISION_WORDS, UNITS, VERDICT_WORDS
from guard_core.corpus.leverage import Leverage
from guard_core.corpus.quarantine import Quarantine, QuarantineEffect
from guard_core.judging.categories import Category
from guard_core.judging.judge import Verdicts
from guard_core.output.evaluation import Evaluation
from guard_core.output.schema import CatalogueRecord, LogRecord, PolicyRecord, Record, TrustRecord

QUARANTINE_SCHEMA = "source-guard/quarantine/1"
LEVERAGE_SCHEMA = "source-guard/leverage/1"


class NamedRecord(Record, frozen=True):
    """What was asked to be taken out."""

    documents: list[str]
    anchors: list[str]
    originators: list[str]
    generators: list[str]
    collections: list[str]


class UnmatchedRecord(Record, frozen=True):
    """A name that no result has."""

    kind: str
    name: str


class SideRecord(Record, frozen=True):
    """A log before, or after.  ``counted`` is the denominator of verdicts and decisions."""

    counted: int
    no_results: int
    judged_results: int
    macro_ratio: float | None
    micro_ratio: float | None
    effective_anchors: float | None
    verdicts: dict[str, int]
    verdicts_if_signatures_waived: dict[str, int]
    proceed: int
    halt: int


class FlipRecord(Record, frozen=True):
    """How many retrievals go from one verdict to another."""

    before: str
    after: str
    retrievals: int


class TouchedRecord(Record, frozen=True):
    """A retrieval that loses a judged result."""

    retrieval_id: str
    query_id: str
    query: str | None
    results_before: int
    results_after: int
    human_before: int
    human_after: int
    total_before: int
    total_after: int
    effective_anchors_before: float | None
    effective_anchors_after: float | None
    verdict_before: str
    verdict_after: str
    verdict_if_signatures_waived_before: str
    verdict_if_signatures_waived_after: str
    decision_before: str | None
    decision_after: str | None


class QuarantineHead(Record, frozen=True):
    """The object up to its retrievals."""

    schema: str
    log: LogRecord
    catalogue: CatalogueRecord
    trust: TrustRecord
    policy: PolicyRecord
    quarantine: NamedRecord
    unmatched: list[UnmatchedRecord]
    dropped_results: int
    dropped_judged_results: int
    touched: int
    short: int
    empty: int
    before: SideRecord
    after: SideRecord
    flips: list[FlipRecord]


class DocumentRecord(Record, frozen=True):
    """A document, and what checking it would settle."""

    document_id: str
    settles: int
    if_human: int
    if_synthetic: int
    open_in: int
    unknown: bool
    unverified: bool


class LeverageHead(Record, frozen=True):
    """The object up to its documents; ``documents_that_matter`` are open in a retrieval that is not settled."""

    schema: str
    log: LogRecord
    catalogue: CatalogueRecord
    trust: TrustRecord
    policy: PolicyRecord
    signatures_waived: bool
    counted: int
    unsettled: int
    open_documents: int
    documents_that_matter: int


def make_quarantine_head(evaluation: Evaluation, named: Quarantine, found: QuarantineEffect) -> QuarantineHead:
    """Make everything but the list of retrievals."""
    head, changes = evaluation.head(), found.flips
    return QuarantineHead(
        schema=QUARANTINE_SCHEMA,
        log=head.log,
        catalogue=head.catalogue,
        trust=head.trust,
        policy=head.policy,
        quarantine=NamedRecord(
            list(named.documents),
            list(named.anchors),
            list(named.originators),
            list(named.generators),
            list(named.collections),
        ),
        unmatched=[UnmatchedRecord(kind, name) for kind, name in found.unmatched],
        dropped_results=found.dropped,
        dropped_judged_results=found.dropped_judged,
        touched=len(found.touched),
        short=len(found.short),
        empty=len(found.empty),
        before=_side(found.before, found.sources[0]),
        after=_side(found.after, found.sources[1]),
        flips=[
            FlipRecord(VERDICT_WORDS[before], VERDICT_WORDS[after], int(changes[before, after]))
            for before, after in np.argwhere(changes).tolist()
            if before != after
        ],
    )


def make_touched_records(found: QuarantineEffect, positions: NDArray[np.int64]) -> Iterator[TouchedRecord]:
    """Make the records of these retrievals (positions among those kept), before and after."""
    statistics = found.before.statistics
    log = statistics.evidence.log
    sides = zip(*(_facts(verdicts, positions) for verdicts in (found.before, found.after)), strict=True)
    for number, (old, new) in zip(statistics.retrievals[positions].tolist(), sides, strict=True):
        name = log.query_ids.text(number) or ""
        pairs = [value for pair in zip(old, new, strict=True) for value in pair]
        yield TouchedRecord(log.retrieval_id(number), name, log.queries.text(number), *pairs)


def make_leverage_head(evaluation: Evaluation, found: Leverage, waived: bool) -> LeverageHead:
    """Make everything but the list of documents."""
    head = evaluation.head()
    return LeverageHead(
        schema=LEVERAGE_SCHEMA,
        log=head.log,
        catalogue=head.catalogue,
        trust=head.trust,
        policy=head.policy,
        signatures_waived=waived,
        counted=found.counted,
        unsettled=found.unsettled_retrievals,
        open_documents=found.open_documents,
        documents_that_matter=len(found.documents),
    )


def make_document_records(evaluation: Evaluation, found: Leverage, limit: int | None) -> Iterator[DocumentRecord]:
    """Make the records of the first ``limit`` documents, the most worth checking first."""
    part = slice(limit)
    names = evaluation.evidence.log.document_ids.values.take(pa.array(found.documents[part])).to_pylist()
    columns = (found.settles, found.if_human, found.if_synthetic, found.unsettled, found.unknown, found.unverified)
    rows = zip(names, *(column[part].tolist() for column in columns), strict=True)
    return (DocumentRecord(*row) for row in rows)


def _side(verdicts: Verdicts, sources: float | None) -> SideRecord:
    summary = verdicts.summary()
    return SideRecord(
        counted=summary.counted,
        no_results=summary.no_results,
        judged_results=verdicts.statistics.judged_results,
        macro_ratio=summary.macro_ratio,
        micro_ratio=summary.micro_ratio,
        effective_anchors=sources,
        verdicts=summary.verdicts,
        verdicts_if_signatures_waived=summary.verdicts_if_signatures_waived,
        proceed=summary.proceed,
        halt=summary.halt,
    )


def _facts(
    verdicts: Verdicts, positions: NDArray[np.int64]
) -> Iterator[tuple[int, int, int, float | None, str, str, str | None]]:
    """Give results, human, total, effective anchors, verdict, waived verdict and decision of each retrieval."""
    statistics, policy = verdicts.statistics, verdicts.policy
    p, at = statistics.profiles, statistics.profile_of[positions]
    counts = p.counts[policy.belief, UNITS.code(policy.count)]
    effective = p.effective[policy.belief][at]
    return zip(
        p.entries[at].tolist(),
        counts[Category.HUMAN][at].tolist(),
        counts.sum(axis=0)[at].tolist(),
        [None if np.isnan(value) else float(value) for value in effective],
        [VERDICT_WORDS[code] for code in verdicts.verdicts[at].tolist()],
        [VERDICT_WORDS[code] for code in verdicts.waived[at].tolist()],
        [DECISION_WORDS[code] for code in verdicts.decisions[at].tolist()],
        strict=True,
    )
