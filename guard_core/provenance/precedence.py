"""What every basis says of each result, which of them counts, and where they disagree.

Flows in: the log's own reading, the catalogue and its join, the entries of valid claims.  Flows out: ``Standing``.
Rules kept here: the strongest basis that gives a class counts, a claim only for the result that carries it; without the
log's word a result that only the log speaks for is UNKNOWN (R33); disagreements between any two bases are listed, also
with a valid claim that another result of the same document carries; what is not said never disagrees.
Not here: what one word and depth say (``classes.py``), what parents prove, anchors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import BASES, CONFLICTS, UNKNOWN, UNKNOWN_DEPTH
from guard_core.columns import translate_codes
from guard_core.ingest.log import Log
from guard_core.model import Basis, Conflict
from guard_core.provenance.catalogue import Catalogue
from guard_core.provenance.classes import ClassReading, class_disagrees, depth_disagrees
from guard_core.provenance.entries import Entries
from guard_core.provenance.join import Join
from guard_core.provenance.signed_entries import Signed


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Columns of ``m`` results: the class and depth that count, those without the log's word, and why.

    ``says`` is what the basis that counts asserts (``ClassReading``); ``entries`` are indices into the signed entries
    followed by the catalogue's, -1 for none.
    """

    classes: NDArray[np.uint8]
    depths: NDArray[np.int32]
    says: NDArray[np.uint8]
    upheld_classes: NDArray[np.uint8]
    upheld_depths: NDArray[np.int32]
    bases: NDArray[np.uint8]
    catalogued: NDArray[np.bool_]
    conflicts: NDArray[np.uint8]
    entries: NDArray[np.int32]


def standing_of(
    log: Log, declared: ClassReading, catalogue: Catalogue | None, join: Join | None, signed: Signed | None
) -> Standing:
    """The standing of every result of ``log``, whose own reading is ``declared``."""
    rows = len(declared.classes)
    classes, depths, says = declared.classes, declared.depths, declared.says
    bases = np.where(classes == UNKNOWN, BASES.code(Basis.NONE), BASES.code(Basis.DECLARED))
    conflicts = declared.conflicts * CONFLICTS.bit(Conflict.DEPTH_CONFLICT)
    upheld_classes, upheld_depths = np.full(rows, UNKNOWN, np.uint8), np.full(rows, UNKNOWN_DEPTH, np.int32)
    catalogued, entries = np.zeros(rows, bool), np.full(rows, -1, np.int32)
    read = None
    if catalogue is not None and join is not None:
        read = _reading(catalogue, join.entries)
        upheld_classes, upheld_depths, entries = read.classes, read.depths, join.entries
        catalogued = read.classes != UNKNOWN
        if catalogued.all():
            classes, depths, says = read.classes, read.depths, read.says
        else:
            classes = np.where(catalogued, read.classes, classes)
            depths = np.where(catalogued, read.depths, depths)
            says = np.where(catalogued, read.says, says)
        bases[catalogued] = BASES.code(Basis.CATALOGUE)
        conflicts |= translate_codes(join.entries, catalogue.conflicts, 0)
        conflicts |= join.mismatched * CONFLICTS.bit(Conflict.CONTENT_MISMATCH)
        conflicts |= join.ambiguous * CONFLICTS.bit(Conflict.CLASS_CONFLICT)
        conflicts |= disagreements(declared, read)
    if signed is not None:
        of_document = np.full(len(log.document_ids.values), -1, np.int32)
        of_document[signed.documents] = np.arange(signed.entries.count)
        own = of_document[log.document_ids.codes]
        stated = _reading(signed.entries, own)
        conflicts |= translate_codes(own, signed.entries.conflicts, 0) | disagreements(declared, stated)
        if read is not None:
            conflicts |= disagreements(read, stated)
        carried = signed.rows
        classes, depths = np.where(carried, stated.classes, classes), np.where(carried, stated.depths, depths)
        says = np.where(carried, stated.says, says)
        upheld_classes = np.where(carried, stated.classes, upheld_classes)
        upheld_depths = np.where(carried, stated.depths, upheld_depths)
        bases[carried] = BASES.code(Basis.SIGNED)
        below = np.where(entries < 0, entries, entries + np.int32(signed.entries.count))
        entries = np.where(carried, own, below)
    return Standing(classes, depths, says, upheld_classes, upheld_depths, bases, catalogued, conflicts, entries)


def _reading(known: Catalogue | Entries, entries: NDArray[np.int32]) -> ClassReading:
    """What entries say of results; nothing where there is none."""
    return ClassReading(
        translate_codes(entries, known.classes, UNKNOWN),
        translate_codes(entries, known.depths, UNKNOWN_DEPTH),
        np.zeros(0, bool),
        translate_codes(entries, known.says, UNKNOWN),
    )


def disagreements(one: ClassReading, other: ClassReading) -> NDArray[np.uint8]:
    """Where two bases cannot both be right, as bits."""
    bits: NDArray[np.uint8] = class_disagrees(one.says, other.says) * CONFLICTS.bit(Conflict.CLASS_CONFLICT)
    bits |= depth_disagrees(one.depths, other.depths) * CONFLICTS.bit(Conflict.DEPTH_CONFLICT)
    return bits
