"""``docs/command-line.md`` names every command and every option, no other, and its examples print what is shown.

Flows in: the page, the parser.  Flows out: one failure for each command whose options differ.
Not here: what options do (``guard_core/cli``).
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from guard_core.cli.forms.corpus_records import DocumentRecord, LeverageHead, QuarantineHead, TouchedRecord
from guard_core.cli.options import parser
from tests.test_readme import ROOT, run, sessions

PAGE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
A_LOG = ("evaluate", "quarantine", "leverage")


def _parsers() -> dict[str, argparse.ArgumentParser]:
    (commands,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    return dict(commands.choices)


COMMANDS = _parsers()


def listed() -> dict[str, set[str]]:
    """The options that the page gives to each command."""
    found: dict[str, set[str]] = {name: set() for name in COMMANDS}
    section = PAGE.split("\n## Options\n", 1)[1].split("\n## ", 1)[0]
    for options, commands in re.findall(r"^\| (`--.*?) \| (.*?) \|", section, re.MULTILINE):
        named = set(re.findall(r"`(\w+)`", commands))
        if "a log" in commands:
            named |= set(A_LOG)
        for name in COMMANDS if commands == "all" else named:
            found[name] |= set(re.findall(r"--[\w-]+", options))
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_the_options_are_those_of_the_parser(command: str) -> None:
    assert listed()[command] == {
        option for action in COMMANDS[command]._actions for option in action.option_strings
    } - {"-h", "--help"}


def test_every_command_is_named_first() -> None:
    cells = re.findall(r"^\| (`.*?) \|", PAGE.split("\n## ", 1)[0], re.MULTILINE)
    assert sorted(name for cell in cells for name in re.findall(r"\w+", cell)) == sorted(COMMANDS)


@pytest.mark.parametrize("section", sessions(PAGE))
def test_commands_print_what_is_shown(section: str, tmp_path: Path) -> None:
    run(sessions(PAGE)[section], tmp_path)


def test_columns_and_members_are_named() -> None:
    words = set(re.findall(r"`(\w+)`", PAGE))
    ids = {"retrieval_id", "query_id", "query", "document_id"}
    sides = {re.sub(r"_(before|after)$", "", name) for name in TouchedRecord.__struct_fields__}
    common = {"schema", "log", "catalogue", "trust", "policy", "signatures_waived"}
    heads = {*QuarantineHead.__struct_fields__, *LeverageHead.__struct_fields__}
    assert {*sides, *DocumentRecord.__struct_fields__} - ids <= words
    assert heads - common <= words
