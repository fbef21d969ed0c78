"""Turn valid claims into entries of documents, beside the catalogue's.

Flows in: the checked claims of a log (``guard_core.claims``).  Flows out: ``ClaimTable``, once, and for every trust
store and time ``SignedEntries``.
Rules kept here: a claim counts for the result that it came with; a result without a claim gets the catalogue's claim on
its document, if there is one, and a result with a claim of its own never does; only a claim that is VALID for document
and text says anything; of several on one document, by whichever originator, the least trusted counts, and the
difference is marked; the originator is the ``iss`` of a result's own valid claim (R70).
Not here: whether a claim is valid, what it is worth against the catalogue (``precedence.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.claims import CheckedLog, DecidedLog, SourceClass
from guard_core.claims.claim_columns import SOURCE_CLASSES
from guard_core.class_words import ClassWord
from guard_core.codes import STATUSES
from guard_core.columns import (
    Ragged,
    Strings,
    TextColumn,
    add_up_lengths,
    encode_texts,
    pair_codes,
    sort_distinct,
    split_pairs,
    translate_codes,
    unite_texts,
)
from guard_core.ingest.log import Log
from guard_core.model import SignatureStatus
from guard_core.provenance.catalogue import Catalogue
from guard_core.provenance.entries import DocumentEntries, EntryRows, build_entries, select_lists
from guard_core.provenance.join import CatalogueJoin

_VALID = STATUSES.code(SignatureStatus.VALID)
_DEEPEST = np.iinfo(np.int32).max
"""The greatest depth that a column holds.  Claims may name greater ones; nothing is judged differently beyond it."""

_WORDS = np.array(
    [
        {
            SourceClass.HUMAN_AUTHORED: ClassWord.HUMAN,
            SourceClass.MODEL_GENERATED: ClassWord.MODEL,
            SourceClass.HYBRID: ClassWord.HYBRID,
        }[each]
        for each in SOURCE_CLASSES.members
    ]
    + [ClassWord.NONE],
    np.int8,
)
"""The word of each code of ``SOURCE_CLASSES``; the last is the word of -1."""


def assign_claims(log: Log, catalogue: Catalogue | None, join: CatalogueJoin | None) -> TextColumn:
    """Return the claim that counts for each result: its own, else the catalogue's on its document."""
    if catalogue is None or join is None or not np.any(catalogue.signatures.codes >= 0):
        return log.signatures
    by_id = translate_codes(log.document_ids.codes, join.document_entries)
    from_catalogue = np.where(join.entries == by_id, translate_codes(join.entries, catalogue.signatures.codes), -1)
    if not np.any(log.signatures.codes >= 0):
        return TextColumn(from_catalogue, catalogue.signatures.values)
    table, values = unite_texts(log.signatures.values, catalogue.signatures.values)
    codes = np.where(log.signatures.codes >= 0, log.signatures.codes, translate_codes(from_catalogue, table))
    return TextColumn(codes, values)


@dataclass(frozen=True, slots=True, eq=False)
class ClaimTable:
    """Hold what each distinct claim of a log says of its document, valid or not, beside its ``ClaimColumns``.

    Texts are sorted by bytes, so that codes compare as they do.  ``case_documents`` is the document code of each case
    of ``CheckedLog``.
    """

    class_words: NDArray[np.int8]
    depths: NDArray[np.int32]
    contents: TextColumn
    anchors: Ragged
    anchor_hashes: Strings
    parents: Ragged
    parent_ids: Strings
    case_documents: NDArray[np.int32]


def tabulate_claims(checked: CheckedLog, log: Log) -> ClaimTable:
    """Return the claims of a log as columns, from which every trust store is judged."""
    claims = [check.claim for check in checked.claims.checks]
    anchors, anchor_hashes = _encode_lists([() if claim is None else claim.anchors for claim in claims])
    parents, parent_ids = _encode_lists([() if claim is None else claim.derived_from for claim in claims])
    case_documents = np.full(len(checked.case_claim), -1, np.int32)
    rows = np.flatnonzero(checked.case_of >= 0)
    case_documents[checked.case_of[rows]] = log.document_ids.codes[rows]
    return ClaimTable(
        class_words=_WORDS[checked.claims.source_class],
        depths=np.minimum(checked.claims.depth, _DEEPEST).astype(np.int32),
        contents=encode_texts(pa.chunked_array([checked.claims.contents])),
        anchors=anchors,
        anchor_hashes=anchor_hashes,
        parents=parents,
        parent_ids=parent_ids,
        case_documents=case_documents,
    )


def _encode_lists(lists: Sequence[tuple[str, ...]]) -> tuple[Ragged, Strings]:
    flat = encode_texts(pa.chunked_array([pa.array([text for texts in lists for text in texts], pa.large_string())]))
    lengths = np.fromiter((len(texts) for texts in lists), np.int64, len(lists))
    return Ragged(add_up_lengths(lengths), flat.codes), flat.values


@dataclass(frozen=True, slots=True, eq=False)
class SignedEntries:
    """Hold the entries of valid claims, one for each of ``documents`` (document codes of the log), and marks of the
    results that carry such a claim (``rows``)."""

    entries: DocumentEntries
    documents: NDArray[np.int32]
    rows: NDArray[np.bool_]


def build_signed_entries(decided: DecidedLog, table: ClaimTable, log: Log) -> SignedEntries | None:
    """Return the entries of the claims that are valid; ``None`` if none is."""
    valid = np.flatnonzero(decided.statuses == _VALID)
    if not len(valid):
        return None
    checked = decided.checked
    pairs = sort_distinct(pair_codes(table.case_documents[valid], checked.case_claim[valid].astype(np.int32)))
    document, claim = split_pairs(pairs)
    first = np.diff(document, prepend=-1) != 0
    rows = EntryRows(
        documents=(np.cumsum(first) - 1).astype(np.int32),
        class_words=table.class_words[claim],
        depths=table.depths[claim],
        contents=TextColumn(table.contents.codes[claim], table.contents.values),
        anchors=select_lists(table.anchors, claim),
        anchor_hashes=table.anchor_hashes,
        parents=select_lists(table.parents, claim),
        parent_ids=table.parent_ids,
    )
    documents = document[first]
    entries, _ = build_entries(log.document_ids.values.take(pa.array(documents)), rows)
    carried = np.append(decided.statuses == _VALID, False)[checked.case_of]
    return SignedEntries(entries, documents, carried)


def find_originators(decided: DecidedLog, signed: SignedEntries | None, otherwise: TextColumn) -> TextColumn:
    """Return who signed the valid claim of each result, and ``otherwise`` where it has none (R70)."""
    if signed is None:
        return otherwise
    checked = decided.checked
    issuers = pa.array(checked.claims.issuers, otherwise.values.type)
    issuer = checked.claims.issuer[checked.case_claim[checked.case_of[signed.rows]]]
    table, values = unite_texts(otherwise.values, issuers)
    codes = otherwise.codes.copy()
    codes[signed.rows] = table[issuer]
    return TextColumn(codes, values)
