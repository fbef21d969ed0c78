"""Hold the bounds on what a file may be, and how reading reports its progress.

Flows in: nothing.  Flows out: ``Limits``, ``Progress``.
Rules kept here: bounds count decoded bytes and rows, and hold while a file streams.
Not here: who enforces them (``input_file.py``, ``unpack.py`` and the readers in ``guard_core.ingest``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[int, int], None]
"""Called with (bytes done, bytes in all) while files are read."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The greatest sizes that are read: bytes of a line, decoded bytes of a
    compressed byte, levels of JSON, rows, decoded
    bytes and columns of a file."""

    line_bytes: int = 16 * 1024 * 1024
    gzip_ratio: int = 200
    nesting: int = 64
    rows: int = 200_000_000
    decoded_bytes: int = 1 << 40
    columns: int = 10_000
