"""Write a file that is either whole or not there.

Flows in: a path.  Flows out: an open file beside that place, moved there once it is whole and on disk.
Rules kept here: a reader and a crash see the old file or the new one, never half of either; the file gets the
permissions that any new file gets.
Not here: what is written.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from guard_core.errors import OutputError
from guard_core.visible import visible


@contextmanager
def open_whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """Open a binary file to write to.  Raises ``OutputError``; when the block fails, what stood there stays."""
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise _error(target, error) from None
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o666 & ~_read_umask())
        part.replace(target)
    except OSError as error:
        raise _error(target, error) from None
    finally:
        part.unlink(missing_ok=True)


def refuse_input(path: str | Path, inputs: Iterable[str | Path | None]) -> None:
    """Raise ``OutputError`` where ``path`` is one of the files that are read: nothing is ever written over an input."""
    target = Path(path)
    for name in inputs:
        if name is not None and target.exists() and Path(name).exists() and target.samefile(name):
            raise OutputError(f"{visible(str(target))}: is an input of this command; choose another place")


def _error(target: Path, error: OSError) -> OutputError:
    return OutputError(f"{visible(str(target))}: cannot be written ({error.strerror}); choose another place")


def _read_umask() -> int:
    """Return the process's mask for new files; there is no way to read it but to set it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
