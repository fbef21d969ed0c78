"""List the documents worth checking first, with what a check of each would settle.

Flows in: ``Leverage``.  Flows out: a table and sentences.
Rules kept here: the numbers are the library's; a document is listed as far as it has something to settle.
Not here: the ranking (``guard_core.corpus.leverage``).
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from dashboard.text import escape_text
from dashboard.views.table import ROWS_ON_SCREEN, Table, make_table
from dashboard.words import format_share
from guard_core.corpus.leverage import Leverage, find_leverage
from guard_core.judging.statistics import Statistics
from guard_core.model import SynthesisPolicy
from guard_core.visible import count_noun


@dataclass(frozen=True, slots=True)
class CheckList:
    """``title`` says what is at stake, ``detail`` how to read the table."""

    title: str
    detail: str
    numbers: Table


def list_checks(statistics: Statistics, policy: SynthesisPolicy) -> CheckList:
    """List the documents in the order in which to check them."""
    found, evidence = find_leverage(statistics, policy), statistics.evidence
    first = found.documents[:ROWS_ON_SCREEN]
    names: list[str] = evidence.log.document_ids.values.take(pa.array(first)).to_pylist()
    rows = [
        (escape_text(name), settles, human, synthetic, unsettled, _explain_open(unknown, unverified))
        for name, settles, human, synthetic, unsettled, unknown, unverified in zip(
            names,
            found.settles[:ROWS_ON_SCREEN].tolist(),
            found.if_human[:ROWS_ON_SCREEN].tolist(),
            found.if_synthetic[:ROWS_ON_SCREEN].tolist(),
            found.unsettled[:ROWS_ON_SCREEN].tolist(),
            found.unknown[:ROWS_ON_SCREEN].tolist(),
            found.unverified[:ROWS_ON_SCREEN].tolist(),
            strict=True,
        )
    ]
    columns = ("Document", "Settles", "If human", "If synthetic", "Open in", "Why it is open")
    return CheckList(_title_checks(found), _DETAIL, make_table(columns, rows, len(found.documents), documents=names))


_DETAIL = (
    "A retrieval is settled where no check of its open documents can change its verdict any more. Settles: retrievals "
    "that a check of this document alone settles, whatever it says; if human, if synthetic: those that it settles if "
    "the check says so; open in: unsettled retrievals that hold it."
)


def _title_checks(found: Leverage) -> str:
    if not found.counted:
        return "There is nothing to settle: no retrieval has results"
    if not found.unsettled_retrievals:
        return "Every retrieval is settled: no check of a document can change a verdict"
    open_ones = format_share(found.unsettled_retrievals, found.counted)
    start = f"{found.unsettled_retrievals:,} of {count_noun(found.counted, 'retrieval')} ({open_ones}) are not settled"
    best = int(found.if_human[0]) + int(found.if_synthetic[0]) if len(found.documents) else 0
    if not best:
        return f"{start}, and no single check settles one"
    most = max(int(found.if_human[0]), int(found.if_synthetic[0]))
    return f"{start}; a check of the first document settles up to {most:,}"


def _explain_open(unknown: bool, unverified: bool) -> str:
    return " and ".join(word for word, is_open in (("unknown", unknown), ("unverified", unverified)) if is_open)
