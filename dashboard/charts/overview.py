"""The figures of the Overview: verdict shares, grounding ratios, depths, basis, trend.

Flows in: rows of ``dashboard.views``.  Flows out: plotly figures, each with its title and numbers left to the page.
Rules kept here: those of the package; the minimum ratio is drawn where the rule compares; an unknown depth looks
different from every known one.
Not here: words and numbers (``views``), the What-if figures (``whatif.py``).
"""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts import style
from dashboard.views.overview import BINS, JUDGED, BasisCounts, DepthCounts, RatioBars, VerdictShares, name_bar
from dashboard.views.trend import Trend
from dashboard.words import label_code


def draw_shares(rows: VerdictShares, *, wide: bool) -> go.Figure:
    """Two bars: verdicts as judged, and with signatures waived.  ``wide`` for a card of the page's width."""
    made = style.start_figure(style.SMALL if wide else style.MEDIUM, legend=True)
    style.add_verdict_bars(made, ("As judged", "Signatures waived"), (rows.judged, rows.waived), JUDGED)
    return made.done()


def draw_ratios(rows: RatioBars) -> go.Figure:
    """Bars of retrievals by grounding ratio, with the minimum as a line."""
    made = style.start_figure(style.MEDIUM, legend=True)
    centres = [(index + 0.5) / BINS for index in range(BINS + 1)]
    parts = (("Below the minimum", rows.below, style.UNKNOWN, "."), ("Minimum reached", rows.reached, style.HUMAN, ""))
    for name, counts, colour, shape in parts:
        made.add_bar(
            x=centres,
            y=counts,
            width=0.9 / BINS,
            name=name,
            marker={"color": colour, "pattern": style.make_pattern(shape)},
            customdata=[name_bar(index) for index in range(BINS + 1)],
            hovertemplate=f"Ratio %{{customdata}}: %{{y:,}} retrievals, {name.lower()}<extra></extra>",
        )
    # A ratio of exactly 1 has its bar beyond 1; a minimum of 1 divides in front of it, as every minimum does.
    made.add_vline(
        rows.minimum,
        {"color": style.ACCENT, "width": 2.5, "dash": "dash"},
        {"text": f"minimum {rows.minimum:g}", "font": {"color": style.ACCENT, "size": 13}},
        left=rows.minimum >= 0.7,
    )
    made.update_layout(barmode="stack", bargap=0.05)
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    made.update_xaxes(
        range=[-0.02, 1 + 1.1 / BINS], tickvals=ticks, ticktext=[f"{t:g}" for t in ticks], title="Grounding ratio"
    )
    highest = max(map(sum, zip(rows.below, rows.reached, strict=True)))
    made.update_yaxes(title="Retrievals", range=[0, 1.18 * highest or 1], tickformat=",d", nticks=6)
    return made.done()


def draw_depths(rows: DepthCounts) -> go.Figure:
    """Bars of results by generation depth; the unknown ones stand apart and hatched."""
    made = style.start_figure(style.MEDIUM)
    colours = {"0": style.HUMAN, "1": style.DEPTH_1, "unknown": style.UNKNOWN}
    names = ["0 (human)" if bucket == "0" else bucket for bucket in rows.buckets]
    shapes = [
        "." if bucket == "unknown" else "/" if bucket == "1" else "" if bucket == "0" else "x"
        for bucket in rows.buckets
    ]
    made.add_bar(
        x=names,
        y=rows.counts,
        marker={
            "color": [colours.get(bucket, style.DEEP) for bucket in rows.buckets],
            "pattern": style.make_pattern(shapes),
        },
        text=[f"{number:,}" for number in rows.counts],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="Depth %{x}: %{y:,} results<extra></extra>",
    )
    made.update_layout(margin={"t": 30})
    made.update_xaxes(title="Generation depth", **style.order_categories(names))
    made.update_yaxes(title="Results", rangemode="tozero", tickformat=",d", nticks=6)
    return made.done()


def draw_bases(rows: BasisCounts) -> go.Figure:
    """Bars of results by how their class is known."""
    made = style.start_figure(style.SMALL)
    names = [label_code(name) for name in rows.bases]
    made.add_bar(
        y=names,
        x=rows.counts,
        orientation="h",
        marker={
            "color": [style.NEUTRAL, style.NEUTRAL, style.DEPTH_1, style.UNKNOWN],
            "pattern": style.make_pattern(["", "", "/", "."]),
        },
        text=[f"{number:,}" for number in rows.counts],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{x:,} results<extra></extra>",
    )
    made.update_layout(margin={"r": 48})
    made.update_xaxes(title="Results", rangemode="tozero", tickformat=",d", nticks=6)
    made.update_yaxes(**style.order_categories(list(reversed(names))))
    return made.done()


def draw_trend(rows: Trend) -> go.Figure:
    """Stacked shares of verdicts, a bar for each stretch of time."""
    made = style.start_figure(style.MEDIUM, legend=True)
    totals = [sum(row) for row in rows.counts]
    for index, verdict in enumerate(JUDGED):
        parts = [row[index] for row in rows.counts]
        made.add_bar(
            x=list(rows.stretches),
            y=[part / total if total else None for part, total in zip(parts, totals, strict=True)],
            name=label_code(verdict),
            marker={
                "color": style.VERDICT_COLOUR[verdict],
                "pattern": style.get_verdict_pattern(verdict),
                "line": {"width": 0},
            },
            customdata=list(zip(parts, totals, strict=True)),
            hovertemplate="%{x}<br>"
            + label_code(verdict)
            + ": %{y:.1%}, %{customdata[0]:,} of %{customdata[1]:,}<extra></extra>",
        )
    made.update_layout(barmode="stack")
    step = -(-len(rows.stretches) // 6)
    made.update_xaxes(tickvals=list(rows.stretches[::step]), tickangle=0, **style.order_categories(rows.stretches))
    made.update_yaxes(range=[0, 1], tickformat=".0%", title="Share of retrievals")
    return made.done()
