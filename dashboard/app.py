"""Run the script of the dashboard: what every page has in common, then the page itself.

Flows in: a run of Streamlit's script.  Flows out: one page on screen, and its view in the URL.
Rules kept here: nothing that goes wrong on a page shows more than one sentence of ours; the state of the session is
brought up to date before a page and written to the URL after it.
Not here: pages (``app_pages/``), state (``controls``).
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dashboard.app_pages import panel
from dashboard.controls import run, state

ICON = Path(__file__).with_name("icon.png")  # a file of our own: a named icon would be fetched from another host

st.set_page_config(page_title="Source Guard", page_icon=str(ICON), layout="wide")  # while a log is read

PAGES = (
    st.Page("app_pages/overview.py", title="Overview", icon=":material/dashboard:", url_path="overview", default=True),
    st.Page("app_pages/whatif.py", title="What-if", icon=":material/compare_arrows:", url_path="what-if"),
    st.Page("app_pages/anchors.py", title="Anchors", icon=":material/anchor:", url_path="anchors"),
    st.Page("app_pages/originators.py", title="Originators", icon=":material/badge:", url_path="originators"),
    st.Page("app_pages/retrievals.py", title="Retrievals", icon=":material/search:", url_path="retrievals"),
    st.Page("app_pages/document.py", title="Documents", icon=":material/description:", url_path="document"),
    st.Page("app_pages/load.py", title="Load", icon=":material/folder_open:", url_path="load"),
)

run.begin_run()
page = st.navigation(list(PAGES), position="top")
st.set_page_config(page_title=f"{page.title} · Source Guard")
state.enter_page(page.url_path)
panel.draw_refusals(state.list_refusals())
page.run()
run.end_run()
