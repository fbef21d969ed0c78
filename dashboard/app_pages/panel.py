"""Draw what all pages share: a chart with its title, caption and table; tables; metrics; the head; empty states.

Flows in: figures, tables and sentences.  Flows out: elements on screen.
Rules kept here: a chart is titled with what it says, captioned with how to read it, has an alternative text and its
numbers as a table; text reaches a Markdown position only through ``dashboard.text``.
Not here: what a page says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

import plotly.graph_objects as go
import pyarrow as pa
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from dashboard.compute import compute
from dashboard.controls import current_log, filters, folding, state
from dashboard.controls import documents as controls
from dashboard.distrust import describe_distrust, find_unknown_names
from dashboard.filtered_log import FilteredLog
from dashboard.logs import LogOrigin
from dashboard.text import escape_code, escape_markdown, escape_text
from dashboard.views import account, retrieval, whatif
from dashboard.views import filters as views
from dashboard.views.corpus import originators
from dashboard.views.table import Table
from dashboard.words import TERMS
from guard_core.output.people.sentences import find_warning
from guard_core.visible import count_noun

_TERMS = "\n\n".join(f"**{escape_markdown(term)}**  \n{escape_markdown(meaning)}" for term, meaning in TERMS.items())
_CONFIG = {"displayModeBar": False, "scrollZoom": False, "doubleClick": False}


class Titled(Protocol):
    """What a chart shows: its title says what it means, also to those who cannot see it."""

    @property
    def title(self) -> str: ...

    @property
    def numbers(self) -> Table: ...


def draw_chart(
    rows: Titled, figure: go.Figure, how_to_read: str, key: str, control: Callable[[], None] | None = None
) -> None:
    """Draw a chart in a card, with its numbers as a table; ``control`` draws a control of the figure."""
    with st.container(border=True, height="stretch", key=f"{key}.card"):
        st.markdown(f"#### {escape_markdown(rows.title)}")
        if control is not None:
            control()
        draw_figure(figure, key, rows.title)
        st.caption(escape_markdown(how_to_read))
        with folding.open_part("Numbers", f"{key}.numbers", ":material/table:") as unfolded:
            if unfolded:
                draw_table(rows.numbers, f"{key}.table", rows.title)


def draw_figure(figure: go.Figure, key: str, alt: str) -> None:
    """Draw a figure with its alternative text."""
    st.plotly_chart(figure, key=key, config=_CONFIG, alt=alt)


def draw_table(rows: Table, key: str, alt: str, *, wide: tuple[str, ...] = (), height: int | None = None) -> None:
    """Draw a table, and if it was cut how many rows there are in all.  Cells are drawn literally, never as markup."""
    frame, config = _convert_table(rows, wide)
    st.dataframe(
        frame, hide_index=True, key=key, alt=alt, column_config=config, height="auto" if height is None else height
    )
    _say_cut(rows)


def choose_row(rows: Table, key: str, alt: str, *, wide: tuple[str, ...] = (), whole: bool = False) -> int | None:
    """Let the reader choose a row of a table; return its place, ``None`` while none is chosen.

    ``whole`` draws the table as high as it is.
    """
    frame, config = _convert_table(rows, wide)
    chosen = st.dataframe(
        frame,
        hide_index=True,
        key=key,
        alt=alt,
        column_config=config,
        height="content" if whole else "auto",
        on_select="rerun",
        selection_mode="single-row",
    )
    _say_cut(rows)
    places = chosen["selection"]["rows"]
    return int(places[0]) if places and places[0] < len(rows.cells) else None


def choose_retrieval(
    rows: Table, filtered: FilteredLog, key: str, alt: str, *, wide: tuple[str, ...] = (), whole: bool = False
) -> None:
    """Let the reader choose a retrieval of a table, and open it."""
    chosen = choose_row(rows, key, alt, wide=wide, whole=whole)
    if chosen is not None:
        name = retrieval.identify_retrieval(filtered.loaded.evidence, rows.numbers[chosen])
        state.store_view(state.load_view().open_retrieval(*name))
        st.switch_page("app_pages/retrievals.py")


def choose_document(rows: Table, key: str, alt: str, *, wide: tuple[str, ...] = ()) -> None:
    """Let the reader choose a row of documents or results, and open its document."""
    chosen = choose_row(rows, key, alt, wide=wide)
    if chosen is not None:
        controls.open_document(rows.documents[chosen])
        st.switch_page("app_pages/document.py")


def draw_metrics(metrics: Iterable[tuple[str, str]], width: int = 150) -> None:
    """Draw metrics in a row, each a name and a value, at least ``width`` pixels wide."""
    with st.grid(4, min_column_width=width, gap="medium"):
        for name, value in metrics:
            st.metric(escape_markdown(name), escape_markdown(value), border=True)


def draw_card(key: str, name: str, value: str, *sentences: str) -> None:
    """Draw one number in a card, with sentences under it."""
    with st.container(border=True, height="stretch", key=key):
        st.metric(escape_markdown(name), escape_markdown(value))
        for sentence in sentences:
            st.caption(escape_markdown(sentence))


def start_page(title: str) -> FilteredLog | None:
    """Draw the head of a page on the log with the trust in force; return what it shows, ``None`` if that is nothing."""
    found = current_log.get_distrusting_log()
    if found is None:
        draw_no_log()
        return None
    filtered = current_log.filter_log(found)
    return filtered if draw_head(title, filtered) else None


def _draw_distrust(filtered: FilteredLog) -> None:
    """Say whom the reader distrusts, which holds on every page until it is taken back."""
    distrust = state.load_view().distrust
    if distrust.is_empty:
        return
    decided = filtered.loaded.evidence.decided
    lost = find_unknown_names(None if decided is None else decided.store, distrust)
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="head.trust"):
        st.warning(escape_markdown(f"What if: {describe_distrust(distrust)}."), icon=":material/remove_moderator:")
        st.button("Trust all again", key="head.trust_all", on_click=_trust_all)
    if lost:
        names = ", ".join(escape_text(name, 60) for name in lost[:4])
        st.caption(f"Not in the trust store, so without effect: {escape_code(names, 300)}")


def _trust_all() -> None:
    state.store_view(state.load_view().trust_all())


def _convert_table(rows: Table, wide: tuple[str, ...]) -> tuple[pa.Table, dict[str, ColumnConfig]]:
    """Return a frame as Arrow takes it, which Streamlit draws in a third of the time, and how columns are drawn."""
    arrays = [column.array.__arrow_array__() for _, column in rows.frame.items()]
    return pa.Table.from_arrays(arrays, names=list(rows.columns)), {
        name: st.column_config.TextColumn(width="medium" if name in wide else None)
        if pa.types.is_string(column.type) or pa.types.is_null(column.type)
        else st.column_config.NumberColumn(format="localized")
        for name, column in zip(rows.columns, arrays, strict=True)
    }


def _say_cut(rows: Table) -> None:
    if rows.is_cut:
        st.caption(escape_markdown(f"The first {len(rows.cells):,} of {rows.total:,} rows."))


def draw_refusals(sentences: tuple[str, ...]) -> None:
    """Say what was refused, a sentence each."""
    for sentence in sentences:
        st.warning(escape_code(sentence, 400), icon=":material/block:")


def draw_hints(sentences: tuple[str, ...]) -> None:
    """Say what a log lacks and what to bring; nothing where nothing is missing."""
    if not sentences:
        return
    with st.container(border=True, gap="xsmall", key="hints"):
        st.caption(":material/lightbulb: What this log lacks, and what to bring")
        for sentence in sentences:
            st.text(sentence, width="stretch")


def draw_no_log() -> None:
    """Say that no log is loaded and what to do; name the log that a link was made for."""
    st.title("Source Guard")
    st.text("Who wrote what your retrievals returned, how that is known, and whether it rests on human sources.")
    wanted = current_log.get_awaited_log()
    if wanted is not None:
        with st.container(border=True, key="empty.link"):
            st.markdown("#### This link was made for a log that is not loaded")
            st.text("Load this file and the view of the link appears:")
            st.code(escape_text(wanted.file) or "(the link does not name it)", language=None)
            st.caption(f"Its mark is {escape_code(wanted.digest)}; a log with other content has another mark.")
    with st.container(horizontal=True):
        st.page_link("app_pages/load.py", label="Load a log, or open the sample", icon=":material/folder_open:")


def describe_shown(filtered: FilteredLog) -> str:
    """Describe what is shown in one line: log, filter, policy."""
    kept = len(filtered.count_statistics(filtered.by.top_k).retrievals)
    parts = (
        escape_text(filtered.loaded.name, 60),
        views.describe_count(kept, filtered.total),
        views.describe_selection(filtered.selection),
        whatif.describe_policy(state.load_view().policy),
    )
    return " · ".join(part for part in parts if part)


def draw_terms(key: str) -> None:
    """Draw the box that explains the words on screen."""
    with folding.open_box("Terms", key, ":material/menu_book:", kind="tertiary") as unfolded:
        if unfolded:
            st.markdown(_TERMS)


def draw_head(title: str, filtered: FilteredLog) -> bool:
    """Draw the title of a page, its log, the policy and the filter; return false if the filter leaves nothing."""
    evidence, found = filtered.loaded.evidence, filtered.loaded
    st.title(escape_markdown(title))
    facts = [count_noun(evidence.log.retrieval_count, "retrieval"), compute(account.describe_period, evidence)]
    if evidence.decided is not None:
        facts.append(f"claims judged at {originators.format_day(evidence.decided.at)}")
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="head.log"):
        st.text(escape_text(found.name, 120))
        st.caption(escape_markdown(" · ".join(fact for fact in facts if fact)), width="content")
        if found.request.origin is LogOrigin.SAMPLE:
            st.badge("Invented sample: nothing in it is real", icon=":material/science:", color="violet")
        if evidence.log.incomplete:
            st.badge("Incomplete log", icon=":material/content_cut:", color="orange")
        if evidence.log.rows_rejected:
            rows = count_noun(evidence.log.rows_rejected, "row")
            st.badge(escape_markdown(f"{rows} rejected"), icon=":material/rule:", color="orange")
    wanted = current_log.get_awaited_log()
    if wanted is not None:
        st.warning(
            f"The link was made for another log, {escape_code(wanted.file)}. Load that file to see what it shows.",
            icon=":material/link_off:",
        )
    named = state.load_view().policy
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="head.policy"):
        st.caption(escape_markdown(whatif.describe_policy(named)), width="content")
        with folding.open_box("All fields", "head.fields", kind="tertiary") as unfolded:
            if unfolded:
                draw_table(
                    whatif.list_fields(named.policy),
                    "head.field_table",
                    "Every field of the policy in force",
                    wide=("Meaning",),
                )
        draw_terms("head.terms")
    trusting = find_warning(named.policy)
    if trusting is not None:
        st.info(escape_markdown(trusting), icon=":material/info:")
    _draw_distrust(filtered)
    kept = len(filtered.count_statistics(filtered.by.top_k).retrievals)
    filters.draw_bar(filtered, kept)
    if kept or not filtered.total:
        return True
    st.info("No retrieval matches the filter. Take a condition off to see some.", icon=":material/filter_alt_off:")
    return False
