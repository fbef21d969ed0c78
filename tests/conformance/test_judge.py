"""``source-guard verify`` judged by the conformance claims, and the judge judged by commands that are wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.conformance.judge import HERE, judge_command, main

CLAIMS = json.loads((HERE / "claims.json").read_text())["claims"]
LINES = {each["name"]: f"{each['status']}\t{each['name']}\tbecause" for each in CLAIMS}
FIRST, LAST = next(iter(LINES)), list(LINES)[-1]


def command(folder: Path, lines: list[str], status: int = 1) -> list[str]:
    """A command that writes these lines, whatever it is asked."""
    script = folder / "verifier.py"
    script.write_text(f"import sys\nprint({chr(10).join(lines)!r})\nsys.exit({status})\n")
    return [sys.executable, str(script)]


def test_source_guard_conforms(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert capsys.readouterr().out == "conforms\n"


def test_another_implementation_may_conform(tmp_path: Path) -> None:
    assert judge_command(command(tmp_path, list(LINES.values())[::-1])) == []


@pytest.mark.parametrize(
    ("change", "status", "expected"),
    [
        ({FIRST: f"EXPIRED\t{FIRST}"}, 1, [f"{FIRST}: gave EXPIRED, must give VALID"]),
        ({LAST: ""}, 1, [f"{LAST}: gave nothing"]),
        ({"more": "VALID\tmore"}, 1, ["more: there is no such claim"]),
        ({"again": LINES[FIRST]}, 1, [f"{FIRST}: listed twice"]),
        ({}, 0, ["exit status 0, must be 1"]),
    ],
    ids=["other", "nothing", "unknown", "twice", "status"],
)
def test_each_fault_is_listed(tmp_path: Path, change: dict[str, str], status: int, expected: list[str]) -> None:
    lines = [line for line in (LINES | change).values() if line]
    faults = judge_command(command(tmp_path, lines, status))
    assert len(faults) == len(expected)
    assert all(fault.startswith(begin) for fault, begin in zip(faults, expected, strict=True))


def test_a_command_that_believes_everything_does_not_conform(tmp_path: Path) -> None:
    faults = judge_command(command(tmp_path, [f"VALID\t{name}" for name in LINES]))
    assert len(faults) == sum(each["status"] != "VALID" for each in CLAIMS)
