"""Derive what one basis states of a result: a class word and a depth become a class, a depth and, perhaps, a conflict.

Flows in: ``ClassWord`` codes and stated depths, of a log or a catalogue alike.  Flows out: ``StatedClasses``, and
where two bases disagree.
Rules kept here: R16's words as classes; where word and depth disagree the less trusted of the two counts (R30); a basis
without a class word says nothing, whatever depth stands beside it; what is not said never disagrees.
Not here: which basis counts (``guard_core.provenance.evidence``), depths proved by parents.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.codes import DEPTH_1, DEPTH_2_PLUS, HUMAN, UNKNOWN

_KEEP = -2
"""In the table of depths: the stated depth stands."""

# One row a ClassWord, one column for a depth that is not stated, 0, 1, or 2 and more.
_CLASSES = np.array(
    [
        [UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN],  # NONE
        [HUMAN, HUMAN, DEPTH_1, DEPTH_2_PLUS],  # HUMAN
        [DEPTH_2_PLUS, DEPTH_2_PLUS, DEPTH_1, DEPTH_2_PLUS],  # MODEL
        [DEPTH_2_PLUS, DEPTH_2_PLUS, DEPTH_1, DEPTH_2_PLUS],  # HYBRID
        [DEPTH_1, DEPTH_1, DEPTH_1, DEPTH_2_PLUS],  # SYNTHETIC_DEPTH_1
        [DEPTH_2_PLUS, DEPTH_2_PLUS, DEPTH_2_PLUS, DEPTH_2_PLUS],  # SYNTHETIC_DEPTH_2_PLUS
    ],
    np.uint8,
).ravel()
_DEPTHS = np.array(
    [
        [-1, -1, -1, -1],
        [0, 0, 1, _KEEP],
        [-1, -1, 1, _KEEP],
        [-1, -1, 1, _KEEP],
        [1, 1, 1, _KEEP],
        [-1, -1, -1, _KEEP],
    ],
    np.int32,
).ravel()
_CONFLICTS = np.array(
    [
        [False, False, False, False],
        [False, False, True, True],
        [False, True, False, False],
        [False, True, False, False],
        [False, True, False, True],
        [False, True, True, False],
    ]
).ravel()

# What a basis states: the four classes, or (4) "synthetic, at a depth that it does not say".
VAGUE = 4
_SAYS = _CLASSES.copy()
_SAYS[[8, 9, 12, 13]] = VAGUE  # MODEL and HYBRID, depth not stated or 0

_CLASS_DISAGREES = np.array(
    [
        # HUMAN  DEPTH_1 DEPTH_2+ UNKNOWN vague
        [False, True, True, False, True],
        [True, False, True, False, False],
        [True, True, False, False, False],
        [False, False, False, False, False],
        [True, False, False, False, False],
    ]
).ravel()


@dataclass(frozen=True, slots=True)
class StatedClasses:
    """What one basis states of results, as columns of equal length.

    ``classes`` are class codes, ``depths`` known depths or ``UNKNOWN_DEPTH``, ``conflicts`` marks word and depth that
    disagree (R30), ``stated`` is the class, or 4 for synthetic content whose depth is left open.
    """

    classes: NDArray[np.uint8]
    depths: NDArray[np.int32]
    conflicts: NDArray[np.bool_]
    stated: NDArray[np.uint8]


def derive_classes(words: NDArray[np.int8], depths: NDArray[np.int32]) -> StatedClasses:
    """Derive classes from ``ClassWord`` codes and stated depths (-1: none stated), by R30."""
    cell = np.minimum(depths, 2).astype(np.int8)
    cell += 1
    cell += words * np.int8(4)
    read = _DEPTHS.take(cell)
    keep = read == _KEEP
    if keep.any():
        np.copyto(read, depths, where=keep)
    return StatedClasses(_CLASSES.take(cell), read, _CONFLICTS.take(cell), _SAYS.take(cell))


def mark_class_conflicts(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Mark where two bases (``stated``) name classes that cannot both be right; a missing class never conflicts."""
    return _CLASS_DISAGREES.take(one * np.uint8(5) + other)


def mark_depth_conflicts(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Mark where both bases know a synthetic depth and the two differ."""
    result: NDArray[np.bool_] = (one > 0) & (other > 0) & (one != other)
    return result
