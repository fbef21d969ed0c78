"""Write to standard error: sentences, and a progress bar for work that takes more than a second.

Flows in: sentences; (done, all) as work goes on.  Flows out: one line a sentence; a line that is written over itself
and wiped at the end.
Rules kept here: a sentence is one line, whatever stands in it, and a terminal acts on none of it; no bar is shown for
short work, into a pipe or into a file; standard output is never touched.
Not here: what the work is.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self, TextIO

from guard_core.cli.command import PROGRAM
from guard_core.visible import visible

PATIENCE = 1.0
"""Seconds of work without a bar."""

_BETWEEN = 0.1
_CELLS = 30


def say(sentence: str) -> None:
    """Write one line on standard error; a line break or a control character in it is shown, not obeyed."""
    print(f"{PROGRAM}: {visible(sentence)}", file=sys.stderr)


class ProgressBar:
    """A progress bar, called with (done, all); used as a context, so that its line is wiped whatever happens."""

    def __init__(self, label: str, stream: TextIO | None = None) -> None:
        self._label = label
        self._stream = stream or sys.stderr
        self._shows = self._stream.isatty()
        self._start = self._last = time.monotonic()
        self._drawn = 0

    def __call__(self, done: int, whole: int) -> None:
        """Show that ``done`` of ``whole`` is done."""
        now = time.monotonic()
        if not self._shows or now - self._start < PATIENCE or now - self._last < _BETWEEN:
            return
        self._last = now
        share = min(done / whole, 1.0) if whole else 1.0
        filled = int(share * _CELLS)
        line = f"{self._label} [{'#' * filled}{' ' * (_CELLS - filled)}] {share:4.0%} {now - self._start:.0f} s"
        self._stream.write("\r" + line.ljust(self._drawn))
        self._stream.flush()
        self._drawn = len(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn:
            self._stream.write("\r" + " " * self._drawn + "\r")
            self._stream.flush()
