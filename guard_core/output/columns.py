"""List every column of a judged log once: its names, its type and how it is made from evidence and verdicts.

Flows in: ``Stretch``: some retrievals of a judged log.  Flows out: Arrow arrays, one value for each retrieval or for
each of their results.
Rules kept here: JSON records, CSV, Parquet and frames read this table and nothing else; class, depth and anchors are
those that the policy in force counts (R33, R64), and what the log declares stands beside them; anchors are sorted by
bytes (R32); an unknown depth is null (R67); a retrieval with zero results has ``NO_RESULTS`` and nulls (R54).
Words and texts stay dictionary codes, and only directives and their digests are made by a loop over rows.
Not here: verdicts (``guard_core.judging``), files (``delimited.py``, ``parquet.py``, ``json_lines.py``).

What JSON and frames call ``signature``, ``anchors``, ``declared_anchors`` and ``depth`` has other names in CSV and
Parquet, because Source Guard reads these files back as logs: a status read as a claim would better the log's evidence.
``content_sha256`` is the digest of the text where the log has the text, else the digest that it states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.codes import (
    BASES,
    CLASSES,
    CONFLICTS,
    DECISION_WORDS,
    DEPTH_1,
    DEPTH_2_PLUS,
    FINDINGS,
    HUMAN,
    STATUSES,
    UNITS,
    VERDICT_WORDS,
    Bits,
    FlagTable,
)
from guard_core.columns import Ragged, add_up_lengths, pair_codes, sort_distinct, split_pairs
from guard_core.ingest.log import MISSING_TIME, Log
from guard_core.judging.categories import Category
from guard_core.judging.judge import Verdicts
from guard_core.model import Applicability, Belief
from guard_core.output.arrays import (
    INSTANT,
    INTEGER,
    NUMBER,
    TEXT,
    TEXTS,
    make_integers,
    make_lists,
    make_numbers,
    make_texts,
    make_words,
)
from guard_core.output.directives import Directives
from guard_core.provenance.evidence import Evidence, ResultEvidence


@dataclass(frozen=True, slots=True)
class Stretch:
    """The retrievals ``first`` to ``last`` (exclusive) of a log, and the belief under which they count."""

    evidence: Evidence
    belief: Belief
    first: int
    last: int

    @property
    def log(self) -> Log:
        return self.evidence.log

    @property
    def counting(self) -> ResultEvidence:
        """The evidence of results that counts."""
        return self.evidence.under(self.belief)

    @property
    def rows(self) -> slice:
        """The results of these retrievals."""
        return slice(int(self.log.offsets[self.first]), int(self.log.offsets[self.last]))


@dataclass(frozen=True, slots=True)
class JudgedStretch(Stretch):
    """Retrievals with their verdicts."""

    verdicts: Verdicts
    directives: Directives

    @property
    def profiles(self) -> NDArray[np.int32]:
        """The profile of each retrieval."""
        return self.verdicts.statistics.profile_of[self.first : self.last]

    @property
    def unit(self) -> int:
        """The code of what the policy counts."""
        return int(UNITS.code(self.verdicts.policy.count))


Part_contra = TypeVar("Part_contra", bound=Stretch, contravariant=True)
Maker = Callable[[Stretch], pa.Array]
JudgedMaker = Callable[[JudgedStretch], pa.Array]


@dataclass(frozen=True, slots=True)
class Column(Generic[Part_contra]):
    """A column: its name in CSV and Parquet, its type there, how it is made, and its name in JSON and frames."""

    name: str
    type: pa.DataType
    make: Callable[[Part_contra], pa.Array]
    member: str


def repeat_for_results(column: Column[JudgedStretch], stretch: JudgedStretch) -> pa.Array:
    """Make a column of retrievals with each value once for each result."""
    array = column.make(stretch)
    lengths = np.diff(stretch.log.offsets[stretch.first : stretch.last + 1])
    return array.take(pa.array(np.repeat(np.arange(len(array)), lengths)))


# -------------------------------------------------------------------------------------------------- ways to make one


def _enum(
    make: Callable[[Part_contra], NDArray[np.uint8]], words: Sequence[str | None]
) -> Callable[[Part_contra], pa.Array]:
    return lambda stretch: make_words(make(stretch), words)


def _flags(
    make: Callable[[Part_contra], NDArray[Bits]], table: FlagTable[Any, Bits]
) -> Callable[[Part_contra], pa.Array]:
    """Make lists of the words of the bits that are set, as codes into every combination of them."""

    @cache  # not at once: Arrow loads pandas for the first array of Python values, which doubles the time of --help
    def list_combinations() -> pa.Array:
        return pa.array([[m.value for m in table.flagged(bits)] for bits in range(1 << len(table))], TEXTS)

    return lambda stretch: pa.DictionaryArray.from_arrays(pa.array(make(stretch).astype(np.int16)), list_combinations())


def _label(name: str) -> Maker:
    return lambda stretch: make_texts(stretch.evidence.label(name), stretch.rows)


def _depths(stretch: Stretch) -> pa.Array:
    """Make the depth that goes with each class: 0, 1, what is known of deeper content, else null."""
    classes, stated = _classes(stretch), stretch.counting.depths[stretch.rows]
    deeper = (classes == DEPTH_2_PLUS) & (stated >= 2)
    return make_integers(np.select([classes == HUMAN, classes == DEPTH_1, deeper], [0, 1, stated], default=-1))


def _classes(stretch: Stretch) -> NDArray[np.uint8]:
    return stretch.counting.classes[stretch.rows]


def _anchors(stretch: Stretch) -> pa.Array:
    """Make the resolved human sources of each result, each once, sorted by bytes."""
    lists, sources = stretch.counting.anchors, stretch.evidence.sources
    bounds = lists.offsets[stretch.rows.start : stretch.rows.stop + 1]
    lengths, codes = np.diff(bounds), lists.codes[bounds[0] : bounds[-1]]
    if lengths.max(initial=0) < 2:
        return make_lists(lists, sources, stretch.rows)
    distinct = sort_distinct(codes)
    by_bytes = pc.sort_indices(sources.take(pa.array(distinct))).to_numpy()
    rank = np.empty(len(distinct), np.int32)
    rank[by_bytes] = np.arange(len(distinct), dtype=np.int32)
    owners = np.repeat(np.arange(len(lengths)), lengths)
    owner, place = split_pairs(sort_distinct(pair_codes(owners, rank[np.searchsorted(distinct, codes)])))
    offsets = add_up_lengths(np.bincount(owner, minlength=len(lengths)))
    return make_lists(Ragged(offsets, distinct[by_bytes][place]), sources, slice(0, len(lengths)))


def _content_digests(stretch: Stretch) -> pa.Array:
    log, rows = stretch.log, stretch.rows
    if not (log.content_digests.codes[rows] >= 0).any():
        return make_texts(log.text_digests, rows)
    found, stated = (make_texts(column, rows).cast(pa.string()) for column in (log.text_digests, log.content_digests))
    return pc.coalesce(found, stated)


def _query_ids(stretch: Stretch) -> pa.Array:
    return make_texts(stretch.log.query_ids, slice(stretch.first, stretch.last))


def _retrieval_ids(stretch: Stretch) -> pa.Array:
    """Make ``query_id``, or ``query_id#k`` for its k-th occurrence (R11)."""
    occurrences = stretch.log.occurrences[stretch.first : stretch.last]
    if (occurrences == 1).all():
        return _query_ids(stretch)
    names = _query_ids(stretch).cast(pa.string())
    marked = pc.binary_join_element_wise(names, pa.array(occurrences).cast(pa.string()), "#")
    return pc.if_else(pa.array(occurrences == 1), names, marked)


def _times(stretch: Stretch) -> pa.Array:
    times = stretch.log.times[stretch.first : stretch.last]
    missing = times == MISSING_TIME
    return pa.array(times, mask=missing if missing.any() else None).cast(INSTANT)


def _counts(stretch: JudgedStretch) -> NDArray[np.int32]:
    """Return the counts of items, by category and profile."""
    counts: NDArray[np.int32] = stretch.verdicts.statistics.profiles.counts[stretch.belief, stretch.unit]
    return counts


def _total(stretch: JudgedStretch) -> NDArray[np.int32]:
    total: NDArray[np.int32] = _counts(stretch).sum(axis=0)
    return total


def _anchored(stretch: JudgedStretch) -> NDArray[np.int32]:
    anchored: NDArray[np.int32] = stretch.verdicts.statistics.profiles.anchored[stretch.belief, stretch.unit]
    return anchored


def _share(count: Callable[[JudgedStretch], NDArray[np.int32]]) -> JudgedMaker:
    """Make the share that a count is of all that is judged; null over nothing."""

    def make(stretch: JudgedStretch) -> pa.Array:
        total = _total(stretch)
        shares = np.full(len(total), np.nan)
        np.divide(count(stretch), total, out=shares, where=total > 0)
        return make_numbers(shares[stretch.profiles])

    return make


def _human(stretch: JudgedStretch) -> NDArray[np.int32]:
    human: NDArray[np.int32] = _counts(stretch)[Category.HUMAN]
    return human


def _effective(stretch: JudgedStretch) -> pa.Array:
    return make_numbers(stretch.verdicts.statistics.profiles.effective[stretch.belief][stretch.profiles])


def _max_depths(stretch: JudgedStretch) -> pa.Array:
    return make_integers(stretch.verdicts.statistics.profiles.deepest[stretch.belief][stretch.profiles])


_CLASS_WORDS = tuple(member.name for member in CLASSES.members)
_BASIS_WORDS = tuple(member.value for member in BASES.members)
_STATUS_WORDS = tuple(member.value for member in STATUSES.members)
_WAIVED_WORDS = (*VERDICT_WORDS[:-1], None)
_APPLICABILITY_WORDS = (*(member.name for member in Applicability), None)

# ------------------------------------------------------------------------------------------------------- the table

_QUERY: tuple[Column[JudgedStretch], ...] = (
    Column("query_id", TEXT, _query_ids, "query_id"),
    Column("query", TEXT, lambda s: make_texts(s.log.queries, slice(s.first, s.last)), "query"),
    Column("timestamp", TEXT, _times, "timestamp"),
    Column(
        "task", TEXT, _enum(lambda s: (~s.log.creative[s.first : s.last]).astype(np.uint8), ("creative", None)), "task"
    ),
)
RESULT_COLUMNS: tuple[Column[Stretch], ...] = (
    Column("rank", INTEGER, lambda s: pa.array(s.log.ranks[s.rows]), "rank"),
    Column("result_id", TEXT, lambda s: make_texts(s.log.result_ids, s.rows), "result_id"),
    Column("document_id", TEXT, lambda s: make_texts(s.log.document_ids, s.rows), "document_id"),
    Column("score", NUMBER, lambda s: make_numbers(s.log.scores[s.rows]), "score"),
    Column("authenticity", TEXT, _enum(_classes, _CLASS_WORDS), "authenticity"),
    Column("synthetic_generation_depth", INTEGER, _depths, "depth"),
    Column(
        "human_source_anchor_hash",
        TEXTS,
        lambda s: make_lists(s.evidence.declared_anchors, s.evidence.hashes, s.rows),
        "declared_anchors",
    ),
    Column(
        "source_authenticity_signature",
        TEXT,
        lambda s: make_texts(s.log.signatures, s.rows),
        "source_authenticity_signature",
    ),
    Column("derived_from", TEXTS, lambda s: make_lists(s.log.parents, s.log.parent_ids, s.rows), "derived_from"),
    Column("content_sha256", TEXT, _content_digests, "content_sha256"),
    Column("originator", TEXT, _label("originator"), "originator"),
    Column("generator", TEXT, lambda s: make_texts(s.evidence.generators, s.rows), "generator"),
    Column("collection", TEXT, lambda s: make_texts(s.evidence.collections, s.rows), "collection"),
    Column("title", TEXT, _label("title"), "title"),
    Column("url", TEXT, _label("url"), "url"),
    Column(
        "declared_authenticity",
        TEXT,
        _enum(lambda s: s.evidence.declared_classes[s.rows], _CLASS_WORDS),
        "declared_authenticity",
    ),
    Column("basis", TEXT, _enum(lambda s: s.evidence.bases[s.rows], _BASIS_WORDS), "basis"),
    Column("depth_at_least", INTEGER, lambda s: make_integers(s.evidence.depth_at_least[s.rows]), "depth_at_least"),
    Column("resolved_anchors", TEXTS, _anchors, "anchors"),
    Column(
        "signature_status",
        TEXT,
        _enum(lambda s: s.evidence.signature_statuses[s.rows], _STATUS_WORDS),
        "signature",
    ),
    Column("conflicts", TEXTS, _flags(lambda s: s.evidence.conflicts[s.rows], CONFLICTS), "conflicts"),
)
_VERDICT: tuple[Column[JudgedStretch], ...] = (
    Column("retrieval_id", TEXT, _retrieval_ids, "retrieval_id"),
    Column("verdict", TEXT, _enum(lambda s: s.verdicts.verdicts[s.profiles], VERDICT_WORDS), "verdict"),
    Column(
        "verdict_if_signatures_waived",
        TEXT,
        _enum(lambda s: s.verdicts.waived[s.profiles], _WAIVED_WORDS),
        "verdict_if_signatures_waived",
    ),
    Column(
        "decision",
        TEXT,
        _enum(lambda s: s.verdicts.decisions[s.profiles], DECISION_WORDS),
        "decision",
    ),
    Column(
        "applicability",
        TEXT,
        _enum(lambda s: s.verdicts.applicability[s.profiles], _APPLICABILITY_WORDS),
        "applicability",
    ),
    Column("total", INTEGER, lambda s: pa.array(_total(s)[s.profiles]), "total"),
    Column("human", INTEGER, lambda s: pa.array(_human(s)[s.profiles]), "human"),
    Column("authenticity_diversity_metric", NUMBER, _share(_human), "authenticity_diversity_metric"),
    Column("anchored_ratio", NUMBER, _share(_anchored), "anchored_ratio"),
    Column("effective_anchors", NUMBER, _effective, "effective_anchors"),
    Column("max_depth", INTEGER, _max_depths, "max_depth"),
    Column("margin", INTEGER, lambda s: make_integers(s.verdicts.margins[s.profiles]), "margin"),
    Column("findings", TEXTS, _flags(lambda s: s.verdicts.findings[s.profiles], FINDINGS), "findings"),
    Column("directive", TEXT, lambda s: s.directives.directives(s.first, s.last), "directive"),
    Column("manifest_digest", TEXT, lambda s: s.directives.digests(s.first, s.last), "manifest_digest"),
)

RETRIEVAL_COLUMNS = (*_QUERY, *_VERDICT)
OF_RETRIEVAL = frozenset(column.name for column in RETRIEVAL_COLUMNS)
"""The names of the columns that have one value for all results of a retrieval."""

COLUMNS: tuple[Column[JudgedStretch], ...] = (*_QUERY, *RESULT_COLUMNS, *_VERDICT)
"""Every column, in the order of CSV and Parquet."""


def make_rows(stretch: JudgedStretch) -> list[pa.Array]:
    """Make one row for each result, with the verdict of its retrieval: ``COLUMNS`` in order."""
    return [
        repeat_for_results(column, stretch) if column.name in OF_RETRIEVAL else column.make(stretch)
        for column in COLUMNS
    ]
