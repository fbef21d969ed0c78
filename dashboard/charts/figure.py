"""Build a figure from plain traces and a plain layout, and make it into a plotly figure once, at the end.

Flows in: traces and settings, in plotly's words.  Flows out: ``go.Figure``.
Rules kept here: plotly's own objects check each setting when they are made, which takes longer than judging a million
retrievals; here nothing is checked while a slider moves, and the tests check every figure instead.
Not here: colours and layout (``style.py``).
"""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go


class FigureBuilder:
    """A figure to add to.  The methods have the names and arguments of ``go.Figure``."""

    def __init__(self, layout: Mapping[str, object]) -> None:
        self.traces: list[dict[str, object]] = []
        self.layout: dict[str, object] = {}
        self.update_layout(**layout)

    def add_bar(self, **trace: object) -> None:
        """Add bars."""
        self.traces.append({"type": "bar"} | trace)

    def add_scatter(self, **trace: object) -> None:
        """Add points or lines."""
        self.traces.append({"type": "scatter"} | trace)

    def add_heatmap(self, **trace: object) -> None:
        """Add a field of cells."""
        self.traces.append({"type": "heatmap"} | trace)

    def add_sankey(self, **trace: object) -> None:
        """Add a flow."""
        self.traces.append({"type": "sankey"} | trace)

    def update_layout(self, **settings: object) -> None:
        """Add settings to the layout; parts that are there already are kept where they are not named."""
        _merge_settings(self.layout, settings)

    def update_xaxes(self, **settings: object) -> None:
        """Add settings to the x axis."""
        self.update_layout(xaxis=settings)

    def update_yaxes(self, **settings: object) -> None:
        """Add settings to the y axis."""
        self.update_layout(yaxis=settings)

    def build(self) -> go.Figure:
        """Return the figure."""
        return go.Figure({"data": self.traces, "layout": self.layout}, _validate=False)


def _merge_settings(into: dict[str, object], settings: Mapping[str, object]) -> None:
    for name, value in settings.items():
        present = into.get(name)
        if name == "title" and isinstance(value, str):
            into[name] = {"text": value}
        elif isinstance(value, Mapping):
            merged = present if isinstance(present, dict) else {}
            _merge_settings(merged, value)
            into[name] = merged
        else:
            into[name] = value
