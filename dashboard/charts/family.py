"""Draw one anchor family over time and by rank, and synthetic text in results against the catalogue.

Flows in: rows of ``dashboard.views.corpus.family``.  Flows out: plotly figures.
Rules kept here: those of the package; two scales are named on their axes and told apart by shape.
Not here: words and numbers (``views``), depths (``overview.py``, ``depths.py``).
"""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts import style
from dashboard.views.corpus.family import Amplification, FamilyRanks, FamilyTrend
from dashboard.words import format_share

_LINE = {"color": style.ACCENT, "width": 2}
_POINT = {"symbol": "diamond", "size": 8, "color": style.ACCENT}


def draw_family_trend(rows: FamilyTrend) -> go.Figure:
    """Draw independent human sources as a line, and the share of a family as bars where one is opened."""
    figure = style.start_figure(style.MEDIUM, legend=True)
    names = list(rows.periods)
    if rows.family:
        figure.add_bar(
            x=names,
            y=style.divide(rows.inside, rows.results),
            name="Share of this family",
            marker={"color": style.NEUTRAL, "pattern": style.make_pattern("/")},
            customdata=list(zip(rows.inside, rows.results, strict=True)),
            hovertemplate="%{x}: %{y:.1%}, %{customdata[0]:,} of %{customdata[1]:,} results<extra></extra>",
        )
    figure.add_scatter(
        x=names,
        y=list(rows.sources),
        yaxis="y2" if rows.family else "y",
        mode="lines+markers",
        name="Independent human sources" + (" (right scale)" if rows.family else ""),
        line=_LINE,
        marker=_POINT,
        hovertemplate="%{x}: %{y:,.1f} independent human sources<extra></extra>",
    )
    figure.update_xaxes(**style.order_periods(names))
    figure.update_yaxes(rangemode="tozero", nticks=6)
    if not rows.family:
        figure.update_yaxes(title="Independent human sources")
        return figure.build()
    figure.update_yaxes(title="Share of the results", tickformat=".0%")
    figure.update_layout(
        yaxis2={
            "overlaying": "y", "side": "right", "rangemode": "tozero", "showgrid": False, "fixedrange": True,
            "zeroline": False, "nticks": 6, "tickmode": "auto", "automargin": True,
            "title": "Independent human sources",
        },
    )  # fmt: skip
    return figure.build()


def draw_family_ranks(rows: FamilyRanks) -> go.Figure:
    """Draw the share of a family at each group of ranks."""
    figure = style.start_figure(style.MEDIUM)
    names = [f"Rank {name}" for name in rows.groups]
    pairs = list(zip(rows.inside, rows.results, strict=True))
    figure.add_bar(
        x=names,
        y=style.divide(rows.inside, rows.results),
        marker={"color": style.NEUTRAL, "pattern": style.make_pattern("/")},
        text=[format_share(part, total) for part, total in pairs],
        textposition="outside",
        cliponaxis=False,
        customdata=pairs,
        hovertemplate="%{x}: %{customdata[0]:,} of %{customdata[1]:,} results<extra></extra>",
    )
    figure.update_layout(margin={"t": 30})
    figure.update_xaxes(**style.order_categories(names))
    figure.update_yaxes(title="Share of this family", range=[0, 1.08], tickformat=".0%", nticks=6)
    return figure.build()


def draw_amplification(rows: Amplification) -> go.Figure:
    """Draw the share of synthetic text in the catalogue and up to each rank; the catalogue's goes on as a line."""
    figure = style.start_figure(style.MEDIUM)
    values = [rows.catalogue, *rows.shares]
    figure.add_bar(
        x=rows.names,
        y=values,
        marker={
            "color": [style.NEUTRAL, *[style.DEEP] * len(rows.shares)],
            "pattern": style.make_pattern(["/", *["x"] * len(rows.shares)]),
        },
        text=["" if value is None else format_share(value, 1.0) for value in values],
        textposition="inside",
        insidetextanchor="middle",
        textfont={"color": "#ffffff", "size": 14},
        textangle=0,
        hovertemplate="%{x}: %{y:.1%} synthetic<extra></extra>",
    )
    if rows.catalogue is not None:
        figure.add_scatter(
            x=rows.names,
            y=[rows.catalogue] * len(rows.names),
            mode="lines",
            line={"color": style.ACCENT, "width": 2.5, "dash": "dash"},
            hoverinfo="skip",
        )
    figure.update_xaxes(**style.order_categories(rows.names))
    figure.update_yaxes(title="Synthetic share", range=[0, 1], tickformat=".0%", nticks=6)
    return figure.build()
