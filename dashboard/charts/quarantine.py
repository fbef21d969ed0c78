"""The figure of a what-if on the corpus: verdicts before and after.

Flows in: a ``Comparison`` over all five verdicts.  Flows out: a plotly figure.
Rules kept here: those of the package; shares are of retrievals with results, as everywhere, so that the bars hold
different numbers where retrievals are left empty.
Not here: the flow between verdicts (``whatif.py``), words and numbers (``views``).
"""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts import style
from dashboard.views.overview import JUDGED
from dashboard.views.whatif import Comparison


def draw_before_and_after(rows: Comparison) -> go.Figure:
    """Two bars: verdicts before and after, of the retrievals that have results."""
    made = style.start_figure(style.MEDIUM, legend=True)
    style.add_verdict_bars(made, ("Before", "After"), (rows.before[:4], rows.after[:4]), JUDGED)
    return made.done()
