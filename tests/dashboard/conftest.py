"""Logs that every page must cope with, and pages run without a browser.

Flows in: temporary folders.  Flows out: fixtures ``evidence`` (the sample's), ``logs`` (name -> options) and
``open_page``.
Rules kept here: caches are emptied between tests, so that none leans on another's.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import sample_data
from dashboard.controls import folding
from guard_core.provenance.evidence import Evidence
from guard_core.provenance.inputs import load_inputs
from tests.support import hostile_log

APP = Path(__file__).resolve().parents[2] / "dashboard" / "app.py"
PAGES = (
    "app_pages/overview.py", "app_pages/whatif.py", "app_pages/anchors.py",
    "app_pages/retrievals.py", "app_pages/document.py", "app_pages/load.py",
)  # fmt: skip

OpenPage = Callable[..., AppTest]


@pytest.fixture(autouse=True)
def _fresh_caches() -> Iterator[None]:
    yield
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture(scope="session")
def evidence() -> Evidence:
    """The evidence of the sample with its catalogue and trust store, as ``--demo`` has it."""
    return load_inputs(
        [sample_data.LOG], catalogue=sample_data.CATALOGUE, trust=sample_data.TRUST_STORE, at=sample_data.AT_SECONDS
    )


@pytest.fixture
def logs(tmp_path: Path) -> dict[str, tuple[str, ...]]:
    """Options that start the dashboard on each log: empty, without provenance, the sample, hostile, half unreadable."""
    empty = tmp_path / "empty.jsonl"
    empty.write_text("", encoding="utf-8")
    bare = tmp_path / "bare.jsonl"
    rows = [{"query_id": f"q{q}", "rank": r, "doc_id": f"d{q + r}"} for q in range(30) for r in range(1, 6)]
    bare.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    torn = tmp_path / "torn.jsonl"
    torn.write_text(
        '{"query_id":"a","doc_id":"d","origin":"human"}\n{"query_id":"a"}\n{"query_id":"b","doc_id":', encoding="utf-8"
    )
    return {
        "empty": ("--log", str(empty)),
        "bare": ("--log", str(bare)),
        "torn": ("--log", str(torn)),
        "hostile": ("--log", str(hostile_log.write_hostile_log(tmp_path / "![x](y) <b>.jsonl", "http://127.0.0.1:9"))),
        "sample": ("--log", str(sample_data.LOG), "--catalogue", str(sample_data.CATALOGUE)),
        "demo": ("--demo",),
        "nothing": (),
    }


@pytest.fixture
def open_page(monkeypatch: pytest.MonkeyPatch) -> OpenPage:
    """Opens a page: ``open_page(options, page, parameters)``; the script has run when it returns.

    All that is folded away is open, so that tests see it; ``unfolded=False`` leaves it to the page.
    """

    def run(
        options: tuple[str, ...] = (),
        page: str = PAGES[0],
        parameters: Mapping[str, str | list[str]] | None = None,
        *,
        unfolded: bool = True,
    ) -> AppTest:
        if unfolded:
            monkeypatch.setattr(folding, "is_open", lambda _place: True)
        monkeypatch.setattr(sys, "argv", ["app.py", *options])
        opened = AppTest.from_file(str(APP), default_timeout=30)
        for name, value in (parameters or {}).items():
            opened.query_params[name] = value
        opened.run()
        if page != PAGES[0]:
            opened.switch_page(page).run()
        return opened

    return run
