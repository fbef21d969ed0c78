"""Judge a whole log under a policy, and hand the judgement out as records, as frames and as a digest.

Flows in: ``Evidence``, a policy, an evaluation time.  Flows out: ``Evaluation``.
Rules kept here: every number and word of a record is that of the scalar rule for that retrieval (a property test holds
them equal); records and frames are made of the same columns.
Not here: what the columns are (``columns.py``), the head and the digest (``head.py``), how an object is written to a
file or a terminal (beside this file), reading one back (``recompute.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa

from guard_core.errors import SourceGuardError
from guard_core.judging.judge import Summary, Verdicts, judge
from guard_core.judging.policy import NamedPolicy
from guard_core.judging.statistics import Statistics
from guard_core.judging.whatif import find_flips
from guard_core.model import SynthesisManifest
from guard_core.output.arrays import read_values
from guard_core.output.columns import RESULT_COLUMNS, RETRIEVAL_COLUMNS, JudgedStretch, Stretch, repeat_for_results
from guard_core.output.directives import Directives
from guard_core.output.frames import Frame
from guard_core.output.head import RunningDigest, make_head
from guard_core.output.people.html import draw_evaluation
from guard_core.output.schema import HeadRecord, ResultRecord, RetrievalRecord, encode
from guard_core.provenance.evidence import Evidence

STRETCH = 1024
"""Retrievals that are turned into records at a time; bounds the memory of an export."""

Counted = Callable[[int, int], None]
"""Called with (retrievals done, retrievals in all)."""

_OF_RETRIEVAL = {column.member: column for column in RETRIEVAL_COLUMNS}
_OF_RESULT = {column.member: column for column in RESULT_COLUMNS}
_RETRIEVAL_MEMBERS = RetrievalRecord.__struct_fields__[:-1]
"""All but the results."""

_DIRECTIVES = ("directive", "manifest_digest")
_IDS = ("retrieval_id", "query_id")
_CLAIM = "source_authenticity_signature"


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """A log judged under a policy.  ``evaluated_at`` is ISO 8601 UTC text, ``None`` where time plays no part."""

    evidence: Evidence
    named: NamedPolicy
    verdicts: Verdicts
    summary: Summary
    evaluated_at: str | None
    _directives: Directives

    @property
    def retrieval_count(self) -> int:
        """Number of retrievals, those with zero results included."""
        return self.evidence.log.retrieval_count

    @property
    def retrievals(self) -> Frame:
        """One row a retrieval: the members of its JSON record, its time and task."""
        stretch = self.select(0, self.retrieval_count)
        names = dict.fromkeys((*_RETRIEVAL_MEMBERS, *_OF_RETRIEVAL))
        makers = {name: partial(_OF_RETRIEVAL[name].make, stretch) for name in names}
        return Frame(makers, self.retrieval_count, on_request=_DIRECTIVES)

    @property
    def results(self) -> Frame:
        """One row a result, also of those beyond ``top_k``: the members of its JSON record, and its labels."""
        stretch = self.select(0, self.retrieval_count)
        makers = {name: partial(repeat_for_results, _OF_RETRIEVAL[name], stretch) for name in _IDS}
        names = dict.fromkeys((*ResultRecord.__struct_fields__, *_OF_RESULT))
        makers |= {name: partial(_OF_RESULT[name].make, stretch) for name in names}
        return Frame(makers, self.evidence.log.result_count, on_request=(_CLAIM,))

    def flips(self, other: Evaluation) -> Frame:
        """Return the retrievals whose verdict or decision is another one in ``other``, creative tasks left out.

        Raises ``SourceGuardError`` where ``other`` judges other retrievals.
        """
        if not isinstance(other, Evaluation):
            raise SourceGuardError(f"{type(other).__name__} is no evaluation; give one that judge(...) returned")
        decisions = (each.verdicts.per_retrieval("decisions") for each in (self, other))
        creative = self.evidence.log.creative
        verdicts = find_flips(self.verdicts, other.verdicts)
        rows = pa.array(np.union1d(verdicts, np.flatnonzero(np.not_equal(*decisions) & ~creative)))
        makers = {name: partial(self._take, name, rows) for name in (*_IDS, "query")}
        for name in ("verdict", "decision"):
            makers |= {
                f"{name}_before": partial(self._take, name, rows),
                f"{name}_after": partial(other._take, name, rows),
            }
        return Frame(makers, len(rows))

    def _take(self, name: str, rows: pa.Array) -> pa.Array:
        """Values of one column, of some retrievals."""
        return self.retrievals.column(name).take(rows)

    def head(self) -> HeadRecord:
        """Make the evaluation object up to its retrievals."""
        return make_head(self.evidence, self.named, self.summary, self.evaluated_at)

    def records(self, progress: Counted | None = None) -> Iterator[list[RetrievalRecord]]:
        """Make the record of every retrieval in the log's order, in stretches of at most ``STRETCH``."""
        for stretch in self.stretches(progress):
            yield self.make_records(stretch.first, stretch.last)

    def stretches(self, progress: Counted | None = None) -> Iterator[JudgedStretch]:
        """Cut the log into stretches of at most ``STRETCH`` retrievals; ``progress`` is called after each."""
        count = self.retrieval_count
        for first in range(0, count, STRETCH):
            last = min(first + STRETCH, count)
            yield self.select(first, last)
            if progress is not None:
                progress(last, count)

    def select(self, first: int, last: int) -> JudgedStretch:
        """Select the retrievals ``first`` to ``last`` (exclusive)."""
        belief = self.named.policy.signatures.belief
        return JudgedStretch(self.evidence, belief, first, last, self.verdicts, self._directives)

    def make_records(self, first: int, last: int, *, list_results: bool = True) -> list[RetrievalRecord]:
        """Make the records of retrievals ``first`` to ``last`` (exclusive), with their results unless left out."""
        stretch = self.select(first, last)
        results = make_result_records(stretch) if list_results else []
        edges = (stretch.log.offsets[first : last + 1] - stretch.rows.start).tolist()
        own = [results[start:stop] for start, stop in pairwise(edges)]
        columns = (read_values(_OF_RETRIEVAL[name].make(stretch)) for name in _RETRIEVAL_MEMBERS)
        return list(map(RetrievalRecord, *columns, own))

    def manifest(self, retrieval: int) -> SynthesisManifest:
        """Judge one retrieval by the scalar rule; it must have results."""
        return self._directives.manifest(retrieval)

    def digest(self) -> str:
        """Compute the digest alone, without writing the object."""
        running = RunningDigest(self.head())
        for stretch in self.records():
            running.add([encode(record) for record in stretch])
        return running.text()

    def _repr_html_(self) -> str:
        return draw_evaluation(self.summary, self.named)


def evaluate(
    evidence: Evidence, named: NamedPolicy, evaluated_at: str | None = None, *, statistics: Statistics | None = None
) -> Evaluation:
    """Judge a whole log under a policy.

    ``evaluated_at`` is ISO 8601 UTC text; where claims were judged, the time that they were judged at takes its place.
    ``statistics`` are those of the evidence and the policy's ``top_k``, where they are known already.
    """
    verdicts = judge(statistics or Statistics.from_evidence(evidence, named.policy.top_k), named.policy)
    if evidence.at is not None:
        evaluated_at = datetime.fromtimestamp(evidence.at, UTC).isoformat().replace("+00:00", "Z")
    return Evaluation(evidence, named, verdicts, verdicts.summary(), evaluated_at, Directives(verdicts))


def make_result_records(stretch: Stretch) -> list[ResultRecord]:
    """Make the records of the results of some retrievals, as they count under a belief."""
    columns = (read_values(_OF_RESULT[name].make(stretch)) for name in ResultRecord.__struct_fields__)
    return list(map(ResultRecord, *columns))
