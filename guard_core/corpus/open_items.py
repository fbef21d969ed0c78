"""Gather the judged results of a policy as counted items, those of open documents together.

Flows in: ``Statistics`` and a policy.  Flows out: ``OpenItems``.
Rules kept here: a result is open where the policy does not know its class, or where it does not pass the signature
gate; a document is open in a retrieval where one of its judged results there is, and is then one item with all of them;
a depth-1 route that any entry of a document closes stays closed, as in judging.
Not here: what checking an item would settle (``leverage.py``).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import DEPTH_1, DEPTH_2_PLUS, HUMAN, UNKNOWN
from guard_core.columns import pair_codes
from guard_core.judging.counting import mark_claims
from guard_core.judging.masses import count_repeats
from guard_core.judging.rule import closes_depth_1, passes_gate
from guard_core.judging.statistics import Statistics
from guard_core.model import CountUnit, SignatureGate, SynthesisPolicy


@dataclass(frozen=True, slots=True)
class OpenItems:
    """Hold what is counted: judged results, or documents with all their judged results in a retrieval.

    An open document is always one item, of the ``weight`` of all its results where results are counted.  ``owner`` is
    the retrieval; items that ``fails`` marks do not pass the gate, and those that ``closes`` marks close the route.
    """

    owner: NDArray[np.int32]
    document: NDArray[np.int32]
    weight: NDArray[np.int64]
    open: NDArray[np.bool_]
    fails: NDArray[np.bool_]
    unknown: NDArray[np.bool_]
    human: NDArray[np.bool_]
    closes: NDArray[np.bool_]


def gather_open_items(statistics: Statistics, policy: SynthesisPolicy, waived: bool) -> OpenItems:
    """Return the judged results as items.

    Results of one document in one retrieval are one item where documents are counted, or where one of them is open.
    """
    evidence, rows = statistics.evidence, statistics.rows
    belief = policy.belief
    classes = statistics.classes(belief)
    anchors = evidence.under(belief).anchors
    unanchored = np.diff(anchors.offsets)[rows] == 0
    unknown = classes == UNKNOWN
    gate = SignatureGate.IGNORED if waived else policy.signatures
    fails = ~passes_gate(gate, mark_claims(evidence, rows))
    document = evidence.log.document_ids.codes[rows]
    single = OpenItems(
        owner=statistics.owner,
        document=document,
        weight=np.ones(len(classes), np.int64),
        open=unknown | fails,
        fails=fails,
        unknown=unknown,
        human=classes == HUMAN,
        closes=closes_depth_1(
            policy, deep=classes == DEPTH_2_PLUS, unknown=unknown, unanchored=(classes == DEPTH_1) & unanchored
        ),
    )
    longest = int(statistics.profiles.entries.max(initial=0))
    repeated = np.flatnonzero(count_repeats(document, statistics.owner, longest) > 1)
    if not len(repeated):
        return single
    return _merge_repeated(single, repeated, policy.count is CountUnit.DOCUMENTS)


def _merge_repeated(items: OpenItems, repeated: NDArray[np.intp], documents: bool) -> OpenItems:
    """Put the ``repeated`` items together: all of them where ``documents`` are counted, else those of open ones."""
    key = pair_codes(items.owner[repeated], items.document[repeated])
    groups, inverse = np.unique(key, return_inverse=True)

    def holds(marks: NDArray[np.bool_]) -> NDArray[np.bool_]:
        out = np.zeros(len(groups), bool)
        out[inverse[marks[repeated]]] = True
        return out

    is_open = holds(items.open)
    merged = np.full(len(groups), True) if documents else is_open
    alone = np.ones(len(items.owner), bool)
    alone[repeated[merged[inverse]]] = False
    size = np.ones(len(groups), np.int64) if documents else np.bincount(inverse, minlength=len(groups))
    together = OpenItems(
        owner=(groups >> 32).astype(np.int32),
        document=(groups & 0xFFFFFFFF).astype(np.int32),
        weight=size,
        open=is_open,
        fails=holds(items.fails),
        unknown=holds(items.unknown),
        human=~holds(~items.human),
        closes=holds(items.closes),
    )
    return OpenItems(
        *(
            np.append(getattr(items, field.name)[alone], getattr(together, field.name)[merged])
            for field in dataclasses.fields(OpenItems)
        )
    )
