"""Open a file once: its decoded bytes, its size, and the digest of its bytes on disk.

Flows in: a path.  Flows out: ``InputFile``, from which the readers of all formats take bytes.
Rules kept here: regular files only, opened once, size and type taken from the open handle; compression is undone while
streaming, with bounds on decoded bytes and on their ratio to the compressed ones; a stream that ends early yields
what is whole and marks the file ``incomplete`` (R4); a byte order mark is removed, UTF-16 and UTF-32 are refused
by name; bytes that are appended during reading are not read.
Not here: what the bytes mean (``guard_core.ingest``), limits on lines (``lines.py``).

The SHA-256 is computed in a second thread during reading, since hashlib releases the interpreter lock.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

from guard_core.errors import LogError
from guard_core.files.encoding import BOM, detect_foreign_encoding
from guard_core.files.limits import Limits, Progress
from guard_core.files.unpack import PROBE, Packing, PackingError, recognise_packing, unpack_stream

CHUNK = 16 * 1024 * 1024
"""Bytes of one chunk, by default."""

_LINE_WINDOW = 64 * 1024
"""Bytes at the end of a block that are searched for a line end."""
_HEAD_BLOCK = 64 * 1024
_HASHES_PENDING = 2
_NAME_SHOWN = 200
"""Characters shown of the name of a file that does not exist."""


def escape_file_name(path: str | os.PathLike[str]) -> str:
    """Return a file name on one line, with visible escapes for what cannot be printed."""
    given = os.fspath(path)
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in given)


def open_input(
    path: str | os.PathLike[str], limits: Limits | None = None, progress: Progress | None = None
) -> InputFile:
    """Open a regular file for reading.

    ``progress`` is called with the bytes on disk done and in all.  Raises ``LogError`` where there is no such file, it
    may not be read, or it is not a regular file (directory, pipe, device).
    """
    name = escape_file_name(path)
    flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except FileNotFoundError:
        raise LogError(name, "there is no such file", "check the path") from None
    except IsADirectoryError:
        raise LogError(name, "is a directory", "name the files in it") from None
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else "the name cannot be used"
        short = name if len(name) <= _NAME_SHOWN else f"{name[:_NAME_SHOWN]}…"
        raise LogError(short, f"cannot be opened ({reason})", "check the path and its permissions") from None
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise LogError(name, "is a directory", "name the files in it")
        if not stat.S_ISREG(mode):
            raise LogError(name, "is not a regular file", "write the pipe or device to a file and name that")
        return InputFile(Path(path), handle, limits or Limits(), progress)
    except BaseException:
        os.close(handle)
        raise


class InputFile:
    """An open file: a context manager that closes it on exit.

    ``name`` is for display, ``path`` for readers that must open the file by path, ``size`` the bytes on disk when it
    was opened, ``packing`` how they are compressed (``None``: not).  ``incomplete`` is set while reading, when a
    compressed stream ends early or the file has become shorter.
    """

    def __init__(self, path: Path, handle: int, limits: Limits, progress: Progress | None) -> None:
        self.path = path
        self.name = escape_file_name(path)
        self._status = os.fstat(handle)
        self.size = self._status.st_size
        self.incomplete = False
        self._limits = limits
        self._progress = progress
        self._handle = handle
        self._hash = hashlib.sha256()
        self._hashed = 0
        self._hash_jobs: list[Future[None]] = []
        self._hasher = ThreadPoolExecutor(1, thread_name_prefix="source-guard-hash")
        self.packing = recognise_packing(self._read_bytes(PROBE, 0))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file.  Its digest can no longer be computed."""
        self._hasher.shutdown(wait=True)
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def head(self, size: int = 256 * 1024) -> bytes:
        """Return the first ``size`` decoded bytes, without byte order mark; ``chunks`` still begins at the start."""
        head = bytearray()
        for part in self._decode(self._read_blocks(_HEAD_BLOCK, follow=False), size + len(BOM), follow=False):
            head += part
            if len(head) >= size:
                break
        return bytes(head[:size])

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        """Yield all decoded bytes without byte order mark, in pieces of about ``size`` (cut anywhere, never empty).

        Raises ``LogError`` for an encoding other than UTF-8, a damaged compressed stream, bytes after it, one within
        another, and for decoded bytes beyond the limits.
        """
        return self._decode(self._read_blocks(min(size, CHUNK), follow=True), size, follow=True)

    @property
    def packed_suffix(self) -> str:
        """What the compression adds to the name of a format: ``.gz`` and its like, or nothing."""
        return self.packing.suffixes[0] if self.packing else ""

    @property
    def sha256(self) -> str:
        """The SHA-256 of the bytes on disk, in hex; bytes that have not been read yet are read now."""
        self._wait_for_hashes(0)  # a background job moves the place up to which the file is hashed
        for _ in self._read_blocks(CHUNK, follow=True, start=self._hashed):
            pass
        self._wait_for_hashes(0)
        return self._hash.hexdigest()

    def start_hashing(self) -> None:
        """Start to hash the whole file in the background, for readers that open it by ``path``."""
        self._hash_jobs.append(self._hasher.submit(self._hash_rest))

    def check_unchanged(self) -> None:
        """Raise ``LogError`` if ``path`` no longer names the file that was opened, unchanged."""
        try:
            now = self.path.stat()
        except OSError:
            now = None
        before = self._status
        if now is None or (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns) != (
            before.st_dev,
            before.st_ino,
            before.st_size,
            before.st_mtime_ns,
        ):
            raise LogError(self.name, "changed while it was read", "read it again once it is written")

    def report_progress(self, done: int) -> None:
        """Call the progress callback with the bytes on disk that are done."""
        if self._progress is not None:
            self._progress(min(done, self.size), self.size)

    # -- bytes on disk ---------------------------------------------------------------------------------------------

    def _read_blocks(self, block: int, *, follow: bool, start: int = 0) -> Iterator[bytes]:
        """Yield blocks of bytes on disk, up to the size at opening.

        ``follow``: hash them, report progress and notice a file that has become shorter.
        """
        position = start
        while position < self.size:
            wanted = min(block, self.size - position)
            data = self._read_bytes(self._length_to_line_end(position, wanted, block) if follow else wanted, position)
            if not data:
                if follow:
                    self.incomplete = True
                return
            if follow and position == self._hashed:
                self._hashed += len(data)
                self._hash_jobs.append(self._hasher.submit(self._hash.update, data))
                self._wait_for_hashes(_HASHES_PENDING)
            position += len(data)
            if follow and start == 0:
                self.report_progress(position)
            yield data

    def _read_bytes(self, length: int, position: int) -> bytes:
        try:
            return os.pread(self._handle, length, position)
        except OSError as fault:
            why = f"cannot be read beyond byte {position:,} ({fault.strerror or 'the system gives no reason'})"
            raise self._error(why, "copy it to a sound disk") from None

    def _length_to_line_end(self, position: int, wanted: int, block: int) -> int:
        """Return how many of the ``wanted`` bytes to read: to a line end if one is near, so that lines are whole."""
        if self.packing or wanted < block or block <= _LINE_WINDOW:
            return wanted
        begin = position + wanted - _LINE_WINDOW
        newline = self._read_bytes(_LINE_WINDOW, begin).rfind(b"\n")
        return wanted if newline < 0 else begin + newline + 1 - position

    def _hash_rest(self) -> None:
        while self._hashed < self.size:
            data = self._read_bytes(min(1024 * 1024, self.size - self._hashed), self._hashed)
            if not data:
                return
            self._hash.update(data)
            self._hashed += len(data)

    def _wait_for_hashes(self, pending: int) -> None:
        while len(self._hash_jobs) > pending:
            self._hash_jobs.pop(0).result()

    # -- decoded bytes ---------------------------------------------------------------------------------------------

    def _decode(self, raw: Iterator[bytes], size: int, *, follow: bool) -> Iterator[bytes]:
        parts = self._unpack(raw, self.packing, size, follow=follow) if self.packing else raw
        first = next(parts, b"")
        total = len(first)
        start = self._strip_mark(first)
        if start:
            yield start
        for part in parts:
            total += len(part)
            if total > self._limits.decoded_bytes:
                raise self._error(f"holds more than {self._limits.decoded_bytes} bytes", "split it or raise the limit")
            yield part

    def _strip_mark(self, first: bytes) -> bytes:
        if self.packing and (inner := recognise_packing(first)):
            raise self._error(f"is {inner.name} within {self.packing.name}", "unpack it once")
        encoding = detect_foreign_encoding(first)
        if encoding is not None:
            raise self._error(f"is encoded as {encoding}", "write it as UTF-8")
        return first.removeprefix(BOM)

    def _unpack(self, raw: Iterator[bytes], packing: Packing, size: int, *, follow: bool) -> Iterator[bytes]:
        cut = self._mark_incomplete if follow else _ignore_cut
        try:
            yield from unpack_stream(raw, packing, size, self._limits.gzip_ratio, cut)
        except PackingError as fault:
            raise self._error(fault.fault, fault.advice) from None

    def _mark_incomplete(self) -> None:
        self.incomplete = True

    def _error(self, fault: str, advice: str) -> LogError:
        return LogError(self.name, fault, advice)


def _ignore_cut() -> None:
    """Ignore a cut in the head of a file: it is reported when the file is read."""
