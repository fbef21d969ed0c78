"""Draw the results of each listed retrieval by class.

Flows in: ``ClassCounts``.  Flows out: a plotly figure.
Rules kept here: those of the package; ids are categories in the order of the list, however much they look like numbers.
Not here: words and numbers (``views``).
"""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts import style
from dashboard.views.search import CLASSES, ClassCounts

_COLOURS = (style.HUMAN, style.DEPTH_1, style.DEEP, style.UNKNOWN)
_SHAPES = ("", "/", "x", ".")


def draw_classes(rows: ClassCounts) -> go.Figure:
    """Draw a stacked bar of results by class for each retrieval."""
    figure = style.start_figure(110 + 22 * len(rows.names), legend=True)
    columns = zip(*rows.counts, strict=True)
    style.add_count_bars(figure, rows.names, list(map(style.Part, CLASSES, _COLOURS, _SHAPES, columns)))
    return figure.build()
