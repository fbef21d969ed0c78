"""Hold what all figures share: the colour, pattern and order of every verdict, the layout, and kinds of bars.

Flows in: codes of verdicts, names, counts.  Flows out: colours, patterns, layouts, traces of bars.
Rules kept here: colour is never the only difference, so each verdict has a pattern too and its label stands beside
it; one palette serves light and dark: each colour has a contrast of at least 3:1 against both backgrounds, and of
4.5:1 under white text.
Not here: fonts and backgrounds of pages (``.streamlit/config.toml``); Streamlit gives figures the fonts and grid of
its theme.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.charts.figure import FigureBuilder
from dashboard.text import escape_plotly
from dashboard.words import JUDGED, VERDICTS, label_code

HUMAN, DEPTH_1, DEEP, UNKNOWN, NONE = "#1f7a6b", "#96690f", "#b5482f", "#636b80", "#707577"
"""Semantic colours: grounded in humans, one step away, machine on machine, not known, nothing there."""

NEUTRAL, ACCENT = "#4a7c94", "#c2527a"
"""For what carries no judgement, and for the one line that marks a setting."""

INK, PAPER = "#14191d", "#ffffff"
"""A line over coloured areas is drawn twice, so that it stands out on each of them in both themes."""

SCALE = ("#8fb8ae", "#3f8f80", "#0e4a40")
"""From few to many of one kind; the number stands in each field as text."""

CLUSTER = ("#1f7a6b", "#b5482f", "#4a7c94", "#96690f", "#8a5aa8", "#5f7f2e", "#b84a70", "#636b80")
"""Colours of clusters, which carry no judgement; each cluster has a letter too."""

LEGEND = 9
"""Clusters named in a legend; the table has all."""

SMALL, MEDIUM, TALL = 210, 290, 380
"""Heights of figures in pixels."""


@dataclass(frozen=True, slots=True)
class Part:
    """One colour of stacked bars: ``counts[i]`` is its number in bar ``i``, ``shape`` its pattern."""

    name: str
    colour: str
    shape: str
    counts: Sequence[int]


def make_pattern(shape: str | Sequence[str]) -> dict[str, object]:
    """Return a pattern over an area's own colour, drawn lightly so that text on it stays readable."""
    return {"shape": shape, "fillmode": "overlay", "fgcolor": "#ffffff", "fgopacity": 0.3, "size": 7, "solidity": 0.16}


VERDICT_COLOUR = dict(zip(VERDICTS, (HUMAN, DEPTH_1, DEEP, UNKNOWN, NONE), strict=True))
VERDICT_SHAPE = dict(zip(VERDICTS, ("", "/", "x", ".", "-"), strict=True))


def start_figure(height: int, *, legend: bool = False) -> FigureBuilder:
    """Return an empty figure with the shared layout."""
    return FigureBuilder(
        {
            "height": height,
            "margin": {"l": 8, "r": 12, "t": 34 if legend else 12, "b": 8},
            "showlegend": legend,
            "legend": {
                "orientation": "h", "yanchor": "bottom", "y": 1.02, "xanchor": "left", "x": 0, "traceorder": "normal",
            },
            "bargap": 0.18,
            "hoverlabel": {"align": "left"},
            "separators": ".,",
            "uirevision": "keep",
            "xaxis": {"fixedrange": True, "automargin": True},
            "yaxis": {"fixedrange": True, "automargin": True},
        }
    )  # fmt: skip


def order_categories(names: Sequence[str]) -> dict[str, object]:
    """Return the settings of an axis of names in this order, on which ids made of digits stay names."""
    escaped = [escape_plotly(name) for name in names]
    return {"type": "category", "categoryorder": "array", "categoryarray": escaped}


def list_verdict_parts(counts: Sequence[Sequence[int]]) -> list[Part]:
    """Return the parts of bars of verdicts; ``counts[i][j]`` is the number of verdict ``JUDGED[j]`` in bar ``i``."""
    return [
        Part(label_code(verdict), VERDICT_COLOUR[verdict], VERDICT_SHAPE[verdict], [row[j] for row in counts])
        for j, verdict in enumerate(JUDGED)
    ]


def divide(parts: Sequence[int], totals: Sequence[int]) -> list[float | None]:
    """Return the share of each part, ``None`` of a total of 0."""
    return [part / total if total else None for part, total in zip(parts, totals, strict=True)]


def add_share_bars(
    figure: FigureBuilder, names: Sequence[str], parts: Sequence[Part], noun: str, *, size: int = 14
) -> None:
    """Add stacked horizontal bars of shares, one for each name from top to bottom.

    A part that has room carries its share as text of ``size`` pixels; pointing at it shows counts of ``noun``.
    """
    labels = [escape_plotly(name) for name in names]
    totals = [sum(row) for row in zip(*(part.counts for part in parts), strict=True)]
    for part in parts:
        shares = [share or 0.0 for share in divide(part.counts, totals)]
        figure.add_bar(
            y=labels,
            x=shares,
            orientation="h",
            name=part.name,
            marker={"color": part.colour, "pattern": make_pattern(part.shape), "line": {"width": 1, "color": PAPER}},
            text=[f"{100 * share:.0f}%" if share >= 0.07 else "" for share in shares],
            textposition="inside",
            insidetextanchor="middle",
            textfont={"color": "#ffffff", "size": size},
            textangle=0,
            customdata=list(zip(part.counts, totals, strict=True)),
            hovertemplate=f"{part.name}: %{{x:.1%}}, "
            f"%{{customdata[0]:,}} of %{{customdata[1]:,}} {noun}<extra></extra>",
        )
    figure.update_layout(barmode="stack", bargap=0.3, margin={"r": 28})
    figure.update_xaxes(
        range=[0, 1], tickvals=[0, 0.25, 0.5, 0.75, 1], tickformat=".0%", showgrid=False, zeroline=False
    )
    figure.update_yaxes(**order_categories(list(reversed(names))))


def add_count_bars(figure: FigureBuilder, names: Sequence[str], parts: Sequence[Part]) -> None:
    """Add stacked horizontal bars of results, one for each name from top to bottom."""
    labels = [escape_plotly(name) for name in names]
    for part in parts:
        figure.add_bar(
            y=labels,
            x=list(part.counts),
            orientation="h",
            name=part.name,
            marker={"color": part.colour, "pattern": make_pattern(part.shape), "line": {"width": 0}},
            hovertemplate=f"%{{y}}<br>{part.name}: %{{x:,}} results<extra></extra>",
        )
    figure.update_layout(barmode="stack", bargap=0.3)
    figure.update_xaxes(title="Results", rangemode="tozero", tickformat=",d", nticks=8)
    figure.update_yaxes(**order_categories(list(reversed(names))))


def draw_numbered_bars(
    height: int, names: Sequence[str], counts: Sequence[int], colours: Sequence[str], shapes: Sequence[str]
) -> FigureBuilder:
    """Draw horizontal bars of results, each with its number beside it."""
    figure = start_figure(height)
    figure.add_bar(
        y=list(names),
        x=list(counts),
        orientation="h",
        marker={"color": list(colours), "pattern": make_pattern(list(shapes))},
        text=[f"{number:,}" for number in counts],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{x:,} results<extra></extra>",
    )
    figure.update_layout(margin={"r": 48})
    figure.update_xaxes(title="Results", rangemode="tozero", tickformat=",d", nticks=6)
    figure.update_yaxes(**order_categories(list(reversed(names))))
    return figure


def order_periods(names: Sequence[str]) -> dict[str, object]:
    """Return the settings of an axis of time, with the names of at most six periods."""
    step = -(-len(names) // 6)
    return {"tickvals": list(names[::step]), "tickangle": 0} | order_categories(names)
