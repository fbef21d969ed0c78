"""Every case under ``cases/`` through the installed command line, each run in a process of its own.

Flows in: the case folders.  Flows out: one test a case.
Rules kept here: besides its own assertions, every run ends by itself, without a traceback, with JSON where JSON was
asked for.
Not here: the language of assertions (``case_assertions.py``).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TypedDict

import pytest

from tests.support.case_assertions import Output, are_equal, find_failure, find_first_failure

CASES = sorted(path.parent for path in (Path(__file__).resolve().parent / "cases").glob("*/case.json"))
COMMAND = (sys.executable, "-c", "import sys; from guard_core.cli.main import main; sys.exit(main())", "evaluate")
LIMIT_SECONDS = 60
UNUSABLE = 2


class Run(TypedDict, total=False):
    """One run of a case, as in ``case.json``."""

    args: list[str]
    exit: int | list[int]
    env: dict[str, str]
    save: str
    expect: list[dict[str, object]]
    never: list[dict[str, object]]
    one_of: list[list[dict[str, object]]]
    same: list[str]
    differs: list[str]
    then: list[Run]


def execute(run: Run, folder: Path) -> Output:
    """One run of the command line in ``folder``."""
    done = subprocess.run(
        [*COMMAND, *run["args"]],
        cwd=folder,
        env=os.environ | run.get("env", {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    if "save" in run:
        (folder / run["save"]).write_bytes(done.stdout)
    return Output(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


def fault(run: Run, output: Output, first: Output) -> str | None:
    """What is wrong with a run, ``None`` if nothing is."""
    allowed = run["exit"] if isinstance(run["exit"], list) else [run["exit"]]
    if output.status not in allowed:
        return f"exit status {output.status}, expected one of {allowed}"
    if "Traceback (most recent call last)" in output.stderr:
        return "a traceback"
    if "--json" in run["args"] and output.status != UNUSABLE:
        assert isinstance(output.json, dict)
    wrong = find_first_failure(run.get("expect", []), output)
    if wrong:
        return wrong
    for assertion in run.get("never", []):
        if find_failure(assertion, output) is None:
            return f"must never be so: {assertion}"
    groups = run.get("one_of", [])
    if groups and all(find_first_failure(group, output) for group in groups):
        return f"none of {len(groups)} allowed outcomes"
    for path in run.get("same", []):
        if not are_equal(output.find(path), first.find(path)):
            return f"{path}: differs from the first run"
    for path in run.get("differs", []):
        if are_equal(output.find(path), first.find(path)):
            return f"{path}: as in the first run"
    return None


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Path, tmp_path: Path) -> None:
    folder = tmp_path / "case"
    shutil.copytree(case, folder, ignore=shutil.ignore_patterns("case.json"))
    whole: Run = json.loads((case / "case.json").read_text())
    first: Output | None = None
    for number, run in enumerate([whole, *whole.get("then", [])], 1):
        output = execute(run, folder)
        first = first or output
        wrong = fault(run, output, first)
        assert wrong is None, f"run {number} ({' '.join(run['args'])}): {wrong}\n{output.stderr[-500:]}"


def test_the_cases_are_there() -> None:
    assert len(CASES) >= 40
