"""``make`` works where a newcomer has put the checkout, and says in one sentence what is missing on the machine.

Flows in: the Makefile, real interpreters that lack something.  Flows out: one failure for each promise.
Not here: a whole installation (it needs a network; ``.ci/run`` makes one), the locks (``test_locks.py``).
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
MAKE = shutil.which("make")

pytestmark = pytest.mark.skipif(MAKE is None, reason="no make to run the Makefile with")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Make a checkout in a path with a space, without an environment: what an installation reads, and no more."""
    folder = tmp_path / "my work" / "source guard"
    folder.mkdir(parents=True)
    for name in ("Makefile", "constraints.txt", "constraints-dev.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    return folder


def run_make(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run make as a newcomer does, whatever make these tests were started by."""
    inherited = {k: v for k, v in os.environ.items() if k not in ("VENV", "PYTHON") and not k.startswith("MAKE")}
    return subprocess.run(
        [MAKE or "make", "--no-print-directory", *arguments],
        cwd=folder,
        env={**inherited, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def write_script(path: Path, body: str) -> Path:
    """Write a shell script that can be run."""
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def assert_refused(done: subprocess.CompletedProcess[str], sentence: str, checkout: Path) -> None:
    """Check that make said one sentence, did nothing, and failed."""
    assert done.returncode != 0
    assert done.stdout == ""
    assert re.fullmatch(rf"Makefile:\d+: \*\*\* {re.escape(sentence)}\.  Stop\.\n", done.stderr), done.stderr
    assert not (checkout / ".venv").exists()


@pytest.mark.parametrize("target", ["demo", "test", "check"])
def test_a_space_in_the_path_is_nothing_to_make(checkout: Path, target: str) -> None:
    done = run_make(checkout, "-n", target, PYTHON=sys.executable)
    assert done.returncode == 0, done.stderr
    assert f'"{sys.executable}" -m venv .venv' in done.stdout
    assert str(checkout) not in done.stdout  # every path is relative: there is no space to quote


def test_an_environment_is_made_in_a_path_with_a_space(checkout: Path) -> None:
    """Make it for real, by an interpreter in such a path, up to the first line that asks for packages."""
    python = write_script(checkout / "a python", f'exec "{sys.executable}" "$@"')
    done = run_make(checkout, "demo", PYTHON=str(python), PIP_NO_INDEX="1", PIP_FIND_LINKS="")
    assert done.returncode != 0
    assert "altair==" in done.stderr  # the first package of the lock, which pip was not let look for
    pip = subprocess.run(
        [".venv/bin/python", "-m", "pip", "--version"], cwd=checkout, capture_output=True, text=True, check=True
    )
    assert str(checkout / ".venv") in pip.stdout
    assert not (checkout / ".venv" / ".ready").exists()


def test_an_old_python_is_refused(checkout: Path) -> None:
    """An interpreter that answers every question about itself as Python 3.9 does."""
    old = write_script(
        checkout / "python3.9",
        f'[ "$1" = -c ] || exit 1\nexec "{sys.executable}" -c "import sys; sys.version_info = (3, 9, 18); $2"',
    )
    sentence = f"Python 3.11 or later is needed, and {old} is none: name another with PYTHON=/path/to/python"
    assert_refused(run_make(checkout, "demo", PYTHON=str(old)), sentence, checkout)


def test_no_python_is_refused(checkout: Path) -> None:
    """A path on which there is a shell and sed, and nothing that is called python."""
    tools = checkout.parent / "tools"
    tools.mkdir()
    (tools / "sh").symlink_to(shutil.which("sh") or "/bin/sh")
    sentence = "Python 3.11 or later is needed: install it, or name it with PYTHON=/path/to/python"
    assert_refused(run_make(checkout, "test", PATH=str(tools)), sentence, checkout)


def test_a_python_without_venv_is_refused(checkout: Path) -> None:
    """This interpreter, with ensurepip out of reach, as Debian ships it without python3-venv."""
    hidden = checkout.parent / "hidden"
    hidden.mkdir()
    (hidden / "ensurepip.py").write_text("raise ModuleNotFoundError(name=__name__)\n", encoding="utf-8")
    done = run_make(checkout, "demo", PYTHON=sys.executable, PYTHONPATH=str(hidden))
    sentence = f"{sys.executable} lacks its module venv: install it (Debian, Ubuntu: apt install python3-venv)"
    assert_refused(done, sentence, checkout)


def test_an_environment_with_a_space_is_refused(checkout: Path) -> None:
    sentence = "VENV has to be a path without spaces (the folder of the checkout may have some)"
    assert_refused(run_make(checkout, "demo", "VENV=an environment"), sentence, checkout)


def test_what_the_readme_types_without_make_is_what_make_types(checkout: Path) -> None:
    """The same commands but for pip's options that only say less."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = (b for b in re.findall(r"^```sh\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL) if "-m venv" in b)
    done = run_make(checkout, "-n", "demo", PYTHON="python3")
    typed = done.stdout.replace(" --disable-pip-version-check --no-input", "").replace(" --quiet", "")
    typed = typed.replace('"', "").partition("|| ")[2]
    quiet = ("touch ", ".venv/bin/python -m pip check")
    assert [line for line in typed.splitlines() if not line.startswith(quiet)] == block.splitlines()
