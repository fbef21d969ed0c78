"""Plotly figures from view rows: no Streamlit, no arithmetic on logs.

Flows in: rows and numbers of ``dashboard.views``.  Flows out: figures.
Rules kept here: colours, patterns and order of verdicts come from ``look``; text from outside passes
``dashboard.text.plotly_text``; axes of names and ids are categories, never numbers; a figure holds aggregates only,
so its size does not grow with the log.

``look`` colours and layout; ``overview`` and ``whatif`` the figures of those pages.
"""
