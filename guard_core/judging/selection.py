"""Select retrievals of a log by time, labels of their results, verdict, finding, text, document or anchor.

Flows in: ``Evidence``, ``Statistics`` and ``Verdicts``, and a ``Selection``.  Flows out: masks, and ``Statistics`` of
the retrievals that are kept.
Rules kept here: text is searched literally, never as a pattern; ids are compared byte for byte, anchor hashes as
digests (R17); a retrieval without a time lies in no range of time; several values of one field widen a selection,
several fields narrow it; what is kept is counted as if nothing else had been read, and nothing is read or counted
again.
Not here: where a selection comes from (links, controls), what is shown of it (the dashboard).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.codes import FINDINGS, VERDICT_WORDS
from guard_core.columns import Ragged, Strings, TextColumn
from guard_core.ingest.log import MISSING_TIME
from guard_core.judging.judge import Verdicts
from guard_core.judging.masses import AnchorSums
from guard_core.judging.profiles import Profiles
from guard_core.judging.statistics import Statistics
from guard_core.model import Belief, Finding
from guard_core.provenance.anchors import normalise_hash, normalise_hashes
from guard_core.provenance.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Selection:
    """What to keep; a field left empty keeps everything.

    ``start`` and ``end`` are microseconds since 1970 UTC, both inclusive.  A label, document or anchor keeps retrievals
    of which at least one result has it.  ``verdicts`` and ``waived`` are words of ``VERDICT_WORDS``, ``findings`` codes
    of ``Finding``: under the policy that judges.  ``text`` stands in the query or the query id, in any case.
    ``anchor`` is the document id of a human source that a result rests on, or an anchor hash that is named for it.
    """

    start: int | None = None
    end: int | None = None
    collections: tuple[str, ...] = ()
    originators: tuple[str, ...] = ()
    generators: tuple[str, ...] = ()
    verdicts: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    waived: tuple[str, ...] = ()
    text: str = ""
    document: str = ""
    anchor: str = ""

    @property
    def log_part(self) -> Selection:
        """The part that needs no judgement."""
        return dataclasses.replace(self, verdicts=(), findings=(), waived=())

    @property
    def verdict_part(self) -> Selection:
        """The part that a policy decides."""
        return Selection(verdicts=self.verdicts, findings=self.findings, waived=self.waived)

    @property
    def empty(self) -> bool:
        """True if everything is kept."""
        return self == Selection()


def select_by_log(evidence: Evidence, selection: Selection, belief: Belief = Belief.DECLARED) -> NDArray[np.bool_]:
    """Return which retrievals of the log are kept by the part of a selection that needs no judgement."""
    log = evidence.log
    kept = np.ones(log.retrieval_count, bool)
    if selection.start is not None:
        kept &= (log.times != MISSING_TIME) & (log.times >= selection.start)
    if selection.end is not None:
        kept &= (log.times != MISSING_TIME) & (log.times <= selection.end)
    for wanted, column in (
        (selection.collections, evidence.collections),
        (selection.originators, evidence.originators),
        (selection.generators, evidence.generators),
        ((selection.document,) if selection.document else (), log.document_ids),
    ):
        if wanted:
            kept &= _mark_retrievals(evidence, mark_rows(column, wanted))
    if selection.anchor:
        lists = evidence.under(belief).anchors
        rows = mark_lists(lists, evidence.sources, (selection.anchor,))
        hashes = normalise_hashes(evidence.hashes)
        rows |= mark_lists(evidence.declared_anchors, hashes, (normalise_hash(selection.anchor),))
        kept &= _mark_retrievals(evidence, rows)
    if selection.text:
        kept &= _search_rows(log.queries, selection.text) | _search_rows(log.query_ids, selection.text)
    return kept


def select_by_verdict(verdicts: Verdicts, selection: Selection) -> NDArray[np.bool_]:
    """Return which of the kept retrievals are left by the part of a selection that a policy decides.

    Findings are those of counted retrievals: a creative task has none (R55).
    """
    kept = np.ones(verdicts.statistics.profiles.size, bool)
    for wanted, codes in ((selection.verdicts, verdicts.verdicts), (selection.waived, verdicts.waived)):
        if wanted:
            kept &= np.isin(codes, [VERDICT_WORDS.index(word) for word in wanted])
    if selection.findings:
        bits = FINDINGS.bits(Finding(code) for code in selection.findings)
        kept &= verdicts.counted & ((verdicts.findings & bits) != 0)
    chosen: NDArray[np.bool_] = kept[verdicts.statistics.profile_of]
    return chosen


def narrow_statistics(statistics: Statistics, keep: NDArray[np.bool_]) -> Statistics:
    """Return the statistics of the retrievals that ``keep`` (a mask over those of ``statistics``) leaves.

    Equal to counting these retrievals from the evidence, without counting again.
    """
    if keep.all():
        return statistics
    judged = keep[statistics.owner]
    rows = np.flatnonzero(judged) if isinstance(statistics.rows, slice) else statistics.rows[judged]
    place = np.cumsum(keep, dtype=np.int32) - np.int32(1)
    profile_of = statistics.profile_of[keep]
    used = np.zeros(statistics.profiles.size, bool)
    used[profile_of] = True
    number = np.cumsum(used, dtype=np.int32) - np.int32(1)
    profiles = {
        field.name: getattr(statistics.profiles, field.name)[..., used] for field in dataclasses.fields(Profiles)
    }
    first, second = statistics.sums
    declared = _narrow_sums(first, keep)
    return Statistics(
        statistics.evidence,
        statistics.top_k,
        statistics.retrievals[keep],
        rows,
        place[statistics.owner[judged]],
        Profiles(**profiles),
        number[profile_of],
        np.bincount(number[profile_of], minlength=int(used.sum())).astype(np.int64),
        (declared, declared if second is first else _narrow_sums(second, keep)),
        statistics.drop,
    )


def _narrow_sums(sums: AnchorSums, keep: NDArray[np.bool_]) -> AnchorSums:
    return AnchorSums(sums.anchored[keep], sums.terms[keep], sums.top[keep])


def _mark_retrievals(evidence: Evidence, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the retrievals with at least one of these results."""
    offsets = evidence.log.offsets
    before = np.concatenate((np.zeros(1, np.int64), np.cumsum(rows, dtype=np.int64)))
    some: NDArray[np.bool_] = before[offsets[1:]] > before[offsets[:-1]]
    return some


def mark_texts(values: Strings, wanted: tuple[str, ...]) -> NDArray[np.bool_]:
    """Mark those of the distinct texts that are wanted, byte for byte; a name that is no UTF-8 text is none of them."""
    names = [name for name in wanted if _encodes(name)]
    found: NDArray[np.bool_] = pc.is_in(values, value_set=pa.array(names, values.type)).to_numpy(zero_copy_only=False)
    return found


def mark_rows(column: TextColumn, wanted: tuple[str, ...]) -> NDArray[np.bool_]:
    """Mark the rows whose text is one of these, byte for byte."""
    return _spread_marks(column, mark_texts(column.values, wanted))


def mark_lists(lists: Ragged, values: Strings, wanted: tuple[str, ...]) -> NDArray[np.bool_]:
    """Mark the rows whose list holds one of these texts, byte for byte."""
    rows = np.zeros(len(lists.offsets) - 1, bool)
    codes = np.flatnonzero(mark_texts(values, wanted))
    if len(codes) == 1:
        places = np.flatnonzero(lists.codes == codes[0])
    else:
        table = np.zeros(len(values), bool)
        table[codes] = True
        places = np.flatnonzero(table[lists.codes])
    rows[np.searchsorted(lists.offsets, places, side="right") - 1] = True
    return rows


def _search_rows(column: TextColumn, text: str) -> NDArray[np.bool_]:
    """Mark the rows whose text holds this one, literally, in any case."""
    if not len(column.values):
        return np.zeros(len(column.codes), bool)
    found = pc.match_substring(column.values, text, ignore_case=True).to_numpy(zero_copy_only=False)
    return _spread_marks(column, found)


def _spread_marks(column: TextColumn, values: NDArray[np.bool_]) -> NDArray[np.bool_]:
    table = np.append(values.astype(bool), False)  # the last place is that of -1
    rows: NDArray[np.bool_] = table[column.codes]
    return rows


def _encodes(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
