"""A call is made once for its arguments, and never answered with the result of another."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Event, Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dashboard.memo import Memo
from guard_core.judging.policy import find_preset

CALLS: list[tuple[object, ...]] = []

PLAIN = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, "", "1", "a"])
ARGUMENTS = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=2).map(tuple), max_leaves=4)


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    values: NDArray[np.int64]


def record(*arguments: object) -> tuple[object, ...]:
    CALLS.append(arguments)
    return ("made of", *arguments)


def make_column(size: int) -> Column:
    CALLS.append((size,))
    return Column(np.arange(size))


def sum_column(column: Column) -> int:
    CALLS.append((column,))
    return int(column.values.sum())


@given(st.lists(st.tuples(ARGUMENTS, ARGUMENTS), max_size=12))
def test_the_result_is_that_of_the_very_arguments(calls: list[tuple[object, object]]) -> None:
    memo, CALLS[:] = Memo(100), []
    for first, second in calls * 2:
        found = memo.call(record, first, second)
        assert repr(found) == repr(("made of", first, second))  # 1, 1.0 and True are equal and not the same
    assert len(CALLS) == len({repr(call) for call in calls})


def test_what_a_memo_made_stands_for_its_call() -> None:
    memo, CALLS[:] = Memo(10), []
    for _ in range(2):
        assert memo.call(sum_column, memo.call(make_column, 4)) == 6
        assert memo.call(sum_column, memo.call(make_column, 5)) == 10
    assert len(CALLS) == 4


def test_an_argument_without_identity_is_never_mistaken_for_another() -> None:
    memo = Memo(10)
    assert [memo.call(sum_column, Column(np.arange(size))) for size in (2, 3, 4)] == [1, 3, 6]
    assert not memo.holds(sum_column, Column(np.arange(2)))


def test_the_results_asked_for_last_are_kept() -> None:
    memo, CALLS[:] = Memo(2), []
    for size in (1, 2, 1, 3, 1):
        memo.call(make_column, size)
    assert [call[0] for call in CALLS] == [1, 2, 3]
    assert memo.holds(make_column, 1)
    assert not memo.holds(make_column, 2)


def test_frozen_dataclasses_stand_for_their_fields() -> None:
    memo, CALLS[:] = Memo(10), []
    memo.call(record, find_preset("strict"))
    memo.call(record, find_preset("strict"))
    memo.call(record, find_preset("reference"))
    assert len(CALLS) == 2


@pytest.mark.parametrize("function", [lambda: 1, partial(record, 1), [].append], ids=("lambda", "partial", "method"))
def test_a_function_that_may_hold_values_is_refused(function: object) -> None:
    with pytest.raises(TypeError, match="give a function"):
        Memo(1).call(function)  # type: ignore[arg-type]  # what is refused


STEPS: list[tuple[Event, Event]] = []


def fail_first(size: int) -> Column:
    step = len(CALLS)
    CALLS.append((size,))
    begun, released = STEPS[step]
    begun.set()
    assert released.wait(10)
    if step == 0:
        raise ValueError
    return Column(np.arange(size))


def test_a_call_that_failed_leaves_one_result_of_those_that_waited() -> None:
    memo, CALLS[:] = Memo(4), []
    STEPS[:] = [(Event(), Event()) for _ in range(3)]
    found: list[Column] = []

    def ask() -> None:
        with suppress(ValueError):
            found.append(memo.call(fail_first, 3))

    threads = [Thread(target=ask) for _ in range(3)]
    threads[0].start()
    assert STEPS[0][0].wait(10)
    threads[1].start()
    threads[1].join(0.2)  # it waits for the first
    STEPS[0][1].set()
    threads[0].join()
    assert STEPS[1][0].wait(10)
    threads[2].start()
    STEPS[2][1].set()
    threads[2].join(0.5)
    STEPS[1][1].set()
    for thread in threads:
        thread.join()
    assert len(found) == 2
    assert found[0] is found[1]
    assert memo.made_by == {id(found[0]): Memo.identify(fail_first, 3)}


def test_sessions_that_ask_for_the_same_share_one_call() -> None:
    memo, CALLS[:] = Memo(4), []
    threads = [Thread(target=memo.call, args=(make_column, 1000)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(CALLS) == 1
