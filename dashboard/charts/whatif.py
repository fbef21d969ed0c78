"""The figures of What-if: both policies side by side, the flow of flips, the sweep over every minimum ratio.

Flows in: rows of ``dashboard.views.whatif``.  Flows out: plotly figures.
Rules kept here: those of the package; what stays is drawn faint, what flips in the colour of the verdict it goes
to; a sweep is drawn as steps, because between two break points nothing changes.
Not here: words and numbers (``views``).
"""

from __future__ import annotations

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboard.charts import look
from dashboard.views.overview import JUDGED
from dashboard.views.whatif import Comparison, Curve
from dashboard.words import label


def side_by_side(rows: Comparison) -> go.Figure:
    """Two bars: verdicts under the baseline and under the candidate."""
    made = look.figure(look.SMALL, legend=True)
    look.verdict_bars(made, ("Baseline", "Candidate"), (rows.before, rows.after), JUDGED)
    return made


def flow(rows: Comparison) -> go.Figure:
    """Baseline verdicts on the left, candidate verdicts on the right, and what goes from one to the other."""
    made = look.figure(look.TALL)
    left = [index for index in range(len(JUDGED)) if rows.before[index]]
    right = [index for index in range(len(JUDGED)) if rows.after[index]]
    places = {("left", index): place for place, index in enumerate(left)}
    places |= {("right", index): len(left) + place for place, index in enumerate(right)}
    links = [(i, j, rows.flows[i][j]) for i in left for j in right if rows.flows[i][j]]
    nodes = [(index, rows.before[index]) for index in left] + [(index, rows.after[index]) for index in right]
    made.add_sankey(
        arrangement="fixed",
        node={
            "label": [f"{label(JUDGED[index])} {number:,}" for index, number in nodes],
            "color": [look.VERDICT_COLOUR[JUDGED[index]] for index, _ in nodes],
            "x": [0.001] * len(left) + [0.999] * len(right),
            "y": _heights([rows.before[i] for i in left]) + _heights([rows.after[i] for i in right]),
            "pad": 18,
            "thickness": 16,
            "line": {"width": 0},
            "hovertemplate": "%{label}<extra></extra>",
        },
        textfont={"size": 13},
        link={
            "source": [places["left", i] for i, _, _ in links],
            "target": [places["right", j] for _, j, _ in links],
            "value": [number for _, _, number in links],
            "color": [_faded(JUDGED[j], 0.2 if i == j else 0.85) for i, j, _ in links],
            "customdata": [f"{label(JUDGED[i])} to {label(JUDGED[j])}" for i, j, _ in links],
            "hovertemplate": "%{customdata}: %{value:,} retrievals<extra></extra>",
        },
    )
    made.update_layout(margin={"t": 18, "b": 18})
    return made


def sweep(rows: Curve) -> go.Figure:
    """Stacked steps of verdict shares over the minimum ratio, depth 1 allowed on the left and not on the right."""
    made = make_subplots(
        1, 2, shared_yaxes=True, horizontal_spacing=0.04, subplot_titles=("Depth 1 allowed", "Not allowed")
    )
    made.update_layout(look.figure(look.TALL, legend=True).layout)
    for column, allowed in ((1, 1), (2, 0)):
        for index, verdict in enumerate(JUDGED):
            counts = rows.counts[allowed][index]
            made.add_scatter(
                row=1,
                col=column,
                x=rows.ratios,
                y=[number / rows.total if rows.total else 0.0 for number in counts],
                mode="lines",
                line={"shape": "vh", "width": 0.8, "color": look.VERDICT_COLOUR[verdict]},
                fillcolor=look.VERDICT_COLOUR[verdict],
                fillpattern=look.pattern(verdict),
                stackgroup=f"panel{column}",
                name=label(verdict),
                legendgroup=verdict,
                showlegend=column == 1,
                customdata=counts,
                hovertemplate="Minimum up to %{x:.2f}<br>"
                + label(verdict)
                + ": %{y:.1%}, %{customdata:,}<extra></extra>",
            )
        dash = "solid" if rows.depth_1 == bool(allowed) else "dot"
        for colour, width in ((look.PAPER, 5), (look.INK, 2)):
            made.add_vline(x=rows.minimum, row=1, col=column, line={"color": colour, "width": width, "dash": dash})
    made.update_xaxes(range=[0, 1], title="Minimum grounding ratio", fixedrange=True, automargin=True, tickformat=".1f")
    made.update_yaxes(range=[0, 1], tickformat=".0%", fixedrange=True, automargin=True)
    made.update_layout(margin={"t": 70}, legend={"y": 1.1})
    return made


def _heights(counts: list[int]) -> list[float]:
    """The middle of each node along its side, from the top, so that the fixed order of verdicts holds."""
    total, gap = sum(counts), 0.06
    room = 1.0 - gap * (len(counts) - 1)
    middles, top = [], 0.0
    for number in counts:
        height = room * number / total if total else 0.0
        middles.append(min(max(top + height / 2, 0.001), 0.999))
        top += height + gap
    return middles


def _faded(verdict: str, opacity: float) -> str:
    colour = look.VERDICT_COLOUR[verdict]
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"
