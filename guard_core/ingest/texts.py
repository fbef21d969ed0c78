"""The texts of a few results, read again from the files of a log, which keeps only their digests.

Flows in: paths, and the SHA-256 digests of the texts that are wanted.  Flows out: the texts that were found.
Rules kept here: a text is recognised by its digest alone, so that what is shown is what was read when the log was
loaded, to the byte, also where the file has changed since; reading stops once every text is found; nothing but the
wanted texts is held.
Not here: digests of texts (``values.py``), whether and when texts are wanted (the dashboard).
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import pyarrow as pa

from guard_core.errors import LogError
from guard_core.files.input_file import InputFile, open_input
from guard_core.files.limits import Limits
from guard_core.files.lines import cut_lines
from guard_core.ingest.batch import TableKind
from guard_core.ingest.detect import Format, detect_format, named_format
from guard_core.ingest.json.json_array import json_records
from guard_core.ingest.records import values
from guard_core.ingest.records.json_strict import BadRecordError, parse_line
from guard_core.ingest.records.spellings import Spellings, spellings
from guard_core.ingest.tables.delimited import BLOCK, read_header
from guard_core.ingest.tables.delimited_fields import Layout, strict_fields
from guard_core.ingest.tables.export_columns import unguarded

_NO_MAPPING: Mapping[str, str] = {}
_PLAIN = re.compile(r"[A-Za-z0-9_.:#@ -]+")
"""An id that every writer of JSON spells the same way."""


def find_texts(
    paths: Sequence[str | os.PathLike[str]],
    digests: Collection[str],
    *,
    ids: Collection[str] = (),
    mapping: Mapping[str, str] = _NO_MAPPING,
    input_format: str | None = None,
    limits: Limits | None = None,
) -> dict[str, str]:
    """The texts with these digests (``sha256:<hex>``), as far as the files hold them.

    ``ids`` are the document or result ids that the texts belong to; with them most lines need not be parsed.  Raises
    ``LogError`` for a file that cannot be opened or is of no format that is read.
    """
    bounds = limits or Limits()
    wanted, found = set(digests), dict[str, str]()
    hints = tuple(text.encode() for text in ids if _PLAIN.fullmatch(text))
    passes = [hints, ()] if ids and len(hints) == len(ids) else [()]
    for looked_for in passes:
        for path in paths:
            for text in _texts(path, looked_for, spellings(TableKind.LOG, mapping), input_format, bounds):
                digest = values.text_digest(text)
                if digest in wanted:
                    wanted.discard(digest)
                    found[digest] = text
                if not wanted:
                    return found
    return found


def _texts(
    path: str | os.PathLike[str], hints: tuple[bytes, ...], names: Spellings, input_format: str | None, limits: Limits
) -> Iterator[str]:
    with open_input(path, limits) as source:
        form = named_format(input_format) if input_format is not None else detect_format(source.head(), source.name)
        if form is Format.PARQUET:
            yield from _parquet(source, names)
        elif form in (Format.CSV, Format.TSV):
            yield from _delimited(source, names, limits)
        else:
            records = _lines(source, hints, limits) if form is Format.JSONL else json_records(source, limits)
            yield from _of_records(records, names)


def _lines(source: InputFile, hints: tuple[bytes, ...], limits: Limits) -> Iterator[dict[str, object]]:
    for piece in cut_lines(source.chunks(), limits.line_bytes):
        if hints and not any(hint in piece.data for hint in hints):
            continue
        for line in piece.data.split(b"\n"):
            if hints and not any(hint in line for hint in hints):
                continue
            try:
                yield parse_line(line, limits.nesting)
            except BadRecordError:
                continue  # it was rejected when the log was read, which told why


def _of_records(records: Iterable[Mapping[str, object]], names: Spellings) -> Iterator[str]:
    """The texts of flat records, and of the results of nested ones."""
    for record in records:
        listed = record.get(names.results)
        for item in listed if isinstance(listed, list) else [record]:
            if isinstance(item, dict):
                given = next((item[name] for name in names.result["text"] if item.get(name) is not None), None)
                text, _ = values.text(given)
                if text is not None:
                    yield text


def _delimited(source: InputFile, names: Spellings, limits: Limits) -> Iterator[str]:
    parts = cut_lines(source.chunks(BLOCK), limits.line_bytes)
    header, piece, line = read_header(source.name, parts, limits)
    place = next((header.names.index(name) for name in names.result["text"] if name in header.names), None)
    if place is None:
        return
    layout = Layout(header.delimiter, len(header.names), {"text": place}, limits.line_bytes)
    rest = b""
    while piece is not None:
        following = next(parts, None)
        fields = strict_fields(rest + piece.data, line, layout, last=following is None or following.too_long)
        rest = fields.rest
        for text in fields.columns["text"].to_pylist():
            if text is not None:
                yield unguarded(text) if header.guarded else text
        piece = following


def _parquet(source: InputFile, names: Spellings) -> Iterator[str]:
    # Loading Arrow's Parquet takes a while, which only those wait for who need it.
    import pyarrow.parquet as pq  # noqa: PLC0415

    from guard_core.ingest.tables.parquet import on_disk  # noqa: PLC0415

    with on_disk(source) as path:
        try:
            file = pq.ParquetFile(path)
            texts, prefix = names.result["text"], names.results + "."
            leaves = [file.schema.column(place).path for place in range(len(file.schema))]
            read = [leaf for leaf in leaves if leaf in texts or (leaf.startswith(prefix) and leaf.endswith(texts))]
            if not read:
                return
            for batch in file.iter_batches(4096, columns=read):
                yield from _of_records(batch.to_pylist(), names)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as fault:
            raise LogError(source.name, "is not a whole Parquet file", "copy or write it again") from fault
