"""Read the language of ``case.json``: paths into an output, and assertions about what they find.

Flows in: what one run of the command line left behind, and assertions.  Flows out: the sentence that says which one
does not hold, or ``None``.
Rules kept here: JSON is taken as the standard has it (no NaN, no repeated member); 1 equals 1.0, true does not equal 1.
Not here: running the command line (``test_cases.py``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

_STEP = re.compile(
    r'\.?(?P<name>[^.\[\]]+)|\[(?P<key>[^=\]]+)=(?P<value>"(?:[^"\\]|\\.)*"|[^\]]*)\]|\[(?P<index>\d+)\]'
)
_CLOSE = 1e-6

Assertion = Mapping[str, object]


class Absent:
    """Stand for what a path finds that leads nowhere."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT = Absent()


@dataclass
class Output:
    """Hold one run: its exit status and what it wrote."""

    status: int
    stdout: str
    stderr: str

    @cached_property
    def json(self) -> object:
        """Standard output as strict JSON."""
        return json.loads(self.stdout, parse_constant=_no_constant, object_pairs_hook=_members)

    def find(self, path: str) -> object:
        """Return the value at ``path``, ``ABSENT`` if there is none."""
        raw: dict[str, object] = {"@exit": self.status, "@stdout": self.stdout, "@stderr": self.stderr}
        return raw[path] if path in raw else follow_path(self.json, path)


def _no_constant(word: str) -> object:
    raise ValueError(f"{word} is not JSON")


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a member is repeated")
    return dict(pairs)


def follow_path(value: object, path: str) -> object:
    """Return the value at the end of a path through decoded JSON."""
    position = 0
    while position < len(path):
        step = _STEP.match(path, position)
        assert step, f"not a path: {path!r} at {position}"
        position = step.end()
        if step["name"] is not None:
            value = value.get(step["name"], ABSENT) if isinstance(value, dict) else ABSENT
        elif step["index"] is not None:
            index = int(step["index"])
            value = value[index] if isinstance(value, list) and index < len(value) else ABSENT
        else:
            value = _select(value, step["key"], step["value"], path)
        if value is ABSENT:
            return ABSENT
    return value


def _select(value: object, key: str, wanted: str, path: str) -> object:
    """Return the one element of a list whose member ``key`` is ``wanted``."""
    text = json.loads(wanted) if wanted.startswith('"') else wanted
    elements = value if isinstance(value, list) else []
    hits = [e for e in elements if isinstance(e, dict) and key in e and _as_text(e[key]) == text]
    assert len(hits) < 2, f"{path}: {len(hits)} elements have {key}={wanted}"
    return hits[0] if hits else ABSENT


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def are_equal(a: object, b: object) -> bool:
    """Return whether two JSON values are equal; 1 equals 1.0, and true does not equal 1."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(are_equal(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(are_equal(a[key], b[key]) for key in a)
    return a == b


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _close(found: object, expected: object) -> bool:
    one, other = _number(found), _number(expected)
    return one is not None and other is not None and abs(one - other) <= _CLOSE


_OPERATORS: dict[str, Callable[[object, object], bool]] = {
    "equals": are_equal,
    "one_of": lambda found, expected: isinstance(expected, list) and any(are_equal(found, e) for e in expected),
    "close": _close,
    "length": lambda found, expected: isinstance(found, (list, str)) and len(found) == expected,
    "contains": lambda found, expected: (
        (isinstance(found, list) and expected in found)
        or (isinstance(found, str) and isinstance(expected, str) and expected in found)
    ),
    "matches": lambda found, expected: (
        isinstance(found, str) and isinstance(expected, str) and re.search(expected, found) is not None
    ),
    "exists": lambda found, expected: (found is not ABSENT) == expected,
}


def find_failure(assertion: Assertion, output: Output) -> str | None:
    """Say why an assertion does not hold; ``None`` if it does."""
    path = str(assertion["path"])
    found = output.find(path)
    operator = next(name for name in _OPERATORS if name in assertion)
    if _OPERATORS[operator](found, assertion[operator]):
        return None
    return f"{path}: found {repr(found)[:160]}, expected {operator} {assertion[operator]!r}"


def find_first_failure(assertions: Sequence[Assertion], output: Output) -> str | None:
    """Say of the first assertion that does not hold why; ``None`` if all hold."""
    return next((why for a in assertions if (why := find_failure(a, output)) is not None), None)
