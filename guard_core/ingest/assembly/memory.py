"""Give memory back to the system between the stages of reading a large log.

Flows in and out: nothing; it acts on the process.
Rules kept here: it changes no result, and does nothing where the C library is not glibc.
Not here: bounds on what is kept (the readers).

Reading threads free many arrays of some megabytes, which allocators keep for the next ones.  The stage that follows
needs other sizes, so that without this both would be held: a third of the peak of a log of a million rows.

For the same reason Arrow takes its memory from the C library while a log is read: its own allocator gives freed pages
back within milliseconds and asks for them again, which costs as much as it saves, and holds what numpy cannot use.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pyarrow as pa


def _c_library_trim() -> Callable[[int], object] | None:
    """Return glibc's ``malloc_trim``; other C libraries have none."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return None
    return trim


_trim = _c_library_trim()


def release_unused_memory() -> None:
    """Return freed memory to the system as far as the allocators can."""
    pa.default_memory_pool().release_unused()
    if _trim is not None:
        _trim(0)


_lock = threading.Lock()
_readings = 0
_before: pa.MemoryPool | None = None


@contextmanager
def share_allocator() -> Iterator[None]:
    """Let Arrow and numpy share one allocator for a while; afterwards Arrow has the one that it had.

    The setting is that of the process: readings at the same time share it, and the last one to end restores it.
    """
    global _readings, _before  # noqa: PLW0603  # as is what it counts: one setting of the process
    if _trim is None:
        yield
        return
    with _lock:
        _readings += 1
        if _before is None:
            _before = pa.default_memory_pool()
            pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        with _lock:
            _readings -= 1
            if not _readings and _before is not None:
                pa.set_memory_pool(_before)
                _before = None
