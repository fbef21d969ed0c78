"""What holds for every adapter: it says what to install, it is short, and nobody imports it but its users."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ADAPTERS = Path(__file__).resolve().parents[3] / "guard_core" / "search" / "adapters"


@pytest.mark.parametrize(("module", "framework"), [("langchain", "langchain_core"), ("llamaindex", "llama_index")])
def test_without_the_framework_it_says_what_to_install(module: str, framework: str) -> None:
    program = f"import sys; sys.modules[{framework!r}] = None; import guard_core.search.adapters.{module}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert f'pip install "source-guard[{module}]"' in done.stderr.splitlines()[-1]


def test_the_guard_itself_imports_no_framework() -> None:
    program = (
        "import sys; import guard_core, guard_core.search.hits, guard_core.search.adapters; "
        "print([m for m in sys.modules if m.split('.')[0] in ('langchain_core', 'llama_index', 'qdrant_client')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"


def test_an_adapter_is_under_sixty_lines() -> None:
    lengths = {path.name: len(path.read_text().splitlines()) for path in ADAPTERS.glob("*.py")}
    assert {"langchain.py", "llamaindex.py"} <= set(lengths)
    assert all(lines < 60 for lines in lengths.values()), lengths
