"""Draw tables for notebooks: HTML in which text from outside can do nothing.

Flows in: a summary and its policy, what was read, rows of a frame.  Flows out: HTML.
Rules kept here: every text is shown with visible escapes (R20) and escaped for HTML; every count stands beside what it
is a share of.
Not here: tables on a terminal (``table.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from guard_core.judging.judge import Summary
from guard_core.judging.policy import NamedPolicy
from guard_core.model import SynthesisVerdict
from guard_core.output.people.layout import format_part
from guard_core.output.people.sentences import describe_policy, find_warning
from guard_core.provenance.evidence import Evidence
from guard_core.visible import count_noun, shorten, visible

_MOST = 10
"""Rejected rows that are listed."""

_WIDEST = 120
"""Columns of a terminal that a cell of a frame may take."""

_NO_FORMULAS = ' class="tex2jax_ignore mathjax_ignore"'
"""Notebooks draw what stands between dollars as formulas, which may hold links."""


def draw_evaluation(summary: Summary, named: NamedPolicy) -> str:
    """Draw the verdicts of a judged log, as judged and with signatures waived, under the policy in force."""
    rows = [
        (
            verdict.name,
            format_part(summary.verdicts[verdict.name], summary.counted),
            format_part(summary.verdicts_if_signatures_waived[verdict.name], summary.counted),
        )
        for verdict in SynthesisVerdict
    ]
    rows.append(("of retrievals counted", f"{summary.counted:,}", f"{summary.counted:,}"))
    lines = [
        count_noun(summary.retrievals, "retrieval"),
        f"{summary.no_results:,} without results and {count_noun(summary.creative, 'creative task')}, counted apart",
        f"PROCEED {format_part(summary.proceed, summary.counted)}",
        f"HALT {format_part(summary.halt, summary.counted)}",
        f"Policy {describe_policy(named)}",
    ]
    warning = find_warning(named.policy)
    return _draw_table(("Verdicts", "as judged", "signatures waived"), rows) + _draw_lines(
        lines if warning is None else [*lines, warning]
    )


def draw_reading(evidence: Evidence) -> str:
    """Draw what was read of a log, its catalogue and its trust store, and what was rejected."""
    log = evidence.log
    sources = [("log", f"{file.name} ({file.format})") for file in log.files]
    rows = [*sources, ("rows", _account(log.rows_read, log.rows_accepted, log.rows_rejected, log.rows_ignored))]
    rows.append(("retrievals", f"{log.retrieval_count:,} with {count_noun(log.result_count, 'result')}"))
    if log.incomplete:
        rows.append(("incomplete", "the log ends early or says of itself that it is partial"))
    problems = list(log.problems)
    catalogue = evidence.catalogue
    if catalogue is not None:
        matched = format_part(evidence.matched_results, log.result_count)
        entries = _account(
            catalogue.rows_read, catalogue.rows_accepted, catalogue.rows_rejected, catalogue.rows_ignored
        )
        rows.append(("catalogue", f"{catalogue.file.name}: {entries}; {matched} of the results are in it"))
        problems += catalogue.problems
    if evidence.decided is not None:
        store = evidence.decided.store
        rows.append(("trust", f"{count_noun(len(store.keys), 'usable key')}, {len(store.skipped):,} skipped"))
    rows += [("rejected", f"{p.file}:{p.line}: {p.field}: {p.reason}") for p in problems[:_MOST]]
    rejected = log.rows_rejected + (0 if catalogue is None else catalogue.rows_rejected)
    if rejected > _MOST:
        rows.append(("", f"... and {rejected - _MOST:,} more"))
    rows += [("notice", f"{notice.code}: {notice.message}") for notice in (*log.notices, *evidence.notices)]
    return _draw_table((), rows)


def draw_rows(columns: Mapping[str, Sequence[object]], whole: int) -> str:
    """Draw the first rows of a frame of ``whole`` rows."""
    rows = list(zip(*columns.values(), strict=True))
    return _draw_table(tuple(columns), rows, _WIDEST) + _draw_lines([f"{len(rows):,} of {count_noun(whole, 'row')}"])


def _account(read: int, accepted: int, rejected: int, ignored: int) -> str:
    return f"{read:,} read = {accepted:,} accepted + {rejected:,} rejected + {ignored:,} ignored"


def _draw_table(header: Sequence[str], rows: Iterable[Sequence[object]], widest: int | None = None) -> str:
    """Draw a table; its cells are cut to ``widest`` columns, if given."""
    head = "".join(f"<th>{_escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{_escape(cell, widest)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table{_NO_FORMULAS}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _draw_lines(lines: Iterable[str]) -> str:
    return "".join(f"<p{_NO_FORMULAS}>{_escape(line)}</p>" for line in lines)


def _escape(value: object, widest: int | None = None) -> str:
    if value is None:
        return ""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return escape(visible(text) if widest is None else shorten(visible(text), widest))
