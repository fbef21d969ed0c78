"""The figures of an anchor family: over time, and synthetic text against the pool.

Flows in: rows of ``dashboard.views.corpus.family``.  Flows out: plotly figures.
Rules kept here: those of the package; two scales are named on their axes and told apart by shape.
Not here: words and numbers (``views``), depths (``overview.py``, ``depths.py``).
"""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts import style
from dashboard.views.corpus.family import Amplification, FamilyRanks, FamilyTrend
from dashboard.words import format_share


def draw_family_trend(rows: FamilyTrend) -> go.Figure:
    """Independent sources as a line; the share of a family as bars."""
    made = style.start_figure(style.MEDIUM, legend=True)
    names = list(rows.stretches)
    if rows.family:
        made.add_bar(
            x=names,
            y=[part / total if total else None for part, total in zip(rows.inside, rows.results, strict=True)],
            name="Share of this family",
            marker={"color": style.NEUTRAL, "pattern": style.make_pattern("/")},
            customdata=list(zip(rows.inside, rows.results, strict=True)),
            hovertemplate="%{x}: %{y:.1%}, %{customdata[0]:,} of %{customdata[1]:,} results<extra></extra>",
        )
    made.add_scatter(
        x=names,
        y=list(rows.sources),
        yaxis="y2" if rows.family else "y",
        mode="lines+markers",
        name="Independent human sources" + (" (right scale)" if rows.family else ""),
        line={"color": style.ACCENT, "width": 2},
        marker={"symbol": "diamond", "size": 8, "color": style.ACCENT},
        hovertemplate="%{x}: %{y:,.1f} independent human sources<extra></extra>",
    )
    step = -(-len(names) // 6)
    made.update_xaxes(tickvals=names[::step], tickangle=0, **style.order_categories(names))
    if not rows.family:
        made.update_yaxes(title="Independent human sources", rangemode="tozero", nticks=6)
        return made.done()
    made.update_yaxes(title="Share of the results", tickformat=".0%", rangemode="tozero", nticks=6)
    made.update_layout(
        yaxis2={
            "overlaying": "y", "side": "right", "rangemode": "tozero", "showgrid": False, "fixedrange": True,
            "zeroline": False, "nticks": 6, "tickmode": "auto", "automargin": True,
            "title": "Independent human sources",
        },
    )  # fmt: skip
    return made.done()


def draw_family_ranks(rows: FamilyRanks) -> go.Figure:
    """The share of a family at each group of ranks."""
    made = style.start_figure(style.MEDIUM)
    names = [f"Rank {name}" for name in rows.groups]
    made.add_bar(
        x=names,
        y=[part / total for part, total in zip(rows.inside, rows.results, strict=True)],
        marker={"color": style.NEUTRAL, "pattern": style.make_pattern("/")},
        text=[format_share(part, total) for part, total in zip(rows.inside, rows.results, strict=True)],
        textposition="outside",
        cliponaxis=False,
        customdata=list(zip(rows.inside, rows.results, strict=True)),
        hovertemplate="%{x}: %{customdata[0]:,} of %{customdata[1]:,} results<extra></extra>",
    )
    made.update_layout(margin={"t": 30})
    made.update_xaxes(**style.order_categories(names))
    made.update_yaxes(title="Share of this family", range=[0, 1.08], tickformat=".0%", nticks=6)
    return made.done()


def draw_amplification(rows: Amplification) -> go.Figure:
    """The share of synthetic text in the catalogue, and at each rank; the catalogue's goes on as a line."""
    made = style.start_figure(style.MEDIUM)
    names = ["Catalogue", *(f"First {rank:,}" if rank > 1 else "First rank" for rank in rows.ranks)]
    values = [rows.pool, *rows.shares]
    made.add_bar(
        x=names,
        y=values,
        marker={
            "color": [style.NEUTRAL, *[style.DEEP] * len(rows.ranks)],
            "pattern": style.make_pattern(["/", *["x"] * len(rows.ranks)]),
        },
        text=["" if value is None else format_share(value, 1.0) for value in values],
        textposition="inside",
        insidetextanchor="middle",
        textfont={"color": "#ffffff", "size": 14},
        textangle=0,
        hovertemplate="%{x}: %{y:.1%} synthetic<extra></extra>",
    )
    if rows.pool is not None:
        made.add_scatter(
            x=names,
            y=[rows.pool] * len(names),
            mode="lines",
            line={"color": style.ACCENT, "width": 2.5, "dash": "dash"},
            hoverinfo="skip",
        )
    made.update_xaxes(**style.order_categories(names))
    made.update_yaxes(title="Synthetic share", range=[0, 1], tickformat=".0%", nticks=6)
    return made.done()
