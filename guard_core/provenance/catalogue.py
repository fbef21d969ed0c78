"""The curator's catalogue: what is known of documents outside any log, one entry a document.

Flows in: a CSV, TSV, JSON Lines, JSON or Parquet file, read by the readers of logs.  Flows out: ``Catalogue``, whose
columns stand in the order of the document ids' bytes.
Rules kept here: the columns of R25 and R70, and the claim of a document; other columns are left alone; of several
entries for one document the least trusted counts and the difference is marked (R27); nothing depends on the order of
entries; entries that cannot be read are listed, and rows read = accepted + rejected + ignored.
Not here: whether a claim holds (``guard_core.claims``), which results an entry speaks of (``join.py``), which anchors
resolve (``anchors.py``), chains of parents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.codes import CONFLICTS
from guard_core.columns import Ragged, Strings, TextColumn, compose_lists
from guard_core.errors import CatalogueError, LogError
from guard_core.files.limits import Limits, Progress
from guard_core.ingest.assembly.assemble import PROBLEMS_LISTED
from guard_core.ingest.assembly.identifiers import suspicious_ids
from guard_core.ingest.assembly.notices import make_notices
from guard_core.ingest.batch import RowBatch, TableKind
from guard_core.ingest.batch_columns import gather_lists, gather_numbers, gather_texts
from guard_core.ingest.detect import FORMAT_DIFFERS
from guard_core.ingest.log import LogFile, Notice, Problem
from guard_core.ingest.reading import TableFile
from guard_core.ingest.records.fields import LABEL_COLUMNS
from guard_core.model import Conflict
from guard_core.provenance.classes import read_classes
from guard_core.provenance.digest import ColumnDigest
from guard_core.provenance.entry_choice import contents_of, counting_entries

_NOTICES = (
    "format_differs_from_suffix",
    "value_not_text",
    "class_not_understood",
    "anchor_not_understood",
    "content_digest_not_understood",
    "metadata_not_understood",
    "id_unicode_form",
    "id_hidden_characters",
)
"""Notices of the readers that concern a catalogue; their codes get ``catalogue_`` in front."""


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """What a catalogue says of ``d`` documents; columns of length ``d``, sorted by the bytes of the document ids.

    ``classes``, ``depths`` and ``says`` are the reading of ``class_words`` and ``stated_depths`` (``ClassReading``; -1
    where no depth is stated); ``conflicts`` has the bits of ``class_conflict`` (entries of one document differ) and
    ``depth_conflict`` (word and depth disagree).  ``contents`` are the digests of a document's text: more than one
    where entries that are worth the same state several.  ``signatures`` are the claims of the entries that count, as
    given and not checked here.  ``digest`` is ``sha256:<hex>`` over the entries that count, whatever their order in the
    file.
    """

    file: LogFile
    rows_read: int
    rows_accepted: int
    rows_rejected: int
    rows_ignored: int
    incomplete: bool
    problems: tuple[Problem, ...]
    notices: tuple[Notice, ...]

    document_ids: Strings
    class_words: NDArray[np.int8]
    stated_depths: NDArray[np.int32]
    classes: NDArray[np.uint8]
    depths: NDArray[np.int32]
    says: NDArray[np.uint8]
    conflicts: NDArray[np.uint8]
    contents: Ragged
    content_digests: Strings
    anchors: Ragged
    anchor_hashes: Strings
    parents: Ragged
    parent_ids: Strings
    signatures: TextColumn
    labels: dict[str, TextColumn]
    digest: str

    @property
    def documents(self) -> int:
        """How many documents the catalogue knows."""
        return len(self.document_ids)


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """The entries of a catalogue file as they stand in it, before any is chosen among those of one document."""

    file: LogFile
    batches: tuple[RowBatch, ...]
    found: Counter[str]
    incomplete: bool

    def catalogue(self) -> Catalogue:
        """The catalogue that they make up.  Raises ``CatalogueError`` where there were some and none could be read."""
        return catalogue_of(self.file, self.batches, self.found, incomplete=self.incomplete)


def read_entries(path: str | Path, *, limits: Limits | None = None, progress: Progress | None = None) -> Entries:
    """Read the entries of a catalogue file of any of our own formats, told by its content.

    Raises ``CatalogueError`` where the file cannot be used.
    """
    limits = limits or Limits()
    batches: list[RowBatch] = []
    try:
        with TableFile(path, TableKind.CATALOGUE, limits=limits, progress=progress) as table:
            rows = 0
            for batch in table.batches():
                batches.append(batch)
                rows += batch.rows
                if rows > limits.rows:
                    raise LogError(table.name, f"there are more than {limits.rows:,} rows", "raise the limit")
            found: Counter[str] = Counter({FORMAT_DIFFERS: 1} if table.format_differs else {})
            return Entries(table.file, tuple(batches), found, table.incomplete)
    except LogError as fault:
        raise CatalogueError(fault.file, fault.fault, fault.advice, fault.place) from None


def read_catalogue(path: str | Path, *, limits: Limits | None = None, progress: Progress | None = None) -> Catalogue:
    """Read a catalogue file of any of our own formats, told by its content.

    Raises ``CatalogueError`` where the file cannot be used, or holds entries of which none can be read.
    """
    return read_entries(path, limits=limits, progress=progress).catalogue()


def catalogue_of(
    file: LogFile, batches: Sequence[RowBatch], found: Counter[str] | None = None, *, incomplete: bool = False
) -> Catalogue:
    """The catalogue that a file's batches make up; ``found`` counts notices about the file itself.

    Raises ``CatalogueError`` where there were entries and none of them could be read.
    """
    rejected = [problem for batch in batches for problem in batch.rejected]
    ignored = sum(batch.ignored + len(batch.empty) for batch in batches)
    accepted = sum(batch.rows for batch in batches)
    if not accepted and (rejected or ignored):
        raise CatalogueError(
            file.name,
            f"none of its {len(rejected) + ignored} entries could be read",
            "an entry needs a document id (result_id, document_id, doc_id ...) and a class (authenticity, origin ...)",
            f"line {rejected[0].line}" if rejected else None,
        )
    ids = gather_texts(batches, "document_id")
    words = gather_numbers(batches, "authenticity", pa.int8(), 0).astype(np.int8)
    stated = gather_numbers(batches, "synthetic_generation_depth", pa.int32(), -1).astype(np.int32)
    contents = gather_texts(batches, "content_sha256")
    anchors, hashes = gather_lists(batches, "anchors", "anchor_weights")
    parents, parent_ids = gather_lists(batches, "derived_from")
    labels = {
        name: gather_texts(batches, name) for name in LABEL_COLUMNS if any(name in batch.columns for batch in batches)
    }
    signatures = gather_texts(batches, "source_authenticity_signature")
    reading = read_classes(words, stated)
    ties = [signatures.codes, *(column.codes for column in labels.values()), contents.codes, words.astype(np.int32)]
    rows, differs, same = counting_entries(ids.codes, reading, anchors, parents, ties)

    incomplete = incomplete or any(batch.incomplete for batch in batches)
    counts = {
        "catalogue_empty": int(not accepted),
        "catalogue_incomplete": int(incomplete),
        "catalogue_rejected": len(rejected),
        "catalogue_repeated": accepted - len(rows),
    }

    conflicts = reading.conflicts[rows] * CONFLICTS.bit(Conflict.DEPTH_CONFLICT)
    conflicts |= differs * CONFLICTS.bit(Conflict.CLASS_CONFLICT)
    chosen = _Chosen(
        words[rows],
        stated[rows],
        conflicts,
        contents_of(ids.codes[same], contents.codes[same], len(rows)),
        _taken(anchors, rows),
        _taken(parents, rows),
        TextColumn(signatures.codes[rows], signatures.values),
        {name: TextColumn(column.codes[rows], column.values) for name, column in labels.items()},
    )
    return Catalogue(
        file=file,
        rows_read=accepted + len(rejected) + ignored,
        rows_accepted=accepted,
        rows_rejected=len(rejected),
        rows_ignored=ignored,
        incomplete=incomplete,
        problems=tuple(Problem(file.name, r.line, r.field, r.reason) for r in rejected[:PROBLEMS_LISTED]),
        notices=_notices(batches, found or Counter(), ids.values, counts),
        document_ids=ids.values,
        class_words=chosen.words,
        stated_depths=chosen.stated_depths,
        classes=reading.classes[rows],
        depths=reading.depths[rows],
        says=reading.says[rows],
        conflicts=conflicts,
        contents=chosen.contents,
        content_digests=contents.values,
        anchors=chosen.anchors,
        anchor_hashes=hashes,
        parents=chosen.parents,
        parent_ids=parent_ids,
        signatures=chosen.signatures,
        labels=chosen.labels,
        digest=_digest(ids.values, chosen, contents.values, hashes, parent_ids),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    """The columns of the entries that count."""

    words: NDArray[np.int8]
    stated_depths: NDArray[np.int32]
    conflicts: NDArray[np.uint8]
    contents: Ragged
    anchors: Ragged
    parents: Ragged
    signatures: TextColumn
    labels: dict[str, TextColumn]


def _taken(lists: Ragged, rows: NDArray[np.int64]) -> Ragged:
    return compose_lists(len(rows), [(np.arange(len(rows)), lists, rows)])


def _notices(
    batches: Sequence[RowBatch], found: Counter[str], ids: Strings, counts: Mapping[str, int]
) -> tuple[Notice, ...]:
    """What the readers noticed, and what a reader of the numbers should know of the catalogue as a whole."""
    read = sum((batch.notices for batch in batches), Counter(found))
    read["id_unicode_form"], read["id_hidden_characters"] = suspicious_ids([ids])
    notices = [
        Notice(f"catalogue_{notice.code}", notice.count, f"catalogue: {notice.message}")
        for notice in make_notices({code: read[code] for code in _NOTICES})
    ]
    words = {
        "catalogue_empty": "catalogues hold no entry",
        "catalogue_incomplete": "catalogues end early; what is whole counts",
        "catalogue_rejected": "entries of the catalogue could not be read",
        "catalogue_repeated": "catalogue entries are for documents that have one already; the least trusted counts",
    }
    notices += [Notice(code, counts[code], f"{counts[code]:,} {words[code]}") for code in words if counts[code]]
    return tuple(notices)


def _digest(ids: Strings, chosen: _Chosen, contents: Strings, hashes: Strings, parents: Strings) -> str:
    digest = ColumnDigest("source-guard/catalogue/1")
    digest.text("document_id", TextColumn(np.arange(len(ids), dtype=np.int32), ids))
    digest.numbers("authenticity", chosen.words)
    digest.numbers("synthetic_generation_depth", chosen.stated_depths)
    digest.numbers("conflicts", chosen.conflicts)
    digest.lists("content", chosen.contents, contents)
    digest.lists("human_source_anchor_hash", chosen.anchors, hashes)
    digest.lists("derived_from", chosen.parents, parents)
    if np.any(chosen.signatures.codes >= 0):
        digest.text("source_authenticity_signature", chosen.signatures)
    for name in sorted(chosen.labels):
        if np.any(chosen.labels[name].codes >= 0):
            digest.text(name, chosen.labels[name])
    return digest.hexdigest()
