"""Choose the basis that counts for each result, and list where two bases disagree.

Flows in: the log's own labels, the catalogue and its join, the entries of valid claims.  Flows out: ``ResultClasses``.
Rules kept here: the strongest basis that gives a class counts, a claim only for the result that carries it; without the
log's labels a result of which only they give a class is UNKNOWN (R33); disagreements between any two bases are listed,
also with a valid claim that another result of the same document carries; an unknown class disagrees with nothing.
Not here: what one class word and depth mean (``classes.py``), what parents prove, anchors.

A further basis or layer goes here: ``apply_precedence`` applies the layers from the weakest to the strongest, each a
function that takes ``ResultClasses`` and returns those above it.  Decisions of a review would stand between the
catalogue and the claims.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import BASES, CONFLICTS, UNKNOWN, UNKNOWN_DEPTH
from guard_core.columns import translate_codes
from guard_core.ingest.log import Log
from guard_core.model import Basis, Conflict
from guard_core.provenance.catalogue import Catalogue
from guard_core.provenance.classes import StatedClasses, mark_class_conflicts, mark_depth_conflicts
from guard_core.provenance.entries import DocumentEntries
from guard_core.provenance.join import CatalogueJoin
from guard_core.provenance.signed_entries import SignedEntries


@dataclass(frozen=True, slots=True, eq=False)
class ResultClasses:
    """Hold the class and depth of ``m`` results, and the basis that they rest on.

    ``classes`` and ``depths`` are those with the log's labels, ``upheld_classes`` and ``upheld_depths`` those without;
    ``stated`` is what the basis that counts says (``StatedClasses``).  ``catalogued`` marks the results to which the
    catalogue gives a class.  ``entries`` are indices into ``EntryIndex.entries``, -1 for none.
    """

    classes: NDArray[np.uint8]
    depths: NDArray[np.int32]
    stated: NDArray[np.uint8]
    upheld_classes: NDArray[np.uint8]
    upheld_depths: NDArray[np.int32]
    bases: NDArray[np.uint8]
    catalogued: NDArray[np.bool_]
    conflicts: NDArray[np.uint8]
    entries: NDArray[np.int32]


def apply_precedence(
    log: Log,
    declared: StatedClasses,
    catalogue: Catalogue | None,
    join: CatalogueJoin | None,
    signed: SignedEntries | None,
) -> ResultClasses:
    """Return the class of every result of ``log``, of whose labels ``declared`` is the reading."""
    rows = len(declared.classes)
    found = ResultClasses(
        classes=declared.classes,
        depths=declared.depths,
        stated=declared.stated,
        upheld_classes=np.full(rows, UNKNOWN, np.uint8),
        upheld_depths=np.full(rows, UNKNOWN_DEPTH, np.int32),
        bases=np.where(declared.classes == UNKNOWN, BASES.code(Basis.NONE), BASES.code(Basis.DECLARED)),
        catalogued=np.zeros(rows, bool),
        conflicts=declared.conflicts * CONFLICTS.bit(Conflict.DEPTH_CONFLICT),
        entries=np.full(rows, -1, np.int32),
    )
    weaker = [declared]
    if catalogue is not None and join is not None:
        reading = _read_entries(catalogue.entries, join.entries)
        found = _apply_catalogue(found, catalogue.entries, join, reading, declared)
        weaker.append(reading)
    if signed is not None:
        found = _apply_claims(found, log, signed, weaker)
    return found


def _apply_catalogue(
    found: ResultClasses, entries: DocumentEntries, join: CatalogueJoin, reading: StatedClasses, declared: StatedClasses
) -> ResultClasses:
    catalogued = reading.classes != UNKNOWN
    counting = reading
    if not catalogued.all():
        counting = StatedClasses(
            np.where(catalogued, reading.classes, found.classes),
            np.where(catalogued, reading.depths, found.depths),
            reading.conflicts,
            np.where(catalogued, reading.stated, found.stated),
        )
    conflicts = found.conflicts | translate_codes(join.entries, entries.conflicts, 0)
    conflicts |= join.mismatched * CONFLICTS.bit(Conflict.CONTENT_MISMATCH)
    conflicts |= join.ambiguous * CONFLICTS.bit(Conflict.CLASS_CONFLICT)
    conflicts |= mark_disagreements(declared, reading)
    return ResultClasses(
        classes=counting.classes,
        depths=counting.depths,
        stated=counting.stated,
        upheld_classes=reading.classes,
        upheld_depths=reading.depths,
        bases=np.where(catalogued, BASES.code(Basis.CATALOGUE), found.bases),
        catalogued=catalogued,
        conflicts=conflicts,
        entries=join.entries,
    )


def _apply_claims(found: ResultClasses, log: Log, signed: SignedEntries, weaker: list[StatedClasses]) -> ResultClasses:
    """Apply valid claims to the results that carry them, and list where they disagree with the ``weaker`` bases."""
    document_entries = np.full(len(log.document_ids.values), -1, np.int32)
    document_entries[signed.documents] = np.arange(signed.entries.count)
    entries = document_entries[log.document_ids.codes]
    reading = _read_entries(signed.entries, entries)
    conflicts = found.conflicts | translate_codes(entries, signed.entries.conflicts, 0)
    for other in weaker:
        conflicts |= mark_disagreements(other, reading)
    carried = signed.rows
    below = np.where(found.entries < 0, found.entries, found.entries + np.int32(signed.entries.count))
    return replace(
        found,
        classes=np.where(carried, reading.classes, found.classes),
        depths=np.where(carried, reading.depths, found.depths),
        stated=np.where(carried, reading.stated, found.stated),
        upheld_classes=np.where(carried, reading.classes, found.upheld_classes),
        upheld_depths=np.where(carried, reading.depths, found.upheld_depths),
        bases=np.where(carried, BASES.code(Basis.SIGNED), found.bases),
        conflicts=conflicts,
        entries=np.where(carried, entries, below),
    )


def _read_entries(table: DocumentEntries, entries: NDArray[np.int32]) -> StatedClasses:
    """Return what entries say of results: nothing where there is no entry (-1)."""
    return StatedClasses(
        translate_codes(entries, table.classes, UNKNOWN),
        translate_codes(entries, table.depths, UNKNOWN_DEPTH),
        np.zeros(0, bool),
        translate_codes(entries, table.stated, UNKNOWN),
    )


def mark_disagreements(one: StatedClasses, other: StatedClasses) -> NDArray[np.uint8]:
    """Return the conflicts between two bases, as bits."""
    bits: NDArray[np.uint8] = mark_class_conflicts(one.stated, other.stated) * CONFLICTS.bit(Conflict.CLASS_CONFLICT)
    bits |= mark_depth_conflicts(one.depths, other.depths) * CONFLICTS.bit(Conflict.DEPTH_CONFLICT)
    return bits
