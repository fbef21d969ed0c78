"""Read a table of nested records to rows: one retrieval a row of the table, with a list of its results.

Flows in: a table whose column ``results`` is a list of objects, and the number of each record.  Flows out:
``RowBatch`` objects.
Rules kept here: R9 (no results is a retrieval with none; a result that is not an object is rejected), R71.  A record
without results but with an id of its own is a flat row.
Not here: the columns of a result or of a retrieval (``typed_table.py``), files (``parquet.py``).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.ingest.batch import NOT_A_LIST, NOT_AN_OBJECT, EmptyRetrieval, RejectedRow, RowBatch
from guard_core.ingest.tables.arrays import TypedColumn, to_mask
from guard_core.ingest.tables.typed_lists import is_list, make_lists
from guard_core.ingest.tables.typed_table import CellRules, Table, TableReader, TypedTable


def is_nested_table(reader: TableReader, table: Table) -> bool:
    """Return whether a table has results in it: a column of that name that is not all null."""
    listed = table.get(reader.spellings.results)
    return listed is not None and (is_list(listed.type) or listed.null_count < len(listed))


def read_nested(reader: TableReader, table: Table, lines: NDArray[np.int64]) -> list[RowBatch]:
    """Return the rows of nested records; ``lines`` holds their numbers."""
    listed = table[reader.spellings.results]
    flat = _mark_flat_records(reader, table, listed)
    batches = []
    if flat.any():
        chosen = pa.array(flat)
        batches.append(reader.read_flat({name: array.filter(chosen) for name, array in table.items()}, lines[flat]))
    if not flat.all():
        if flat.any():
            chosen = pa.array(~flat)
            table = {name: array.filter(chosen) for name, array in table.items()}
        batches.append(_read_nested_records(reader, table, lines[~flat]))
    return batches


def _read_nested_records(reader: TableReader, table: Table, lines: NDArray[np.int64]) -> RowBatch:
    name = reader.spellings.results
    retrievals = TypedTable(len(lines), CellRules())
    retrievals.read_retrieval(table, reader.spellings.retrieval)
    listed = table[name]
    if not is_list(listed.type):
        retrievals.faults |= {
            row: (name, NOT_A_LIST)
            for row in np.flatnonzero(to_mask(listed.is_valid())).tolist()
            if row not in retrievals.faults
        }
        listed = pa.nulls(len(lines), pa.list_(pa.struct([])))
    listed = make_lists(listed)
    good = np.ones(len(lines), np.bool_)
    good[list(retrievals.faults)] = False
    if not good.all():
        listed = pc.if_else(pa.array(good), listed, pa.scalar(None, listed.type))
    parents = pc.list_parent_indices(listed).to_numpy(zero_copy_only=False).astype(np.int64)
    results = _type_results(reader, retrievals, listed.flatten(), parents)
    batch = results.make_batch(lines[parents], lines[parents])
    empty = tuple(_list_empty(retrievals, good, parents, set(results.faults), lines))
    rejected = [RejectedRow(int(lines[row]), *fault) for row, fault in retrievals.faults.items()]
    return dataclasses.replace(
        batch,
        rejected=tuple(sorted((*rejected, *batch.rejected), key=lambda one: one.line)),
        empty=empty,
        notices=batch.notices + retrievals.count_notices(good),
        mapping=(*retrievals.used, *batch.mapping),
    )


def _type_results(
    reader: TableReader, retrievals: TypedTable, items: pa.Array, parents: NDArray[np.int64]
) -> TypedTable:
    """Type the results, with the columns of their retrieval beside them."""
    typed = TypedTable(len(items), CellRules())
    if pa.types.is_struct(items.type):
        wrong = ~to_mask(items.is_valid())
        members = {member.name: pc.struct_field(items, place) for place, member in enumerate(items.type)}
    else:
        wrong = np.ones(len(items), np.bool_)
        members = {}
    typed.faults.update((row, (reader.spellings.results, NOT_AN_OBJECT)) for row in np.flatnonzero(wrong).tolist())
    typed.read_result(members, reader.spellings, reader.nesting)
    chosen = pa.array(parents)
    typed.columns |= {column: TypedColumn(known.values.take(chosen)) for column, known in retrievals.columns.items()}
    return typed


def _list_empty(
    retrievals: TypedTable,
    good: NDArray[np.bool_],
    parents: NDArray[np.int64],
    rejected: set[int],
    lines: NDArray[np.int64],
) -> Iterator[EmptyRetrieval]:
    """Yield the records without a readable result; each is a row if no result of its own was rejected."""
    had = np.zeros(len(lines), np.bool_)
    had[parents] = True
    kept = np.zeros(len(lines), np.bool_)
    kept[np.delete(parents, list(rejected))] = True
    for row in np.flatnonzero(good & ~kept).tolist():

        def value(column: str, row: int = row) -> object:
            known = retrievals.columns.get(column)
            return None if known is None else known.values[row].as_py()

        query, time = value("query"), value("timestamp")
        yield EmptyRetrieval(
            line=int(lines[row]),
            query_id=str(value("query_id")),
            query=query if isinstance(query, str) else None,
            time=time if isinstance(time, int) else None,
            creative=value("task") is True,
            counts_as_row=not had[row],
        )


def _mark_flat_records(reader: TableReader, table: Table, listed: pa.Array) -> NDArray[np.bool_]:
    """Mark the records without results that have the id of a result or document (``id`` is that of the record)."""
    names = reader.spellings.result
    own = np.zeros(len(listed), np.bool_)
    for column in ("result_id", "document_id"):
        for name in names[column]:
            if name in table and (name != "id" or names[column] == ("id",)):
                own |= to_mask(table[name].is_valid())
    return own & ~to_mask(listed.is_valid())
