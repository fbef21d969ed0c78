"""Everything that the README shows is run, and what it prints is what the README says it prints.

Flows in: the fenced blocks of ``README.md``.  Flows out: one failure a block, with the difference.

* ``console`` blocks: each line that starts with ``$ `` is run in the checkout; the lines up to the next one are its
  output.  A line ``...`` stands for any lines; ``# exit status N`` after two spaces names the expected status.
* ``python`` blocks are run one after the other in one fresh process; a ``text`` block that follows one is its output.
* ``sh`` blocks are what a newcomer types at a terminal: they have to name targets of the Makefile.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS: list[tuple[str, str]] = BLOCK.findall(README)


def commands() -> list[tuple[str, int, str]]:
    """(command, expected exit status, expected output) of every console block."""
    found = []
    for kind, body in BLOCKS:
        if kind != "console":
            continue
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            while command.endswith("\\"):
                more, _, output = output.partition("\n")
                command = command[:-1] + more.removeprefix("> ")
            command, _, status = command.partition("  # exit status ")
            found.append((command, int(status or 0), output))
    return found


def matches(shown: str, printed: str) -> bool:
    """Line by line; ``...`` alone on a line stands for any lines.  Blank lines at the end do not count."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"[ ]*\n" for line in shown.rstrip("\n").split("\n")
    )
    return re.fullmatch(pattern, printed.rstrip("\n") + "\n") is not None


def environment() -> dict[str, str]:
    here = Path(sys.executable).parent
    return {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100", "NO_COLOR": "1"}


@pytest.mark.parametrize(("command", "status", "shown"), commands(), ids=[c for c, _, _ in commands()])
def test_commands_print_what_is_shown(command: str, status: int, shown: str) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash to run the examples with")
    done = subprocess.run(
        [bash, "-c", command], cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == status, done.stderr
    printed = done.stdout + done.stderr
    assert matches(shown, printed), f"shown:\n{shown}\nprinted:\n{printed}"


def test_the_library_examples_run_and_print_what_is_shown() -> None:
    program, shown = [], []
    for before, (kind, body) in zip([("", ""), *BLOCKS], BLOCKS, strict=False):
        if kind == "python":
            program.append(body)
        elif kind == "text" and before[0] == "python":
            shown.append(body)
    assert program, "the README shows no use as a library"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", "\n".join(program)],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert matches("".join(shown), done.stdout), done.stdout


def test_what_a_newcomer_types_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text()
    typed = [line for kind, body in BLOCKS if kind == "sh" for line in body.splitlines()]
    targets = [match[1] for line in typed if (match := re.match(r"make (\w+)", line))]
    assert {"demo", "test"} <= set(targets)
    assert not [t for t in targets if not re.search(rf"^{t}:", makefile, re.MULTILINE)]


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs"])
def test_links_and_files_named_are_there(document: str) -> None:
    path = ROOT / document
    for file in sorted(path.rglob("*.md")) if path.is_dir() else [path]:
        targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", file.read_text())
        missing = [target for target in targets if not (file.parent / target).exists()]
        assert not missing, f"{file.relative_to(ROOT)} links to {missing}"


def test_files_named_in_the_contributing_table_are_there() -> None:
    rows = [line for line in (ROOT / "CONTRIBUTING.md").read_text().splitlines() if line.startswith("| ")]
    named = {name for row in rows for name in re.findall(r"`([a-z_]+/[\w./-]*|[\w-]+\.(?:toml|md))`", row)}
    assert len(named) > 20
    assert not [name for name in sorted(named) if not (ROOT / name).exists()]
