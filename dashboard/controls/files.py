"""Let the reader upload files, and choose which column feeds which field.

Flows in: uploaded files, the columns of the log at hand.  Flows out: another log of the session.
Rules kept here: the limit of an upload is shown beside it, with what to do about a larger file; an upload is handed
on to be parsed and is not kept, so changing the mapping needs it in the upload box.
Not here: parsing (``logs.py``).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import BinaryIO

import streamlit as st

from dashboard.controls import current_log
from dashboard.logs import LoadedLog, LogOrigin, Request, load_log, load_uploads
from dashboard.text import escape_markdown, escape_text
from guard_core.ingest.batch import TableKind
from guard_core.ingest.formats.table import list_titles
from guard_core.ingest.records.fields import SPELLINGS

_LOGS, _CATALOGUE = "load.logs", "load.catalogue"
_DETECTED = ""


def draw_load_button(request: Request, caption: str, icon: str, key: str) -> None:
    """Draw a button that loads a log on this machine."""
    st.button(caption, key=key, icon=icon, on_click=_load_request, args=(request,), width="stretch")


def draw_uploads() -> None:
    """Draw the boxes for logs and a catalogue, with the limit of an upload."""
    limit = int(st.get_option("server.maxUploadSize"))
    logs = st.file_uploader(
        "Retrieval logs",
        key=_LOGS,
        accept_multiple_files=True,
        help=f"{escape_markdown(list_titles(TableKind.LOG))}, plain or compressed; the content decides.",
    )
    catalogue = st.file_uploader(
        "Catalogue (optional)",
        key=_CATALOGUE,
        help=f"{escape_markdown(list_titles(TableKind.CATALOGUE))}, with document ids and classes.",
    )
    st.button(
        "Load the upload",
        key="load.upload",
        disabled=not logs,
        on_click=_load_upload,
        args=(tuple(logs), catalogue),
        icon=":material/upload_file:",
    )
    st.caption(
        f"At most {limit:d} MB a file. For a larger one use the command line, which streams it. "
        "An upload is parsed once and not kept."
    )


def draw_mapping(found: LoadedLog) -> None:
    """Choose which column feeds which field, and read the log again."""
    columns = [_DETECTED, *found.preview.columns]
    chosen, fed = dict(found.request.mapping), dict(found.preview.mapping)
    with st.form("load.mapping_form"):
        with st.grid(3, min_column_width=210, gap="small"):
            for field in SPELLINGS:
                current = chosen.get(field, _DETECTED)
                st.selectbox(
                    escape_markdown(field.replace("_", " ")),
                    columns,
                    index=columns.index(current) if current in columns else 0,
                    format_func=partial(_name_column, fed.get(field)),
                    key=_make_key(found, field),
                )
        st.form_submit_button("Read the log again", on_click=_read_again, args=(found,), icon=":material/refresh:")
    if found.request.origin is LogOrigin.UPLOAD:
        st.caption("An uploaded file is not kept: to read it again, it must still be in the upload box above.")


def _name_column(detected: str | None, name: str) -> str:
    """Return the text of an option; the first one means the detected column."""
    if name != _DETECTED:
        return escape_text(name, 60)
    return "none (detected)" if detected is None else f"{escape_text(detected, 60)} (detected)"


def _make_key(found: LoadedLog, field: str) -> str:
    return f"load.map.{found.digest}.{field}"


def _load_request(request: Request) -> None:
    current_log.load_log(lambda: load_log(request))


def _load_upload(logs: tuple[BinaryIO, ...], catalogue: BinaryIO | None) -> None:
    current_log.load_log(lambda: load_uploads(logs, catalogue))


def _read_again(found: LoadedLog) -> None:
    chosen = {field: st.session_state.get(_make_key(found, field), _DETECTED) for field in SPELLINGS}
    pairs = tuple((field, column) for field, column in chosen.items() if column != _DETECTED)
    if found.request.origin is not LogOrigin.UPLOAD:
        _load_request(replace(found.request, mapping=pairs))
        return
    logs = st.session_state.get(_LOGS)
    if not logs:
        current_log.put_fault("The uploaded file is no longer here; upload it again, then change the mapping.")
        return
    catalogue = st.session_state.get(_CATALOGUE)
    current_log.load_log(lambda: load_uploads(logs, catalogue, replace(found.request, mapping=pairs)))
