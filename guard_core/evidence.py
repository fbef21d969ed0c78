"""Evidence: for each result its class, depth and anchors, and how they are known, as compact columns.

Flows in: a ``Log`` and, optionally, a ``Catalogue``.  Flows out: ``Evidence``, built once and immutable; a policy never
changes it.
Rules kept here: nothing inside a log raises the basis of its evidence; the stronger basis counts and the disagreement
is listed; between equals the less trusted value counts; two readings are kept side by side, *believed* (the log's
labels count) and *upheld* (they do not), so that a change of ``signatures`` only judges again.
Not here: the steps of the work (``guard_core.provenance``), counting (``statistics.py``), judging (``judge.py``).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from guard_core.ingest.identifiers import suspicious_ids
from guard_core.ingest.log import Log, Notice, Ragged, TextColumn
from guard_core.model import Anchor, AuthenticityClass, Basis, Conflict, SearchResult, SignatureStatus
from guard_core.provenance.catalogue import CONFLICT_BIT, Catalogue
from guard_core.provenance.classes import (
    DEPTH_1,
    DEPTH_2_PLUS,
    HUMAN,
    UNKNOWN,
    UNKNOWN_DEPTH,
    ClassReading,
    class_disagrees,
    depth_disagrees,
    read_classes,
)
from guard_core.provenance.columns import Strings
from guard_core.provenance.digest import digest_of_log
from guard_core.provenance.grounding import ground
from guard_core.provenance.join import Join, join
from guard_core.provenance.labels import label_column

__all__ = ["DEPTH_1", "DEPTH_2_PLUS", "HUMAN", "UNKNOWN", "UNKNOWN_DEPTH", "Evidence", "build_evidence"]

_CLASSES = tuple(AuthenticityClass)
_STATUSES = tuple(SignatureStatus)
_BASES = tuple(Basis)
_BASIS = {basis: np.uint8(code) for code, basis in enumerate(Basis)}
_STATUS = {status: np.uint8(code) for code, status in enumerate(SignatureStatus)}
_CONFLICT = {conflict: np.uint8(bit) for conflict, bit in CONFLICT_BIT.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Per-result evidence of a log of ``m`` results, rows as in the log.

    Class codes are those of ``guard_core.provenance.classes`` (exported here), basis codes index ``tuple(Basis)``,
    signature codes ``tuple(SignatureStatus)``, conflict bit ``1 << i`` is the i-th of ``tuple(Conflict)``.
    """

    log: Log
    classes: NDArray[np.uint8]
    """Believed class: the strongest basis that says anything."""
    upheld_classes: NDArray[np.uint8]
    """The class without the log's word: UNKNOWN where only the log gives one."""
    declared_classes: NDArray[np.uint8]
    """The log's own class, shown beside the others; UNKNOWN where it gives none."""
    bases: NDArray[np.uint8]
    depths: NDArray[np.int32]
    """Believed depth; -1 unknown."""
    upheld_depths: NDArray[np.int32]
    depth_at_least: NDArray[np.int32]
    """The greatest depth that known parents prove where the depth is unknown; -1 none."""
    catalogued: NDArray[np.bool_]
    """The catalogue gives this document a class that counts for this result."""
    signature_statuses: NDArray[np.uint8]
    conflicts: NDArray[np.uint8]
    anchors: Ragged
    """Resolved human sources when declarations are believed: codes into ``sources``, weights that sum to 1 a row."""
    upheld_anchors: Ragged
    sources: Strings
    """Document ids of human sources."""
    declared_anchors: Ragged
    """Anchor hashes that claim, catalogue and log name (R66), strongest basis first: codes into ``hashes``."""
    hashes: Strings
    originators: TextColumn
    generators: TextColumn
    collections: TextColumn
    catalogue_documents: int
    matched_results: int
    """Results for which an entry of the catalogue is used."""
    catalogue_digest: str | None
    notices: tuple[Notice, ...] = ()
    """What a reader should know of the catalogue; the log's own notices are in the log."""
    catalogue: Catalogue | None = None
    entries: NDArray[np.int32] | None = None
    """The catalogue entry used for each result, -1 none; ``None`` without a catalogue."""
    _kept: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    @property
    def log_digest(self) -> str:
        """``sha256:<hex>`` of the accepted rows (R58); worked out when first asked for."""
        if "log" not in self._kept:
            self._kept["log"] = digest_of_log(self.log)
        return self._kept["log"]

    @property
    def digest(self) -> str:
        """``sha256:<hex>``: the identity of this evidence, from the accepted rows and the catalogue."""
        parts = ("source-guard/evidence/1", self.log_digest, self.catalogue_digest or "no catalogue")
        return "sha256:" + hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def label(self, name: str) -> TextColumn:
        """A grouping column by its canonical name (``title``, ``url`` ...): the catalogue's value, else the log's
        (R70)."""
        return label_column(name, self.log, self.catalogue, self.entries)

    def results(self, retrieval: int, top_k: int | None = None) -> tuple[SearchResult, ...]:
        """The results of one retrieval, the first ``top_k`` of them, as the scalar rule takes them."""
        start, stop = int(self.log.offsets[retrieval]), int(self.log.offsets[retrieval + 1])
        if top_k is not None:
            stop = min(stop, start + top_k)
        return tuple(self._result(row) for row in range(start, stop))

    def _result(self, row: int) -> SearchResult:
        log = self.log
        named = self.declared_anchors.offsets
        depth = int(self.depths[row])
        bits = int(self.conflicts[row])
        first = int(named[row])
        return SearchResult(
            result_id=log.result_ids.text(row) or "",
            authenticity=_CLASSES[self.classes[row]],
            human_anchor_hash=None
            if first == named[row + 1]
            else self.hashes[self.declared_anchors.codes[first]].as_py(),
            source_signature=log.signatures.text(row),
            document_id=log.document_ids.text(row),
            rank=int(log.ranks[row]) if log.ranks_given[row] else None,
            depth=None if depth < 0 else depth,
            basis=_BASES[self.bases[row]],
            signature=_STATUSES[self.signature_statuses[row]],
            catalogued=bool(self.catalogued[row]),
            anchors=self._anchors(self.anchors, row),
            upheld_anchors=self._anchors(self.upheld_anchors, row),
            conflicts=tuple(conflict for conflict, bit in CONFLICT_BIT.items() if bits & bit),
        )

    def _anchors(self, anchors: Ragged, row: int) -> tuple[Anchor, ...]:
        start, stop = int(anchors.offsets[row]), int(anchors.offsets[row + 1])
        return tuple(
            Anchor(
                self.sources[anchors.codes[i]].as_py(),
                1.0 / (stop - start) if anchors.weights is None else float(anchors.weights[i]),
            )
            for i in range(start, stop)
        )


def build_evidence(log: Log, catalogue: Catalogue | None = None) -> Evidence:
    """The evidence of every result of ``log``, with what ``catalogue`` knows of its documents.

    A result's class is the catalogue's where it gives one, else the log's own (basis ``declared``), else UNKNOWN.
     Signatures are not checked here: one that is there is UNCHECKED (R34).
    """
    declared = read_classes(log.class_words, log.depths)
    rows = len(declared.classes)
    classes, depths = declared.classes, declared.depths
    bases = np.where(classes == UNKNOWN, _BASIS[Basis.NONE], _BASIS[Basis.DECLARED])
    conflicts = declared.conflicts * _CONFLICT[Conflict.DEPTH_CONFLICT]
    upheld_classes, upheld_depths = np.full(rows, UNKNOWN, np.uint8), np.full(rows, UNKNOWN_DEPTH, np.int32)
    catalogued = np.zeros(rows, bool)
    joined = None if catalogue is None else join(log, catalogue)
    if catalogue is not None and joined is not None:
        read = _catalogue_reading(catalogue, joined)
        upheld_classes, upheld_depths = read.classes, read.depths
        catalogued = read.classes != UNKNOWN
        if catalogued.all():
            classes, depths = read.classes, read.depths
        else:
            classes = np.where(catalogued, read.classes, classes)
            depths = np.where(catalogued, read.depths, depths)
        bases[catalogued] = _BASIS[Basis.CATALOGUE]
        conflicts |= _catalogue_conflicts(declared, read, catalogue, joined)
    grounding = ground(log, classes, catalogue, joined)
    conflicts |= grounding.unresolved * _CONFLICT[Conflict.ANCHOR_UNRESOLVED]
    unchecked, missing = _STATUS[SignatureStatus.UNCHECKED], _STATUS[SignatureStatus.MISSING]
    entries = None if joined is None else joined.entries
    return Evidence(
        log=log,
        classes=classes,
        upheld_classes=upheld_classes,
        declared_classes=declared.classes,
        bases=bases,
        depths=depths,
        upheld_depths=upheld_depths,
        depth_at_least=np.full(rows, UNKNOWN_DEPTH, np.int32),
        catalogued=catalogued,
        signature_statuses=np.where(log.signatures.codes >= 0, unchecked, missing),
        conflicts=conflicts,
        anchors=grounding.anchors,
        upheld_anchors=grounding.upheld,
        sources=grounding.sources,
        declared_anchors=grounding.named,
        hashes=grounding.hashes,
        originators=label_column("originator", log, catalogue, entries),
        generators=label_column("generator", log, catalogue, entries),
        collections=label_column("collection", log, catalogue, entries),
        catalogue_documents=0 if catalogue is None else catalogue.documents,
        matched_results=0 if entries is None else int(np.count_nonzero(entries >= 0)),
        catalogue_digest=None if catalogue is None else catalogue.digest,
        notices=() if catalogue is None else (*catalogue.notices, *_lookalikes(log, catalogue)),
        catalogue=catalogue,
        entries=entries,
    )


def _catalogue_reading(catalogue: Catalogue, joined: Join) -> ClassReading:
    """What the catalogue says of each result."""
    return ClassReading(
        np.append(catalogue.classes, np.uint8(UNKNOWN))[joined.entries],
        np.append(catalogue.depths, np.int32(UNKNOWN_DEPTH))[joined.entries],
        np.zeros(0, bool),
        np.append(catalogue.says, np.uint8(UNKNOWN))[joined.entries],
    )


def _catalogue_conflicts(
    declared: ClassReading, read: ClassReading, catalogue: Catalogue, joined: Join
) -> NDArray[np.uint8]:
    """Conflicts within the catalogue's entry, and between it and the log, as bits."""
    conflicts: NDArray[np.uint8] = np.append(catalogue.conflicts, np.uint8(0))[joined.entries]
    conflicts |= joined.mismatched * _CONFLICT[Conflict.CONTENT_MISMATCH]
    disagrees = class_disagrees(declared.says, read.says) | joined.ambiguous
    conflicts |= disagrees * _CONFLICT[Conflict.CLASS_CONFLICT]
    conflicts |= depth_disagrees(declared.depths, read.depths) * _CONFLICT[Conflict.DEPTH_CONFLICT]
    return conflicts


def _lookalikes(log: Log, catalogue: Catalogue) -> tuple[Notice, ...]:
    """A notice if ids of log and catalogue differ from each other only in Unicode form: they are not joined (R20)."""
    ours, theirs = log.document_ids.values, catalogue.document_ids
    across = suspicious_ids([ours, theirs])[0] - suspicious_ids([ours])[0] - suspicious_ids([theirs])[0]
    if across <= 0:
        return ()
    words = "ids of log and catalogue differ from each other only in their Unicode form; they are not joined"
    return (Notice("catalogue_id_unicode_form", across, f"{across:,} {words}"),)
