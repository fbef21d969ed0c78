"""Draw the quarantine on Anchors: what is taken out, and each retrieval before and after.

Flows in: a filtered log, families to choose from.  Flows out: a card, and once something is taken out what it changes.
Rules kept here: the page says that results are dropped and that a real re-query would fill the places; nothing is
counted until something is taken out.
Not here: counting (``guard_core.corpus.quarantine``), numbers (``views/quarantine.py``).
"""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages import panel
from dashboard.charts import style
from dashboard.charts import whatif as figures
from dashboard.compute import compute
from dashboard.controls import choices, documents, state
from dashboard.filtered_log import FilteredLog
from dashboard.text import escape_code, escape_markdown
from dashboard.views import filters
from dashboard.views.corpus import quarantine
from guard_core.corpus.coverage import Families


def draw_quarantine(filtered: FilteredLog, families: Families) -> None:
    """Draw the card of the quarantine, and what it changes."""
    out = state.load_view().quarantine
    offered = {name: values[0] for name, values in filtered.loaded.offers[1].items()}
    offered["anchors"] = families.names[: filters.OFFERED]
    with st.container(border=True, key="quarantine.card"):
        st.markdown("#### What if some of it were taken out?")
        documents.choose_quarantine(offered)
        st.caption(escape_markdown(quarantine.HOW_COUNTED))
        if out.empty:
            st.text("Choose a family, documents, an originator, a generator or a collection, and see what rests on it.")
            return
        policy = state.load_view().policy.policy
        before = filtered.judge(policy)
        waived = choices.is_waived(before)
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            choices.choose_verdicts(waived)
            st.text(f"Taken out: {quarantine.describe_quarantine(out)}")
            st.button(
                "Take nothing out", key="quarantine.clear", icon=":material/undo:", on_click=documents.clear_quarantine
            )
        shown = compute(quarantine.judge_without, before, out, waived)
        st.markdown(escape_markdown(shown.title))
        for name in shown.unmatched:
            st.caption(f"Occurs nowhere in this log: {escape_code(name)}")
        panel.draw_metrics(shown.tiles, width=190)
        panel.draw_table(shown.numbers, "quarantine.numbers", "Numbers of the log before and after")
    compared = shown.comparison
    with st.grid(2, min_column_width=420, gap="medium"):
        panel.draw_chart(
            compared.shares,
            figures.draw_comparison(compared, height=style.MEDIUM),
            "Retrievals with results under the same policy: above as logged, below with the results taken out. Those "
            "that are left empty are no part of the lower bar.",
            "quarantine.shares",
        )
        panel.draw_chart(
            compared.moves,
            figures.draw_flow(compared),
            "Left: verdicts as logged. Right: verdicts with the results taken out. Strong bands flip, faint ones stay.",
            "quarantine.flow",
        )
    if shown.flips.total:
        st.markdown("#### Retrievals that flip")
        st.caption("Choose a row to open the retrieval.")
        panel.choose_retrieval(
            shown.flips, filtered, "quarantine.flips", "Retrievals whose verdict changes", wide=("Query",)
        )
