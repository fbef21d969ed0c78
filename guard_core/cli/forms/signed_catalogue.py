"""Write a signed catalogue as CSV, JSON Lines or Parquet.

Flows in: ``Attested`` and a path.  Flows out: a file that Source Guard reads back to the same catalogue.
Rules kept here: the suffix chooses the form; the same entries and claims give the same bytes; the file is whole or not
there; in CSV a text cell that a spreadsheet would run gets an apostrophe (R60), and what CSV cannot hold (weights of
anchors, a ``|`` inside an entry of a list) is refused rather than lost.
Not here: which claims there are (``attestation.py``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from guard_core.corpus.attestation import SignedCatalogue
from guard_core.errors import OutputError
from guard_core.ingest.tables.export_columns import SIGNED_COLUMNS
from guard_core.output.arrays import TEXTS
from guard_core.output.columns import COLUMNS
from guard_core.output.delimited import LIST_SEPARATOR, write_cell
from guard_core.output.whole_file import open_whole_file
from guard_core.visible import visible

_TYPES = {column.name: column.type for column in COLUMNS}
_ANCHORS = "human_source_anchor_hash"
_CSV_ADVICE = "write it as .jsonl or .parquet"
_WEIGHTED = pa.list_(pa.struct([("sha256", pa.string()), ("weight", pa.float64())]))

Columns = Mapping[str, Sequence[object]]


def choose_writer(path: str | Path) -> Callable[[Columns, BinaryIO], None]:
    """Choose how a file of this name is written.  Raises ``OutputError`` for a suffix that is none of ours."""
    writer = _WRITERS.get(Path(path).suffix.lower())
    if writer is None:
        raise OutputError(f"{visible(str(path))}: the suffix chooses the form: {', '.join(_WRITERS)}")
    return writer


def write_signed(attested: SignedCatalogue, path: str | Path) -> None:
    """Write the catalogue.  Raises ``OutputError``."""
    writer = choose_writer(path)
    with open_whole_file(path) as file:
        writer(attested.columns, file)


def _write_csv(columns: Columns, file: BinaryIO) -> None:
    lists = {
        name: [_cell_list(name, entries) for entries in columns[name]] for name in columns if _TYPES[name] == TEXTS
    }
    cells = [[write_cell(value) for value in lists.get(name, columns[name])] for name in SIGNED_COLUMNS]
    file.write((",".join(SIGNED_COLUMNS) + "\n").encode())
    file.write("".join(",".join(row) + "\n" for row in zip(*cells, strict=True)).encode())


def _cell_list(name: str, entries: object) -> tuple[str, ...] | None:
    if not isinstance(entries, list) or not entries:
        return None
    texts = tuple(entry[0] if isinstance(entry, tuple) else entry for entry in entries)
    if any(isinstance(entry, tuple) and entry[1] != 1.0 for entry in entries):
        raise OutputError(f"{name}: weights of anchors have no place in CSV; {_CSV_ADVICE}")
    if any(LIST_SEPARATOR in text for text in texts):
        raise OutputError(f"{name}: an entry holds {LIST_SEPARATOR}, which separates entries in CSV; {_CSV_ADVICE}")
    return texts


def _write_json_lines(columns: Columns, file: BinaryIO) -> None:
    for row in zip(*(columns[name] for name in SIGNED_COLUMNS), strict=True):
        record = dict(zip(SIGNED_COLUMNS, row, strict=True))
        record[_ANCHORS] = _anchor_objects(record[_ANCHORS])
        members = {name: value for name, value in record.items() if value is not None and value != []}
        file.write(json.dumps(members, ensure_ascii=True, allow_nan=False).encode() + b"\n")


def _anchor_objects(anchors: object) -> list[object] | None:
    """Anchors as plain hashes, or as objects where any of them has a weight of its own."""
    if not isinstance(anchors, list):
        return None
    if all(weight == 1.0 for _, weight in anchors):
        return [hash_ for hash_, _ in anchors]
    return [{"sha256": hash_, "weight": weight} for hash_, weight in anchors]


def _write_parquet(columns: Columns, file: BinaryIO) -> None:
    arrays = []
    for name in SIGNED_COLUMNS:
        values = columns[name]
        if name == _ANCHORS:
            arrays.append(_anchor_array(values))
        else:
            arrays.append(pa.array(values, _TYPES[name]))
    pq.write_table(pa.table(arrays, names=list(SIGNED_COLUMNS)), file, compression="zstd")


def _anchor_array(values: Sequence[object]) -> pa.Array:
    lists = [_anchor_objects(value) for value in values]
    weighted = any(isinstance(entry, dict) for entries in lists for entry in entries or ())
    if not weighted:
        return pa.array(lists, pa.list_(pa.string()))
    whole = [
        entries and [entry if isinstance(entry, dict) else {"sha256": entry, "weight": 1.0} for entry in entries]
        for entries in lists
    ]
    return pa.array(whole, _WEIGHTED)


_WRITERS = {".csv": _write_csv, ".jsonl": _write_json_lines, ".parquet": _write_parquet}
