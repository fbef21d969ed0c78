"""Number the members of each enum: one table per enum of the codes that stand for them in columns.

Flows in: the enums of ``model.py``.  Flows out: ``CodeTable``, one table of each enum, and names for the codes that
calculations compare with.
Rules kept here: a member's code is its place in its enum and its bit is ``1 << code``; an enum with a member more or
less than the names below expect fails when this module is imported.
Not here: what a member means (``model.py``), its sentence on screen (``dashboard/words.py``).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Generic, TypeVar

import numpy as np

from guard_core.model import (
    NO_RESULTS,
    Applicability,
    AuthenticityClass,
    Basis,
    Conflict,
    CountUnit,
    Decision,
    Finding,
    SignatureGate,
    SignatureStatus,
    SynthesisVerdict,
)

Member = TypeVar("Member", bound=Enum)
Bits = TypeVar("Bits", bound=np.unsignedinteger)


class CodeTable(Generic[Member]):
    """The members of an enum, each with its code (``uint8``)."""

    __slots__ = ("_codes", "members")

    def __init__(self, kind: type[Member]) -> None:
        self.members = tuple(kind)
        self._codes = {member: np.uint8(place) for place, member in enumerate(self.members)}

    def __len__(self) -> int:
        return len(self.members)

    def code(self, member: Member) -> np.uint8:
        """Return the code of a member."""
        return self._codes[member]

    def member(self, code: int | np.integer) -> Member:
        """Return the member of a code."""
        return self.members[code]


class FlagTable(CodeTable[Member], Generic[Member, Bits]):
    """The members of an enum, each with its bit, for columns that hold several members at once."""

    __slots__ = ("_bits", "_width")

    def __init__(self, kind: type[Member], width: type[Bits]) -> None:
        super().__init__(kind)
        self._width: type[Bits] = width
        self._bits: dict[Member, Bits] = {member: width(1 << place) for place, member in enumerate(self.members)}

    def bit(self, member: Member) -> Bits:
        """Return the bit of a member."""
        return self._bits[member]

    def bits(self, members: Iterable[Member]) -> Bits:
        """Return the bits of some members together."""
        return self._width(sum(int(self._bits[member]) for member in set(members)))

    def flagged(self, bits: int | np.integer) -> tuple[Member, ...]:
        """Return the members whose bit is set, in the order of the enum."""
        return tuple(member for member, bit in self._bits.items() if bits & bit)


CLASSES = CodeTable(AuthenticityClass)
BASES = CodeTable(Basis)
STATUSES = CodeTable(SignatureStatus)
GATES = CodeTable(SignatureGate)
UNITS = CodeTable(CountUnit)
VERDICTS = CodeTable(SynthesisVerdict)
DECISIONS = CodeTable(Decision)
APPLICABILITIES = CodeTable(Applicability)
CONFLICTS = FlagTable(Conflict, np.uint8)
FINDINGS = FlagTable(Finding, np.uint16)

HUMAN, DEPTH_1, DEPTH_2_PLUS, UNKNOWN = range(len(CLASSES))
"""Class codes; a greater code is less trusted (R27)."""

UNKNOWN_DEPTH = -1
"""Stands in columns of depths where no depth is known."""

GROUNDED, DEPTH_1_ACCEPTABLE, EXCESSIVE, UNVERIFIED, NOTHING = range(len(VERDICTS) + 1)
"""Verdict codes; the last stands for a retrieval with zero results."""

VERDICT_WORDS = (*(verdict.name for verdict in VERDICTS.members), NO_RESULTS)
"""The word of each verdict code."""

PROCEED, HALT, UNDECIDED = range(len(DECISIONS) + 1)
"""Decision codes; the last stands for a retrieval with zero results."""

DECISION_WORDS = (*(decision.name for decision in DECISIONS.members), None)
"""The word of each decision code."""

APPLIES, HUMAN_ONLY, CREATIVE_TASK, INAPPLICABLE = range(len(APPLICABILITIES) + 1)
"""Applicability codes; the last stands for a retrieval with zero results."""

RESULTS, DOCUMENTS = range(len(UNITS))
"""Codes of what is counted."""

NO_MARGIN = -1
"""Stands in columns of margins for ``None``."""
