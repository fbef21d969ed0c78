"""Test the help: it teaches by examples, and each example is understood."""

from __future__ import annotations

import re
import subprocess

import pytest

from guard_core.cli import main as cli
from guard_core.cli.options import parse, parser
from tests.support.command_runs import COMMAND


def test_help_teaches_by_example(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("", "demo", "serve", "evaluate", "quarantine", "leverage", "keygen", "attest", "verify"):
        with pytest.raises(SystemExit) as left:
            cli.main([*command.split(), "--help"])
        assert left.value.code == 0
        text = capsys.readouterr().out
        assert "examples:" in text
        assert "source-guard " in text
        assert max(map(len, text.splitlines())) <= 110
    assert "exit status" in text


def test_the_examples_of_the_help_are_understood() -> None:
    for command in ("", "serve", "evaluate", "quarantine", "leverage", "keygen", "attest", "verify"):
        text = parser().format_help() if not command else _help(command)
        text = re.sub(r" \\\n +", " ", text)  # a command that goes on
        lines = [line.strip() for line in text.splitlines() if line.startswith("  source-guard ")]
        assert lines
        for line in lines:
            words = re.split(r" > |  ", line)[0].split()[1:]
            if "--help" not in words:
                parse(words)


def _help(command: str) -> str:
    done = subprocess.run([*COMMAND, command, "--help"], capture_output=True, text=True, check=True)
    return done.stdout
