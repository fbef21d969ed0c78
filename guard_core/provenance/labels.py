"""Choose the labels of results: originator, generator, collection, title, url.

Flows in: a log, a catalogue, and which entry counts for which result.  Flows out: one ``TextColumn``.
Rules kept here: the catalogue's own value counts, the log's is used only where the catalogue has none (R70).
Not here: the originator that a claim proves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guard_core.columns import TextColumn, translate_codes, unite_texts
from guard_core.ingest.log import Log
from guard_core.provenance.catalogue import Catalogue


def choose_label(name: str, log: Log, catalogue: Catalogue | None, entries: NDArray[np.int32] | None) -> TextColumn:
    """Choose the label ``name`` of each result; ``entries`` are the catalogue entries used, -1 for none."""
    own = log.labels.get(name) or TextColumn.missing(log.result_count)
    known = None if catalogue is None else catalogue.labels.get(name)
    if known is None or entries is None:
        return own
    stated = translate_codes(entries, known.codes)
    if not len(own.values):
        return TextColumn(stated, known.values)
    table, values = unite_texts(known.values, own.values)
    return TextColumn(np.where(stated >= 0, stated, translate_codes(own.codes, table)), values)
