"""Test how the command line leaves when something is wrong with it, or somebody stops it."""

from __future__ import annotations

import signal

import pytest

from tests.support.command_runs import Run

pytestmark = pytest.mark.usefixtures("claims_folder")


def test_a_fault_of_our_own_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> object:
        raise ZeroDivisionError("secret of the log")

    monkeypatch.setattr("guard_core.cli.streams.evaluate", broken)
    status, out, err = run("evaluate", "log.jsonl", "--json")
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert "internal error (ZeroDivisionError at test_main.py:" in err
    assert "--debug" in err
    assert "secret" not in err
    with pytest.raises(ZeroDivisionError):
        run("evaluate", "log.jsonl", "--debug")


def test_an_interruption_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr("guard_core.cli.streams.load_inputs", interrupted)
    status, _, err = run("evaluate", "log.jsonl")
    assert (status, err) == (128 + signal.SIGINT, "source-guard: interrupted\n")
