"""What valid claims say of documents, as entries beside the catalogue's.

Flows in: the checked claims of a log (``guard_core.claims``).  Flows out: ``ClaimLists``, once, and for every trust
store and time ``Signed``.
Rules kept here: a claim stands for the result that it came with; a result without a claim is spoken for by the
catalogue's claim on its document, if it holds one, and a result with a claim of its own never is; only a claim that is
VALID for document and text says anything; of several on one document, by whichever originator, the least trusted
counts, and the difference is marked; the originator is the ``iss`` of a result's own valid claim (R70).
Not here: whether a claim is valid, what it is worth against the catalogue (``standing.py``).
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
from guard_core.codes import CONFLICTS, STATUSES
from guard_core.columns import (
    Ragged,
    Strings,
    TextColumn,
    add_up_lengths,
    compose_lists,
    encode_texts,
    pair_codes,
    sort_distinct,
    split_pairs,
    translate_codes,
    unite_texts,
)
from guard_core.ingest.log import Log
from guard_core.model import Conflict, SignatureStatus
from guard_core.provenance.catalogue import Catalogue
from guard_core.provenance.classes import read_classes
from guard_core.provenance.entries import Entries
from guard_core.provenance.entry_choice import contents_of, counting_entries
from guard_core.provenance.join import Join

_VALID = STATUSES.code(SignatureStatus.VALID)
_DEEPEST = np.iinfo(np.int32).max
"""Claims may state greater depths than a column holds; nothing is judged differently beyond it."""

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
"""The word of each code of ``SOURCE_CLASSES``; the last one answers for -1."""


def standing_claims(log: Log, catalogue: Catalogue | None, join: Join | None) -> TextColumn:
    """The claim that stands for each result: its own, else the catalogue's on its document."""
    if catalogue is None or join is None or not np.any(catalogue.signatures.codes >= 0):
        return log.signatures
    own = translate_codes(log.document_ids.codes, join.of_document)
    lent = np.where(join.entries == own, translate_codes(join.entries, catalogue.signatures.codes), -1)
    if not np.any(log.signatures.codes >= 0):
        return TextColumn(lent, catalogue.signatures.values)
    table, values = unite_texts(log.signatures.values, catalogue.signatures.values)
    return TextColumn(np.where(log.signatures.codes >= 0, log.signatures.codes, translate_codes(lent, table)), values)


@dataclass(frozen=True, slots=True, eq=False)
class ClaimLists:
    """What evidence takes from each distinct claim of a log beside its ``ClaimColumns``, whether or not it is valid.

    Texts are sorted by bytes, so that codes compare as they do.  ``document_of`` is the document code of each case.
    """

    words: NDArray[np.int8]
    depths: NDArray[np.int32]
    contents: TextColumn
    anchors: Ragged
    hashes: Strings
    parents: Ragged
    parent_ids: Strings
    document_of: NDArray[np.int32]


def claim_lists(checked: CheckedLog, log: Log) -> ClaimLists:
    """Made once for a log; every trust store is judged from it."""
    claims = [check.claim for check in checked.claims.checks]
    anchors, hashes = _lists([() if claim is None else claim.anchors for claim in claims])
    parents, parent_ids = _lists([() if claim is None else claim.derived_from for claim in claims])
    document_of = np.full(len(checked.case_claim), -1, np.int32)
    rows = np.flatnonzero(checked.case_of >= 0)
    document_of[checked.case_of[rows]] = log.document_ids.codes[rows]
    return ClaimLists(
        words=_WORDS[checked.claims.source_class],
        depths=np.minimum(checked.claims.depth, _DEEPEST).astype(np.int32),
        contents=encode_texts(pa.chunked_array([checked.claims.contents])),
        anchors=anchors,
        hashes=hashes,
        parents=parents,
        parent_ids=parent_ids,
        document_of=document_of,
    )


def _lists(lists: Sequence[tuple[str, ...]]) -> tuple[Ragged, Strings]:
    flat = encode_texts(pa.chunked_array([pa.array([text for texts in lists for text in texts], pa.large_string())]))
    lengths = np.fromiter((len(texts) for texts in lists), np.int64, len(lists))
    return Ragged(add_up_lengths(lengths), flat.codes), flat.values


@dataclass(frozen=True, slots=True, eq=False)
class Signed:
    """What valid claims say: ``entries``, one for each of ``documents`` (document codes of the log), and the results
    that carry one (``rows``)."""

    entries: Entries
    documents: NDArray[np.int32]
    rows: NDArray[np.bool_]


def signed_entries(decided: DecidedLog, lists: ClaimLists, log: Log) -> Signed | None:
    """The entries that valid claims make; ``None`` if no claim is valid."""
    valid = np.flatnonzero(decided.statuses == _VALID)
    if not len(valid):
        return None
    checked = decided.checked
    pairs = sort_distinct(pair_codes(lists.document_of[valid], checked.case_claim[valid].astype(np.int32)))
    document, claim = split_pairs(pairs)
    first = np.diff(document, prepend=-1) != 0
    documents, numbers = document[first], (np.cumsum(first) - 1).astype(np.int32)
    reading = read_classes(lists.words[claim], lists.depths[claim])
    anchors, parents = _taken(lists.anchors, claim), _taken(lists.parents, claim)
    contents = lists.contents.codes[claim]
    rows, differs, same = counting_entries(
        numbers, reading, anchors, parents, [contents, lists.words[claim].astype(np.int32)]
    )
    chosen = _taken(lists.anchors, claim[rows])
    entries = Entries(
        document_ids=log.document_ids.values.take(pa.array(documents)),
        class_words=lists.words[claim[rows]],
        stated_depths=lists.depths[claim[rows]],
        classes=reading.classes[rows],
        depths=reading.depths[rows],
        says=reading.says[rows],
        conflicts=differs * CONFLICTS.bit(Conflict.CLASS_CONFLICT),
        contents=contents_of(numbers[same], contents[same], len(rows)),
        content_digests=lists.contents.values,
        anchors=chosen,
        named=chosen,
        anchor_hashes=lists.hashes,
        parents=_taken(lists.parents, claim[rows]),
        parent_ids=lists.parent_ids,
    )
    carried = np.append(decided.statuses == _VALID, False)[checked.case_of]
    return Signed(entries, documents, carried)


def _taken(lists: Ragged, rows: NDArray[np.int32]) -> Ragged:
    return compose_lists(len(rows), [(np.arange(len(rows)), lists, rows)])


def attested_by(decided: DecidedLog, signed: Signed | None, otherwise: TextColumn) -> TextColumn:
    """The originator of each result: who signed its valid claim, ``otherwise`` where there is none (R70)."""
    if signed is None:
        return otherwise
    checked = decided.checked
    issuers = pa.array(checked.claims.issuers, otherwise.values.type)
    issuer = checked.claims.issuer[checked.case_claim[checked.case_of[signed.rows]]]
    if not len(otherwise.values):
        table, values = np.arange(len(issuers), dtype=np.int32), issuers
    else:
        table, values = unite_texts(otherwise.values, issuers)
    codes = otherwise.codes.copy()
    codes[signed.rows] = table[issuer]
    return TextColumn(codes, values)
