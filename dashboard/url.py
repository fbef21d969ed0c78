"""Write a view into the parameters of a URL, and read it back.

Flows in: a ``View``, or the parameters of a URL, which anybody may have written.  Flows out: parameters, or a ``Link``.
Rules kept here: every value is validated like one in a policy file (R45); one that is refused is named and left out,
the others count; words are taken from closed lists, free text is bounded, ids stand for themselves byte for byte; a
default needs no parameter; a link never names a path and never makes a log readable, it only says for which log it
was made.
Not here: Streamlit's side of the URL (``controls/state.py``).

``PARAMETERS`` is the one table.  A new filter with its link is one row in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Protocol, TypeVar

from dashboard.view import (
    DEPTHS_BY,
    JUDGED,
    LISTINGS,
    SORTS,
    STORY_STEPS,
    TEXT_LIMIT,
    VALUES_LIMIT,
    WAIVED,
    View,
    is_name,
)
from guard_core.codes import VERDICT_WORDS
from guard_core.errors import PolicyError
from guard_core.judging.policy import (
    FIELDS,
    PRESETS,
    NamedPolicy,
    find_preset,
    list_policy_fields,
    parse_field,
    replace_fields,
)
from guard_core.model import Finding

FILE_NAME_LIMIT = 120
"""Characters of a log's file name in a link."""

_MINUTE = 60_000_000
_DIGEST = re.compile(r"[0-9a-f]{16}")

Value = TypeVar("Value")

Given = Mapping[str, Sequence[str]]
"""Parameters of a URL: a name may stand several times."""


@dataclass(frozen=True, slots=True)
class LogMark:
    """The log that a link was made for: the first 16 hex digits of its digest, and its file name for people."""

    digest: str
    file: str = ""

    @staticmethod
    def make(digest: str, file: str = "") -> LogMark:
        """Make the mark of a log from its whole digest."""
        return LogMark(digest.removeprefix("sha256:")[:16], file[:FILE_NAME_LIMIT])

    def marks(self, digest: str) -> bool:
        """Return whether this is the mark of the log with that digest."""
        return self.digest == LogMark.make(digest).digest


@dataclass(frozen=True, slots=True)
class Link:
    """What a URL asks for: a view, the log that it was made for, and a sentence for each value left out."""

    view: View
    log: LogMark | None = None
    refused: tuple[str, ...] = ()


class _Read(Protocol):
    def __call__(self, view: View, given: Given, refused: list[str]) -> View: ...


@dataclass(frozen=True, slots=True)
class Parameter:
    """One row of the table: the parameters that it owns, how they are written, and how they are read into a view."""

    names: tuple[str, ...]
    write: Callable[[View], Mapping[str, Sequence[str]]]
    read: _Read


def write_parameters(view: View, log: LogMark | None = None) -> dict[str, list[str]]:
    """Write a view and the log that it belongs to as parameters that :func:`read_parameters` reads back."""
    given: dict[str, Sequence[str]] = {}
    for row in PARAMETERS:
        given |= row.write(view)
    if log is not None:
        given |= {"log": [log.digest], "file": [log.file] if log.file else []}
    return {name: list(values) for name, values in given.items() if values}


def read_parameters(given: Given, start: NamedPolicy) -> Link:
    """Read what the parameters ask for; ``start`` is the policy where they name none."""
    refused: list[str] = []
    view = View(start, start)
    for row in PARAMETERS:
        if any(name in given for name in row.names):
            view = row.read(view, given, refused)
    digest = given["log"][-1] if "log" in given else None
    if digest is not None and not _DIGEST.fullmatch(digest):
        refused.append("log: not the mark of a log; allowed: 16 hex digits")
        digest = None
    log = None if digest is None else LogMark(digest, given.get("file", [""])[-1][:FILE_NAME_LIMIT])
    return Link(view, log, tuple(refused))


def parse_time(text: str, *, late: bool) -> int:
    """Return the microseconds of a minute (or a day) in UTC: its first, or with ``late`` its last.

    Raises ``PolicyError``.
    """
    for form, minutes in (("%Y-%m-%dT%H:%M", 1), ("%Y-%m-%d", 24 * 60)):
        try:
            at = datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
        first = round(at.timestamp()) * 1_000_000
        return first + minutes * _MINUTE - 1 if late else first
    raise PolicyError("time", "not a minute", "2026-07-01T09:30 or 2026-07-01, in UTC")


def format_time(at: int) -> str:
    """Return the minute of an instant, as :func:`parse_time` reads it."""
    return datetime.fromtimestamp(at // _MINUTE * 60, UTC).replace(tzinfo=None).isoformat(timespec="minutes")


def _format_time_value(value: object) -> str:
    return format_time(value) if isinstance(value, int) else ""


def _parse_text(text: str) -> str:
    if not is_name(text):
        raise PolicyError("text", "empty or too long", f"1 to {TEXT_LIMIT} characters")
    return text


def _parse_word(words: Sequence[str], text: str) -> str:
    if text not in words:
        raise PolicyError("word", "not one of the words", ", ".join(words))
    return text


def _parse_number(most: int, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 11 and 1 <= int(text) <= most):
        raise PolicyError("number", "not such a number", f"a whole number from 1 to {most}")
    return int(text)


def _accept(name: str, text: str, parse: Callable[[str], Value], refused: list[str]) -> Value | None:
    """Parse one value; where it is refused, add the sentence that says so."""
    try:
        return parse(text)
    except PolicyError as error:
        refused.append(f"{name}: {error.fault}; allowed: {error.allowed}")
        return None


def _get(view: View, path: str) -> object:
    part, _, name = path.rpartition(".")
    return getattr(getattr(view, part) if part else view, name)


def _put(view: View, path: str, value: object) -> View:
    part, _, name = path.rpartition(".")
    if part:
        return replace(view, **{part: replace(getattr(view, part), **{name: value})})
    return replace(view, **{name: value})  # type: ignore[arg-type]  # the row's parser makes the type of its field


def _one(name: str, path: str, parse: Callable[[str], object], form: Callable[[object], str] = str) -> Parameter:
    """Return the row of a field with one value."""

    def write(view: View) -> Mapping[str, Sequence[str]]:
        value = _get(view, path)
        return {} if value == _get(_DEFAULT, path) else {name: [form(value)]}

    def read(view: View, given: Given, refused: list[str]) -> View:
        value = _accept(name, given[name][-1], parse, refused)
        return view if value is None else _put(view, path, value)

    return Parameter((name,), write, read)


def _many(name: str, path: str, parse: Callable[[str], str] = _parse_text) -> Parameter:
    """Return the row of a field with several values, of which ``VALUES_LIMIT`` count."""

    def write(view: View) -> Mapping[str, Sequence[str]]:
        values: tuple[str, ...] = _get(view, path)  # type: ignore[assignment]  # fields of this kind hold texts
        return {name: values}

    def read(view: View, given: Given, refused: list[str]) -> View:
        texts = tuple(dict.fromkeys(given[name]))
        if len(texts) > VALUES_LIMIT:
            refused.append(f"{name}: too many; allowed: {VALUES_LIMIT}")
        values = (_accept(name, text, parse, refused) for text in texts[:VALUES_LIMIT])
        return _put(view, path, tuple(value for value in values if value is not None))

    return Parameter((name,), write, read)


def _policy(word: str, prefix: str, path: str) -> Parameter:
    """Return the row of a policy: its preset, and the fields that differ from it."""

    def write(view: View) -> Mapping[str, Sequence[str]]:
        named: NamedPolicy = _get(view, path)  # type: ignore[assignment]  # the two fields that hold policies
        usual = list_policy_fields(PRESETS[named.preset])
        changed = {name: value for name, value in list_policy_fields(named.policy).items() if value != usual[name]}
        return {word: [named.preset]} | {prefix + name: [_format_field(value)] for name, value in changed.items()}

    def read(view: View, given: Given, refused: list[str]) -> View:
        try:
            named = find_preset(given.get(word, ["reference"])[-1])
        except PolicyError as error:
            refused.append(str(error))
            named = find_preset("reference")
        for name in FIELDS:
            if prefix + name in given:
                try:
                    named = replace_fields(named, {name: parse_field(name, given[prefix + name][-1])})
                except PolicyError as error:
                    refused.append(str(error))
        return _put(view, path, named)

    return Parameter((word, *(prefix + name for name in FIELDS)), write, read)


def _format_field(value: bool | float | str | list[str] | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(value)
    return "none" if value is None else str(value)


def _write_order(view: View) -> Mapping[str, Sequence[str]]:
    usual = view.sort == SORTS[0] and not view.descending
    return {} if usual else {"sort": [("-" if view.descending else "") + view.sort]}


def _read_order(view: View, given: Given, refused: list[str]) -> View:
    text = given["sort"][-1]
    word = _accept("sort", text.removeprefix("-"), partial(_parse_word, SORTS), refused)
    return view if word is None else replace(view, sort=word, descending=text.startswith("-"))


def _write_retrieval(view: View) -> Mapping[str, Sequence[str]]:
    if view.retrieval is None:
        return {}
    query, occurrence = view.retrieval
    return {"retrieval": [query], "occurrence": [str(occurrence)] if occurrence > 1 else []}


def _read_retrieval(view: View, given: Given, refused: list[str]) -> View:
    if "retrieval" not in given:
        return view
    query = _accept("retrieval", given["retrieval"][-1], _parse_text, refused)
    number = given.get("occurrence", ["1"])[-1]
    occurrence = _accept("occurrence", number, partial(_parse_number, 2**31 - 1), refused)
    return view if query is None or occurrence is None else replace(view, retrieval=(query, occurrence))


def _write_family(view: View) -> Mapping[str, Sequence[str]]:
    if view.family is None:
        return {}
    name, resolved = view.family
    return {"family" if resolved else "unresolved": [name]}


def _read_family(view: View, given: Given, refused: list[str]) -> View:
    for word in ("family", "unresolved"):
        if word in given:
            name = _accept(word, given[word][-1], _parse_text, refused)
            view = view if name is None else replace(view, family=(name, word == "family"))
    return view


_DEFAULT = View(find_preset("reference"), find_preset("reference"))
_VERDICT = partial(_parse_word, VERDICT_WORDS)
_FINDING = partial(_parse_word, tuple(finding.value for finding in Finding))

PARAMETERS = (
    _policy("preset", "", "policy"),
    _policy("baseline", "baseline.", "baseline"),
    _one("reading", "verdicts", partial(_parse_word, (JUDGED, WAIVED))),
    _one("from", "selection.start", partial(parse_time, late=False), _format_time_value),
    _one("to", "selection.end", partial(parse_time, late=True), _format_time_value),
    _many("collection", "selection.collections"),
    _many("originator", "selection.originators"),
    _many("generator", "selection.generators"),
    _many("verdict", "selection.verdicts", _VERDICT),
    _many("finding", "selection.findings", _FINDING),
    _many("waived", "selection.waived", _VERDICT),
    _one("text", "selection.text", _parse_text),
    _one("with_document", "selection.document", _parse_text),
    _one("anchor", "selection.anchor", _parse_text),
    Parameter(("sort",), _write_order, _read_order),
    _one("page", "page", partial(_parse_number, 10**9)),
    Parameter(("retrieval", "occurrence"), _write_retrieval, _read_retrieval),
    Parameter(("family", "unresolved"), _write_family, _read_family),
    _one("document", "document", _parse_text),
    _one("depths", "depths", partial(_parse_word, DEPTHS_BY)),
    _one("list", "listing", partial(_parse_word, LISTINGS)),
    _many("out_document", "quarantine.documents"),
    _many("out_anchor", "quarantine.anchors"),
    _many("out_originator", "quarantine.originators"),
    _many("out_generator", "quarantine.generators"),
    _many("out_collection", "quarantine.collections"),
    _one("story", "story", partial(_parse_number, STORY_STEPS)),
    _many("distrust", "distrust.originators"),
    _many("compromised", "distrust.keys"),
)
"""Every parameter of a view, in the order in which they stand in a URL."""
