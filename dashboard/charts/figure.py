"""A figure while it is drawn: plain traces and a plain layout, made into a plotly figure once, at the end.

Flows in: traces and settings, in plotly's words.  Flows out: ``go.Figure``.
Rules kept here: plotly's own objects check each setting when it is made, which takes longer than judging a million
retrievals; here nothing is checked while a slider moves, and the tests check every figure instead.
Not here: colours and layout (``style.py``).
"""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go


class FigureBuilder:
    """A figure to add to.  The methods have the names and arguments of ``go.Figure``."""

    def __init__(self, layout: Mapping[str, object] | None = None) -> None:
        self.traces: list[dict[str, object]] = []
        self.layout: dict[str, object] = {}
        self.update_layout(**(layout or {}))

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

    def add_trace(self, trace: dict[str, object]) -> None:
        """Add a trace of any type."""
        self.traces.append(trace)

    def add_vline(self, x: float, line: Mapping[str, object], text: Mapping[str, object], *, left: bool) -> None:
        """Add a line over the whole height, with a text at its top, to the left or right of it."""
        shape = {
            "type": "line",
            "x0": x,
            "x1": x,
            "y0": 0,
            "y1": 1,
            "xref": "x",
            "yref": "y domain",
            "line": dict(line),
        }
        place = {"x": x, "y": 1, "xref": "x", "yref": "y domain", "yanchor": "top", "showarrow": False}
        self._append("shapes", shape)
        self._append("annotations", place | {"xanchor": "right" if left else "left"} | dict(text))

    def update_layout(self, **settings: object) -> None:
        """Add settings to the layout; parts that are there already are kept where they are not named."""
        _merge_settings(self.layout, settings)

    def update_xaxes(self, **settings: object) -> None:
        """Add settings to the x axis."""
        self.update_layout(xaxis=settings)

    def update_yaxes(self, **settings: object) -> None:
        """Add settings to the y axis."""
        self.update_layout(yaxis=settings)

    def done(self) -> go.Figure:
        """The figure."""
        return go.Figure({"data": self.traces, "layout": self.layout}, _validate=False)

    def _append(self, name: str, part: dict[str, object]) -> None:
        known = self.layout.get(name)
        self.layout[name] = [*(known if isinstance(known, list) else []), part]


def _merge_settings(into: dict[str, object], settings: Mapping[str, object]) -> None:
    for name, value in settings.items():
        known = into.get(name)
        if name == "title" and isinstance(value, str):
            into[name] = {"text": value}
        elif isinstance(known, dict) and isinstance(value, Mapping):
            _merge_settings(known, value)
        elif isinstance(value, Mapping):
            fresh: dict[str, object] = {}
            _merge_settings(fresh, value)
            into[name] = fresh
        else:
            into[name] = value
