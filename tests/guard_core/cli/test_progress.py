"""Test the progress bar: when it appears, how often it is drawn, and that it leaves nothing."""

from __future__ import annotations

import io

import pytest

from guard_core.cli import progress as cli_progress


class Terminal(io.StringIO):
    """Standard error that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_the_progress_bar_waits_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("guard_core.cli.progress.time.monotonic", lambda: now)
    screen = Terminal()
    with cli_progress.ProgressBar("reading", screen) as bar:
        bar(1, 4)
        assert screen.getvalue() == ""
        now = 2.0
        bar(2, 4)
        assert "50%" in screen.getvalue()
        bar(3, 4)
        assert "75%" not in screen.getvalue()  # drawn ten times a second at most
    drawn, wiped = screen.getvalue().strip("\r").split("\r")
    assert wiped == " " * len(drawn)
    quiet = io.StringIO()
    with cli_progress.ProgressBar("reading", quiet) as bar:
        now = 10.0
        bar(1, 2)
    assert quiet.getvalue() == ""
