"""docs/requery.md says what the code does: its examples run, its filters are the real ones, no outcome is missing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from guard_core import RequeryOutcome, SourceFilter

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "requery.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_examples_print_what_is_shown() -> None:
    pytest.importorskip("rank_bm25", reason="rank-bm25, which an example searches with, is not installed")
    program = "\n".join(blocks("python"))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(blocks("text"))


def test_filters_are_those_of_the_code() -> None:
    wanted = SourceFilter(verified=True)
    assert [json.loads(block) for block in blocks("json")] == [
        wanted.elasticsearch(),
        wanted.qdrant(),
        wanted.chroma(),
    ]


def test_every_outcome_has_its_line_and_its_decision() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| `(PROCEED|HALT)` \|$", PAGE, re.MULTILINE))
    assert rows == {o.value: "PROCEED" if o is RequeryOutcome.ENOUGH_SOURCES else "HALT" for o in RequeryOutcome}
