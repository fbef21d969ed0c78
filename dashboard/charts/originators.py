"""Draw statuses of claims by originator, and the claims that fail by status.

Flows in: ``Originators``.  Flows out: plotly figures.
Rules kept here: those of the package; statuses of one kind share a colour and differ by pattern, and a status has the
same ones in both figures.
Not here: words and numbers (``views``).
"""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts import style
from dashboard.views.corpus.originators import Originators
from dashboard.words import label_code
from guard_core.model import SignatureStatus as Status

_FORGED, _TRUST, _TIME, _CONTENT = style.DEEP, style.DEPTH_1, style.CLUSTER[4], style.ACCENT

STATUS_STYLE: dict[Status, tuple[str, str]] = {
    Status.VALID: (style.NEUTRAL, ""),
    Status.MISSING: (style.NONE, "-"),
    Status.UNCHECKED: (style.UNKNOWN, "."),
    Status.MALFORMED: (_FORGED, ""),
    Status.ALG_NOT_ALLOWED: (_FORGED, "/"),
    Status.UNKNOWN_KEY: (_FORGED, "."),
    Status.BAD_SIGNATURE: (_FORGED, "x"),
    Status.UNTRUSTED_ISSUER: (_TRUST, ""),
    Status.NOT_PERMITTED: (_TRUST, "/"),
    Status.KEY_NOT_VALID: (_TRUST, "."),
    Status.REVOKED: (_TRUST, "x"),
    Status.NOT_YET_VALID: (_TIME, "/"),
    Status.EXPIRED: (_TIME, ""),
    Status.INCONSISTENT: (_CONTENT, "."),
    Status.SUBJECT_MISMATCH: (_CONTENT, "/"),
    Status.CONTENT_MISMATCH: (_CONTENT, ""),
}
"""Colour and pattern of each status: what cannot be somebody's signature, who does not count, when, for what text."""


def draw_statuses(rows: Originators) -> go.Figure:
    """Draw a stacked bar of results for each originator, by the status of their claims."""
    figure = style.start_figure(max(style.MEDIUM, 150 + 40 * len(rows.names)), legend=True)
    parts = [
        style.Part(label_code(status.value), *STATUS_STYLE[status], [row[j] for row in rows.counts])
        for j, status in enumerate(rows.statuses)
    ]
    style.add_count_bars(figure, rows.names, parts)
    figure.update_layout(margin={"t": 84}, legend={"entrywidth": 128})
    return figure.build()


def draw_faults(rows: Originators) -> go.Figure:
    """Draw bars of the claims that fail, by status."""
    statuses, numbers = [status for status, _ in rows.faults], [number for _, number in rows.faults]
    colours, shapes = ([STATUS_STYLE[status][i] for status in statuses] for i in (0, 1))
    names = [label_code(status.value) for status in statuses]
    height = max(style.SMALL, 90 + 26 * len(names))
    return style.draw_numbered_bars(height, names, numbers, colours, shapes).build()
