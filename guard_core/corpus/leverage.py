"""Find the unknown or unverified documents whose check would settle most retrievals.

Flows in: ``Statistics`` and a policy.  Flows out: ``Leverage``: documents, the most worth checking first.
Rules kept here, all of them laws against the scalar rule (``guard.py``), which the tests ask in every possible way:

1. A judged result is *open* where the policy does not know its class, or where it does not pass the signature gate.  A
   document is open in a retrieval where one of its judged results there is.
2. To *check* a document is to get a valid claim on it: all its results then pass the gate and have one class, human
   (and their own anchor) at best, deep synthetic at worst.  Any class between gives a verdict between.
3. A retrieval is *settled* where no check of its open documents can change its verdict any more: each of its results
   passes the gate, and all open documents human and all deep synthetic give one verdict.
4. A document *settles* a retrieval that is not settled where this holds once it alone is checked.

Retrievals without results and creative tasks have nothing to settle (R54, R55).
Not here: who checks and what comes of it (a catalogue, a claim), findings and decisions: this is about verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.columns import rank_by_bytes
from guard_core.corpus.open_items import gather_open_items
from guard_core.errors import SourceGuardError
from guard_core.judging.rule import decide_verdict
from guard_core.judging.statistics import Statistics
from guard_core.model import SynthesisPolicy


@dataclass(frozen=True, slots=True)
class Leverage:
    """Hold the documents worth checking, as columns of equal length.

    They are in the order of ``settles``, then of ``if_human`` and ``if_synthetic`` together, of ``unsettled``, and of
    the bytes of their ids.

    ``documents`` are codes of the log's document ids.  ``unsettled`` counts the retrievals that are not settled and in
    which the document is open; ``settles`` those of them that checking it alone settles whatever the check says,
    ``if_human`` and ``if_synthetic`` those that it settles if the check says human, or deep synthetic.  ``unknown``
    and ``unverified`` say why it is open there: its class is not known, or it does not pass the signature gate.
    ``counted`` is the number of counted retrievals, ``unsettled_retrievals`` how many of them are not settled;
    ``open_documents`` are open in some counted retrieval, settled or not.
    """

    documents: NDArray[np.int32]
    unsettled: NDArray[np.int64]
    settles: NDArray[np.int64]
    if_human: NDArray[np.int64]
    if_synthetic: NDArray[np.int64]
    unknown: NDArray[np.bool_]
    unverified: NDArray[np.bool_]
    counted: int
    unsettled_retrievals: int
    open_documents: int


def find_leverage(statistics: Statistics, policy: SynthesisPolicy, *, waived: bool = False) -> Leverage:
    """Find what a check of each open document would settle; ``waived`` leaves the signature gate out.

    Raises ``SourceGuardError`` if the policy judges another number of results than the statistics were made for.
    """
    counts = _RetrievalCounts.of(statistics, policy, waived)
    size = len(statistics.evidence.log.document_ids.values)
    matters = counts.unsettled[counts.owner]
    code = counts.document[matters]

    def count_pairs(pairs: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(code, weights=pairs[matters], minlength=size).astype(np.int64)

    if_human, if_synthetic = counts.find_settled_pairs(human=True), counts.find_settled_pairs(human=False)
    unsettled = np.bincount(code, minlength=size)
    both, human, synthetic = (count_pairs(pairs) for pairs in (if_human & if_synthetic, if_human, if_synthetic))
    unknown, unverified = count_pairs(counts.unknown) > 0, count_pairs(counts.fails) > 0
    listed = np.flatnonzero(unsettled).astype(np.int32)
    ranks = rank_by_bytes(statistics.evidence.log.document_ids.values, listed)
    keys = (ranks, -unsettled, -(human + synthetic), -both)
    listed = listed[np.lexsort([key[listed] for key in keys])]
    return Leverage(
        documents=listed,
        unsettled=unsettled[listed],
        settles=both[listed],
        if_human=human[listed],
        if_synthetic=synthetic[listed],
        unknown=unknown[listed],
        unverified=unverified[listed],
        counted=int(np.count_nonzero(counts.counted)),
        unsettled_retrievals=int(np.count_nonzero(counts.unsettled)),
        open_documents=int(np.count_nonzero(np.bincount(counts.document, minlength=size))),
    )


@dataclass(frozen=True, slots=True)
class _RetrievalCounts:
    """Hold counts of each retrieval, and the open documents of counted retrievals as pairs (``owner``, ``document``).

    Of each retrieval: ``total`` items, ``human`` and ``closers`` among those that are not open, ``open`` items, and how
    many open documents fail the gate (``failing``).  Of each pair: its items (``weight``), whether it ``fails`` the
    gate, and whether its class is ``unknown``.
    """

    policy: SynthesisPolicy
    counted: NDArray[np.bool_]
    total: NDArray[np.int64]
    human: NDArray[np.int64]
    closers: NDArray[np.int64]
    open: NDArray[np.int64]
    failing: NDArray[np.int64]
    unsettled: NDArray[np.bool_]
    owner: NDArray[np.int32]
    document: NDArray[np.int32]
    weight: NDArray[np.int64]
    fails: NDArray[np.bool_]
    unknown: NDArray[np.bool_]

    @staticmethod
    def of(statistics: Statistics, policy: SynthesisPolicy, waived: bool) -> _RetrievalCounts:
        if policy.top_k != statistics.top_k:
            raise SourceGuardError(
                f"statistics were made for top_k = {statistics.top_k}, the policy asks for {policy.top_k}"
            )
        size = len(statistics.retrievals)
        counted = ~statistics.profiles.creative[statistics.profile_of]
        counted &= statistics.profiles.entries[statistics.profile_of] > 0
        items = gather_open_items(statistics, policy, waived)
        of_counted = counted[items.owner]
        closed, pairs = of_counted & ~items.open, of_counted & items.open
        owner = items.owner

        def sum_weights(chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
            return np.bincount(owner[chosen], weights=items.weight[chosen], minlength=size).astype(np.int64)

        total, human, open_items = (sum_weights(chosen) for chosen in (of_counted, closed & items.human, pairs))
        closers = sum_weights(closed & items.closes)
        failing = np.bincount(owner[pairs & items.fails], minlength=size)
        best = decide_verdict(policy, human=human + open_items, total=total, closers=closers)
        worst = decide_verdict(policy, human=human, total=total, closers=closers + open_items)
        return _RetrievalCounts(
            policy=policy,
            counted=counted,
            total=total,
            human=human,
            closers=closers,
            open=open_items,
            failing=failing,
            unsettled=counted & ((failing > 0) | (best != worst)),
            owner=owner[pairs],
            document=items.document[pairs],
            weight=items.weight[pairs],
            fails=items.fails[pairs],
            unknown=items.unknown[pairs],
        )

    def find_settled_pairs(self, *, human: bool) -> NDArray[np.bool_]:
        """Mark the pairs whose retrieval is settled once the document is checked with this outcome."""
        at, weight = self.owner, self.weight
        found = self.human[at] + (weight if human else 0)
        closing = self.closers[at] + (0 if human else weight)
        left = self.open[at] - weight
        best = decide_verdict(self.policy, human=found + left, total=self.total[at], closers=closing)
        worst = decide_verdict(self.policy, human=found, total=self.total[at], closers=closing + left)
        settled: NDArray[np.bool_] = (self.failing[at] == self.fails) & (best == worst)
        return settled
