"""The figures of Originators: statuses of claims by originator, and the claims that fail by status.

Flows in: rows of ``dashboard.views.corpus.originators``.  Flows out: plotly figures.
Rules kept here: those of the package; statuses of one kind share a colour and differ by pattern, and a status has the
same ones in both figures.
Not here: words and numbers (``views``).
"""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts import style
from dashboard.text import escape_plotly
from dashboard.views.corpus.originators import Originators
from dashboard.words import label_code
from guard_core.model import SignatureStatus as Status

_FORGED, _TRUST, _TIME, _CONTENT = style.DEEP, style.DEPTH_1, style.CLUSTER[4], style.ACCENT

LOOKS: dict[str, tuple[str, str]] = {
    Status.VALID.value: (style.NEUTRAL, ""),
    Status.MISSING.value: (style.NONE, "-"),
    Status.UNCHECKED.value: (style.UNKNOWN, "."),
    Status.MALFORMED.value: (_FORGED, ""),
    Status.ALG_NOT_ALLOWED.value: (_FORGED, "/"),
    Status.UNKNOWN_KEY.value: (_FORGED, "."),
    Status.BAD_SIGNATURE.value: (_FORGED, "x"),
    Status.UNTRUSTED_ISSUER.value: (_TRUST, ""),
    Status.NOT_PERMITTED.value: (_TRUST, "/"),
    Status.KEY_NOT_VALID.value: (_TRUST, "."),
    Status.REVOKED.value: (_TRUST, "x"),
    Status.NOT_YET_VALID.value: (_TIME, "/"),
    Status.EXPIRED.value: (_TIME, ""),
    Status.INCONSISTENT.value: (_CONTENT, "."),
    Status.SUBJECT_MISMATCH.value: (_CONTENT, "/"),
    Status.CONTENT_MISMATCH.value: (_CONTENT, ""),
}
"""Colour and pattern of each status: what cannot be somebody's signature, whose word does not count, when, of what."""


def draw_statuses(rows: Originators) -> go.Figure:
    """A stacked bar of results for each originator, by status of their claims."""
    made = style.start_figure(max(style.MEDIUM, 150 + 40 * len(rows.names)), legend=True)
    names = [escape_plotly(name, 34) for name in rows.names]
    for j, status in enumerate(rows.statuses):
        colour, shape = LOOKS[status]
        made.add_bar(
            y=names,
            x=[row[j] for row in rows.counts],
            orientation="h",
            name=label_code(status),
            marker={"color": colour, "pattern": style.make_pattern(shape), "line": {"width": 0}},
            hovertemplate="%{y}<br>" + label_code(status) + ": %{x:,} results<extra></extra>",
        )
    made.update_layout(barmode="stack", bargap=0.35, margin={"t": 84}, legend={"entrywidth": 128})
    made.update_xaxes(title="Results", rangemode="tozero", tickformat=",d", nticks=6)
    made.update_yaxes(type="category", categoryorder="array", categoryarray=list(reversed(names)))
    return made.done()


def draw_faults(rows: Originators) -> go.Figure:
    """Bars of the claims that fail, by status."""
    names = [label_code(status) for status, _ in rows.faults]
    made = style.start_figure(max(style.SMALL, 90 + 26 * len(names)))
    looks = [LOOKS[status] for status, _ in rows.faults]
    made.add_bar(
        y=names,
        x=[number for _, number in rows.faults],
        orientation="h",
        marker={"color": [colour for colour, _ in looks], "pattern": style.make_pattern([shape for _, shape in looks])},
        text=[f"{number:,}" for _, number in rows.faults],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{x:,} results<extra></extra>",
    )
    made.update_layout(margin={"r": 48})
    made.update_xaxes(title="Results", rangemode="tozero", tickformat=",d", nticks=6)
    made.update_yaxes(**style.order_categories(list(reversed(names))))
    return made.done()
