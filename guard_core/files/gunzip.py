"""Undo gzip while streaming, with a bound on how much a stream may grow.

Flows in: blocks of a gzip stream.  Flows out: decoded bytes in pieces.
Rules kept here: all members are read; zero padding after the last is ignored, any other byte there is refused; a
stream that ends early gives what it has and says so (R4); a damaged one is refused, since nothing vouches for its
bytes; more than ``ratio`` decoded bytes for each compressed one are refused, beyond a first allowance.
Not here: opening files (``input_file.py``), what the bytes mean.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator

MAGIC = b"\x1f\x8b"
"""How every gzip member begins."""

_ALLOWANCE = 1024 * 1024
_GZIP = 31


class GzipError(Exception):
    """A gzip stream that is refused: what is wrong, and what to do.  ``input_file.py`` adds the name of the file."""

    def __init__(self, fault: str, advice: str) -> None:
        self.fault = fault
        self.advice = advice
        super().__init__(f"{fault}; {advice}")


def inflate_gzip(blocks: Iterator[bytes], size: int, ratio: int, cut: Callable[[], None]) -> Iterator[bytes]:
    """Yield the decoded bytes of a gzip stream in pieces of at least ``size``, but for the last.

    ``cut`` is called if the stream ends early.  Raises ``GzipError``.
    """
    held: list[bytes] = []
    held_bytes = 0
    for piece in _inflate_bounded(blocks, size, ratio, cut):
        held.append(piece)
        held_bytes += len(piece)
        if held_bytes >= size:
            yield b"".join(held)
            held, held_bytes = [], 0
    if held_bytes:
        yield b"".join(held)


def _inflate_bounded(blocks: Iterator[bytes], size: int, ratio: int, cut: Callable[[], None]) -> Iterator[bytes]:
    """Yield pieces of at most ``size`` bytes, and check the ratio after each."""
    member = zlib.decompressobj(wbits=_GZIP)
    read = decoded = 0
    for block in blocks:
        read += len(block)
        data = block
        while data:
            if member.eof:
                data = data.lstrip(b"\0")
                if not data:
                    break
                if not MAGIC.startswith(data[:2]):
                    raise GzipError("has bytes after its gzip stream that are not gzip", "pack it again")
                member = zlib.decompressobj(wbits=_GZIP)
            piece = _inflate_piece(member, data, size)
            data = member.unused_data if member.eof else member.unconsumed_tail
            decoded += len(piece)
            if decoded > _ALLOWANCE and decoded > ratio * (read - len(data)):
                raise GzipError(f"unpacks to more than {ratio} times its size", "unpack it first if that is meant")
            yield piece
    while not member.eof:
        # All input is in; output that the bound on a piece kept back may still be due.
        piece = _inflate_piece(member, b"", size)
        if not piece:
            cut()
            return
        yield piece


def _inflate_piece(member: zlib._Decompress, data: bytes, size: int) -> bytes:
    try:
        return member.decompress(data, size)
    except zlib.error:
        raise GzipError("is a damaged gzip stream", "copy or pack it again") from None
