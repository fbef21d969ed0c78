"""Define columns of texts and of lists, and every operation on them that more than one module needs.

Flows in: numpy arrays and Arrow strings.  Flows out: ``TextColumn`` and ``Ragged``, which the rest of Source Guard
is built on.
Rules kept here: text is compared byte for byte, never by locale or Unicode form (R20); a missing text has code -1; no
operation changes its inputs, except ``assign_smallest_ids``, whose target is filled in place.
Not here: what a column means; columns read out of batches of rows (``guard_core.ingest.batch_columns``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Strings: TypeAlias = "pa.StringArray | pa.LargeStringArray"
Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, slots=True)
class TextColumn:
    """Text as dictionary codes: ``codes[i]`` is an index into ``values`` (distinct strings), or -1 for missing."""

    codes: NDArray[np.int32]
    values: Strings

    def text(self, row: int) -> str | None:
        """Return the text of one row, ``None`` if it is missing."""
        code = int(self.codes[row])
        return None if code < 0 else str(self.values[code].as_py())

    @staticmethod
    def missing(rows: int) -> TextColumn:
        """Return a column of ``rows`` missing texts."""
        return TextColumn(np.full(rows, -1, np.int32), pa.array([], pa.string()))


@dataclass(frozen=True, slots=True)
class Ragged:
    """A list of codes for every row: row ``i`` has ``codes[offsets[i]:offsets[i + 1]]``, with their ``weights``.

    ``offsets`` is int64 of length rows + 1.  ``weights`` is ``None`` where every list is of equal weights; weights are
    as given, not normalised.
    """

    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    weights: NDArray[np.float64] | None = None

    @staticmethod
    def empty(rows: int) -> Ragged:
        """Return an empty list for each of ``rows`` rows."""
        return Ragged(np.zeros(rows + 1, np.int64), np.empty(0, np.int32))


# ----------------------------------------------------------------------------------------------------------- texts


def encode_texts(texts: pa.ChunkedArray) -> TextColumn:
    """Encode texts as codes into their distinct values, which are sorted by bytes: codes compare as the texts do."""
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


def find_positions(values: Strings, among: Strings) -> NDArray[np.int32]:
    """Find the index of each of ``values`` in ``among`` (distinct texts); -1 where it is not there."""
    if not len(among) or not len(values):
        return np.full(len(values), -1, np.int32)
    if values.type != among.type:
        values, among = values.cast(pa.large_string()), among.cast(pa.large_string())
    found = pc.fill_null(pc.index_in(values, value_set=among), -1)
    return np.array(found.to_numpy(zero_copy_only=False), np.int32)


def unite_texts(first: Strings, second: Strings) -> tuple[NDArray[np.int32], Strings]:
    """Bring the distinct texts of two columns under one numbering, in which those of ``first`` keep their codes.

    Returns the new code of each text of ``second``, and the texts.
    """
    table = find_positions(second, first)
    fresh = np.flatnonzero(table < 0)
    table[fresh] = len(first) + np.arange(len(fresh), dtype=np.int32)
    return table, concatenate_texts(first, second.take(pa.array(fresh)))


def concatenate_texts(first: Strings, second: Strings) -> Strings:
    """Return the texts of both columns, one after the other."""
    if first.type != second.type:
        first, second = first.cast(pa.large_string()), second.cast(pa.large_string())
    return pa.concat_arrays([first, second])


def rank_by_bytes(values: Strings, codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return a table over ``values`` with the rank by bytes of those that ``codes`` name; other places are 0."""
    distinct = sort_distinct(codes)
    order = pc.sort_indices(values.take(pa.array(distinct))).to_numpy(zero_copy_only=False)
    ranks = np.zeros(len(values), np.int64)
    ranks[distinct[order]] = np.arange(len(distinct))
    return ranks


def assign_smallest_ids(
    target: NDArray[np.int32], places: NDArray[np.int32], candidates: NDArray[np.int32], ids: Strings
) -> None:
    """Assign to ``target[place]`` the candidate for that place (a code into ``ids``) whose id is smallest by bytes."""
    if not len(places):
        return
    places, candidates = split_pairs(sort_distinct(pair_codes(places, candidates)))
    target[places] = candidates
    contested = np.bincount(places, minlength=len(target)) > 1
    choice = np.flatnonzero(contested[places])
    if len(choice):
        ranks = rank_by_bytes(ids, candidates[choice])[candidates[choice]]
        order = choice[np.argsort(-ranks, kind="stable")]
        target[places[order]] = candidates[order]  # the last assignment, the smallest id, stays


# ----------------------------------------------------------------------------------------------------------- codes


def translate_codes(
    codes: NDArray[np.int32] | NDArray[np.intp], table: NDArray[Number], missing: int | bool = -1
) -> NDArray[Number]:
    """Return ``table[codes]``, and ``missing`` where a code is -1; the type is that of the table."""
    found: NDArray[Number] = np.append(table, np.array(missing, table.dtype))[codes]
    return found


def sort_distinct(values: NDArray[Number]) -> NDArray[Number]:
    """Return the distinct values in ascending order.  Sorts, because ``np.unique`` hashes pairs of codes slowly."""
    ordered: NDArray[Number] = np.sort(values)
    fresh = np.ones(len(ordered), bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    return ordered[fresh]


def pair_codes(first: NDArray[np.int32] | NDArray[np.intp], second: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return two codes as one number, which sorts by the first and then by the second (not negative)."""
    pairs: NDArray[np.int64] = first.astype(np.int64) << 32 | second
    return pairs


def split_pairs(pairs: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the two codes that ``pair_codes`` made into one number."""
    return (pairs >> 32).astype(np.int32), (pairs & 0xFFFFFFFF).astype(np.int32)


def mark_contained(wanted: NDArray[np.int64], among: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark those of ``wanted`` that stand in ``among``, which is sorted."""
    if not len(among):
        return np.zeros(len(wanted), bool)
    place = np.minimum(np.searchsorted(among, wanted), len(among) - 1)
    found: NDArray[np.bool_] = among[place] == wanted
    return found


# ----------------------------------------------------------------------------------------------------------- lists


def count_items(lists: Ragged) -> NDArray[np.int64]:
    """Count the items of each list."""
    lengths: NDArray[np.int64] = np.diff(lists.offsets)
    return lengths


def add_up_lengths(lengths: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return the offsets of lists of these lengths: one more than there are lists, the first 0."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


def number_items(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the items of lists of these lengths, each list from 0."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    counted: NDArray[np.int64] = np.arange(total) - np.repeat(ends - lengths, lengths)
    return counted


def find_owners(lists: Ragged) -> NDArray[np.intp]:
    """Return, for each item of the lists, the list in which it stands."""
    return np.repeat(np.arange(len(lists.offsets) - 1), count_items(lists))


def locate_items(
    lists: Ragged, chosen: NDArray[np.int32] | NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the items of the ``chosen`` lists stand in ``lists.codes``, and how many each of the lists has."""
    lengths = lists.offsets[chosen + 1] - lists.offsets[chosen]
    return np.repeat(lists.offsets[chosen], lengths) + number_items(lengths), lengths


def list_pairs(pairs: NDArray[np.int64], rows: int) -> Ragged:
    """Return ``rows`` lists out of sorted pairs of a row and an item (``pair_codes``)."""
    return Ragged(add_up_lengths(np.bincount(pairs >> 32, minlength=rows)), (pairs & 0xFFFFFFFF).astype(np.int32))


def compose_lists(
    rows: int, parts: Sequence[tuple[NDArray[np.intp], Ragged, NDArray[np.intp] | NDArray[np.int32]]]
) -> Ragged:
    """Compose the lists of ``rows`` rows out of several columns of lists.

    A part is (rows, lists, which): row ``rows[i]`` gets ``lists[which[i]]``.  No row stands in two parts; a row in
    none has an empty list.
    """
    lengths = np.zeros(rows, np.int64)
    for chosen, lists, which in parts:
        lengths[chosen] = count_items(lists)[which]
    offsets = add_up_lengths(lengths)
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
            place = number_items(lens)
            source = np.repeat(lists.offsets[which], lens) + place
            target = np.repeat(offsets[chosen], lens) + place
        codes[target] = lists.codes[source]
        if weights is not None:
            weights[target] = (
                np.repeat(1.0 / np.maximum(lens, 1), lens) if lists.weights is None else lists.weights[source]
            )
    return Ragged(offsets, codes, weights)


def filter_items(lists: Ragged, keep: NDArray[np.bool_]) -> Ragged:
    """Return the lists without the items that are not kept; weights are left out."""
    return Ragged(add_up_lengths(keep)[lists.offsets], lists.codes[keep])


def append_lists(first: Ragged, second: Ragged) -> Ragged:
    """Return each list of ``first`` followed by that of ``second``; weights are left out."""
    if not len(second.codes):
        return Ragged(first.offsets, first.codes)
    codes = np.empty(len(first.codes) + len(second.codes), np.int32)
    ahead, behind = count_items(first), count_items(second)
    codes[np.repeat(second.offsets[:-1], ahead) + np.arange(len(first.codes))] = first.codes
    codes[np.repeat(first.offsets[1:], behind) + np.arange(len(second.codes))] = second.codes
    return Ragged(first.offsets + second.offsets, codes)
