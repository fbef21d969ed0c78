"""Remember what functions returned, by the function and the very arguments that it was called with.

Flows in: functions at the top of a module, and immutable arguments.  Flows out: what they return, computed once.
Rules kept here: a key is derived from the call, never written by hand; plain values stand for themselves, evidence and
what else has a digest for its digest, other frozen dataclasses for their fields, and what a ``Memo`` holds for the call
that made it; a call with any other argument is made each time, as nothing tells that argument from another; results
are shared between sessions, so they are immutable; only the results of the last calls are kept.
Not here: what is computed (``guard_core``, ``views``), which retrievals of a log (``filtered_log.py``).
"""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from enum import Enum
from typing import ClassVar, ParamSpec, TypeVar
from weakref import WeakSet

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_PLAIN = (str, int, float, bool, bytes, type(None))


class Memo:
    """The results of the last ``most`` different calls."""

    _memos: ClassVar[WeakSet[Memo]] = WeakSet()
    _lock: ClassVar[threading.RLock] = threading.RLock()

    def __init__(self, most: int) -> None:
        self._most = most
        self._results: OrderedDict[Hashable, object] = OrderedDict()
        self._turns: dict[Hashable, threading.Lock] = {}
        self.made_by: dict[int, Hashable] = {}
        """The call that made each result held, by the identity of the result."""
        self._memos.add(self)

    def call(
        self, function: Callable[Arguments, Result], /, *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Result:
        """Return what ``function`` returns for these arguments; it must depend on nothing else.

        Raises ``TypeError`` for a function that holds values of its own (a lambda, a method, a partial).
        """
        key = self.identify(function, *arguments, **named)
        if key is None:
            return function(*arguments, **named)
        with self._lock:
            turn = self._turns.setdefault(key, threading.Lock())
        try:
            with turn:  # sessions that ask for the same wait for the first
                with self._lock:
                    if key in self._results:
                        self._results.move_to_end(key)
                        return self._results[key]  # type: ignore[return-value]  # the key names the function
                result = function(*arguments, **named)
                return self._keep(key, result)
        finally:
            with self._lock:
                self._turns.pop(key, None)

    def _keep(self, key: Hashable, result: Result) -> Result:
        """Return what is held for this call, which is ``result`` unless another session made it meanwhile.

        That happens only where the first call failed, and one that waited for it and a later one were made at once.
        """
        with self._lock:
            if key in self._results:
                return self._results[key]  # type: ignore[return-value]  # as in ``call``
            self._results[key] = result
            self.made_by.setdefault(id(result), key)
            while len(self._results) > self._most:
                self._drop(*self._results.popitem(last=False))
        return result

    def _drop(self, key: Hashable, result: object) -> None:
        if self.made_by.get(id(result)) == key:
            del self.made_by[id(result)]

    def holds(
        self, function: Callable[Arguments, Result], /, *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> bool:
        """Return whether the result of this call is held."""
        key = self.identify(function, *arguments, **named)
        with self._lock:
            return key is not None and key in self._results

    @classmethod
    def identify(
        cls, function: Callable[Arguments, object], /, *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Hashable | None:
        """Return the key of a call, ``None`` if an argument has no identity."""
        name = getattr(function, "__qualname__", "<")
        if "<" in name or getattr(function, "__self__", None) is not None:
            raise TypeError(f"{name} may hold values that its arguments do not show: give a function of a module")
        try:
            values = tuple(cls._identify(value) for value in arguments)
            return (
                function.__module__,
                name,
                values,
                tuple((word, cls._identify(named[word])) for word in sorted(named)),
            )
        except _UnknownError:
            return None

    @classmethod
    def _identify(cls, value: object) -> Hashable:
        if isinstance(value, Enum):
            return type(value).__qualname__, value.name
        if isinstance(value, _PLAIN):
            return type(value).__name__, value
        if isinstance(value, tuple):
            return tuple(cls._identify(item) for item in value)
        with cls._lock:
            made = next((memo.made_by[id(value)] for memo in cls._memos if id(value) in memo.made_by), None)
        if made is not None:
            return made
        digest = getattr(value, "digest", None)
        if isinstance(digest, str):
            return type(value).__qualname__, digest
        if dataclasses.is_dataclass(value) and type(value).__hash__ is not None:  # frozen, or known by identity
            fields = (cls._identify(getattr(value, field.name)) for field in dataclasses.fields(value))
            return type(value).__qualname__, *fields
        raise _UnknownError


class _UnknownError(Exception):
    """An argument has no identity."""
