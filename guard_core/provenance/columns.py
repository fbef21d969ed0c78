"""Columns out of Arrow batches, and the few operations on columns that joining and resolving share.

Flows in: ``RowBatch`` columns, ``TextColumn`` and ``Ragged``.  Flows out: the same kinds of columns.
Rules kept here: text is compared byte for byte, never by locale or Unicode form (R20); a column that a batch does not
have is missing in its rows.
Not here: what any column means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.ingest.batch import RowBatch
from guard_core.ingest.log import Ragged, TextColumn

Strings: TypeAlias = "pa.StringArray | pa.LargeStringArray"
Number = TypeVar("Number", bound=np.generic)


def gathered(batches: Sequence[RowBatch], name: str, kind: pa.DataType) -> pa.ChunkedArray:
    """One column of all batches, cast to ``kind``; null where a batch does not have it."""
    chunks = [b.columns[name].cast(kind) if name in b.columns else pa.nulls(b.rows, kind) for b in batches]
    return pa.chunked_array(chunks, kind)


def number_column(batches: Sequence[RowBatch], name: str, kind: pa.DataType, missing: int) -> NDArray[np.int64]:
    """A column of whole numbers, ``missing`` where there is none."""
    filled = pc.fill_null(gathered(batches, name, kind), pa.scalar(missing, kind))
    values: NDArray[np.int64] = filled.to_numpy().astype(np.int64)
    return values


def text_column(batches: Sequence[RowBatch], name: str) -> TextColumn:
    """A text column whose values are sorted by their bytes, so that codes compare as the texts do."""
    return sorted_text(gathered(batches, name, pa.large_string()))


def sorted_text(texts: pa.ChunkedArray) -> TextColumn:
    """Texts as codes into their distinct values, sorted by bytes."""
    encoded = texts.dictionary_encode().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):  # no chunk at all
        return TextColumn.missing(0)
    values = encoded.dictionary
    order = pc.sort_indices(values).to_numpy(zero_copy_only=False)
    rank = np.empty(len(values) + 1, np.int32)
    rank[order] = np.arange(len(values), dtype=np.int32)
    rank[-1] = -1
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    return TextColumn(rank[codes], values.take(pa.array(order)))


def list_column(batches: Sequence[RowBatch], name: str, weights: str | None = None) -> tuple[Ragged, Strings]:
    """A column of lists of texts, with the column of their weights: the lists, and the sorted texts that they code."""
    lists = gathered(batches, name, pa.large_list(pa.large_string()))
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy().astype(np.int64)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    texts = sorted_text(pc.list_flatten(lists))
    given = None
    if weights is not None and any(weights in b.columns for b in batches):
        given = np.concatenate([_weights_of(b, name, weights) for b in batches])
        if np.all(given == 1.0):
            given = None
    return Ragged(offsets, texts.codes, given), texts.values


def _weights_of(batch: RowBatch, name: str, weights: str) -> NDArray[np.float64]:
    if name not in batch.columns:
        return np.empty(0)
    if weights not in batch.columns:
        return np.ones(len(batch.columns[name].flatten()))
    values: NDArray[np.float64] = batch.columns[weights].flatten().to_numpy(zero_copy_only=False)
    return values


def positions(values: Strings, among: Strings) -> NDArray[np.int32]:
    """For each of ``values`` its index in ``among`` (distinct texts), -1 where it is not there."""
    if not len(among) or not len(values):
        return np.full(len(values), -1, np.int32)
    if values.type != among.type:
        values, among = values.cast(pa.large_string()), among.cast(pa.large_string())
    found = pc.fill_null(pc.index_in(values, value_set=among), -1)
    return np.array(found.to_numpy(zero_copy_only=False), np.int32)


def united(first: Strings, second: Strings) -> tuple[NDArray[np.int32], Strings]:
    """The distinct texts of two columns under one numbering: those of ``first`` keep their codes.  Gives the new code
    of each of ``second``, and the texts."""
    table = positions(second, first)
    fresh = np.flatnonzero(table < 0)
    table[fresh] = len(first) + np.arange(len(fresh), dtype=np.int32)
    return table, joined(first, second.take(pa.array(fresh)))


def joined(first: Strings, second: Strings) -> Strings:
    """The texts of both, one after the other."""
    if first.type != second.type:
        first, second = first.cast(pa.large_string()), second.cast(pa.large_string())
    return pa.concat_arrays([first, second])


def recoded(
    codes: NDArray[np.int32] | NDArray[np.intp], table: NDArray[Number], missing: int | bool = -1
) -> NDArray[Number]:
    """``table[codes]``, ``missing`` where a code is -1; the table's type stays."""
    found: NDArray[Number] = np.append(table, np.array(missing, table.dtype))[codes]
    return found


def byte_ranks(values: Strings, codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """A table over ``values`` that holds, for the given ``codes``, their rank by bytes; other places are 0."""
    distinct = sorted_distinct(codes)
    order = pc.sort_indices(values.take(pa.array(distinct))).to_numpy(zero_copy_only=False)
    ranks = np.zeros(len(values), np.int64)
    ranks[distinct[order]] = np.arange(len(distinct))
    return ranks


def keep_smallest(
    target: NDArray[np.int32], places: NDArray[np.int32], candidates: NDArray[np.int32], ids: Strings
) -> None:
    """``target[place]`` becomes, of the candidates (codes into ``ids``) for the place, the one with the smallest id by
    bytes; of equal ids, any."""
    if not len(places):
        return
    pairs = sorted_distinct(paired(places, candidates))
    places, candidates = (pairs >> 32).astype(np.int32), (pairs & 0xFFFFFFFF).astype(np.int32)
    target[places] = candidates
    contested = np.bincount(places, minlength=len(target)) > 1
    choice = np.flatnonzero(contested[places])
    if len(choice):
        ranks = byte_ranks(ids, candidates[choice])[candidates[choice]]
        order = choice[np.argsort(-ranks, kind="stable")]
        target[places[order]] = candidates[order]  # the last assignment, the smallest id, stays


def lengths_of(lists: Ragged) -> NDArray[np.int64]:
    """How long each list is."""
    lengths: NDArray[np.int64] = np.diff(lists.offsets)
    return lengths


def within(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """For lists of these lengths, one after the other, the place of each item in its own list, from 0."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    counted: NDArray[np.int64] = np.arange(total) - np.repeat(ends - lengths, lengths)
    return counted


def compose(
    rows: int, parts: Sequence[tuple[NDArray[np.intp], Ragged, NDArray[np.intp] | NDArray[np.int32]]]
) -> Ragged:
    """Lists for ``rows`` rows out of several columns of lists.

    A part is (rows, lists, which): row ``rows[i]`` gets ``lists[which[i]]``.  No row stands in two parts; a row in
    none has an empty list.
    """
    lengths = np.zeros(rows, np.int64)
    for chosen, lists, which in parts:
        lengths[chosen] = lengths_of(lists)[which]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    codes = np.empty(int(offsets[-1]), np.int32)
    weighted = any(lists.weights is not None for _, lists, _ in parts)
    weights = np.empty(len(codes)) if weighted else None
    for chosen, lists, which in parts:
        if not len(lists.codes):
            continue
        lens = lengths[chosen]
        if len(lens) and lens.max() <= 1:  # nearly always: a result has one source, or none
            some = np.flatnonzero(lens)
            lens = lens[some]
            source, target = lists.offsets[which[some]], offsets[chosen[some]]
        else:
            place = within(lens)
            source = np.repeat(lists.offsets[which], lens) + place
            target = np.repeat(offsets[chosen], lens) + place
        codes[target] = lists.codes[source]
        if weights is not None:
            weights[target] = (
                np.repeat(1.0 / np.maximum(lens, 1), lens) if lists.weights is None else lists.weights[source]
            )
    return Ragged(offsets, codes, weights)


def selected(lists: Ragged, keep: NDArray[np.bool_]) -> Ragged:
    """The lists without the items that are not kept; weights are left out."""
    kept = np.concatenate([np.zeros(1, np.int64), np.cumsum(keep)])
    return Ragged(kept[lists.offsets], lists.codes[keep])


def appended(first: Ragged, second: Ragged) -> Ragged:
    """Each list of ``first`` followed by that of ``second``; weights are left out."""
    if not len(second.codes):
        return Ragged(first.offsets, first.codes)
    codes = np.empty(len(first.codes) + len(second.codes), np.int32)
    ahead, behind = lengths_of(first), lengths_of(second)
    codes[np.repeat(second.offsets[:-1], ahead) + np.arange(len(first.codes))] = first.codes
    codes[np.repeat(first.offsets[1:], behind) + np.arange(len(second.codes))] = second.codes
    return Ragged(first.offsets + second.offsets, codes)


def sorted_distinct(values: NDArray[Number]) -> NDArray[Number]:
    """The distinct values in ascending order, by sorting: ``np.unique`` hashes, which is slow for pairs of codes."""
    ordered: NDArray[Number] = np.sort(values)
    fresh = np.ones(len(ordered), bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    return ordered[fresh]


def paired(first: NDArray[np.int32] | NDArray[np.intp], second: NDArray[np.int32]) -> NDArray[np.int64]:
    """Two codes as one number, which sorts by the first and then by the second; the second is not negative."""
    pairs: NDArray[np.int64] = first.astype(np.int64) << 32 | second
    return pairs


def contained(wanted: NDArray[np.int64], among: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of ``wanted`` stand in ``among``, which is sorted."""
    if not len(among):
        return np.zeros(len(wanted), bool)
    place = np.minimum(np.searchsorted(among, wanted), len(among) - 1)
    found: NDArray[np.bool_] = among[place] == wanted
    return found


def owners_of(lists: Ragged) -> NDArray[np.intp]:
    """For each item of the lists, the list in which it stands."""
    return np.repeat(np.arange(len(lists.offsets) - 1), lengths_of(lists))
