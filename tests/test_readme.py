"""Everything that the README shows is run, and what it prints is what the README says it prints.

Flows in: the fenced blocks of ``README.md``.  Flows out: one failure a block, with the difference.

* ``console`` blocks: each line that starts with ``$ `` is run; the lines up to the next one are its output.  A line
  ``...`` stands for any lines; ``# exit status N`` after two spaces names the expected status.  The commands of a
  section are run one after the other in a folder of their own, which sees the sample and the documents of the checkout.
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


Command = tuple[str, int, str]
"""A command, its expected exit status, its expected output."""


def sessions(page: str = README) -> dict[str, list[Command]]:
    """The commands of the console blocks of every section of a page that has some."""
    found: dict[str, list[Command]] = {}
    for section in re.split(r"^## ", page, flags=re.MULTILINE):
        bodies = [body for kind, body in BLOCK.findall(section) if kind == "console"]
        commands = [_command(part) for body in bodies for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]]
        if commands:
            found[section.partition("\n")[0]] = commands
    return found


def _command(part: str) -> Command:
    command, _, output = part.partition("\n")
    while command.endswith("\\"):
        more, _, output = output.partition("\n")
        command = command[:-1] + more.removeprefix("> ")
    command, _, status = command.partition("  # exit status ")
    return command, int(status or 0), output


def matches(shown: str, printed: str) -> bool:
    """Line by line; ``...`` alone on a line stands for any lines.  Blank lines at the end do not count."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"[ ]*\n" for line in shown.rstrip("\n").split("\n")
    )
    return re.fullmatch(pattern, printed.rstrip("\n") + "\n") is not None


def environment() -> dict[str, str]:
    here = Path(sys.executable).parent
    return {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100", "NO_COLOR": "1"}


@pytest.mark.parametrize("section", sessions())
def test_commands_print_what_is_shown(section: str, tmp_path: Path) -> None:
    run(sessions()[section], tmp_path)


def run(commands: list[Command], folder: Path) -> None:
    """Run the commands of one section in a folder of their own, and compare."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash to run the examples with")
    for name in ("sample_data", "docs"):
        (folder / name).symlink_to(ROOT / name)
    for command, status, shown in commands:
        done = subprocess.run(
            [bash, "-c", command],
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == status, done.stderr
        printed = done.stdout + done.stderr
        assert matches(shown, printed), f"$ {command}\nshown:\n{shown}\nprinted:\n{printed}"


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


def test_a_bare_catalogue_becomes_a_verified_log_in_three_commands() -> None:
    commands = [
        command.split()[:2] for command, _, _ in next(c for s, c in sessions().items() if "three commands" in s)
    ]
    assert commands[:3] == [["source-guard", word] for word in ("keygen", "attest", "evaluate")]


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
