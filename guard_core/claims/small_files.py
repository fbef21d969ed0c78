"""Read and write the small files that trust rests on: trust stores and private keys.

Flows in: a path, or bytes to write.  Flows out: bytes, or an ``InputError`` of the kind that the caller names.
Rules kept here: regular files only, opened once, type and size taken from the open handle, at most as many bytes as
allowed; a private file is always new, readable by its owner only from the start, and on disk when the call returns.
Contents never appear in a message.
Not here: logs (``guard_core.files.input_file``), what the bytes mean.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from guard_core.errors import InputError
from guard_core.files.input_file import escape_file_name

OWNER_ONLY = 0o600


def read_small_file(path: str | Path, limit: int, error: type[InputError]) -> bytes:
    """Read a regular file of at most ``limit`` bytes.  Raises ``error``."""
    name = escape_file_name(path)
    flags = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except (OSError, ValueError) as fault:
        raise error(
            name, f"cannot be opened ({_describe_fault(fault)})", "check the path and its permissions"
        ) from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise error(name, "is not a regular file", "name a file")
    with os.fdopen(handle, "rb") as file:
        try:
            data = file.read(limit + 1)
        except OSError as fault:
            raise error(name, f"cannot be read ({_describe_fault(fault)})", "check the disk") from None
    if len(data) > limit:
        raise error(name, f"is larger than {limit} bytes", "check that it is the right file")
    return data


def write_private_file(path: str | Path, data: bytes, error: type[InputError]) -> None:
    """Write a new file that only its owner may read (mode 0600).  Raises ``error``, also where the file exists."""
    name = escape_file_name(path)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags, OWNER_ONLY)
    except FileExistsError:
        raise error(name, "exists already", "choose another name: a key is never written over") from None
    except (OSError, ValueError) as fault:
        raise error(
            name, f"cannot be made ({_describe_fault(fault)})", "check the folder and its permissions"
        ) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
    except OSError as fault:
        Path(path).unlink(missing_ok=True)
        raise error(name, f"cannot be written ({_describe_fault(fault)})", "check the disk") from None


def _describe_fault(fault: OSError | ValueError) -> str:
    return fault.strerror if isinstance(fault, OSError) and fault.strerror else "the name cannot be used"
