"""Draw Documents: a list, or one document with where it comes from, what derives from it and where it was retrieved.

Flows in: the log, filter and policy of the session, and the opened document.  Flows out: the page, or a list to choose
from.
Rules kept here: a document that only the catalogue knows opens like any other; an unknown id is named; the
chain does not depend on the filter, the list of retrievals does.
Not here: numbers (``views/document.py``, ``views/corpus/neighbourhood.py``), the picture (``charts/neighbourhood.py``).
"""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages import panel
from dashboard.charts import neighbourhood as figures
from dashboard.compute import compute
from dashboard.controls import documents, state
from dashboard.filtered_log import FilteredLog
from dashboard.text import escape_code, escape_markdown
from dashboard.view import LISTINGS
from dashboard.views.corpus import document, leverage, neighbourhood
from guard_core.corpus.document_record import gather_facts
from guard_core.corpus.neighbourhood import find_neighbourhood
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief


def main() -> None:
    """Draw the page."""
    filtered = panel.start_page("Documents")
    if filtered is None:
        return
    policy = state.load_view().policy.policy
    statistics, belief = filtered.count_statistics(policy.top_k), policy.belief
    wanted = state.load_view().document
    number = None if wanted is None else filtered.derive().find_number(wanted)
    if number is not None:
        _draw_document(filtered, statistics, number, belief)
        return
    if wanted is not None:
        st.warning(
            f"Neither log nor catalogue has a document {escape_code(wanted)}. Ids are compared byte for byte.",
            icon=":material/link_off:",
        )
    _draw_list(filtered, statistics, belief)


def _draw_list(filtered: FilteredLog, statistics: Statistics, belief: Belief) -> None:
    with st.grid(2, min_column_width=320, gap="medium", vertical_alignment="bottom"):
        documents.ask_document()
        listing = documents.choose_listing()
    if listing == LISTINGS[1]:
        _draw_checks(filtered, statistics)
        return
    graph = filtered.derive()
    rows = compute(document.list_documents, statistics, graph, belief)
    if not rows.total:
        st.info("No document was retrieved. Load another log, or open one by its id.", icon=":material/lightbulb:")
        return
    st.markdown("### Documents that were retrieved most often")
    st.caption("Choose a row to open the document.")
    panel.choose_document(rows, "document.list", "Documents with results, class and depth", wide=("Document",))


def _draw_checks(filtered: FilteredLog, statistics: Statistics) -> None:
    """Draw the documents whose check would settle most."""
    policy = state.load_view().policy.policy
    found = compute(leverage.list_checks, statistics, policy)
    st.markdown(f"### {escape_markdown(found.title)}")
    st.caption(escape_markdown(found.detail))
    if not found.numbers.total:
        st.info("Nothing to check under the policy in force.", icon=":material/lightbulb:")
        return
    st.caption("Choose a row to open the document.")
    panel.choose_document(
        found.numbers, "document.checks", "Documents by what a check would settle", wide=("Document",)
    )


def _draw_document(filtered: FilteredLog, statistics: Statistics, number: int, belief: Belief) -> None:
    graph = filtered.derive()
    shown = compute(document.describe_document, statistics, graph, number, belief)
    st.button("All documents", key="document.back", icon=":material/arrow_back:", on_click=documents.close_document)
    st.markdown(f"### {escape_markdown(shown.name)}")
    if shown.title:
        st.text(shown.title)
    st.caption(escape_markdown(shown.known))
    panel.draw_metrics(shown.metrics)
    with st.container(horizontal=True, gap="large"):
        for name, value in shown.labels:
            with st.container(gap=None, width="content"):
                st.caption(escape_markdown(name))
                st.text(value)
    st.text(shown.sources)
    with st.container(horizontal=True, gap="small"):
        if st.button("What if it were taken out?", key="document.take_out", icon=":material/block:"):
            documents.quarantine("documents", graph.find_id(number))
            st.switch_page("app_pages/anchors.py")
    if shown.conflicts:
        with st.container(border=True, key="document.conflicts"):
            st.markdown("#### Conflicting statements")
            for sentence in shown.conflicts:
                st.text(sentence)
    _draw_chain(filtered, number, belief)
    st.markdown("#### What each basis states")
    panel.draw_table(
        shown.statements, "document.statements", "Class, depth, parents and anchors as each basis states them",
        wide=("Derived from", "Anchors"),
    )  # fmt: skip
    st.markdown("#### Where it was retrieved")
    if not shown.retrievals.total:
        st.info("In none of the retrievals shown.", icon=":material/lightbulb:")
        return
    st.caption("Choose a row to open the retrieval.")
    st.button(
        "Search its retrievals",
        key="document.search",
        icon=":material/search:",
        on_click=state.search_retrievals,
        args=("document", graph.find_id(number)),
    )
    if state.is_leaving():
        st.switch_page("app_pages/retrievals.py")
    panel.choose_retrieval(
        shown.retrievals, filtered, "document.retrievals", "Retrievals that list this document", wide=("Query",)
    )


def _draw_chain(filtered: FilteredLog, number: int, belief: Belief) -> None:
    graph, evidence = filtered.derive(), filtered.loaded.evidence
    around = compute(find_neighbourhood, graph, number)
    steps = tuple(other for other, _ in around.steps)
    facts = compute(gather_facts, evidence, graph, steps, belief)
    picture = neighbourhood.lay_out_chain(around, facts)
    if len(steps) == 1 and not around.on_cycle:
        st.info(
            f"{escape_markdown(picture.title)}. A catalogue with a column {escape_code('derived_from')}, or claims "
            "with that member, would show its chain here.",
            icon=":material/lightbulb:",
        )
        return
    panel.draw_chart(
        picture,
        figures.draw_chain(picture),
        "Above it what it comes from, below it what comes from it; its own name is bold. The sign of a document is its "
        "class; a coloured rim means conflicting statements. The sign in the middle of a line is the basis of the "
        "link. Dashed lines are anchors; dotted ones do not count for class and depth, because a stronger basis names "
        f"other parents. {picture.detail}",
        "document.chain",
    )
    if picture.documents.total > 1:
        st.caption("Choose a row to open that document.")
        # Each document has a table of its own: what is chosen in one must not be chosen in the next.
        key = f"document.kin.{number:d}"
        panel.choose_document(picture.documents, key, "Documents of this family by step", wide=("Document",))


main()
