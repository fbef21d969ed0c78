"""Draw Load: choose a log, see what was read of it and why not the rest, and correct the mapping.

Flows in: the sample, a path from the command line, uploads.  Flows out: the page, and the log of the session.
Rules kept here: a log that cannot be used says so in a sentence and leaves the one there is in place; the limit of
an upload is shown beside it; names and cells from files are drawn literally.
Not here: reading (``logs.py``), sentences about what was read (``views/account.py``).
"""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages import panel
from dashboard.controls import current_log, files, folding, run, trust
from dashboard.logs import LoadedLog, LogOrigin, request_sample
from dashboard.text import escape_code, escape_markdown, escape_text
from dashboard.views import account
from dashboard.views.corpus import originators


def main() -> None:
    """Draw the page."""
    st.title("Load a log")
    wanted = current_log.get_awaited_log()
    if wanted is not None:
        st.info(
            f"The link asks for the log {escape_code(wanted.file)} with the mark {escape_code(wanted.digest)}.",
            icon=":material/link:",
        )
    _draw_choice()
    fault = current_log.get_fault()
    if fault is not None:
        st.error(escape_code(fault, 500), title="This log cannot be used", icon=":material/error:")
    found = current_log.get_distrusting_log()
    if found is None:
        st.text("No log is loaded. Choose one above.")
        return
    _draw_account(found)
    _draw_claims(found)
    _draw_mapping(found)


def _draw_choice() -> None:
    with st.container(border=True, key="load.choose"):
        left, right = st.columns([2, 3], gap="large")
        with left:
            st.markdown("#### On this machine")
            request = run.request_start()
            if request is not None and request.origin is LogOrigin.COMMAND_LINE:
                st.text(escape_text(", ".join(item.name for item in request.logs)))
                files.draw_load_button(
                    request, "Load the log from the command line", ":material/terminal:", "load.command_line"
                )
            files.draw_load_button(request_sample(), "Open the invented sample", ":material/science:", "load.sample")
            st.caption("Nothing leaves this machine. To start on a file of any size:")
            st.code("source-guard serve LOG --catalogue FILE", language=None, wrap_lines=True)
        with right:
            st.markdown("#### Upload")
            files.draw_uploads()


def _draw_account(found: LoadedLog) -> None:
    read = account.count_rows(found.evidence, found.names)
    st.markdown(f"### {escape_markdown(read.title)}")
    with st.container(horizontal=True, gap="small"):
        st.text(escape_text(found.name, 160))
        if read.incomplete:
            st.badge(
                "Incomplete: the file ends early or says that it is partial",
                icon=":material/content_cut:",
                color="orange",
            )
    panel.draw_metrics(read.metrics, width=140)
    st.caption(escape_markdown(f"{read.sentence} {account.describe_match(found.evidence)}"))
    panel.draw_hints(account.list_missing(found.evidence))
    if read.problems.total:
        st.markdown("#### Rows that were rejected, and why")
        panel.draw_table(
            read.problems, "load.problems", "Rejected rows with file, line, field and reason", wide=("Reason",)
        )
    if read.notices.total:
        st.markdown("#### Notices")
        panel.draw_table(read.notices, "load.notices", "Notices about what was read", wide=("Meaning",))
    with folding.open_part("Files", "load.files", ":material/draft:") as opened:
        if opened:
            panel.draw_table(read.files, "load.file_table", "Files with format and digest", wide=("SHA-256",))


def _draw_claims(found: LoadedLog) -> None:
    st.markdown("### Signed claims")
    decided = found.evidence.decided
    if decided is None:
        st.text("No trust store is loaded, so no claim is checked. Bring the public keys of those who signed.")
    else:
        st.text(originators.describe_trust(decided))
        st.page_link("app_pages/originators.py", label="Who attests what", icon=":material/badge:")
        for notice in decided.store.notices:
            st.caption(escape_code(notice, 300))
    with st.container(border=True, key="load.trust_card"):
        trust.draw_upload()


def _draw_mapping(found: LoadedLog) -> None:
    st.markdown("### How the file was understood")
    st.caption(
        f"Format {escape_code(found.preview.format)}, detected by content. First records of "
        f"{escape_code(escape_text(found.name))}:"
    )
    first = account.list_first_records(found.preview)
    if first.total:
        panel.draw_table(first, "load.preview", "First records of the file")
    else:
        st.text("The file holds no record.")
    st.markdown("#### Which column of the file feeds which field")
    files.draw_mapping(found)


main()
