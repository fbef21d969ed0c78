"""What is looked at, as URL parameters and back: the filter, the search, what is opened, the story.

Flows in: a ``Look``, or the parameters of a URL, which anybody may have written.  Flows out: parameters, or a ``Look``.
Rules kept here: every value is validated like one in a policy file (R45), one that is refused is named and left out,
the others count; closed words are taken from the closed lists, free text is bounded; ids stand for themselves, byte
for byte.
Not here: the policy and the log of a link (``links.py``), Streamlit's side of the URL (``controls``).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from guard_core.codes import VERDICT_WORDS
from guard_core.corpus.quarantine import Quarantine
from guard_core.errors import PolicyError
from guard_core.judging.selection import Selection
from guard_core.model import Finding

TEXT_LIMIT = 500
"""Characters of one free text in a link."""

VALUES_LIMIT = 50
"""Values of one field in a link."""

SORTS = ("log", "time", "ratio", "sources", "entries", "margin", "depth")
"""What retrievals can be sorted by; ``log`` is the order of the log."""

DEPTHS_BY = ("rank", "originator", "generator", "month")
"""What the depths of results can be split by."""

LISTINGS = ("retrieved", "check")
"""Lists of documents: those retrieved most often, and those to check first."""

STORY_STEPS = 5

_MINUTE = 60_000_000
_LISTS = {
    "collection": "collections",
    "originator": "originators",
    "generator": "generators",
    "verdict": "verdicts",
    "finding": "findings",
    "waived": "waived",
}
_WORDS: dict[str, tuple[str, ...]] = {
    "verdict": VERDICT_WORDS,
    "waived": VERDICT_WORDS,
    "finding": tuple(finding.value for finding in Finding),
}
_TEXTS = {"text": "text", "with_document": "document", "anchor": "anchor"}
"""Parameters of the search and their fields; ``document`` alone is the opened document."""


_OUT = {
    "out_document": "documents",
    "out_anchor": "anchors",
    "out_originator": "originators",
    "out_generator": "generators",
    "out_collection": "collections",
}
"""What is taken out, for a what-if."""

Value = TypeVar("Value")

Given = Mapping[str, Sequence[str]]
"""Parameters of a URL: a name may stand several times."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a session looks at.

    ``retrieval`` is an opened retrieval: query id and occurrence.  ``family`` an opened anchor family: its name, and
    whether it is resolved.  ``document`` the id of an opened document.  ``depths`` what depths are split by, empty for
    nothing.  ``listing`` is one of ``LISTINGS``, ``out`` what is taken out for a what-if.  ``story`` the step of the
    story, from 1; ``None`` while it is not told.
    """

    selection: Selection = field(default_factory=Selection)
    sort: str = "log"
    descending: bool = False
    page: int = 1
    retrieval: tuple[str, int] | None = None
    family: tuple[str, bool] | None = None
    story: int | None = None
    document: str | None = None
    depths: str = ""
    listing: str = LISTINGS[0]
    out: Quarantine = field(default_factory=Quarantine)


PICKED = (
    "start", "end", "collections", "originators", "generators", "verdicts", "findings", "waived",
    "text", "document", "anchor",
)  # fmt: skip
"""Fields of a selection, each of which has a control of its name."""

NOTHING_PICKED: dict[str, object] = {name: getattr(Selection(), name) for name in PICKED}


def everywhere(selection: Selection) -> Selection:
    """The part of a selection that holds on every page; the rest is the search of the page Retrievals."""
    return dataclasses.replace(selection, waived=(), text="", document="", anchor="")


def with_selection(look: Look, fields: Mapping[str, object]) -> Look:
    """The look with some fields of its selection replaced, from the first page on."""
    chosen = dataclasses.replace(look.selection, **fields)  # type: ignore[arg-type]  # fields of a selection
    return look if chosen == look.selection else dataclasses.replace(look, selection=chosen, page=1)


def picked(look: Look, said: Mapping[str, object]) -> Look:
    """The look with what controls say; what none of them could say is left out."""
    fields: dict[str, object] = {}
    for name, value in said.items():
        if name in ("start", "end"):
            late = name == "end"
            fields[name] = moment(_minute(value), late=late) if isinstance(value, datetime) else None
        elif isinstance(value, (list, tuple)):
            kept = [str(word) for word in value if _may_stand(name, str(word))]
            fields[name] = tuple(kept[:VALUES_LIMIT])
        else:
            fields[name] = str(value or "")[:TEXT_LIMIT].replace("\0", "")
    return with_selection(look, fields)


def _minute(value: datetime) -> str:
    """A control's time as :func:`moment` reads it; strftime writes years before 1000 with fewer than four digits."""
    return value.replace(tzinfo=None).isoformat(timespec="minutes")


def shown_moment(value: int | None) -> datetime | None:
    """A time of a selection as its control shows it, in UTC without saying so."""
    return None if value is None else datetime.fromisoformat(moment_text(value))


def shown_as(selection: Selection) -> dict[str, object]:
    """What the control of each field shows."""
    shown: dict[str, object] = {}
    for name in PICKED:
        value = getattr(selection, name)
        if name in ("start", "end"):
            shown[name] = shown_moment(value)
        else:
            shown[name] = list(value) if isinstance(value, tuple) else value
    return shown


OUT = tuple(_OUT.values())
"""Fields of a quarantine, each of which has a control of its name."""


def taken_out(look: Look, said: Mapping[str, Sequence[object]]) -> Look:
    """The look with these fields of what is taken out replaced; what no name can be is left out."""
    fields = {name: _names([str(value) for value in values]) for name, values in said.items() if name in OUT}
    return dataclasses.replace(look, out=dataclasses.replace(look.out, **fields))


def _names(values: Sequence[str]) -> tuple[str, ...]:
    kept = dict.fromkeys(value for value in values if 0 < len(value) <= TEXT_LIMIT and "\0" not in value)
    return tuple(kept)[:VALUES_LIMIT]


def _may_stand(attribute: str, text: str) -> bool:
    name = next(word for word, of in _LISTS.items() if of == attribute)
    return text in _WORDS[name] if name in _WORDS else 0 < len(text) <= TEXT_LIMIT and "\0" not in text


def parameters(look: Look) -> dict[str, list[str]]:
    """The parameters that :func:`read` reads back; what is as it always is stands in none."""
    chosen = look.selection
    given: dict[str, list[str]] = {}
    for name, moment in (("from", chosen.start), ("to", chosen.end)):
        if moment is not None:
            given[name] = [moment_text(moment)]
    given |= {name: list(getattr(chosen, attribute)) for name, attribute in _LISTS.items()}
    given |= {name: [getattr(chosen, attribute)] for name, attribute in _TEXTS.items() if getattr(chosen, attribute)}
    if look.sort != "log" or look.descending:
        given["sort"] = [("-" if look.descending else "") + look.sort]
    if look.page > 1:
        given["page"] = [str(look.page)]
    if look.retrieval is not None:
        query, occurrence = look.retrieval
        given |= {"retrieval": [query]} | ({"occurrence": [str(occurrence)]} if occurrence > 1 else {})
    if look.family is not None:
        given["family" if look.family[1] else "unresolved"] = [look.family[0]]
    if look.document is not None:
        given["document"] = [look.document]
    if look.depths:
        given["depths"] = [look.depths]
    if look.listing != LISTINGS[0]:
        given["list"] = [look.listing]
    given |= {name: list(getattr(look.out, attribute)) for name, attribute in _OUT.items()}
    if look.story is not None:
        given["story"] = [str(look.story)]
    return {name: values for name, values in given.items() if values}


def read(given: Given) -> tuple[Look, tuple[str, ...]]:
    """What the parameters ask for, and a sentence for each value left out."""
    refused: list[str] = []
    fields: dict[str, object] = {}
    for name, attribute, late in (("from", "start", False), ("to", "end", True)):
        if name in given:
            fields[attribute] = _taken(name, given[name][-1], partial(moment, late=late), refused)
    for name, attribute in _LISTS.items():
        values = [_taken(name, text, _word(name), refused) for text in given.get(name, ())[:VALUES_LIMIT]]
        fields[attribute] = tuple(dict.fromkeys(value for value in values if value is not None))
    for name, attribute in _TEXTS.items():
        if name in given:
            fields[attribute] = _taken(name, given[name][-1], _text, refused) or ""
    look = Look(dataclasses.replace(Selection(), **fields))  # type: ignore[arg-type]  # each was made for its field
    if "sort" in given:
        word = _taken("sort", given["sort"][-1].removeprefix("-"), _among(SORTS), refused)
        if word is not None:
            look = dataclasses.replace(look, sort=word, descending=given["sort"][-1].startswith("-"))
    if "page" in given:
        look = dataclasses.replace(look, page=_taken("page", given["page"][-1], _number(10**9), refused) or 1)
    if "retrieval" in given:
        query = _taken("retrieval", given["retrieval"][-1], _text, refused)
        occurrence = _taken("occurrence", given.get("occurrence", ["1"])[-1], _number(2**31 - 1), refused)
        if query is not None and occurrence is not None:
            look = dataclasses.replace(look, retrieval=(query, occurrence))
    for name in ("family", "unresolved"):
        if name in given:
            found = _taken(name, given[name][-1], _text, refused)
            look = look if found is None else dataclasses.replace(look, family=(found, name == "family"))
    if "document" in given:
        look = dataclasses.replace(look, document=_taken("document", given["document"][-1], _text, refused))
    if "depths" in given:
        by = _taken("depths", given["depths"][-1], _among(DEPTHS_BY), refused)
        look = dataclasses.replace(look, depths=by or "")
    if "list" in given:
        listing = _taken("list", given["list"][-1], _among(LISTINGS), refused)
        look = dataclasses.replace(look, listing=listing or LISTINGS[0])
    out: dict[str, tuple[str, ...]] = {}
    for name, attribute in _OUT.items():
        if len(given.get(name, ())) > VALUES_LIMIT:
            refused.append(f"{name}: too many; allowed: {VALUES_LIMIT}")
        names = [_taken(name, text, _text, refused) for text in given.get(name, ())[:VALUES_LIMIT]]
        out[attribute] = tuple(dict.fromkeys(text for text in names if text is not None))
    look = dataclasses.replace(look, out=Quarantine(**out))
    if "story" in given:
        look = dataclasses.replace(look, story=_taken("story", given["story"][-1], _number(STORY_STEPS), refused))
    return look, tuple(refused)


def moment(text: str, *, late: bool) -> int:
    """Microseconds of a minute (or a day) in UTC: its first, or with ``late`` its last.  Raises ``PolicyError``."""
    for form, length in (("%Y-%m-%dT%H:%M", 1), ("%Y-%m-%d", 24 * 60)):
        try:
            at = datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
        first = round(at.timestamp()) * 1_000_000
        return first + length * _MINUTE - 1 if late else first
    raise PolicyError("time", "not a minute", "2026-07-01T09:30 or 2026-07-01, in UTC")


def moment_text(at: int) -> str:
    """The minute of an instant, as :func:`moment` reads it."""
    return datetime.fromtimestamp(at // _MINUTE * 60, UTC).replace(tzinfo=None).isoformat(timespec="minutes")


def _taken(name: str, text: str, make: Callable[[str], Value], refused: list[str]) -> Value | None:
    try:
        return make(text)
    except PolicyError as error:
        refused.append(f"{name}: {error.fault}; allowed: {error.allowed}")
        return None


def _among(words: Sequence[str]) -> Callable[[str], str]:
    def make(text: str) -> str:
        if text not in words:
            raise PolicyError("word", "not one of the words", ", ".join(words))
        return text

    return make


def _word(name: str) -> Callable[[str], str]:
    return _among(_WORDS[name]) if name in _WORDS else _text


def _text(text: str) -> str:
    if not text or len(text) > TEXT_LIMIT or "\0" in text:
        raise PolicyError("text", "empty or too long", f"1 to {TEXT_LIMIT} characters")
    return text


def _number(most: int) -> Callable[[str], int]:
    def make(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) < 11 and 1 <= int(text) <= most):
            raise PolicyError("number", "not such a number", f"a whole number from 1 to {most}")
        return int(text)

    return make
