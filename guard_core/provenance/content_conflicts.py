"""The same bytes under different classes.

Flows in: contents, and what is said of each that has one.  Flows out: marks.
Rules kept here: of two documents of one content that are said to be of different classes not both can be right, and of
two results of one text neither; a class that is not said, or a depth left open, disagrees with nothing.
Not here: which of them counts for a result that is known by its content only (``join.py``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import DEPTH_1, DEPTH_2_PLUS, HUMAN, UNKNOWN
from guard_core.columns import find_owners, translate_codes
from guard_core.ingest.log import Log
from guard_core.provenance.classes import VAGUE
from guard_core.provenance.entries import Known

_BIT = np.array([1 << said for said in range(5)], np.uint8)
_BIT[UNKNOWN] = 0
_DISAGREES = np.zeros(5, np.uint8)
_DISAGREES[HUMAN] = _BIT[DEPTH_1] | _BIT[DEPTH_2_PLUS] | _BIT[VAGUE]
_DISAGREES[DEPTH_1] = _BIT[HUMAN] | _BIT[DEPTH_2_PLUS]
_DISAGREES[DEPTH_2_PLUS] = _BIT[HUMAN] | _BIT[DEPTH_1]
_DISAGREES[VAGUE] = _BIT[HUMAN]


def contradicted_twins(
    log: Log, known: Known | None, entries: NDArray[np.int32], said: NDArray[np.uint8], said_of: NDArray[np.uint8]
) -> NDArray[np.bool_]:
    """The results of which the entry, or the text, is said to be of another class elsewhere.

    ``entries`` are the entries that count, ``said`` what is said of each result (``ClassReading.says``), ``said_of``
    what is said of each entry of ``known``.
    """
    marked = np.zeros(len(said), bool)
    if known is not None and len(known.entries.contents.codes):
        contents = known.entries.contents
        counts = ~known.overruled
        owner = find_owners(contents)[counts]
        twins = _disagree(contents.codes[counts], said_of[owner], len(known.entries.content_digests))
        if twins.any():
            of_entries = np.zeros(len(said_of), bool)
            of_entries[owner[twins]] = True
            marked |= translate_codes(entries, of_entries, False)
    texts = log.text_digests
    if len(texts.values):
        rows = np.flatnonzero(texts.codes >= 0)
        marked[rows[_disagree(texts.codes[rows], said[rows], len(texts.values))]] = True
    return marked


def _disagree(contents: NDArray[np.int32], said: NDArray[np.uint8], count: int) -> NDArray[np.bool_]:
    """Which items disagree with another of the same content."""
    seen = np.zeros(count, np.uint8)
    for what in (HUMAN, DEPTH_1, DEPTH_2_PLUS, VAGUE):
        seen[contents[said == what]] |= _BIT[what]
    disagree: NDArray[np.bool_] = (seen[contents] & _DISAGREES[said]) != 0
    return disagree
