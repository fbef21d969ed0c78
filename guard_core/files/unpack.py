"""Undo compression while streaming, with a bound on how much a stream may grow.

Flows in: blocks of a compressed stream.  Flows out: decoded bytes in pieces.
Rules kept here: the first bytes tell the compression; all members are read; zero padding after the last is ignored,
any other byte there is refused; a stream that ends early gives what it has and says so (R4); a damaged one is refused,
since nothing vouches for its bytes; more than ``ratio`` decoded bytes for each compressed one are refused, beyond a
first allowance.
Not here: opening files (``input_file.py``), archives (``archives.py``), what the bytes mean.
"""

from __future__ import annotations

import bz2
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

_ALLOWANCE = 1024 * 1024
_SLICE = 64 * 1024
"""Compressed bytes that are handed to a decompressor at a time."""
_GZIP = 31
_XZ_MEMORY = 256 * 1024 * 1024
_ARROW_STEP = 4096
"""Bytes that Arrow is given, and asked for, at a time: see :func:`_unpack_zstd`."""
PROBE = 16
"""Bytes that tell the compression of a stream."""


class PackingError(Exception):
    """A compressed stream that is refused: what is wrong, and what to do.  ``input_file.py`` adds the file's name."""

    def __init__(self, fault: str, advice: str) -> None:
        self.fault = fault
        self.advice = advice
        super().__init__(f"{fault}; {advice}")


class _Cut(Exception):  # noqa: N818  # no error of its own: the stream gives what it has
    """The stream ends early."""


class _Member(Protocol):
    """The decompressor of one member, as those of ``bz2`` and ``lzma`` are."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _GzipMember:
    """The decompressor of one gzip member, which keeps what it did not consume as the other two do."""

    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(wbits=_GZIP)

    @property
    def eof(self) -> bool:
        return self._inflater.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflater.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inflater.decompress(self._inflater.unconsumed_tail + data, max_length)


@dataclass(frozen=True, slots=True)
class Packing:
    """One way to compress a stream.

    ``name`` stands in sentences, the first of ``suffixes`` in the name of a format.  A stream begins like ``start``;
    its first bytes are always ``magic``.  ``unpack`` gives decoded bytes in pieces of at most the given size.
    """

    name: str
    suffixes: tuple[str, ...]
    magic: bytes
    start: re.Pattern[bytes]
    unpack: Callable[[_Blocks, int, Packing], Iterator[bytes]]
    new_member: Callable[[], _Member] | None = None


class _Blocks:
    """Blocks of compressed bytes, in slices; ``read`` counts what was given, ``left`` says what surely follows."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._block = memoryview(next(blocks, b""))
        self._next = next(blocks, b"")
        self._place = 0
        self.read = 0

    @property
    def left(self) -> int:
        return len(self._block) - self._place + len(self._next)

    def next_slice(self, size: int) -> bytes:
        """Return at most ``size`` bytes, none at the end."""
        if self._place == len(self._block):
            self._block, self._next, self._place = memoryview(self._next), next(self._blocks, b""), 0
        data = bytes(self._block[self._place : self._place + size])
        self._place += len(data)
        self.read += len(data)
        return data


def unpack_stream(
    blocks: Iterator[bytes], packing: Packing, size: int, ratio: int, cut: Callable[[], None]
) -> Iterator[bytes]:
    """Yield the decoded bytes of a stream in pieces of at least ``size``, but for the last.

    ``cut`` is called if the stream ends early.  Raises ``PackingError``.
    """
    held: list[bytes] = []
    held_bytes = decoded = 0
    source = _Blocks(blocks)
    pieces = packing.unpack(source, size, packing)
    while True:
        try:
            piece = next(pieces, None)
        except _Cut:
            cut()
            break
        if piece is None:
            break
        decoded += len(piece)
        if decoded > _ALLOWANCE and decoded > ratio * source.read:
            raise PackingError(f"unpacks to more than {ratio} times its size", "unpack it first if that is meant")
        held.append(piece)
        held_bytes += len(piece)
        if held_bytes >= size:
            yield b"".join(held)
            held, held_bytes = [], 0
    if held_bytes:
        yield b"".join(held)


def _unpack_members(source: _Blocks, size: int, packing: Packing) -> Iterator[bytes]:
    """Yield pieces of at most ``size`` bytes of a stream of members, each with a decompressor of its own."""
    assert packing.new_member is not None
    member = packing.new_member()
    while data := source.next_slice(_SLICE):
        while data:
            if member.eof:
                data = data.lstrip(b"\0")
                if not data:
                    break
                if not packing.magic.startswith(data[: len(packing.magic)]):
                    raise _describe_trailing_bytes(packing)
                member = packing.new_member()
            while piece := _decompress(member, data, size, packing):
                yield piece
                data = b""
                if member.eof:
                    break
            data = member.unused_data if member.eof else b""
    if not member.eof:
        raise _Cut


def _decompress(member: _Member, data: bytes, size: int, packing: Packing) -> bytes:
    try:
        return member.decompress(data, size)
    except (zlib.error, lzma.LZMAError, OSError):
        raise _describe_damage(packing) from None


def _describe_damage(packing: Packing) -> PackingError:
    return PackingError(f"is a damaged {packing.name} stream", "copy or pack it again")


def _describe_trailing_bytes(packing: Packing) -> PackingError:
    return PackingError(f"has bytes after its {packing.name} stream that are not {packing.name}", "pack it again")


class _ArrowSource(io.RawIOBase):
    """Compressed bytes as a file that Arrow reads."""

    def __init__(self, source: _Blocks) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def read(self, _size: int = -1) -> bytes:
        return self._source.next_slice(_ARROW_STEP)


def _unpack_zstd(source: _Blocks, _size: int, packing: Packing) -> Iterator[bytes]:
    """Yield pieces of a Zstandard stream.

    Where a stream is cut, Arrow loses what it has decoded within the same call.  So it is asked for little, and for one
    byte at a time where the end of the stream may be near.
    """
    stream = pa.CompressedInputStream(pa.PythonFile(_ArrowSource(source), mode="r"), "zstd")
    some = False
    while True:
        try:
            piece = stream.read(_ARROW_STEP if source.left > 2 * _ARROW_STEP else 1)
        except OSError as fault:
            if "Truncated" in str(fault):
                raise _Cut from None
            raise (_describe_trailing_bytes if some and "Unknown frame" in str(fault) else _describe_damage)(
                packing
            ) from None
        if not piece:
            return
        some = True
        yield piece


PACKINGS = (
    Packing("gzip", (".gz",), b"\x1f\x8b", re.compile(rb"\x1f\x8b"), _unpack_members, _GzipMember),
    Packing(
        "bzip2",
        (".bz2",),
        b"BZh",
        re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
        _unpack_members,
        bz2.BZ2Decompressor,
    ),
    Packing(
        "xz",
        (".xz",),
        b"\xfd7zXZ\0",
        re.compile(rb"\xfd7zXZ\0"),
        _unpack_members,
        lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY),
    ),
    Packing("zstd", (".zst", ".zstd"), b"\x28\xb5\x2f\xfd", re.compile(rb"\x28\xb5\x2f\xfd"), _unpack_zstd),
)
"""Every compression that is undone, each told by its first bytes."""

PACKINGS_IN_WORDS = f"{', '.join(packing.name for packing in PACKINGS[:-1])} or {PACKINGS[-1].name}"
"""The names of the compressions, as part of a sentence."""

SUFFIXES = tuple(suffix for packing in PACKINGS for suffix in packing.suffixes)
"""How the names of compressed files end."""


def recognise_packing(first: bytes) -> Packing | None:
    """Return the compression of a stream, given its first bytes (:data:`PROBE` are enough), ``None`` for none."""
    return next((packing for packing in PACKINGS if packing.start.match(first)), None)


def remove_suffix(name: str) -> str:
    """Return a file name without the suffix of a compression."""
    return next((name[: -len(suffix)] for suffix in SUFFIXES if name.lower().endswith(suffix)), name)
