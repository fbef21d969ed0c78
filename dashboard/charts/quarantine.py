"""The figure of a what-if on the corpus: verdicts before and after.

Flows in: a ``Comparison`` over all five verdicts.  Flows out: a plotly figure.
Rules kept here: those of the package; a retrieval that is left empty is a part of the bar, not left out of it.
Not here: the flow between verdicts (``whatif.py``), words and numbers (``views``).
"""

from __future__ import annotations

import plotly.graph_objects as go

from dashboard.charts import look
from dashboard.views.whatif import Comparison
from dashboard.words import VERDICTS


def before_and_after(rows: Comparison) -> go.Figure:
    """Two bars: verdicts before and after."""
    made = look.figure(look.MEDIUM, legend=True)
    look.verdict_bars(made, ("Before", "After"), (rows.before, rows.after), VERDICTS)
    return made.done()
