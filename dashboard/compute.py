"""Compute what pages show, each thing once, and shared between sessions.

Flows in: functions and immutable arguments.  Flows out: results.
Rules kept here: those of ``memo.py``; work that is seen to take time shows that it goes on.
Not here: what is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import streamlit as st

from dashboard.memo import Memo

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

STATISTICS, VERDICTS, RESULTS = Memo(8), Memo(128), Memo(64)
"""Memories by the size of what they hold: columns of a whole log, judgements of its profiles, what pages show."""


def compute(function: Callable[Arguments, Result], /, *arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
    """Return what ``function`` returns for these arguments, computed once."""
    return compute_in(RESULTS, function, *arguments, **named)


def compute_in(
    memo: Memo, function: Callable[Arguments, Result], /, *arguments: Arguments.args, **named: Arguments.kwargs
) -> Result:
    """Return the same from one of the memories; a spinner turns while it is computed."""
    if memo.holds(function, *arguments, **named):
        return memo.call(function, *arguments, **named)
    with st.spinner("Counting", show_time=True):
        return memo.call(function, *arguments, **named)
