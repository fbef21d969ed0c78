"""State the rule in its smallest parts, each written once and used for one retrieval and for whole logs alike.

Flows in: a policy, and marks, counts and codes of one retrieval (numbers) or of many (arrays of one length).
Flows out: the same kinds; ``bool`` and ``int`` take what comes of numbers.
Rules kept here, in this order:

1. Gate 1: every judged result passes the signature gate (R46, R64), else UNVERIFIED.
2. Gate 2: human / total >= minimum gives GROUNDED (R48).
3. Gate 3: if depth 1 is allowed and no item closes that route (R50), DEPTH_1_ACCEPTABLE, else EXCESSIVE.
4. A finding never changes the verdict; one that the policy halts on turns PROCEED into HALT.

Everything that judges calls these: ``guard.py`` (one result list), ``judge.py`` (whole logs), ``whatif.py``,
``guard_core/corpus/leverage.py`` and the dashboard's charts.
Not here: what is counted (``items.py``, ``counting.py``), findings (``findings.py``), sentences (``guard.py``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar, assert_never, cast

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import DEPTH_1_ACCEPTABLE, EXCESSIVE, GROUNDED, HUMAN_ONLY, UNVERIFIED
from guard_core.model import SignatureGate, SynthesisPolicy

Mark = TypeVar("Mark", bool, NDArray[np.bool_])
Counts: TypeAlias = "int | NDArray[np.signedinteger]"
Codes: TypeAlias = "int | NDArray[np.uint8]"


@dataclass(frozen=True, slots=True)
class ClaimMarks(Generic[Mark]):
    """What is known of a result beside its class.

    ``present`` says that it carries a claim that is valid or that nobody checked, ``valid`` that its claim is valid,
    ``refused`` that its claim was checked and is not valid, ``catalogued`` that the catalogue gives a class that
    counts.
    """

    present: Mark
    valid: Mark
    refused: Mark
    catalogued: Mark


def passes_gate(gate: SignatureGate, claims: ClaimMarks[Mark]) -> Mark:
    """Return whether a result passes gate 1 (R46, R64)."""
    match gate:
        case SignatureGate.PRESENT:
            return claims.present
        case SignatureGate.VERIFIED:
            return claims.valid
        case SignatureGate.CATALOGUED:
            return claims.valid | claims.catalogued
        case SignatureGate.IGNORED:
            return claims.valid | True
    assert_never(gate)


def is_untraced(
    claims: ClaimMarks[Mark], *, unknown: Mark, contradicted: Mark, synthetic: Mark, anchored: Mark
) -> Mark:
    """Return whether a result cannot be traced to who wrote it (finding ``source_attribution_loss``).

    ``unknown`` and ``synthetic`` are marks of its class, ``contradicted`` of a conflict about its class or text;
    ``anchored`` says that it has a resolved human source.
    """
    vouched = claims.valid | claims.catalogued
    return unknown | (vouched ^ True) | contradicted | claims.refused | (synthetic & (anchored ^ True))


def closes_depth_1(policy: SynthesisPolicy, *, deep: Mark, unknown: Mark, unanchored: Mark) -> Mark:
    """Return whether an item closes the depth-1 route under ``policy`` (R50).

    ``deep``, ``unknown`` and ``unanchored`` say that an entry of the item is synthetic of depth 2 or more, of unknown
    class, or of depth 1 without a resolved human source.
    """
    return deep | (unknown & (not policy.allow_unknown)) | (unanchored & policy.require_anchor)


def grounding_ratio(human: Counts, total: Counts) -> NDArray[np.float64]:
    """Return the share of human items; 0 over nothing."""
    return cast("NDArray[np.float64]", human / (total + (total == 0)))


def is_grounded(human: Counts, total: Counts, minimum: float) -> NDArray[np.bool_]:
    """Return whether the share of human items reaches the minimum: gate 2 (R48)."""
    return grounding_ratio(human, total) >= minimum


def required_human(total: int, minimum: float) -> int | None:
    """Return the least number of human items of ``total`` that is grounded; ``None`` if even all are too few.

    "Needs 3 of 5" beside the slider is this number.
    """
    if math.isnan(minimum) or minimum > 1.0:
        return None
    if minimum <= 0.0:
        return 0
    least = math.ceil(minimum * total)
    while least > 0 and is_grounded(least - 1, total, minimum):
        least -= 1
    while not is_grounded(least, total, minimum):
        least += 1
    return least


def decide_verdict(policy: SynthesisPolicy, *, human: Counts, total: Counts, closers: Counts) -> NDArray[np.uint8]:
    """Return verdict codes by gates 2 and 3, as if every result passed gate 1.

    ``closers`` counts the items that close the depth-1 route.
    """
    by_depth = _choose((closers == 0) & policy.allow_depth_1_synthetic, DEPTH_1_ACCEPTABLE, EXCESSIVE)
    grounded = is_grounded(human, total, policy.min_human_grounding_ratio)
    return cast("NDArray[np.uint8]", _choose(grounded, GROUNDED, by_depth))


def apply_gate(verdict: Codes, passes: bool | NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return verdict codes with gate 1 applied; ``passes`` says that every judged result passes it."""
    return cast("NDArray[np.uint8]", _choose(passes, verdict, UNVERIFIED))


def _choose(where: bool | NDArray[np.bool_], one: Codes, other: Codes) -> Codes:
    """Return ``one`` where the mark holds, else ``other``; without numpy for a single mark, which is far faster."""
    if isinstance(where, bool):
        return one if where else other
    return np.where(where, np.asarray(one, np.uint8), np.asarray(other, np.uint8))


def may_proceed(verdict: Codes, applicability: Codes, halted: bool | NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether the decision is PROCEED; ``halted`` says that the policy halts on a finding."""
    stands = (verdict <= DEPTH_1_ACCEPTABLE) | (applicability == HUMAN_ONLY)
    return cast("NDArray[np.bool_]", stands & (halted ^ True))
