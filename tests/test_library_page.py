"""docs/library.md explains every public name, its blocks print what is shown, and no other name is public.

Flows in: the page, ``guard_core``.  Flows out: one failure a name.
"""

from __future__ import annotations

import re
import subprocess
import sys
import types

import pytest

import guard_core
from tests.test_readme import BLOCK, ROOT, matches

PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", guard_core.__all__)
def test_a_public_name_is_there_and_explained(name: str) -> None:
    assert getattr(guard_core, name) is not None
    assert re.search(rf"`{name}`|`{name}\b[^`]*`", re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL))


def test_no_other_name_is_public() -> None:
    rooms = {path.stem if path.suffix else path.name for path in (ROOT / "guard_core").iterdir()}
    leaked = [
        name
        for name, value in vars(guard_core).items()
        if not name.startswith("_")
        and name not in guard_core.__all__
        and not (isinstance(value, types.ModuleType) and name in rooms)
    ]
    assert not leaked
    assert guard_core.__all__ == sorted(guard_core.__all__, key=lambda name: (name[0].islower(), name))
    with pytest.raises(AttributeError, match="no attribute 'load_inputs'"):
        guard_core.load_inputs  # noqa: B018  # asking for it is the test


def test_the_blocks_print_what_is_shown() -> None:
    blocks = BLOCK.findall(PAGE)
    program = "\n".join(body for kind, body in blocks if kind == "python")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert matches("".join(body for kind, body in blocks if kind == "text"), done.stdout), done.stdout


@pytest.mark.parametrize(
    ("module", "others"),
    [("guard_core", {"pyarrow", "msgspec", "pandas"}), ("guard_core.cli.main", {"pandas", "streamlit"})],
    ids=["the rule for one list", "the command line"],
)
def test_what_takes_long_is_loaded_by_those_who_need_it(module: str, others: set[str]) -> None:
    program = f"import sys, {module}; sys.exit(bool({others} & set(sys.modules)))"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=60)


def test_the_package_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "guard_core", "evaluate", "nowhere.jsonl"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr.partition(":")[0]) == (2, "source-guard")
