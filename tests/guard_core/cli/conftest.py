"""Give each test of the command line a folder of its own, which is the working directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.claims_folder import fill_folder
from tests.support.command_runs import Run, make_run
from tests.support.log_files import write_lines

CORPUS_LOG: list[dict[str, object]] = [
    {"query_id": "q1", "doc_id": "page", "rank": 1, "origin": "human", "claim": "c", "collection": "news"},
    {"query_id": "q1", "doc_id": "sum", "rank": 2, "origin": "model", "depth": 2, "claim": "c", "model": "m1"},
    {"query_id": "q1", "doc_id": "=x", "rank": 3, "claim": "c"},
    {"query_id": "q2", "doc_id": "sum", "rank": 1, "origin": "model", "depth": 2, "claim": "c", "model": "m1"},
    {"query_id": "q3", "doc_id": "page", "rank": 1, "origin": "human", "claim": "c", "collection": "news"},
    {"query_id": "q4", "results": []},
]
"""Four retrievals: two that are grounded, one that halts, one without results."""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs one command in an empty working directory."""
    monkeypatch.chdir(tmp_path)
    return make_run(capsys)


@pytest.fixture
def claims_folder(tmp_path: Path) -> None:
    """Write a trust store, a log with claims and a bare catalogue into the working directory."""
    fill_folder(tmp_path)


@pytest.fixture
def corpus_log(tmp_path: Path) -> Path:
    """Write a log for questions about documents."""
    return write_lines(tmp_path / "log.jsonl", CORPUS_LOG)
