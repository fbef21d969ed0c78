"""Draw two judgements side by side, the flow of flips, and verdicts at every minimum ratio.

Flows in: ``Comparison``, ``SweepCurve``.  Flows out: plotly figures.
Rules kept here: those of the package; what stays is drawn faint, what flips in the colour of the verdict it goes
to; a sweep is drawn as steps, because between two break points nothing changes.
Not here: words and numbers (``views``).
"""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts import style
from dashboard.views.comparison import Comparison
from dashboard.views.whatif import SweepCurve
from dashboard.words import JUDGED, VERDICTS, label_code

_NAME_ROOM = 0.17
"""How much of a flow's height the name of a verdict takes: three lines."""


def draw_comparison(rows: Comparison, *, height: int = style.SMALL) -> go.Figure:
    """Draw verdicts before and after, of the retrievals that have results."""
    figure = style.start_figure(height, legend=True)
    parts = style.list_verdict_parts((rows.before, rows.after))
    style.add_share_bars(figure, rows.names, parts, "retrievals")
    return figure.build()


def draw_flow(rows: Comparison) -> go.Figure:
    """Draw verdicts before on the left, after on the right, and how many go from one to the other."""
    figure = style.start_figure(style.TALL)
    left = [index for index in range(len(rows.before)) if rows.before[index]]
    right = [index for index in range(len(rows.before)) if rows.after[index]]
    places = {("left", index): place for place, index in enumerate(left)}
    places |= {("right", index): len(left) + place for place, index in enumerate(right)}
    links = [(i, j, rows.flows[i][j]) for i in left for j in right if rows.flows[i][j]]
    heights = _find_middles([rows.before[i] for i in left]), _find_middles([rows.after[i] for i in right])
    figure.add_sankey(
        arrangement="fixed",
        node={
            "label": [""] * (len(left) + len(right)),
            "color": [style.VERDICT_COLOUR[VERDICTS[index]] for index in (*left, *right)],
            "customdata": [label_code(VERDICTS[index]) for index in (*left, *right)],
            "x": [0.001] * len(left) + [0.999] * len(right),
            "y": [*heights[0], *heights[1]],
            "pad": 18,
            "thickness": 16,
            "line": {"width": 0},
            "hovertemplate": "%{customdata}: %{value:,} retrievals<extra></extra>",
        },
        link={
            "source": [places["left", i] for i, _, _ in links],
            "target": [places["right", j] for _, j, _ in links],
            "value": [number for _, _, number in links],
            "color": [_fade_colour(VERDICTS[j], 0.2 if i == j else 0.8) for i, j, _ in links],
            "customdata": [f"{label_code(VERDICTS[i])} to {label_code(VERDICTS[j])}" for i, j, _ in links],
            "hovertemplate": "%{customdata}: %{value:,} retrievals<extra></extra>",
        },
    )
    # Names stand beside the bands, not on them, where they could not be read.
    apart = _space_names(heights[0]), _space_names(heights[1])
    names = [_place_name(index, rows.before[index], y, left=True) for index, y in zip(left, apart[0], strict=True)]
    names += [_place_name(index, rows.after[index], y, left=False) for index, y in zip(right, apart[1], strict=True)]
    figure.update_layout(margin={"t": 18, "b": 18, "l": 132, "r": 132}, annotations=names)
    return figure.build()


def _space_names(heights: list[float]) -> list[float]:
    """Return the heights of names, moved as little as keeps them from covering each other."""
    room = min(_NAME_ROOM, 1.0 / max(len(heights), 1))
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + room) if placed else height)
    limit = 1.0
    for place in reversed(range(len(placed))):
        placed[place] = min(placed[place], limit)
        limit = placed[place] - room
    return placed


def _place_name(index: int, number: int, height: float, *, left: bool) -> dict[str, object]:
    """Return the name and count of a verdict beside its end of the flow; ``height`` is measured from the top."""
    first, _, rest = label_code(VERDICTS[index]).partition(" ")
    second, _, third = rest.partition(" ")
    broken = f"{first} {second}<br>{third}" if third else f"{first} {second}"
    return {
        "text": f"{broken}<br><b>{number:,}</b>",
        "x": 0 if left else 1,
        "xshift": -8 if left else 8,
        "xanchor": "right" if left else "left",
        "align": "right" if left else "left",
        "y": 1 - height,
        "xref": "paper",
        "yref": "paper",
        "yanchor": "middle",
        "showarrow": False,
        "font": {"size": 13},
    }


def draw_sweep(rows: SweepCurve) -> go.Figure:
    """Draw shares of verdicts at every minimum ratio, with depth 1 allowed on the left and not on the right."""
    sides = (("Depth 1 allowed", True, (0.0, 0.48)), ("Not allowed", False, (0.52, 1.0)))
    figure = style.start_figure(style.TALL, legend=True)
    figure.update_layout(margin={"t": 70}, legend={"y": 1.1})
    figure.update_yaxes(range=[0, 1], tickformat=".0%", automargin=False)
    titles: list[dict[str, object]] = []
    lines: list[dict[str, object]] = []
    for place, (title, allowed, domain) in enumerate(sides):
        axis = "x" if place == 0 else "x2"
        for index in range(len(JUDGED)):
            figure.add_scatter(**_make_step(rows, index, allowed=allowed, axis=axis))
        scale = {
            "domain": domain,
            "anchor": "y",
            "range": [0, 1],
            "tickformat": ".1f",
            "fixedrange": True,
            "automargin": True,
            "title": "Minimum grounding ratio",
        }
        figure.update_layout(**{f"xaxis{axis[1:]}": scale})
        titles.append(
            {
                "text": title,
                "x": sum(domain) / 2,
                "y": 1,
                "xref": "paper",
                "yref": "paper",
                "yanchor": "bottom",
                "showarrow": False,
            }
        )
        # The line of the minimum is dotted on the side that the candidate does not take.
        dash = "solid" if rows.depth_1 == allowed else "dot"
        ends = {"type": "line", "xref": axis, "yref": "paper", "x0": rows.minimum, "x1": rows.minimum, "y0": 0, "y1": 1}
        lines += [
            ends | {"line": {"color": colour, "width": width, "dash": dash}}
            for colour, width in ((style.PAPER, 5), (style.INK, 2))
        ]
    figure.update_layout(annotations=titles, shapes=lines)
    return figure.build()


def _make_step(rows: SweepCurve, index: int, *, allowed: bool, axis: str) -> dict[str, object]:
    """Return the area of one verdict on one side of the sweep."""
    verdict, counts = JUDGED[index], rows.counts[allowed][index]
    return {
        "xaxis": axis,
        "x": rows.ratios,
        "y": [number / rows.total if rows.total else 0.0 for number in counts],
        "mode": "lines",
        "line": {"shape": "vh", "width": 0.8, "color": style.VERDICT_COLOUR[verdict]},
        "fillcolor": style.VERDICT_COLOUR[verdict],
        "fillpattern": style.make_pattern(style.VERDICT_SHAPE[verdict]),
        "stackgroup": axis,
        "name": label_code(verdict),
        "legendgroup": verdict,
        "showlegend": allowed,
        "customdata": counts,
        "hovertemplate": "Minimum up to %{x:.2f}<br>"
        + label_code(verdict)
        + ": %{y:.1%}, %{customdata:,}<extra></extra>",
    }


def _find_middles(counts: list[int]) -> list[float]:
    """Return the middle of each node along its side, from the top, in the fixed order of verdicts."""
    total, gap = sum(counts), 0.06
    room = 1.0 - gap * (len(counts) - 1)
    middles, top = [], 0.0
    for number in counts:
        height = room * number / total if total else 0.0
        middles.append(min(max(top + height / 2, 0.001), 0.999))
        top += height + gap
    return middles


def _fade_colour(verdict: str, opacity: float) -> str:
    colour = style.VERDICT_COLOUR[verdict]
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"
