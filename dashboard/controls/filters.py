"""Draw the filter bar of every page, and the search of the page Retrievals.

Flows in: widgets.  Flows out: nothing; ``state`` takes the values over at the start of the next run.
Rules kept here: the bar says how many retrievals it leaves of how many; what a log does not have is not offered;
options from a log stand only where they are drawn literally.
Not here: what a filter keeps (``guard_core.judging.selection``), the words (``views/filters.py``).
"""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from dashboard.controls import folding, state
from dashboard.controls.fields import show_time
from dashboard.filtered_log import FilteredLog
from dashboard.text import escape_markdown, escape_text
from dashboard.view import SORTS, TEXT_LIMIT
from dashboard.views import filters
from dashboard.words import PICK_HELP, PICK_LABEL, SORT_LABEL, VERDICTS, label_code
from guard_core.model import Finding

_ICONS = {
    "collections": ":material/folder_copy:",
    "originators": ":material/badge:",
    "generators": ":material/smart_toy:",
}
_EARLIEST, _LATEST = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59)  # noqa: DTZ001  # the widget's times are UTC


def draw_bar(filtered: FilteredLog, kept: int) -> None:
    """Draw the filter, and say how many retrievals it leaves."""
    evidence = filtered.loaded.evidence
    selection = state.load_view().page_selection
    has_times, values = filtered.loaded.offers
    with st.container(key="filter.bar", gap="xsmall"):
        with st.container(horizontal=True, gap="small", vertical_alignment="center", key="filter.row"):
            if has_times:
                with folding.open_box("Time", "filter.time", ":material/schedule:") as opened:
                    if opened:
                        _choose_times()
            for name, icon in _ICONS.items():
                if values[name][1]:
                    with folding.open_box(PICK_LABEL[name], f"filter.{name}", icon) as opened:
                        if opened:
                            _choose_label(name, *values[name])
            with folding.open_box("Verdict", "filter.verdict", ":material/gavel:") as opened:
                if opened:
                    _choose_codes("verdicts", VERDICTS)
            with folding.open_box("Finding", "filter.finding", ":material/flag:") as opened:
                if opened:
                    _choose_codes("findings", tuple(finding.value for finding in Finding))
            if not selection.empty:
                st.button("Clear", key="filter.clear", icon=":material/filter_alt_off:", on_click=_clear_selection)
        words = filters.describe_selection(selection)
        count = filters.describe_count(kept, evidence.log.retrieval_count)
        st.caption(escape_markdown(f"{count}: {words}" if words else count))


def _choose_times() -> None:
    state.fill_controls(state.widget("start"), state.widget("end"))
    for name in ("start", "end"):
        st.datetime_input(
            PICK_LABEL[name],
            value=show_time(getattr(state.load_view().selection, name)),
            min_value=_EARLIEST,
            max_value=_LATEST,
            step=60,
            format="YYYY-MM-DD",
            key=state.widget(name),
            help=PICK_HELP[name],
        )


def draw_search() -> None:
    """Search and sort of the page Retrievals."""
    state.fill_controls(*map(state.widget, ("text", "document", "anchor", "waived")))
    selection = state.load_view().selection
    with st.grid(4, min_column_width=200, gap="small", vertical_alignment="bottom"):
        for name in ("text", "document", "anchor"):
            st.text_input(
                PICK_LABEL[name],
                value=str(getattr(selection, name)),
                max_chars=TEXT_LIMIT,
                key=state.widget(name),
                help=PICK_HELP[name],
                icon=":material/search:" if name == "text" else None,
            )
        _choose_codes("waived", VERDICTS)


def choose_order() -> None:
    """Let the reader choose how retrievals are sorted."""
    view = state.load_view()
    st.session_state[state.widget("sort")] = view.sort
    st.session_state[state.widget("descending")] = view.descending
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", width="content"):
        st.selectbox(
            "Sort by",
            SORTS,
            index=SORTS.index(view.sort),
            format_func=SORT_LABEL.__getitem__,
            key=state.widget("sort"),
            on_change=_store_order,
            width=230,
        )
        st.toggle("Greatest first", value=view.descending, key=state.widget("descending"), on_change=_store_order)


def choose_page(pages: int) -> int:
    """Let the reader choose a page; return the one that is shown."""
    shown = min(state.load_view().page, max(pages, 1))
    if pages > 1:
        st.session_state[state.widget("page")] = shown
        st.pagination(pages, key=state.widget("page"), on_change=_store_page)
    return shown


def _choose_label(name: str, values: tuple[str, ...], number: int) -> None:
    state.fill_controls(state.widget(name))
    chosen = getattr(state.load_view().selection, name)
    st.multiselect(
        PICK_LABEL[name],
        list(dict.fromkeys((*values, *chosen))),
        default=chosen,
        format_func=lambda value: escape_text(value, 60),
        key=state.widget(name),
        help=PICK_HELP[name],
        accept_new_options=number > len(values),
        filter_mode="contains",
        placeholder="All",
    )
    if number > len(values):
        st.caption(f"The {len(values):d} most frequent of {number:,}; type any other.")


def _choose_codes(name: str, codes: tuple[str, ...]) -> None:
    state.fill_controls(state.widget(name))
    st.multiselect(
        PICK_LABEL[name],
        codes,
        default=getattr(state.load_view().selection, name),
        format_func=label_code,
        key=state.widget(name),
        help=PICK_HELP[name],
        placeholder="All",
    )


def _store_order() -> None:
    by, descending = (st.session_state[state.widget(name)] for name in ("sort", "descending"))
    state.store_view(state.load_view().sort_retrievals(by, descending=bool(descending)))


def _store_page() -> None:
    state.store_view(state.load_view().turn_to_page(int(st.session_state[state.widget("page")])))


def _clear_selection() -> None:
    state.store_view(state.load_view().clear_selection())
