"""Draw depths split by rank, originator, generator or month.

Flows in: ``DepthSplit``.  Flows out: a plotly figure.
Rules kept here: those of the package; a depth has the colour of its histogram, depths of one colour differ by pattern,
and the unknown ones come last and dotted.
Not here: words and numbers (``views``).
"""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts import style
from dashboard.views.depths import DepthSplit

DEPTH_STYLE = {
    "0": ("0 (human)", style.HUMAN, ""),
    "1": ("1", style.DEPTH_1, "/"),
    "2": ("2", style.DEEP, ""),
    "3": ("3", style.DEEP, "x"),
    "4+": ("4+", style.DEEP, "+"),
    "unknown": ("unknown", style.UNKNOWN, "."),
}
"""Name, colour and pattern of each bucket of depths."""


def draw_split(rows: DepthSplit) -> go.Figure:
    """Draw a stacked bar of shares by depth for each group."""
    figure = style.start_figure(max(style.MEDIUM, 96 + 26 * len(rows.groups)), legend=True)
    parts = [
        style.Part(f"Depth {name}", colour, shape, counts)
        for (name, colour, shape), *counts in zip(DEPTH_STYLE.values(), *rows.counts, strict=True)
        if any(counts)
    ]
    style.add_share_bars(figure, rows.groups, parts, "results", size=12)
    figure.update_xaxes(title="Share of the results")
    return figure.build()
