"""Give memory back to the system between the stages of reading a large log.

Flows in and out: nothing; it acts on the process.
Rules kept here: it changes no result, and does nothing where the C library is another.
Not here: bounds on what is kept (the readers).

Reading threads free many arrays of some megabytes, which allocators keep for the next ones.  The stage that follows
needs other sizes, so that without this both would be held: a third of the peak of a log of a million rows.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable

import pyarrow as pa


def _c_library_trim() -> Callable[[int], object] | None:
    """glibc's ``malloc_trim``; other C libraries have none."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):
        return None
    return trim


_trim = _c_library_trim()


def give_back_unused() -> None:
    """Return freed memory to the system as far as the allocators can."""
    pa.default_memory_pool().release_unused()
    if _trim is not None:
        _trim(0)
