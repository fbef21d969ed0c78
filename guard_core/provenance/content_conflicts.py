"""Find results whose content stands under two classes that cannot both be right.

Flows in: the contents of entries and results, and the class of each.  Flows out: marks.
Rules kept here: of two documents with one content but different classes not both can be right, and of two results with
one text neither; an unknown class, or a depth left open, disagrees with nothing.
Not here: which document counts for a result that is joined by its content only (``join.py``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import DEPTH_1, DEPTH_2_PLUS, HUMAN, UNKNOWN
from guard_core.columns import find_owners, translate_codes
from guard_core.ingest.log import Log
from guard_core.provenance.classes import VAGUE
from guard_core.provenance.entry_index import EntryIndex

_KNOWN = (HUMAN, DEPTH_1, DEPTH_2_PLUS, VAGUE)
_BIT = np.array([1 << code for code in range(max(*_KNOWN, UNKNOWN) + 1)], np.uint8)
_BIT[UNKNOWN] = 0
_CONTRARY = np.zeros(len(_BIT), np.uint8)
_CONTRARY[HUMAN] = _BIT[DEPTH_1] | _BIT[DEPTH_2_PLUS] | _BIT[VAGUE]
_CONTRARY[DEPTH_1] = _BIT[HUMAN] | _BIT[DEPTH_2_PLUS]
_CONTRARY[DEPTH_2_PLUS] = _BIT[HUMAN] | _BIT[DEPTH_1]
_CONTRARY[VAGUE] = _BIT[HUMAN]
"""For each class (``StatedClasses.stated``) the bits of those that it cannot stand beside."""


def find_content_conflicts(
    log: Log,
    index: EntryIndex | None,
    entries: NDArray[np.int32],
    row_classes: NDArray[np.uint8],
    entry_classes: NDArray[np.uint8],
) -> NDArray[np.bool_]:
    """Mark the results whose entry, or whose text, has another class elsewhere.

    ``entries`` are the entries that count for the results; classes are those of ``StatedClasses.stated``.
    """
    marked = np.zeros(len(row_classes), bool)
    if index is not None and len(index.entries.contents.codes):
        contents = index.entries.contents
        counts = ~index.overruled_contents
        owner = find_owners(contents)[counts]
        contrary = _mark_contrary(contents.codes[counts], entry_classes[owner], len(index.entries.content_digests))
        if contrary.any():
            of_entries = np.zeros(len(entry_classes), bool)
            of_entries[owner[contrary]] = True
            marked |= translate_codes(entries, of_entries, False)
    texts = log.text_digests
    if len(texts.values):
        rows = np.flatnonzero(texts.codes >= 0)
        marked[rows[_mark_contrary(texts.codes[rows], row_classes[rows], len(texts.values))]] = True
    return marked


def _mark_contrary(contents: NDArray[np.int32], classes: NDArray[np.uint8], count: int) -> NDArray[np.bool_]:
    """Mark the items whose class is contrary to that of another item of the same content."""
    present = np.zeros(count, np.uint8)
    for code in _KNOWN:
        present[contents[classes == code]] |= _BIT[code]
    contrary: NDArray[np.bool_] = (present[contents] & _CONTRARY[classes]) != 0
    return contrary
