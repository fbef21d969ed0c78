"""Draw the figures of Anchors: families with their cumulative share, results against sources, the map.

Flows in: rows of ``dashboard.views.corpus.anchors``.  Flows out: plotly figures.
Rules kept here: those of the package; an unresolved family differs by pattern and sign, not by colour alone; a cluster
by its letter.
Not here: words and numbers (``views``).
"""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from dashboard.charts import style
from dashboard.text import escape_plotly
from dashboard.views.corpus.anchors import AnchorMap, FamilyRanking, SourceSpread, join_links, name_cluster


def draw_families(rows: FamilyRanking) -> go.Figure:
    """Draw results by family, with their cumulative share as a line."""
    figure = style.start_figure(max(style.MEDIUM, 96 + 24 * len(rows.names)), legend=True)
    names = [escape_plotly(name) for name in rows.names]
    for resolved, name, colour, shape in (
        (True, "Resolved", style.HUMAN, ""),
        (False, "Unresolved: only declared", style.UNKNOWN, "."),
    ):
        figure.add_bar(
            y=[label for label, state in zip(names, rows.resolved, strict=True) if state == resolved],
            x=[mass for mass, state in zip(rows.mass, rows.resolved, strict=True) if state == resolved],
            orientation="h",
            name=name,
            marker={"color": colour, "pattern": style.make_pattern(shape)},
            hovertemplate="%{y}: %{x:,.1f} results<extra></extra>",
        )
    figure.add_scatter(
        y=names,
        x=list(rows.cumulative),
        xaxis="x2",
        mode="lines+markers",
        name="Cumulative share (upper scale)",
        line={"color": style.ACCENT, "width": 2},
        marker={"symbol": "diamond", "size": 8, "color": style.ACCENT},
        hovertemplate="Up to %{y}: %{x:.1%} of all results<extra></extra>",
    )
    figure.update_layout(
        barmode="overlay",
        margin={"t": 62, "r": 24},
        legend={"y": 1.0, "yref": "container", "yanchor": "top"},
        xaxis2={
            "overlaying": "x", "side": "top", "range": [0, 1.02], "tickformat": ".0%", "showgrid": False,
            "fixedrange": True, "zeroline": False, "tickmode": "array", "tickvals": [0, 0.25, 0.5, 0.75, 1],
        },
    )  # fmt: skip
    figure.update_xaxes(title="Results", rangemode="tozero", tickformat=",d", nticks=6)
    figure.update_yaxes(**style.order_categories(list(reversed(rows.names))))
    return figure.build()


def draw_spread(rows: SourceSpread) -> go.Figure:
    """Draw a field for each number of results and of sources, darker where more retrievals lie."""
    figure = style.start_figure(max(style.MEDIUM, 90 + 22 * len(rows.sources)))
    filled = np.where(rows.counts > 0, rows.counts, np.nan)
    figure.add_heatmap(
        x=list(rows.results),
        y=list(rows.sources),
        z=[[None if np.isnan(value) else float(value) for value in line] for line in np.log10(filled)],
        customdata=rows.counts.tolist(),
        text=[[f"{number:,}" if number else "" for number in line] for line in rows.counts.tolist()],
        texttemplate="%{text}",
        colorscale=[[0, style.SCALE[0]], [0.5, style.SCALE[1]], [1, style.SCALE[2]]],
        zmin=0,
        zmax=max(float(np.log10(max(int(rows.counts.max(initial=1)), 2))), 0.1),
        showscale=False,
        xgap=2,
        ygap=2,
        hoverongaps=False,
        hovertemplate="%{x} results, %{y} sources: %{customdata:,} retrievals<extra></extra>",
    )
    figure.update_xaxes(title="Results in the list", showgrid=False, **style.order_categories(rows.results))
    figure.update_yaxes(title="Independent human sources", showgrid=False, **style.order_categories(rows.sources))
    return figure.build()


def draw_map(rows: AnchorMap) -> go.Figure:
    """Draw anchors as discs with a colour and a letter for each cluster, and links between those retrieved together."""
    figure = style.start_figure(520, legend=True)
    xs, ys = join_links(rows)
    figure.add_scatter(
        x=xs,
        y=ys,
        mode="lines",
        line={"color": style.NEUTRAL, "width": 0.8},
        opacity=0.35,
        hoverinfo="skip",
        showlegend=False,
    )
    for group, name in enumerate(rows.labels):
        inside = [i for i, number in enumerate(rows.groups) if number == group]
        figure.add_scatter(
            x=[rows.places[i][0] for i in inside],
            y=[rows.places[i][1] for i in inside],
            mode="markers+text",
            name=escape_plotly(name, 48),
            showlegend=group < style.LEGEND,
            text=[name_cluster(group)] * len(inside),
            textfont={"color": "#ffffff", "size": 11},
            marker={
                "color": style.CLUSTER[group % len(style.CLUSTER)],
                "size": [rows.sizes[i] for i in inside],
                "symbol": ["circle" if rows.resolved[i] else "square" for i in inside],
                "line": {"width": 1, "color": style.PAPER},
                "opacity": 1,
            },
            customdata=[
                (escape_plotly(rows.names[i]), rows.mass[i], rows.retrievals[i], name_cluster(group)) for i in inside
            ],
            hovertemplate="%{customdata[0]}<br>%{customdata[1]:,.1f} results in %{customdata[2]:,} retrievals"
            "<br>cluster %{customdata[3]}<extra></extra>",
        )
    figure.update_layout(margin={"t": 96, "l": 4, "r": 4, "b": 4}, legend={"itemsizing": "constant"})
    for axis, place in (("xaxis", 0), ("yaxis", 1)):
        reach = [(at[place] - size / 2, at[place] + size / 2) for at, size in zip(rows.places, rows.sizes, strict=True)]
        low, high = min(first for first, _ in reach), max(last for _, last in reach)
        figure.update_layout(**{axis: {"visible": False, "range": [low - 12, high + 12]}})
    return figure.build()
