"""Sort the counted items of a retrieval into categories, which say all that gates 2 and 3 ask of an item.

Flows in: the class of a list entry, and whether it has a human source.  Flows out: ``Category``.
Rules kept here: among entries of one document the least trusted counts, and what any entry closes stays closed, so
that repeating a document under a better label gains nothing.
Not here: what closes the route (``rule.py``), which entries are judged (``items.py``, ``counting.py``).
"""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum
from typing import assert_never

from guard_core.judging.rule import closes_depth_1
from guard_core.model import AuthenticityClass, SynthesisPolicy


class Category(IntEnum):
    """The kind of a counted item.  The last one occurs only where documents are counted: a document with an entry of
    unknown class and an unanchored depth-1 entry, which closes the depth-1 route if either is asked for."""

    HUMAN = 0
    DEPTH_1_ANCHORED = 1
    DEPTH_1_UNANCHORED = 2
    DEEP = 3
    UNKNOWN = 4
    UNKNOWN_AND_UNANCHORED = 5


_CLOSERS = tuple(
    (
        category,
        category is Category.DEEP,
        category in (Category.UNKNOWN, Category.UNKNOWN_AND_UNANCHORED),
        category in (Category.DEPTH_1_UNANCHORED, Category.UNKNOWN_AND_UNANCHORED),
    )
    for category in Category
)
"""Each category with what ``closes_depth_1`` asks of an item: deep, unknown, unanchored."""


def find_category(authenticity: AuthenticityClass, anchored: bool) -> Category:
    """Return the category of a list entry; ``anchored`` says that it has a resolved human source."""
    match authenticity:
        case AuthenticityClass.HUMAN_AUTHORED:
            return Category.HUMAN
        case AuthenticityClass.SYNTHETIC_DEPTH_1:
            return Category.DEPTH_1_ANCHORED if anchored else Category.DEPTH_1_UNANCHORED
        case AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS:
            return Category.DEEP
        case AuthenticityClass.UNKNOWN:
            return Category.UNKNOWN
    assert_never(authenticity)


def merge_categories(entries: Collection[Category]) -> Category:
    """Return the category of a document with these entries: that of the least trusted one."""
    if Category.DEEP in entries:
        return Category.DEEP
    if Category.UNKNOWN in entries and Category.DEPTH_1_UNANCHORED in entries:
        return Category.UNKNOWN_AND_UNANCHORED
    return max(entries)


def find_closing_categories(policy: SynthesisPolicy) -> list[Category]:
    """Return the categories whose items close the depth-1 route (R50)."""
    return [
        category
        for category, deep, unknown, unanchored in _CLOSERS
        if closes_depth_1(policy, deep=deep, unknown=unknown, unanchored=unanchored)
    ]
