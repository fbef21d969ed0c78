"""Arrow's allocator while logs are read: shared with numpy, and put back afterwards."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pytest

from guard_core.errors import LogError
from guard_core.ingest import read_log
from guard_core.ingest.assembly.memory import release_unused_memory, share_allocator


def test_the_allocator_is_put_back_by_the_last_reading_to_end() -> None:
    before = pa.default_memory_pool().backend_name
    first, second = share_allocator(), share_allocator()
    first.__enter__()
    if sys.platform.startswith("linux"):
        assert pa.default_memory_pool().backend_name == "system"
    second.__enter__()
    within = pa.default_memory_pool().backend_name
    first.__exit__(None, None, None)
    assert pa.default_memory_pool().backend_name == within
    second.__exit__(None, None, None)
    assert pa.default_memory_pool().backend_name == before


def test_it_is_put_back_after_a_log_that_cannot_be_used(tmp_path: Path) -> None:
    before = pa.default_memory_pool().backend_name
    with pytest.raises(LogError):
        read_log([tmp_path / "nowhere.jsonl"])
    assert pa.default_memory_pool().backend_name == before


def test_what_was_read_outlives_the_allocator(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"query_id": "q", "result_id": "r", "authenticity": "human"}\n' * 1)
    log = read_log([path])
    release_unused_memory()
    assert log.result_ids.text(0) == "r"
