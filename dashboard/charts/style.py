"""One visual language: the colour, pattern and order of every verdict, and the layout that all figures share.

Flows in: verdict and basis codes.  Flows out: colours, patterns, layouts.
Rules kept here: colour is never the only difference, so each verdict has a pattern too and its label stands beside
it; one palette serves light and dark: each colour has a contrast of at least 3:1 against both backgrounds, and of
4.5:1 under white text.
Not here: fonts and backgrounds of pages (``.streamlit/config.toml``); Streamlit gives figures the fonts and grid of
its theme.
"""

from __future__ import annotations

from collections.abc import Sequence

from dashboard.charts.figure import FigureBuilder
from dashboard.text import escape_plotly
from dashboard.words import VERDICTS, label_code

HUMAN, DEPTH_1, DEEP, UNKNOWN, NONE = "#1f7a6b", "#96690f", "#b5482f", "#636b80", "#707577"
"""Semantic colours: grounded in humans, one step away, machine on machine, not known, nothing there."""

NEUTRAL, ACCENT = "#4a7c94", "#c2527a"
"""For what carries no judgement, and for the one line that marks a setting."""

INK, PAPER = "#14191d", "#ffffff"
"""A line over coloured areas is drawn twice, so that it stands out on each of them in both themes."""

VERDICT_COLOUR = dict(zip(VERDICTS, (HUMAN, DEPTH_1, DEEP, UNKNOWN, NONE), strict=True))
VERDICT_PATTERN = dict(zip(VERDICTS, ("", "/", "x", ".", "-"), strict=True))

SCALE = ("#8fb8ae", "#3f8f80", "#0e4a40")
"""From few to many of one kind; the number stands in each field as text."""

CLUSTER = ("#1f7a6b", "#b5482f", "#4a7c94", "#96690f", "#8a5aa8", "#5f7f2e", "#b84a70", "#636b80")
"""Colours of clusters, which carry no judgement; each cluster has a letter too."""

LEGEND = 9
"""Clusters named in a legend; the table has all."""

SMALL, MEDIUM, TALL = 210, 290, 380
"""Heights of figures in pixels."""


def get_verdict_pattern(verdict: str) -> dict[str, object]:
    """The pattern of a verdict's areas."""
    return make_pattern(VERDICT_PATTERN[verdict])


def make_pattern(shape: str | Sequence[str]) -> dict[str, object]:
    """A pattern over an area's own colour, drawn lightly so that text on it stays readable."""
    return {"shape": shape, "fillmode": "overlay", "fgcolor": "#ffffff", "fgopacity": 0.3, "size": 7, "solidity": 0.16}


def start_figure(height: int, *, legend: bool = False) -> FigureBuilder:
    """An empty figure with the shared layout."""
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
    """An axis of names, in this order: ids made of digits stay names."""
    escaped = [escape_plotly(name) for name in names]
    return {"type": "category", "categoryorder": "array", "categoryarray": escaped}


def add_verdict_bars(
    made: FigureBuilder, names: Sequence[str], counts: Sequence[Sequence[int]], verdicts: Sequence[str]
) -> None:
    """Adds stacked horizontal bars of shares, one bar a name; ``counts[i][j]`` is the number of verdict j in bar i.

    Each part that has room carries its share as text; hover gives label, share and count.
    """
    labels = [escape_plotly(name) for name in names]
    totals = [sum(row) for row in counts]
    for j, verdict in enumerate(verdicts):
        parts = [row[j] for row in counts]
        shares = [part / total if total else 0.0 for part, total in zip(parts, totals, strict=True)]
        made.add_bar(
            y=labels,
            x=shares,
            orientation="h",
            name=label_code(verdict),
            marker={"color": VERDICT_COLOUR[verdict], "pattern": get_verdict_pattern(verdict), "line": {"width": 0}},
            text=[f"{100 * value:.0f}%" if value >= 0.06 else "" for value in shares],
            textposition="inside",
            insidetextanchor="middle",
            textfont={"color": "#ffffff", "size": 14},
            textangle=0,
            customdata=parts,
            hovertemplate=label_code(verdict) + ": %{x:.1%}, %{customdata:,} retrievals<extra></extra>",
        )
    made.update_layout(barmode="stack", bargap=0.35)
    made.update_xaxes(range=[0, 1], tickvals=[0, 0.25, 0.5, 0.75, 1], tickformat=".0%", showgrid=False, zeroline=False)
    made.update_layout(margin={"r": 28})
    made.update_yaxes(**order_categories(list(reversed(names))))
