"""Hold a log and the retrievals of it that a filter leaves, and compute what pages show of them.

Flows in: a ``LoadedLog``, a ``Selection``, a policy.  Flows out: statistics, verdicts and whatever a page computes from
them, each computed once and shared between sessions by content only.
Rules kept here: all that is kept is immutable; which retrievals a filter by verdict leaves is decided by one policy
(``by``), so that moving another one changes verdicts and not the retrievals that are shown.
Not here: loading (``logs.py``), widgets and URL (``controls``), numbers (``views``), how results are kept
(``compute.py``).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from dashboard.compute import STATISTICS, VERDICTS, compute, compute_in
from dashboard.logs import LoadedLog
from guard_core.corpus.derivation import DerivationGraph, build_derivation_graph
from guard_core.judging.judge import Verdicts, judge
from guard_core.judging.policy import PRESETS
from guard_core.judging.selection import Selection, narrow_statistics, select_by_log, select_by_verdict
from guard_core.judging.statistics import Statistics
from guard_core.model import SynthesisPolicy
from guard_core.provenance.evidence import Evidence


@dataclass(frozen=True, slots=True)
class FilteredLog:
    """The retrievals of ``loaded`` that ``selection`` leaves, where ``by`` decides on verdicts and findings.

    ``other`` is the same log under another trust: it is what is counted, and ``loaded`` decides which retrievals.
    """

    loaded: LoadedLog
    selection: Selection
    by: SynthesisPolicy
    other: LoadedLog | None = None

    @property
    def total(self) -> int:
        """Retrievals of the whole log."""
        return self.loaded.evidence.log.retrieval_count

    @property
    def evidence(self) -> Evidence:
        """The evidence that is counted."""
        return (self.other or self.loaded).evidence

    def under(self, other: LoadedLog) -> FilteredLog:
        """Return the same retrievals of the same log under another trust."""
        return self if other is self.loaded else dataclasses.replace(self, other=other)

    def count_statistics(self, top_k: int | None) -> Statistics:
        """Return the statistics of the retrievals that are left."""
        decides = self.selection.anchor or not self.selection.verdict_part.empty
        filtered = self if decides else dataclasses.replace(self, by=PRESETS["reference"])
        return compute_in(STATISTICS, _count_statistics, filtered, top_k)

    def judge(self, policy: SynthesisPolicy) -> Verdicts:
        """Return the judgement of the retrievals that are left under a policy."""
        return VERDICTS.call(judge, self.count_statistics(policy.top_k), policy)

    def derive(self) -> DerivationGraph:
        """Return who derives from whom."""
        return compute(build_derivation_graph, self.evidence)


def _count_statistics(filtered: FilteredLog, top_k: int | None) -> Statistics:
    selection, evidence = filtered.selection, filtered.loaded.evidence
    if filtered.other is not None:
        keep = np.zeros(filtered.total, bool)
        keep[dataclasses.replace(filtered, other=None).count_statistics(top_k).retrievals] = True
        return Statistics.from_evidence(filtered.other.evidence, top_k, keep)
    if selection.empty:
        return Statistics.from_evidence(evidence, top_k)
    everything = dataclasses.replace(filtered, selection=Selection())
    keep = select_by_log(evidence, selection.log_part, filtered.by.belief)
    if not selection.verdict_part.empty:
        keep = keep & select_by_verdict(everything.judge(filtered.by), selection.verdict_part)
    return narrow_statistics(everything.count_statistics(top_k), keep)
