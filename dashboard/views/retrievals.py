"""List retrievals, with what the rule says about each.

Flows in: ``Verdicts`` and retrieval numbers.  Flows out: ``Table``.
Rules kept here: directives are made for the rows on screen only; text from the log is written out
(``text.visible``), cut to a cell, and the ids keep every character.
Not here: what changed between two policies (``whatif.py``).
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dashboard.text import escape_text
from dashboard.views.table import ROWS_ON_SCREEN, Cell, Table, make_table
from dashboard.words import DECISIONS, VERDICT_LABEL, label_code
from guard_core.codes import FINDINGS
from guard_core.ingest.log import Log
from guard_core.judging.guard import SyntheticSourceGuard
from guard_core.judging.judge import Verdicts
from guard_core.model import Finding

COLUMNS = (
    "Retrieval",
    "Query",
    "Verdict",
    "Signatures waived",
    "Decision",
    "Human",
    "Sources",
    "Deepest",
    "Findings",
    "What to do",
)


def name_retrievals(log: Log, numbers: NDArray[np.int64]) -> list[tuple[str, str]]:
    """Return the id and the query of each of these retrievals (numbers in the log), escaped for cells of a table."""
    ids, queries = (
        column.values.take(pa.array(column.codes[numbers], mask=column.codes[numbers] < 0)).to_pylist()
        for column in (log.query_ids, log.queries)
    )
    return [
        (escape_text(name if repeat == 1 else f"{name or ''}#{repeat}"), escape_text(query))
        for name, query, repeat in zip(ids, queries, log.occurrences[numbers].tolist(), strict=True)
    ]


def find_retrievals(verdicts: Verdicts, code: str) -> NDArray[np.int64]:
    """Return the positions of the counted retrievals that have a finding, in the order of the log."""
    bit = FINDINGS.bit(Finding(code))
    has = verdicts.counted & ((verdicts.findings & bit) != 0)
    return np.flatnonzero(has[verdicts.statistics.profile_of])


def list_retrievals(verdicts: Verdicts, positions: NDArray[np.int64]) -> Table:
    """List the retrievals at these positions, as many as a screen takes."""
    statistics, policy = verdicts.statistics, verdicts.policy
    log = statistics.evidence.log
    words, waived = verdicts.per_retrieval("verdicts"), verdicts.per_retrieval("waived")
    decisions = verdicts.per_retrieval("decisions")
    rows: list[tuple[Cell, ...]] = []
    kept = positions[:ROWS_ON_SCREEN]
    numbers = statistics.retrievals[kept].tolist()
    names = name_retrievals(log, statistics.retrievals[kept])
    for position, number, shown in zip(kept.tolist(), numbers, names, strict=True):
        if log.offsets[number] == log.offsets[number + 1]:
            rows.append((*shown, VERDICT_LABEL[words[position]], "", "", "0 of 0", None, None, "", ""))
            continue
        manifest = SyntheticSourceGuard.evaluate_results(
            statistics.evidence.results(number, policy.top_k),
            policy,
            creative_task=bool(log.creative[number]),
            rejected_results=int(log.rejected_results[number]),
        )
        rows.append(
            (
                *shown,
                VERDICT_LABEL[words[position]],
                VERDICT_LABEL[waived[position]],
                DECISIONS[decisions[position]],
                f"{manifest.human} of {manifest.total}",
                None if manifest.effective_anchors is None else round(manifest.effective_anchors, 1),
                manifest.max_depth,
                ", ".join(label_code(finding.value) for finding in manifest.findings),
                escape_text(manifest.directive),
            )
        )
    return make_table(COLUMNS, rows, len(positions), numbers)
