"""Count and list what the screens show, from ``Statistics`` and ``Verdicts``: no Streamlit, no plotly.

Flows in: immutable objects of ``guard_core``.  Flows out: frozen rows, tables and sentences that a chart or page
only draws.
Rules kept here: every number comes from the functions that the command line uses; a share always travels with its
counts; creative tasks and empty retrievals are left out of rates as everywhere (R54, R55); tables say how many rows
there are in all.

``table`` tables and their limits; ``account`` what was read; ``overview`` and ``trend`` the Overview;
``retrievals`` lists of retrievals; ``whatif`` two policies side by side.
"""
