"""Run the command line in this process, or name it for a process of its own.

Flows in: arguments.  Flows out: exit status, standard output and standard error.
Not here: files that commands read (``claims_folder.py``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from guard_core.cli import main as cli

COMMAND = (sys.executable, "-m", "guard_core")
"""What starts the command line in a process of its own."""

Run = Callable[..., tuple[int, str, str]]
"""Run one command and return exit status, standard output and standard error."""


def make_run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs one command in this process."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = cli.main(arguments)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run
