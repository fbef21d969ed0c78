"""Draw the figures of Overview: shares of verdicts, grounding ratios, depths, bases, trend.

Flows in: counts of ``dashboard.views.overview`` and ``trend``.  Flows out: plotly figures.
Rules kept here: those of the package; the minimum ratio is drawn where the rule compares; an unknown depth looks
different from every known one.
Not here: words and numbers (``views``), the figures of What-if (``whatif.py``).
"""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts import style
from dashboard.charts.depths import DEPTH_STYLE
from dashboard.views.overview import BINS, BasisCounts, DepthCounts, RatioBars, VerdictShares, name_bar
from dashboard.views.trend import Trend
from dashboard.words import BASIS_LABEL


def draw_shares(rows: VerdictShares, *, wide: bool) -> go.Figure:
    """Draw verdicts as judged, and with signatures waived; ``wide`` for a card of the page's width."""
    figure = style.start_figure(style.SMALL if wide else style.MEDIUM, legend=True)
    parts = style.list_verdict_parts((rows.judged, rows.waived))
    style.add_share_bars(figure, ("As judged", "Signatures waived"), parts, "retrievals")
    return figure.build()


def draw_ratios(rows: RatioBars) -> go.Figure:
    """Draw retrievals by grounding ratio, with the minimum as a line."""
    figure = style.start_figure(style.MEDIUM, legend=True)
    centres = [(index + 0.5) / BINS for index in range(BINS + 1)]
    parts = (
        ("Below the minimum", rows.below, style.UNKNOWN, "."),
        ("Minimum reached", rows.reached, style.HUMAN, ""),
    )
    for name, counts, colour, shape in parts:
        figure.add_bar(
            x=centres,
            y=counts,
            width=0.9 / BINS,
            name=name,
            marker={"color": colour, "pattern": style.make_pattern(shape)},
            customdata=[name_bar(index) for index in range(BINS + 1)],
            hovertemplate=f"Ratio %{{customdata}}: %{{y:,}} retrievals, {name.lower()}<extra></extra>",
        )
    # A ratio of exactly 1 has its bar beyond 1; a minimum of 1 divides in front of it, as every minimum does.
    line = {"color": style.ACCENT, "width": 2.5, "dash": "dash"}
    place = {"xref": "x", "yref": "y domain"}
    text = {"text": f"minimum {rows.minimum:g}", "font": {"color": style.ACCENT, "size": 13}, "showarrow": False}
    side = {"x": rows.minimum, "y": 1, "yanchor": "top", "xanchor": "right" if rows.minimum >= 0.7 else "left"}
    ends = {"type": "line", "x0": rows.minimum, "x1": rows.minimum, "y0": 0, "y1": 1, "line": line}
    figure.update_layout(barmode="stack", bargap=0.05, shapes=[place | ends], annotations=[place | text | side])
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    figure.update_xaxes(
        range=[-0.02, 1 + 1.1 / BINS], tickvals=ticks, ticktext=[f"{t:g}" for t in ticks], title="Grounding ratio"
    )
    highest = max(map(sum, zip(rows.below, rows.reached, strict=True)))
    figure.update_yaxes(title="Retrievals", range=[0, 1.18 * highest or 1], tickformat=",d", nticks=6)
    return figure.build()


def draw_depths(rows: DepthCounts) -> go.Figure:
    """Draw results by generation depth; the unknown ones stand apart and dotted."""
    figure = style.start_figure(style.MEDIUM)
    names, colours, shapes = zip(*(DEPTH_STYLE[bucket] for bucket in rows.buckets), strict=True)
    figure.add_bar(
        x=names,
        y=rows.counts,
        marker={"color": colours, "pattern": style.make_pattern(shapes)},
        text=[f"{number:,}" for number in rows.counts],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="Depth %{x}: %{y:,} results<extra></extra>",
    )
    figure.update_layout(margin={"t": 30})
    figure.update_xaxes(title="Generation depth", **style.order_categories(names))
    figure.update_yaxes(title="Results", rangemode="tozero", tickformat=",d", nticks=6)
    return figure.build()


def draw_bases(rows: BasisCounts) -> go.Figure:
    """Draw results by the basis on which their class is known."""
    colours = (style.NEUTRAL, style.NEUTRAL, style.DEPTH_1, style.UNKNOWN)
    names = [BASIS_LABEL[basis] for basis in rows.bases]
    return style.draw_numbered_bars(style.SMALL, names, rows.counts, colours, ("", "", "/", ".")).build()


def draw_trend(rows: Trend) -> go.Figure:
    """Draw shares of verdicts over time, a stacked bar for each period."""
    figure = style.start_figure(style.MEDIUM, legend=True)
    totals = [sum(row) for row in rows.counts]
    for part in style.list_verdict_parts(rows.counts):
        figure.add_bar(
            x=list(rows.periods),
            y=style.divide(part.counts, totals),
            name=part.name,
            marker={"color": part.colour, "pattern": style.make_pattern(part.shape), "line": {"width": 0}},
            customdata=list(zip(part.counts, totals, strict=True)),
            hovertemplate=f"%{{x}}<br>{part.name}: %{{y:.1%}}, "
            "%{customdata[0]:,} of %{customdata[1]:,} retrievals<extra></extra>",
        )
    figure.update_layout(barmode="stack")
    figure.update_xaxes(**style.order_periods(rows.periods))
    figure.update_yaxes(range=[0, 1], tickformat=".0%", title="Share of retrievals")
    return figure.build()
