"""The figure of depths split: a bar of shares for each rank, originator or month.

Flows in: rows of ``dashboard.views.depths``.  Flows out: a plotly figure.
Rules kept here: those of the package; a depth has the colour of its histogram, depths of one colour differ by pattern,
and the unknown ones come last and dotted.
Not here: words and numbers (``views``).
"""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts import style
from dashboard.text import escape_plotly
from dashboard.views.depths import DepthSplit
from guard_core.judging.statistics import DEPTH_BUCKETS

_LOOKS = {
    "0": (style.HUMAN, "", "Depth 0 (human)"),
    "1": (style.DEPTH_1, "/", "1"),
    "2": (style.DEEP, "", "2"),
    "3": (style.DEEP, "x", "3"),
    "4+": (style.DEEP, "+", "4+"),
    "unknown": (style.UNKNOWN, ".", "Unknown"),
}


def draw_split(rows: DepthSplit) -> go.Figure:
    """A stacked bar of shares by depth for each group."""
    made = style.start_figure(max(style.MEDIUM, 96 + 26 * len(rows.groups)), legend=True)
    names = [escape_plotly(name) for name in rows.groups]
    totals = [sum(row) for row in rows.counts]
    for j, bucket in enumerate(DEPTH_BUCKETS):
        parts = [row[j] for row in rows.counts]
        if not any(parts):
            continue
        colour, shape, name = _LOOKS[bucket]
        shares = [part / total for part, total in zip(parts, totals, strict=True)]
        made.add_bar(
            y=names,
            x=shares,
            orientation="h",
            name=name,
            marker={"color": colour, "pattern": style.make_pattern(shape), "line": {"width": 1, "color": style.PAPER}},
            text=[f"{100 * value:.0f}%" if value >= 0.09 else "" for value in shares],
            textposition="inside",
            insidetextanchor="middle",
            textfont={"color": "#ffffff", "size": 12},
            textangle=0,
            customdata=list(zip(parts, totals, strict=True)),
            hovertemplate=f"%{{y}}<br>Depth {bucket}: %{{x:.1%}}, %{{customdata[0]:,}} of %{{customdata[1]:,}} results"
            "<extra></extra>",
        )
    made.update_layout(barmode="stack", bargap=0.25, margin={"r": 28})
    made.update_xaxes(
        title="Share of the results", range=[0, 1], tickvals=[0, 0.25, 0.5, 0.75, 1], tickformat=".0%", showgrid=False,
        zeroline=False,
    )  # fmt: skip
    made.update_yaxes(type="category", categoryorder="array", categoryarray=list(reversed(names)))
    return made.done()
