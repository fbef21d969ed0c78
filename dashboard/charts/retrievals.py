"""The figure of Retrievals: what each listed retrieval is made of.

Flows in: rows of ``dashboard.views.search``.  Flows out: a plotly figure.
Rules kept here: those of the package; ids are categories in the order of the list, however much they look like numbers.
Not here: words and numbers (``views``).
"""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts import style
from dashboard.text import escape_plotly
from dashboard.views.search import CLASSES, ClassCounts

_COLOURS = (style.HUMAN, style.DEPTH_1, style.DEEP, style.UNKNOWN)
_SHAPES = ("", "/", "x", ".")


def draw_classes(rows: ClassCounts) -> go.Figure:
    """A stacked bar of results by class for each retrieval."""
    made = style.start_figure(110 + 22 * len(rows.names), legend=True)
    labels = [escape_plotly(name) for name in rows.names]
    for j, name in enumerate(CLASSES):
        made.add_bar(
            y=labels,
            x=[row[j] for row in rows.counts],
            orientation="h",
            name=name,
            marker={"color": _COLOURS[j], "pattern": style.make_pattern(_SHAPES[j]), "line": {"width": 0}},
            hovertemplate=f"%{{y}}: %{{x}} {name.lower()}<extra></extra>",
        )
    made.update_layout(barmode="stack", bargap=0.25)
    made.update_xaxes(title="Results", rangemode="tozero", tickformat=",d", nticks=8)
    made.update_yaxes(**style.order_categories(list(reversed(rows.names))))
    return made.done()
