"""Quarantine: what if some documents were not in the corpus?  Each retrieval before and after.

Flows in: ``Verdicts`` of a log, and a ``Quarantine`` that names what to take out.  Flows out: the rows that it marks,
the ``Statistics`` of what is left, and ``BeforeAndAfter``.
Rules kept here: names are compared byte for byte, anchor hashes as digests; a name that matches nothing is listed; the
evidence on what is left stays as it is; the marked results are taken out of the lists first, and ``top_k`` then takes
the first k of what is left; only retrievals that lose a result are counted again, nothing is read, joined or verified
again.
Not here: which documents to take out (``coverage.py``, ``leverage.py``), sentences (``output``, the dashboard).

Results are dropped from the list; a real re-query would fill the places.  Where a log is deeper than k, places are
filled from below, as far as it reaches.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.columns import Ragged, Strings, TextColumn, number_items
from guard_core.judging.judge import Verdicts, judge
from guard_core.judging.masses import AnchorSums
from guard_core.judging.profiles import Profiles
from guard_core.judging.selection import among, rows_listing, rows_of
from guard_core.judging.statistics import Statistics
from guard_core.judging.whatif import flipped, flips
from guard_core.model import Belief
from guard_core.provenance.anchors import normalise_hash, normalise_hashes
from guard_core.provenance.evidence import Evidence

KINDS = ("document", "anchor", "originator", "generator", "collection")
"""What may be named, in the order of the fields of ``Quarantine``."""


@dataclass(frozen=True, slots=True)
class Quarantine:
    """What to take out: exact ids and names, as text.

    ``documents`` are document ids.  An anchor is the document id of a human source: every result that rests on it is
    meant, the source itself included; or an anchor hash, with or without ``sha256:`` (R17): every result for which it
    is named.  ``originators``,
    ``generators`` and ``collections`` are the labels that count for a result (R70).
    """

    documents: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    originators: tuple[str, ...] = ()
    generators: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """True if nothing is named."""
        return self == Quarantine()


@dataclass(frozen=True, slots=True)
class MarkedResults:
    """``rows`` of the log's results that a quarantine means; ``unmatched`` are the (kind, name) that mean none."""

    rows: NDArray[np.bool_]
    unmatched: tuple[tuple[str, str], ...]


def mark_results(evidence: Evidence, quarantine: Quarantine, belief: Belief = Belief.DECLARED) -> MarkedResults:
    """The results that ``quarantine`` means; ``belief`` is the reading in which results rest on human sources."""
    rows = np.zeros(evidence.log.result_count, bool)
    unmatched: list[tuple[str, str]] = []
    for kind, wanted, column in (
        ("document", quarantine.documents, evidence.log.document_ids),
        ("originator", quarantine.originators, evidence.originators),
        ("generator", quarantine.generators, evidence.generators),
        ("collection", quarantine.collections, evidence.collections),
    ):
        if wanted:
            meant = rows_of(column, wanted)
            rows |= meant
            unmatched += _unmatched(kind, wanted, _names_in(column, meant))
    if quarantine.anchors:
        lists = evidence.under(belief).anchors
        forms = {name: normalise_hash(name) for name in quarantine.anchors}
        hashes, wanted = normalise_hashes(evidence.hashes), tuple(forms.values())
        rows |= rows_listing(lists, evidence.sources, quarantine.anchors)
        rows |= rows_listing(evidence.declared_anchors, hashes, wanted)
        found = _names_listed(lists, evidence.sources, quarantine.anchors)
        named = _names_listed(evidence.declared_anchors, hashes, wanted)
        found |= {name for name, form in forms.items() if form in named}
        unmatched += _unmatched("anchor", quarantine.anchors, found)
    return MarkedResults(rows, tuple(sorted(unmatched, key=lambda one: KINDS.index(one[0]))))


def drop_results(statistics: Statistics, rows: NDArray[np.bool_]) -> Statistics:
    """The statistics of the same retrievals with these results (a mask over those of the log) taken out of the lists.

    Equal to counting from the evidence, but only retrievals that lose a judged result are counted.
    """
    lost = np.zeros(len(statistics.retrievals), bool)
    lost[statistics.owner[rows[statistics.rows]]] = True
    if not rows.any():
        return statistics
    drop = rows if statistics.drop is None else rows | statistics.drop
    if not lost.any():  # what is dropped below the first k changes no count, but fills no place later on
        return dataclasses.replace(statistics, drop=drop)
    keep = np.zeros(statistics.evidence.log.retrieval_count, bool)
    keep[statistics.retrievals[lost]] = True
    again = Statistics.of(statistics.evidence, statistics.top_k, keep, drop)
    return _merged(statistics, lost, again, drop)


@dataclass(frozen=True, slots=True)
class QuarantineEffect:
    """A log before and after a quarantine.

    ``dropped`` counts the results that are taken out of the lists of the kept retrievals, ``dropped_judged`` those of
    them that were judged.  ``touched`` are the retrievals (positions among those kept, ascending) that lose a judged
    result, ``short`` those of them with fewer judged results than before, ``empty`` those with none left; creative
    tasks are left out, as in all shares.  ``sources`` are the independent human sources of all judged results
    together, before and after; ``None`` where nothing is anchored.
    """

    before: Verdicts
    after: Verdicts
    unmatched: tuple[tuple[str, str], ...]
    dropped: int
    dropped_judged: int
    touched: NDArray[np.int64]
    short: NDArray[np.int64]
    empty: NDArray[np.int64]
    sources: tuple[float | None, float | None]

    @property
    def flips(self) -> NDArray[np.int64]:
        """Retrievals from each verdict (rows) to each (columns): 5 x 5, the last index NO_RESULTS."""
        return flips(self.before, self.after)

    @property
    def flipped(self) -> NDArray[np.int64]:
        """The retrievals (positions) whose verdict changes, to NO_RESULTS included."""
        return flipped(self.before, self.after)


def apply_quarantine(before: Verdicts, quarantine: Quarantine) -> QuarantineEffect:
    """Take ``quarantine`` out of the lists behind a judgement and judge again under the same policy."""
    statistics, policy = before.statistics, before.policy
    belief = policy.belief
    marked = mark_results(statistics.evidence, quarantine, belief)
    left = drop_results(statistics, marked.rows)
    after = before if left is statistics else judge(left, policy)
    judged = marked.rows[statistics.rows]
    lost = np.zeros(len(statistics.retrievals), bool)
    lost[statistics.owner[judged]] = True
    counted = ~statistics.profiles.creative[statistics.profile_of]
    touched = np.flatnonzero(lost & counted)
    had = statistics.profiles.entries[statistics.profile_of[touched]]
    has = left.profiles.entries[left.profile_of[touched]]
    sources = statistics.independent_sources(belief)
    return QuarantineEffect(
        before=before,
        after=after,
        unmatched=marked.unmatched,
        dropped=_dropped(statistics, marked.rows),
        dropped_judged=int(np.count_nonzero(judged)),
        touched=touched,
        short=touched[has < had],
        empty=touched[has == 0],
        sources=(sources, sources if left is statistics else left.independent_sources(belief)),
    )


def _dropped(statistics: Statistics, rows: NDArray[np.bool_]) -> int:
    """Marked results in the lists of the kept retrievals, judged or below the first k."""
    places = np.flatnonzero(rows if statistics.drop is None else rows & ~statistics.drop)
    kept = np.zeros(statistics.evidence.log.retrieval_count, bool)
    kept[statistics.retrievals] = True
    owners = np.searchsorted(statistics.evidence.log.offsets, places, side="right") - 1
    return int(np.count_nonzero(kept[owners]))


def _merged(base: Statistics, lost: NDArray[np.bool_], again: Statistics, drop: NDArray[np.bool_]) -> Statistics:
    """``base`` with what was counted ``again`` in place of the retrievals that are ``lost``."""
    used = np.zeros(base.profiles.size, bool)
    used[base.profile_of[~lost]] = True
    number = np.cumsum(used, dtype=np.int32) - np.int32(1)
    profile_of = number[base.profile_of]
    profile_of[lost] = again.profile_of + np.int32(np.count_nonzero(used))
    profiles = Profiles(
        **{
            field.name: np.concatenate(
                (getattr(base.profiles, field.name)[..., used], getattr(again.profiles, field.name)), axis=-1
            )
            for field in dataclasses.fields(Profiles)
        }
    )
    offsets = base.evidence.log.offsets
    stands = np.zeros(base.evidence.log.result_count, bool)
    stands[base.rows] = True
    listed = np.diff(offsets)[again.retrievals]
    stands[np.repeat(offsets[again.retrievals], listed) + number_items(listed)] = False
    stands[again.rows] = True
    lengths = profiles.entries[profile_of]
    first, second = base.sums
    believed = _replaced(first, lost, again.sums[0])
    return Statistics(
        base.evidence,
        base.top_k,
        base.retrievals,
        np.flatnonzero(stands),
        np.repeat(np.arange(len(lengths), dtype=np.int32), lengths),
        profiles,
        profile_of,
        np.bincount(profile_of, minlength=profiles.size).astype(np.int64),
        (believed, believed if second is first else _replaced(second, lost, again.sums[1])),
        drop,
    )


def _replaced(sums: AnchorSums, lost: NDArray[np.bool_], again: AnchorSums) -> AnchorSums:
    anchored, terms, top = sums.anchored.copy(), sums.terms.copy(), sums.top.copy()
    anchored[lost], terms[lost], top[lost] = again.anchored, again.terms, again.top
    return AnchorSums(anchored, terms, top)


def _names_in(column: TextColumn, rows: NDArray[np.bool_]) -> set[str]:
    """The texts of these rows."""
    used = np.zeros(len(column.values), bool)
    used[column.codes[rows]] = True
    return _texts(column.values, used)


def _names_listed(lists: Ragged, values: Strings, wanted: tuple[str, ...]) -> set[str]:
    """Which of the wanted texts stand in a list."""
    chosen = np.zeros(len(values), bool)
    chosen[lists.codes] = True
    return _texts(values, chosen & among(values, wanted))


def _texts(values: Strings, chosen: NDArray[np.bool_]) -> set[str]:
    return set(values.filter(pa.array(chosen)).to_pylist())


def _unmatched(kind: str, wanted: tuple[str, ...], found: set[str]) -> list[tuple[str, str]]:
    return [(kind, name) for name in dict.fromkeys(wanted) if name not in found]
