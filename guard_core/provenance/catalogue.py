"""Read the curator's catalogue: what is known of documents outside any log, one entry a document.

Flows in: a CSV, TSV, JSON Lines, JSON or Parquet file, read by the readers of logs.  Flows out: ``Catalogue``, whose
entries are in the order of the document ids' bytes.
Rules kept here: the columns of R25 and R70, and the claim of a document; other columns are left alone; of several
entries for one document the least trusted counts and the difference is marked (R27); nothing depends on the order of
entries; entries that cannot be read are listed, and rows read = accepted + rejected + ignored.
Not here: whether a claim is valid (``guard_core.claims``), which results an entry counts for (``join.py``), which
anchors resolve (``anchors.py``), what parents prove (``parents/``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from guard_core.columns import Strings, TextColumn
from guard_core.errors import CatalogueError, LogError
from guard_core.files.limits import Limits, Progress
from guard_core.ingest.assembly.assemble import PROBLEMS_LISTED
from guard_core.ingest.assembly.identifiers import count_suspicious_ids
from guard_core.ingest.assembly.notices import make_notices
from guard_core.ingest.batch import RowBatch, TableKind
from guard_core.ingest.batch_columns import gather_lists, gather_numbers, gather_texts
from guard_core.ingest.detect import FORMAT_DIFFERS
from guard_core.ingest.log import LogFile, Notice, Problem
from guard_core.ingest.reading import TableSource, open_table
from guard_core.ingest.records.fields import LABEL_COLUMNS
from guard_core.provenance.digest import ColumnDigest
from guard_core.provenance.entries import DocumentEntries, EntryRows, build_entries

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
"""The notices of the readers that concern a catalogue; ``catalogue_`` is put before their codes."""


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """Hold the entries of a catalogue, and an account of the file.

    ``entries`` are sorted by the bytes of the document ids; ``signatures`` are their claims, as given and not checked
    here, ``labels`` their grouping columns.  ``digest`` is ``sha256:<hex>`` over the entries, whatever their order in
    the file.
    """

    file: LogFile
    rows_read: int
    rows_accepted: int
    rows_rejected: int
    rows_ignored: int
    incomplete: bool
    problems: tuple[Problem, ...]
    notices: tuple[Notice, ...]
    entries: DocumentEntries
    signatures: TextColumn
    labels: dict[str, TextColumn]
    digest: str

    @property
    def documents(self) -> int:
        """The number of documents in the catalogue."""
        return self.entries.count


@dataclass(frozen=True, slots=True, eq=False)
class CatalogueFile:
    """Hold the rows of a catalogue file as it gives them, several a document; ``noticed`` counts notices of the file
    itself."""

    file: LogFile
    batches: tuple[RowBatch, ...]
    noticed: Counter[str]
    incomplete: bool

    def build_catalogue(self) -> Catalogue:
        """Return the catalogue of these rows.  Raises ``CatalogueError`` where there are some and none can be read."""
        return build_catalogue(self.file, self.batches, self.noticed, incomplete=self.incomplete)


def read_catalogue_file(
    source: TableSource, *, limits: Limits | None = None, progress: Progress | None = None
) -> CatalogueFile:
    """Read the rows of a catalogue file in any of our own formats, which its content tells.

    Raises ``CatalogueError`` where the file cannot be used.
    """
    limits = limits or Limits()
    batches: list[RowBatch] = []
    try:
        with open_table(source, TableKind.CATALOGUE, limits=limits, progress=progress) as table:
            rows = 0
            for batch in table.batches():
                batches.append(batch)
                rows += batch.rows
                if rows > limits.rows:
                    raise LogError(table.name, f"there are more than {limits.rows:,} rows", "raise the limit")
            noticed: Counter[str] = Counter({FORMAT_DIFFERS: 1} if table.format_differs else {})
            return CatalogueFile(table.file, tuple(batches), noticed, table.incomplete)
    except LogError as fault:
        raise CatalogueError(fault.file, fault.fault, fault.advice, fault.place) from None


def read_catalogue(source: TableSource, *, limits: Limits | None = None, progress: Progress | None = None) -> Catalogue:
    """Read a catalogue file in any of our own formats, which its content tells.

    Raises ``CatalogueError`` where the file cannot be used, or holds entries of which none can be read.
    """
    return read_catalogue_file(source, limits=limits, progress=progress).build_catalogue()


def build_catalogue(
    file: LogFile, batches: Sequence[RowBatch], noticed: Counter[str] | None = None, *, incomplete: bool = False
) -> Catalogue:
    """Return the catalogue of a file's batches; ``noticed`` counts notices of the file itself.

    Raises ``CatalogueError`` where there are entries and none of them can be read.
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
    anchors, anchor_hashes = gather_lists(batches, "anchors", "anchor_weights")
    parents, parent_ids = gather_lists(batches, "derived_from")
    labels = {
        name: gather_texts(batches, name) for name in LABEL_COLUMNS if any(name in batch.columns for batch in batches)
    }
    signatures = gather_texts(batches, "source_authenticity_signature")
    entries, rows = build_entries(
        ids.values,
        EntryRows(
            documents=ids.codes,
            class_words=gather_numbers(batches, "authenticity", pa.int8(), 0).astype(np.int8),
            depths=gather_numbers(batches, "synthetic_generation_depth", pa.int32(), -1).astype(np.int32),
            contents=gather_texts(batches, "content_sha256"),
            anchors=anchors,
            anchor_hashes=anchor_hashes,
            parents=parents,
            parent_ids=parent_ids,
        ),
        [signatures.codes, *(column.codes for column in labels.values())],
    )
    incomplete = incomplete or any(batch.incomplete for batch in batches)
    counts = {
        "catalogue_empty": int(not accepted),
        "catalogue_incomplete": int(incomplete),
        "catalogue_rejected": len(rejected),
        "catalogue_repeated": accepted - entries.count,
    }
    signatures = TextColumn(signatures.codes[rows], signatures.values)
    labels = {name: TextColumn(column.codes[rows], column.values) for name, column in labels.items()}
    return Catalogue(
        file=file,
        rows_read=accepted + len(rejected) + ignored,
        rows_accepted=accepted,
        rows_rejected=len(rejected),
        rows_ignored=ignored,
        incomplete=incomplete,
        problems=tuple(Problem(file.name, r.line, r.field, r.reason) for r in rejected[:PROBLEMS_LISTED]),
        notices=_write_notices(batches, noticed or Counter(), ids.values, counts),
        entries=entries,
        signatures=signatures,
        labels=labels,
        digest=_compute_digest(entries, signatures, labels),
    )


def _write_notices(
    batches: Sequence[RowBatch], noticed: Counter[str], ids: Strings, counts: Mapping[str, int]
) -> tuple[Notice, ...]:
    """Write the notices of the readers, and those about the catalogue as a whole."""
    read = sum((batch.notices for batch in batches), Counter(noticed))
    read["id_unicode_form"], read["id_hidden_characters"] = count_suspicious_ids([ids])
    notices = [
        Notice(f"catalogue_{notice.code}", notice.count, f"catalogue: {notice.message}")
        for notice in make_notices({code: read[code] for code in _NOTICES})
    ]
    messages = {
        "catalogue_empty": "the catalogue holds no entry",
        "catalogue_incomplete": "the catalogue ends early; what is whole counts",
        "catalogue_rejected": "entries of the catalogue that cannot be read",
        "catalogue_repeated": "catalogue entries for documents that have one already; the least trusted counts",
    }
    notices += [Notice(code, counts[code], message) for code, message in messages.items() if counts[code]]
    return tuple(notices)


def _compute_digest(entries: DocumentEntries, signatures: TextColumn, labels: Mapping[str, TextColumn]) -> str:
    digest = ColumnDigest("source-guard/catalogue/1")
    ids = entries.document_ids
    digest.text("document_id", TextColumn(np.arange(len(ids), dtype=np.int32), ids))
    digest.numbers("authenticity", entries.class_words)
    digest.numbers("synthetic_generation_depth", entries.given_depths)
    digest.numbers("conflicts", entries.conflicts)
    digest.lists("content", entries.contents, entries.content_digests)
    digest.lists("human_source_anchor_hash", entries.anchors, entries.anchor_hashes)
    digest.lists("derived_from", entries.parents, entries.parent_ids)
    if np.any(signatures.codes >= 0):
        digest.text("source_authenticity_signature", signatures)
    for name in sorted(labels):
        if np.any(labels[name].codes >= 0):
            digest.text(name, labels[name])
    return digest.hexdigest()
