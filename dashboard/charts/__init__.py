"""Draw plotly figures of what views count: no Streamlit, no arithmetic on logs.

Flows in: rows and numbers of ``dashboard.views``.  Flows out: figures.
Rules kept here: colours, patterns and order of verdicts come from ``style``; text from outside passes
``dashboard.text.escape_plotly``; axes of names and ids are categories, never numbers; a figure holds aggregates only,
so its size does not grow with the log.

``figure`` builds a figure, ``style`` holds colours, layout and bars; each other module draws the figures of a page.
"""
