"""Take documents out of a log, and judge each retrieval before and after.

Flows in: ``Verdicts`` of a log, and a ``Quarantine`` that names what to take out.  Flows out: the results that it
matches, the ``Statistics`` of what is left, and ``QuarantineEffect``.
Rules kept here: names are compared byte for byte, anchor hashes as digests; a name that matches nothing is listed; the
evidence on what is left stays as it is; the matched results are taken out of the lists first, and ``top_k`` then takes
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

from guard_core.columns import Strings, number_items
from guard_core.judging.judge import Verdicts, judge
from guard_core.judging.masses import AnchorSums
from guard_core.judging.profiles import Profiles
from guard_core.judging.selection import mark_lists, mark_rows, mark_texts
from guard_core.judging.statistics import Statistics
from guard_core.judging.whatif import count_flips, find_flips
from guard_core.model import Belief
from guard_core.provenance.anchors import normalise_hash, normalise_hashes
from guard_core.provenance.evidence import Evidence

KINDS = ("document", "anchor", "originator", "generator", "collection")
"""What a quarantine may name, in the order of its fields."""


@dataclass(frozen=True, slots=True)
class Quarantine:
    """Name what to take out, by exact ids and labels.

    ``documents`` are document ids.  An anchor is the document id of a human source, and matches every result with that
    source, the source itself included; or an anchor hash, with or without ``sha256:`` (R17), and matches every result
    for which it is declared.  ``originators``, ``generators`` and ``collections`` are the labels that count for a
    result (R70).
    """

    documents: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    originators: tuple[str, ...] = ()
    generators: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing is named."""
        return self == Quarantine()


@dataclass(frozen=True, slots=True)
class MarkedResults:
    """Mark the ``rows`` of the log that a quarantine matches; ``unmatched`` are its (kind, name) that match none."""

    rows: NDArray[np.bool_]
    unmatched: tuple[tuple[str, str], ...]


def mark_results(evidence: Evidence, quarantine: Quarantine, belief: Belief = Belief.DECLARED) -> MarkedResults:
    """Mark the results that ``quarantine`` matches; their sources are those under ``belief``."""
    rows = np.zeros(evidence.log.result_count, bool)
    unmatched: list[tuple[str, str]] = []
    for kind, wanted, column in (
        ("document", quarantine.documents, evidence.log.document_ids),
        ("originator", quarantine.originators, evidence.originators),
        ("generator", quarantine.generators, evidence.generators),
        ("collection", quarantine.collections, evidence.collections),
    ):
        if wanted:
            matched = mark_rows(column, wanted)
            rows |= matched
            unmatched += _list_unmatched(kind, wanted, _find_used(column.codes[matched], column.values, wanted))
    if quarantine.anchors:
        lists = evidence.under(belief).anchors
        forms = {name: normalise_hash(name) for name in quarantine.anchors}
        hashes, wanted = normalise_hashes(evidence.hashes), tuple(forms.values())
        rows |= mark_lists(lists, evidence.sources, quarantine.anchors)
        rows |= mark_lists(evidence.declared_anchors, hashes, wanted)
        found = _find_used(lists.codes, evidence.sources, quarantine.anchors)
        named = _find_used(evidence.declared_anchors.codes, hashes, wanted)
        found |= {name for name, form in forms.items() if form in named}
        unmatched += _list_unmatched("anchor", quarantine.anchors, found)
    return MarkedResults(rows, tuple(sorted(unmatched, key=lambda one: KINDS.index(one[0]))))


def drop_results(statistics: Statistics, rows: NDArray[np.bool_]) -> Statistics:
    """Return the statistics of the same retrievals without these results (a mask over the rows of the log).

    They equal a count from the evidence, but only retrievals that lose a judged result are counted.
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
    again = Statistics.from_evidence(statistics.evidence, statistics.top_k, keep, drop)
    return _merge_statistics(statistics, lost, again, drop)


@dataclass(frozen=True, slots=True)
class QuarantineEffect:
    """Hold the verdicts of a log before and after a quarantine.

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
        """The number of retrievals from each verdict (row) to each (column): 5 x 5, the last index NO_RESULTS."""
        return count_flips(self.before, self.after)

    @property
    def flipped(self) -> NDArray[np.int64]:
        """The retrievals (positions) whose verdict changes, to NO_RESULTS included."""
        return find_flips(self.before, self.after)


def apply_quarantine(before: Verdicts, quarantine: Quarantine) -> QuarantineEffect:
    """Take the results that ``quarantine`` matches out of the lists, and judge again under the same policy."""
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
        dropped=_count_dropped(statistics, marked.rows),
        dropped_judged=int(np.count_nonzero(judged)),
        touched=touched,
        short=touched[has < had],
        empty=touched[has == 0],
        sources=(sources, sources if left is statistics else left.independent_sources(belief)),
    )


def _count_dropped(statistics: Statistics, rows: NDArray[np.bool_]) -> int:
    """Count the marked results in the lists of the kept retrievals, judged or below the first k."""
    places = np.flatnonzero(rows if statistics.drop is None else rows & ~statistics.drop)
    kept = np.zeros(statistics.evidence.log.retrieval_count, bool)
    kept[statistics.retrievals] = True
    owners = np.searchsorted(statistics.evidence.log.offsets, places, side="right") - 1
    return int(np.count_nonzero(kept[owners]))


def _merge_statistics(
    base: Statistics, lost: NDArray[np.bool_], again: Statistics, drop: NDArray[np.bool_]
) -> Statistics:
    """Return ``base`` with what was counted ``again`` in place of the retrievals that are ``lost``."""
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
    is_judged = np.zeros(base.evidence.log.result_count, bool)
    is_judged[base.rows] = True
    listed = np.diff(offsets)[again.retrievals]
    is_judged[np.repeat(offsets[again.retrievals], listed) + number_items(listed)] = False
    is_judged[again.rows] = True
    lengths = profiles.entries[profile_of]
    first, second = base.sums
    declared = _replace_sums(first, lost, again.sums[0])
    return dataclasses.replace(
        base,
        rows=np.flatnonzero(is_judged),
        owner=np.repeat(np.arange(len(lengths), dtype=np.int32), lengths),
        profiles=profiles,
        profile_of=profile_of,
        multiplicity=np.bincount(profile_of, minlength=profiles.size).astype(np.int64),
        sums=(declared, declared if second is first else _replace_sums(second, lost, again.sums[1])),
        drop=drop,
    )


def _replace_sums(sums: AnchorSums, lost: NDArray[np.bool_], again: AnchorSums) -> AnchorSums:
    anchored, terms, top = sums.anchored.copy(), sums.terms.copy(), sums.top.copy()
    anchored[lost], terms[lost], top[lost] = again.anchored, again.terms, again.top
    return AnchorSums(anchored, terms, top)


def _find_used(codes: NDArray[np.int32], values: Strings, wanted: tuple[str, ...]) -> set[str]:
    """Return the wanted texts that the codes use."""
    used = np.zeros(len(values), bool)
    used[codes] = True
    return set(values.filter(pa.array(used & mark_texts(values, wanted))).to_pylist())


def _list_unmatched(kind: str, wanted: tuple[str, ...], found: set[str]) -> list[tuple[str, str]]:
    return [(kind, name) for name in dict.fromkeys(wanted) if name not in found]
