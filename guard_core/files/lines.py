"""Cut decoded bytes into blocks of whole lines.

Flows in: chunks of bytes, cut anywhere.  Flows out: ``LineBlock`` objects.
Rules kept here: lines end with ``\\n`` only; a line longer than the limit is left out, with a mark in its place, which
bounds memory.
Not here: what a line means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Whole lines.  ``open_end``: the last one has no newline.  ``too_long``: a line beyond the limit was left out."""

    data: bytes
    open_end: bool = False
    too_long: bool = False


def cut_lines(chunks: Iterator[bytes], line_bytes: int) -> Iterator[LineBlock]:
    """Cut decoded bytes into blocks of whole lines, holding little more than a chunk and a line at any time."""
    parts: list[bytes | memoryview] = []
    held = 0
    skipping = False
    for chunk in chunks:
        start = 0
        if skipping:
            newline = chunk.find(b"\n")
            if newline < 0:
                continue
            yield LineBlock(b"", too_long=True)
            skipping, start = False, newline + 1
        end = chunk.rfind(b"\n") + 1
        if end == len(chunk) and not start and not parts:
            yield LineBlock(chunk)  # whole lines already: nothing to copy
            continue
        if end > start:
            parts.append(memoryview(chunk)[start:end])
            yield LineBlock(b"".join(parts))
            parts, held, start = [], 0, end
        if start < len(chunk):
            parts.append(chunk[start:])
            held += len(chunk) - start
        if held > line_bytes:
            parts, held, skipping = [], 0, True
    if skipping:
        yield LineBlock(b"", too_long=True)
    elif held:
        yield LineBlock(b"".join(parts), open_end=True)
