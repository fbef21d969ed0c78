"""Sign a catalogue: one claim for each document of which the catalogue says enough.

Flows in: a catalogue file, an originator and its key, the time of issue.  Flows out: ``SignedCatalogue``: the entries
as they stand in the file, each with the claim of its document, and a count of the documents that got none.
Rules kept here: a claim says what the entry says and no more; where entries of a document differ, or an entry
contradicts itself, or its class or depth is not known, nothing is signed; an entry that carries a claim already keeps
it; a document with several contents (one a chunk) gets a claim that names none, since a claim can name one; the same
catalogue, key and time give the same claims.
Not here: keys and signatures (``guard_core.claims``), writing the file (``output/signed_catalogue.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

import pyarrow as pa

from guard_core.claims import Claim, SigningKey, SourceClass, sign_claim
from guard_core.class_words import ClassWord
from guard_core.codes import CONFLICTS
from guard_core.columns import Ragged
from guard_core.errors import SigningError
from guard_core.ingest.batch import RowBatch
from guard_core.ingest.batch_columns import gather_column
from guard_core.ingest.tables.export_columns import SIGNED_COLUMNS
from guard_core.model import Conflict
from guard_core.provenance.anchors import normalise_hashes
from guard_core.provenance.catalogue import Catalogue, CatalogueFile

_WORDS: Final = {
    ClassWord.HUMAN: SourceClass.HUMAN_AUTHORED.value,
    ClassWord.MODEL: SourceClass.MODEL_GENERATED.value,
    ClassWord.HYBRID: SourceClass.HYBRID.value,
    ClassWord.SYNTHETIC_DEPTH_1: "SYNTHETIC_DEPTH_1",
    ClassWord.SYNTHETIC_DEPTH_2_PLUS: "SYNTHETIC_DEPTH_2_PLUS",
}
"""How a class word is written; each reads back as itself."""

_CLASSES: Final = {
    ClassWord.HUMAN: SourceClass.HUMAN_AUTHORED,
    ClassWord.MODEL: SourceClass.MODEL_GENERATED,
    ClassWord.HYBRID: SourceClass.HYBRID,
    ClassWord.SYNTHETIC_DEPTH_1: SourceClass.MODEL_GENERATED,
    ClassWord.SYNTHETIC_DEPTH_2_PLUS: SourceClass.MODEL_GENERATED,
}

_SIGNATURE: Final = "source_authenticity_signature"
_REPORTED: Final = 256  # documents between two reports of progress

SigningProgress = Callable[[int, int], None]
"""Called with (documents done, documents in all)."""

WeightedAnchors = Sequence[tuple[str, float]]
"""Anchor hashes as given, with their weights."""


class UnsignedReason(Enum):
    """Say why a document got no new claim; the value is for people."""

    HAS_ONE = "with a claim already, which stays"
    DIFFERS = "in entries that differ in class or depth"
    CONTRADICTS = "of a class and a depth that contradict each other"
    NO_CLASS = "without a class"
    NO_DEPTH = "synthetic, at a depth that is not stated"
    REFUSED = "saying something that a claim cannot hold"


@dataclass(frozen=True, slots=True, eq=False)
class SignedCatalogue:
    """Hold a catalogue with its claims.

    ``columns`` holds the rows in the order of the file, one list a name of ``SIGNED_COLUMNS``, ``None`` where missing;
    anchors are lists of pairs (hash, weight), parents lists of ids.  ``attested`` documents of ``catalogue`` got a
    claim, ``without_content`` of them one that names no content; ``unsigned`` counts the others by reason.
    """

    catalogue: Catalogue
    columns: Mapping[str, Sequence[object]]
    attested: int
    without_content: int
    unsigned: Mapping[UnsignedReason, int]


def sign_catalogue(
    file: CatalogueFile, key: SigningKey, originator: str, issued: int, progress: SigningProgress | None = None
) -> SignedCatalogue:
    """Sign a catalogue in the name of ``originator``; ``issued`` is in whole seconds since 1970.

    Raises ``CatalogueError`` where no entry can be read, ``SigningError`` for an originator that no claim can name.
    """
    if not originator:
        raise SigningError("the originator has no name")
    catalogue = file.build_catalogue()
    entries = catalogue.entries
    claims: dict[str, str] = {}
    unsigned: Counter[UnsignedReason] = Counter()
    without_content = 0
    anchors = normalise_hashes(entries.anchor_hashes).to_pylist()
    parents = entries.parent_ids.to_pylist()
    contents = entries.content_digests.to_pylist()
    for row, document in enumerate(entries.document_ids.to_pylist()):
        if progress is not None and row % _REPORTED == 0:
            progress(row, catalogue.documents)
        reason = _find_reason(catalogue, row)
        if reason is None:
            digests = _list_texts(entries.contents, row, contents)
            claim = Claim(
                iss=originator,
                sub=document,
                iat=issued,
                source_class=_CLASSES[ClassWord(int(entries.class_words[row]))],
                depth=int(entries.depths[row]),
                anchors=_list_texts(entries.anchors, row, anchors),
                content=digests[0] if len(digests) == 1 else None,
                derived_from=_list_texts(entries.parents, row, parents),
            )
            try:
                claims[document] = sign_claim(claim, key)
                without_content += claim.content is None
            except SigningError:
                reason = UnsignedReason.REFUSED
        if reason is not None:
            unsigned[reason] += 1
    columns = _gather_columns(file.batches, claims)
    return SignedCatalogue(catalogue, columns, len(claims), without_content, unsigned)


def _find_reason(catalogue: Catalogue, row: int) -> UnsignedReason | None:
    """Return why a document is not signed, as far as its entries tell."""
    conflicts = CONFLICTS.flagged(catalogue.entries.conflicts[row])
    if catalogue.signatures.codes[row] >= 0:
        return UnsignedReason.HAS_ONE
    if Conflict.CLASS_CONFLICT in conflicts:
        return UnsignedReason.DIFFERS
    if Conflict.DEPTH_CONFLICT in conflicts:
        return UnsignedReason.CONTRADICTS
    if catalogue.entries.class_words[row] == ClassWord.NONE:
        return UnsignedReason.NO_CLASS
    return UnsignedReason.NO_DEPTH if catalogue.entries.depths[row] < 0 else None


def _list_texts(lists: Ragged, row: int, values: Sequence[str]) -> tuple[str, ...]:
    """Return the texts of one list, each once."""
    codes = lists.codes[lists.offsets[row] : lists.offsets[row + 1]]
    return tuple(dict.fromkeys(values[code] for code in codes.tolist()))


def _gather_columns(batches: Sequence[RowBatch], claims: Mapping[str, str]) -> dict[str, Sequence[object]]:
    columns: dict[str, Sequence[object]] = {}
    for name in SIGNED_COLUMNS:
        if name == "authenticity":
            codes = gather_column(batches, name, pa.int8()).to_pylist()
            columns[name] = [_WORDS.get(ClassWord(code or 0)) for code in codes]
        elif name == "synthetic_generation_depth":
            columns[name] = gather_column(batches, name, pa.int32()).to_pylist()
        elif name == "human_source_anchor_hash":
            columns[name] = _gather_anchors(batches)
        elif name == "derived_from":
            columns[name] = gather_column(batches, name, pa.list_(pa.string())).to_pylist()
        else:
            columns[name] = gather_column(batches, name, pa.string()).to_pylist()
    columns[_SIGNATURE] = [
        claims.get(str(document)) if given is None else given
        for document, given in zip(columns["document_id"], columns[_SIGNATURE], strict=True)
    ]
    return columns


def _gather_anchors(batches: Sequence[RowBatch]) -> list[WeightedAnchors | None]:
    found: list[WeightedAnchors | None] = []
    for batch in batches:
        if "anchors" not in batch.columns:
            found += [None] * batch.rows
            continue
        hashes = batch.columns["anchors"].to_pylist()
        weights = batch.columns["anchor_weights"].to_pylist() if "anchor_weights" in batch.columns else hashes
        for each, shares in zip(hashes, weights, strict=True):
            equal = shares is None or shares is each
            found.append(None if not each else list(zip(each, [1.0] * len(each) if equal else shares, strict=True)))
    return found
