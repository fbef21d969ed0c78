"""The figures of an anchor family: over time, and synthetic text against the pool.

Flows in: rows of ``dashboard.views.family``.  Flows out: plotly figures.
Rules kept here: those of the package; two scales are named on their axes and told apart by shape.
Not here: words and numbers (``views``), depths (``overview.py``, ``depths.py``).
"""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts import look
from dashboard.views.family import Amplified, Over


def over(rows: Over) -> go.Figure:
    """Independent sources as a line; the share of a family as bars."""
    made = look.figure(look.MEDIUM, legend=True)
    names = list(rows.stretches)
    if rows.family:
        made.add_bar(
            x=names,
            y=[part / total if total else None for part, total in zip(rows.inside, rows.results, strict=True)],
            name="Share of this family",
            marker={"color": look.NEUTRAL, "pattern": look.hatch("/")},
            customdata=list(zip(rows.inside, rows.results, strict=True)),
            hovertemplate="%{x}: %{y:.1%}, %{customdata[0]:,} of %{customdata[1]:,} results<extra></extra>",
        )
    made.add_scatter(
        x=names,
        y=list(rows.sources),
        yaxis="y2" if rows.family else "y",
        mode="lines+markers",
        name="Independent human sources" + (" (right scale)" if rows.family else ""),
        line={"color": look.ACCENT, "width": 2},
        marker={"symbol": "diamond", "size": 8, "color": look.ACCENT},
        hovertemplate="%{x}: %{y:,.1f} independent human sources<extra></extra>",
    )
    step = -(-len(names) // 6)
    made.update_xaxes(tickvals=names[::step], tickangle=0, **look.categories(names))
    if not rows.family:
        made.update_yaxes(title="Independent human sources", rangemode="tozero", nticks=6)
        return made.done()
    made.update_yaxes(title="Share of the results", tickformat=".0%", rangemode="tozero", nticks=6)
    made.update_layout(
        yaxis2={
            "overlaying": "y", "side": "right", "rangemode": "tozero", "showgrid": False, "fixedrange": True,
            "zeroline": False, "nticks": 6, "title": "Independent human sources", "automargin": True,
        },
    )  # fmt: skip
    return made.done()


def amplified(rows: Amplified) -> go.Figure:
    """The share of synthetic text at each rank, with that of the catalogue as a line."""
    made = look.figure(look.MEDIUM)
    names = [f"First {rank:,}" if rank > 1 else "First rank" for rank in rows.ranks]
    made.add_bar(
        x=names,
        y=list(rows.shares),
        marker={"color": look.DEEP, "pattern": look.hatch("x")},
        text=["" if value is None else f"{100 * value:.0f}%" for value in rows.shares],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{x}: %{y:.1%} of the results are synthetic<extra></extra>",
    )
    if rows.pool is not None:
        made.add_scatter(
            x=names,
            y=[rows.pool] * len(names),
            mode="lines",
            line={"color": look.ACCENT, "width": 2.5, "dash": "dash"},
            hovertemplate="Catalogue: %{y:.1%} of the documents are synthetic<extra></extra>",
        )
        made.update_layout(
            annotations=[
                {
                    "x": 0,
                    "xref": "paper",
                    "xanchor": "left",
                    "y": rows.pool,
                    "yanchor": "bottom",
                    "showarrow": False,
                    "text": f"catalogue {100 * rows.pool:.0f}%",
                    "font": {"color": look.ACCENT, "size": 13},
                }
            ]
        )
    made.update_layout(margin={"t": 30})
    made.update_xaxes(**look.categories(names))
    made.update_yaxes(title="Synthetic share", range=[0, 1.08], tickformat=".0%", nticks=6)
    return made.done()
