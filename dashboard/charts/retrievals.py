"""The figure of Retrievals: what each listed retrieval is made of.

Flows in: rows of ``dashboard.views.search``.  Flows out: a plotly figure.
Rules kept here: those of the package; ids are categories in the order of the list, however much they look like numbers.
Not here: words and numbers (``views``).
"""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts import look
from dashboard.text import plotly_text
from dashboard.views.search import CLASSES, Makeup

_COLOURS = (look.HUMAN, look.DEPTH_1, look.DEEP, look.UNKNOWN)
_SHAPES = ("", "/", "x", ".")


def makeup(rows: Makeup) -> go.Figure:
    """A stacked bar of results by class for each retrieval."""
    made = look.figure(110 + 22 * len(rows.names), legend=True)
    labels = [plotly_text(name) for name in rows.names]
    for j, name in enumerate(CLASSES):
        made.add_bar(
            y=labels,
            x=[row[j] for row in rows.counts],
            orientation="h",
            name=name,
            marker={"color": _COLOURS[j], "pattern": look.hatch(_SHAPES[j]), "line": {"width": 0}},
            hovertemplate=f"%{{y}}: %{{x}} {name.lower()}<extra></extra>",
        )
    made.update_layout(barmode="stack", bargap=0.25)
    made.update_xaxes(title="Results", rangemode="tozero", tickformat=",d", nticks=8)
    made.update_yaxes(**look.categories(list(reversed(rows.names))))
    return made.done()
