"""Test ``source-guard serve`` and ``demo``: the dashboard gets the inputs, and what it cannot use costs one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.claims_folder import TIME
from tests.support.command_runs import Run

pytestmark = pytest.mark.usefixtures("claims_folder")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return a list that gets the arguments of each dashboard, which is not started."""
    started: list[list[str]] = []

    def become(program: str, arguments: list[str]) -> None:
        started.append(arguments)
        raise SystemExit(0)

    monkeypatch.setattr("guard_core.cli.main.os.execv", become)
    return started


OPTIONS = "--catalogue catalogue.csv --policy policy.toml --preset strict"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("demo --port 9000 --no-browser", "--demo --port 9000 --no-browser"),
        (
            f"serve log.jsonl {OPTIONS} --map rank=place --input-format jsonl",
            f"--log log.jsonl {OPTIONS} --input-format jsonl --map rank=place",
        ),
        (
            "serve log.jsonl --trust trust.json --at 2026-11-30T13:00:00+01:00",
            f"--log log.jsonl --trust trust.json --at {TIME}",
        ),
    ],
    ids=["demo", "inputs", "trust"],
)
def test_the_dashboard_gets_the_inputs(run: Run, started: list[list[str]], command: str, expected: str) -> None:
    Path("policy.toml").write_text("top_k = 3\n")
    with pytest.raises(SystemExit):
        run(*command.split())
    assert [arguments[1:] for arguments in started] == [["-m", "dashboard", *expected.split()]]


@pytest.mark.parametrize("wrong", ["nowhere.jsonl", "--port 0", "--preset x", "--map x", "--policy nowhere.toml"])
def test_inputs_that_cannot_be_used_cost_one_line(run: Run, started: list[list[str]], wrong: str) -> None:
    status, _, err = run("serve", *wrong.split())
    assert (status, err.count("\n"), started) == (2, 1, [])
