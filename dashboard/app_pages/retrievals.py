"""Draw Retrievals: search them, download what matches, open one and see what it rests on.

Flows in: the log, filter, search and policy of the session.  Flows out: the list, or one retrieval.
Rules kept here: search, sort and pages are worked out on the server, and a page sends its own rows only; texts are read
again from the file for the opened retrieval only, and are drawn as they stand.
Not here: numbers (``views/search.py``, ``views/retrieval.py``), files (``views/export.py``).
"""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dashboard.app_pages import panel
from dashboard.charts import retrievals as figures
from dashboard.compute import compute
from dashboard.controls import current_log, filters, folding, state
from dashboard.filtered_log import FilteredLog
from dashboard.logs import LoadedLog, read_texts, reads_texts_at_once
from dashboard.text import escape_code, escape_lines, escape_markdown
from dashboard.views import export, retrieval, retrievals, search
from dashboard.views.corpus import attestations
from guard_core.judging.judge import Verdicts
from guard_core.judging.policy import NamedPolicy


def main() -> None:
    """Draw the page."""
    found = current_log.get_distrusting_log()
    if found is None:
        panel.draw_no_log()
        return
    if not panel.draw_head("Retrievals", current_log.filter_log(found)):
        return
    wanted = state.load_view().retrieval
    number = None if wanted is None else retrieval.find_retrieval(found.evidence, *wanted)
    if number is not None:
        _draw_retrieval(found, number)
        return
    if wanted is not None:
        st.warning(
            f"This log has no retrieval {escape_code(wanted[0])}, number {wanted[1]:d} of that id.",
            icon=":material/link_off:",
        )
        st.button("Back to the list", key="retrievals.lost", on_click=_close_retrieval)
    _draw_list(current_log.search_log(found))


def _draw_list(filtered: FilteredLog) -> None:
    view = state.load_view()
    named = view.policy
    with st.container(border=True, key="retrievals.search"):
        filters.draw_search()
    verdicts = filtered.judge(named.policy)
    positions = compute(search.sort_retrievals, verdicts, view.sort, view.descending)
    matching = len(positions)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        filters.choose_order()
        with folding.open_box("Download what matches", "retrievals.download", ":material/download:") as opened:
            if opened:
                _draw_downloads(verdicts, positions, named)
    page = min(view.page, max(search.count_pages(matching), 1))
    st.caption(escape_markdown(search.describe_page(page, matching)))
    if not matching:
        st.info("Take a condition off to see some.", icon=":material/lightbulb:")
        return
    shown = search.cut_page(positions, page)
    rows = retrievals.list_retrievals(verdicts, shown)
    panel.choose_retrieval(
        rows, filtered, "retrievals.table", "Retrievals that match", wide=("Query", "What to do"), whole=True
    )
    filters.choose_page(search.count_pages(matching))
    made = search.count_classes(verdicts, shown)
    panel.draw_chart(
        made,
        figures.draw_classes(made),
        "One bar for each retrieval listed above, in the same order: its results by class, as the policy in force "
        "reads them.",
        "retrievals.makeup",
    )


def _draw_downloads(verdicts: Verdicts, positions: NDArray[np.int64], named: NamedPolicy) -> None:
    """Draw a download for each form; a file is written when it is asked for."""
    fault = export.explain_limit(verdicts)
    if fault is not None:
        st.text(fault)
        return
    for form, media in export.FORMS.items():
        st.download_button(
            f"{escape_markdown(form.upper())}, {len(positions):,d} retrievals",
            partial(export.write_download, form, verdicts, positions, named),
            f"retrievals.{form}",
            media,
            key=f"retrievals.download.{form}",
            on_click="ignore",
            width="stretch",
        )
    st.caption("Everything that matches, one row for each result; the JSON has one record for each retrieval.")


def _draw_retrieval(found: LoadedLog, number: int) -> None:
    policy, baseline = state.load_view().policy.policy, state.load_view().baseline.policy
    shown = retrieval.open_retrieval(found.evidence, number, policy, baseline)
    st.button("Back to the list", key="retrievals.back", icon=":material/arrow_back:", on_click=_close_retrieval)
    st.markdown(f"### Retrieval {escape_markdown(shown.name)}")
    st.text(shown.when)
    st.code(escape_lines(shown.query) or "(the log gives no query)", language=None, wrap_lines=True)
    with st.container(border=True, key="opened.verdict"):
        st.markdown(f"#### {escape_markdown(shown.directive)}")
        st.markdown(escape_markdown(shown.margin))
        with st.grid(5, min_column_width=150, gap="medium"):
            for name, value in shown.facts:
                with st.container(gap=None):
                    st.caption(escape_markdown(name))
                    st.text(value)
    st.markdown("#### Its results")
    beyond = retrieval.describe_unjudged(policy, shown)
    if beyond:
        st.caption(escape_markdown(beyond))
    st.caption("Choose a row to open its document: where it comes from, and where else it was retrieved.")
    panel.choose_document(shown.results, "opened.results", "Results with class, depth, anchors and conflicts")
    _draw_claims(found, number)
    st.markdown("#### Under the baseline and under the policy in force")
    if not shown.differs:
        st.caption("Both policies decide the same. Move a control on What-if to compare another policy.")
    panel.draw_table(
        shown.compared, "opened.compared", "The retrieval under both policies", wide=("Baseline", "Policy in force")
    )
    st.markdown("#### What the results say")
    _draw_texts(found, shown)


def _draw_claims(found: LoadedLog, number: int) -> None:
    """Draw who attests each result, and why a claim fails."""
    first, last = retrieval.find_results(found.evidence, number)
    if not attestations.has_claims(found.evidence, first, last):
        return
    st.markdown("#### Who attests them")
    wanted, ids = attestations.find_mismatched_texts(found.evidence, first, last)
    texts = read_texts(found, wanted, ids).found if wanted and reads_texts_at_once(found) else {}
    known = attestations.list_attestations(found.evidence, first, last, texts)
    panel.draw_table(
        known.rows, "opened.claims", "By whom, when and with which key each result is attested", wide=("Claim",)
    )
    st.caption("A valid claim is its originator's word, never more.")
    for fault in known.faults:
        st.text(fault)
    if known.more:
        st.caption(f"{known.more:,d} more of its claims fail.")


def _draw_texts(found: LoadedLog, shown: retrieval.OpenedRetrieval) -> None:
    digests = frozenset(text.digest for text in shown.texts if text.digest is not None)
    if not digests:
        st.text("The log holds no text of these results.")
        return
    if not reads_texts_at_once(found) and not st.toggle("Read the texts again from the file", key="opened.read"):
        st.caption("The file is large, so its texts are only read when you ask for them.")
        return
    texts = read_texts(found, digests, frozenset(shown.ids))
    if texts.fault is not None:
        st.warning(escape_code(texts.fault, 400), icon=":material/draft:")
    for text in shown.texts:
        with st.container(gap="xsmall"):
            st.caption(f"{text.rank:d} · {escape_code(text.name)} · {escape_markdown(text.known)}")
            known = texts.found.get(text.digest or "")
            if known is None:
                st.text("(no text)" if text.digest is None else "(no longer available)")
            else:
                st.code(escape_lines(known) or "(empty)", language=None, wrap_lines=True)


def _close_retrieval() -> None:
    state.store_view(state.load_view().close_retrieval())


main()
