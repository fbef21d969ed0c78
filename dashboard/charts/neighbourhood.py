"""Draw where a document comes from and what comes from it: sources on top.

Flows in: ``ChainPicture``.  Flows out: a plotly figure.
Rules kept here: those of the package; a class has a shape besides its colour, and who names a link has a sign in the
middle of the line; a link that does not count is dotted.
Not here: places and words (``views``).
"""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts import style
from dashboard.charts.figure import FigureBuilder
from dashboard.text import escape_plotly
from dashboard.views.corpus.neighbourhood import ChainLine, ChainPicture, ChainPoint
from dashboard.words import LINK_NAMED_BY
from guard_core.corpus.derivation import Bases

_CLASSES = (
    ("Human", style.HUMAN, "circle"),
    ("Depth 1", style.DEPTH_1, "square"),
    ("Deeper", style.DEEP, "diamond"),
    ("Unknown", style.UNKNOWN, "x"),
)
_BASES = {
    Bases.SIGNED: (style.CLUSTER[4], "star"),
    Bases.CATALOGUE: (style.NEUTRAL, "circle"),
    Bases.DECLARED: (style.NONE, "square"),
}
_LABEL = 16
_ROW = 84


def draw_chain(rows: ChainPicture) -> go.Figure:
    """Draw documents as signs by class, in rows by step, and links as lines by basis."""
    heights = sorted({point.y for point in rows.points} | ({rows.gap} if rows.gap is not None else set()))
    level = {y: -place for place, y in enumerate(heights)}
    figure = style.start_figure(max(style.MEDIUM, 130 + _ROW * len(heights)), legend=True)
    _add_gap(figure, rows, level)
    for basis, (colour, sign) in _BASES.items():
        for anchor, counts in ((False, True), (False, False), (True, True), (True, False)):
            lines = [
                line
                for line in rows.lines
                if line.basis == basis and line.anchor == anchor and (anchor or line.counts == counts)
            ]
            if lines and not (anchor and not counts):
                _add_lines(figure, rows, level, lines, _name_lines(basis, anchor=anchor, counts=counts), colour, sign)
    for group, (name, colour, symbol) in enumerate(_CLASSES):
        inside = [point for point in rows.points if point.group == group]
        if not inside:
            continue
        figure.add_scatter(
            x=[point.x for point in inside],
            y=[level[point.y] for point in inside],
            mode="markers+text",
            name=name,
            text=[_shorten_name(point.name, point.more, opened=point.opened) for point in inside],
            textposition="bottom center",
            textfont={"size": 12},
            marker={
                "color": colour,
                "symbol": symbol,
                "opacity": 1,
                "size": [24 if point.opened else 16 for point in inside],
                "line": {
                    "width": [3 if point.conflict else 1 for point in inside],
                    "color": [style.ACCENT if point.conflict else style.PAPER for point in inside],
                },
            },
            customdata=[
                (
                    escape_plotly(point.name),
                    escape_plotly(point.known),
                    "<br>conflicting statements" if point.conflict else "",
                    f"<br>{point.more}" if point.more else "",
                )
                for point in inside
            ],
            hovertemplate="%{customdata[0]}<br>%{customdata[1]}%{customdata[2]}%{customdata[3]}<extra></extra>",
        )
    reach = max(max(abs(point.x) for point in rows.points) + 0.6, 1.4)
    figure.update_layout(margin={"t": 64, "l": 4, "r": 4, "b": 4}, legend={"itemsizing": "constant", "y": 1.0})
    figure.update_xaxes(visible=False, range=[-reach, reach])
    figure.update_yaxes(visible=False, range=[-len(heights) + 0.35, 0.4])
    return figure.build()


def _measure_name(point: ChainPoint) -> float:
    """Return how far below a document its name ends, in rows."""
    return 0.46 if point.more else 0.3


def _shorten_name(name: str, more: str, *, opened: bool) -> str:
    half = _LABEL // 2  # ids of one family often differ at their ends only
    cut = escape_plotly(name if len(name) <= _LABEL else f"{name[: half - 1]}…{name[-half:]}")
    return (f"<b>{cut}</b>" if opened else cut) + (f"<br>{more}" if more else "")


def _name_lines(basis: Bases, *, anchor: bool, counts: bool) -> str:
    if anchor:
        return f"Anchor, by {LINK_NAMED_BY[basis]}"
    return f"Derived, by {LINK_NAMED_BY[basis]}" + ("" if counts else " (does not count)")


def _add_lines(
    figure: FigureBuilder,
    rows: ChainPicture,
    level: dict[int, int],
    lines: list[ChainLine],
    name: str,
    colour: str,
    sign: str,
) -> None:
    """Add links of one kind: a line each, with the sign of its basis in the middle."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    middles = []
    for line in lines:
        parent, child = rows.points[line.parent], rows.points[line.child]
        # A line begins below the name of the document, which it would cross otherwise.
        below = _measure_name(parent) if parent.y < child.y else 0.0
        first, last = (parent.x, float(level[parent.y]) - below), (child.x, float(level[child.y]))
        # A link over several rows bends, so that it does not run behind the documents between.
        bend = 0.45 if abs(last[1] - first[1]) > 1.5 and first[0] == last[0] else 0.0
        middle = ((first[0] + last[0]) / 2 + bend, (first[1] + last[1]) / 2)
        xs += [first[0], middle[0], last[0], None]
        ys += [first[1], middle[1], last[1], None]
        middles.append(
            (*middle, f"{escape_plotly(child.name)} from {escape_plotly(parent.name)}", escape_plotly(line.text))
        )
    dash = "dash" if lines[0].anchor else "solid" if lines[0].counts else "dot"
    figure.add_scatter(
        x=xs,
        y=ys,
        mode="lines",
        line={"color": colour, "width": 2 if lines[0].counts else 1.4, "dash": dash},
        hoverinfo="skip",
        name=name,
        legendgroup=name,
        showlegend=False,
    )
    figure.add_scatter(
        x=[middle[0] for middle in middles],
        y=[middle[1] for middle in middles],
        mode="lines+markers" if len(middles) == 1 else "markers",
        line={"color": colour, "dash": dash},
        marker={"color": colour, "symbol": sign, "size": 8},
        name=name,
        legendgroup=name,
        customdata=[middle[2:] for middle in middles],
        hovertemplate="%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
    )


def _add_gap(figure: FigureBuilder, rows: ChainPicture, level: dict[int, int]) -> None:
    """Say between the sources and the rest how many documents above are left out."""
    if rows.gap is None:
        return
    y = level[rows.gap]
    ends = [*rows.beyond, *rows.open_above]
    xs: list[float | None] = []
    ys: list[float | None] = []
    for end in ends:
        point = rows.points[end]
        below = _measure_name(point) if level[point.y] > y else 0.0
        xs += [point.x, 0.0, None]
        ys += [float(level[point.y]) - below, float(y), None]
    figure.add_scatter(
        x=xs,
        y=ys,
        mode="lines",
        line={"color": style.UNKNOWN, "width": 1, "dash": "dot"},
        hoverinfo="skip",
        showlegend=False,
    )
    figure.update_layout(
        annotations=[
            {
                "x": 0,
                "y": y,
                "text": rows.gap_text,
                "showarrow": False,
                "bgcolor": style.UNKNOWN,
                "borderpad": 4,
                "font": {"color": "#ffffff", "size": 12},
            }
        ]
    )
