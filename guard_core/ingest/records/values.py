"""Read the single values of a row: one rule for each kind of column, the same in every format.

Flows in: one value as a reader found it: JSON values (``str``, ``int``, ``float``, ``bool``, ``None``, ``list``,
``dict``) or the text of a cell.  Flows out: the typed value of that column, with the code of a notice where a reader of
the numbers should know.
Rules kept here: R7 and R8 (ids and text), R13 (times), R16 (class words), R17 (anchors), R18 and R19 (text, scores),
R55 (task).  A value that makes a row unusable raises :class:`Refused`; one that a result can do without is missing,
with a notice.  Whatever is malformed never does better than a missing value.
Not here: in which column a value stands (``fields.py``), what makes up a row (``records.py``), what a missing cell is
in a given format: a reader passes ``None`` for it.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable
from datetime import UTC, datetime

from guard_core.class_words import ClassWord, find_class
from guard_core.ingest.records.fields import LABEL_COLUMNS

SCORE_NOT_A_NUMBER = "score_not_a_number"
EMPTY_TEXT = "empty_text"
CLASS_NOT_UNDERSTOOD = "class_not_understood"
TIME_ASSUMED_UTC = "time_assumed_utc"
TIME_UNKNOWN = "time_unknown"
ANCHOR_NOT_UNDERSTOOD = "anchor_not_understood"
CONTENT_DIGEST_NOT_UNDERSTOOD = "content_digest_not_understood"
VALUE_NOT_TEXT = "value_not_text"

LIST_SEPARATOR = "|"
"""Separates the entries of a list in a cell of a CSV file (R17)."""

INT32_MAX = 2**31 - 1
FIRST_TIME = -62_135_596_800_000_000
LAST_TIME = 253_402_300_799_999_999
"""Microseconds since the epoch of the first and the last instant of the years 1 to 9999, which every clock can show."""

_BEYOND_SECONDS = 1e12
"""Epoch seconds far outside of those years; not a number is not less than it either."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_INTEGER = re.compile(r"[0-9]+(?:\.0+)?", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_EPOCH_SECONDS = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]+)?", re.ASCII)
_OFFSET = r"(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)?"
_ISO_8601 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?" + _OFFSET + ")?"
    r"|[0-9]{8}T[0-9]{4}(?:[0-9]{2}(?:[.,][0-9]+)?)?" + _OFFSET,
    re.ASCII,
)
"""Extended and basic form; a date alone in the extended form only, because digits alone are epoch seconds."""
_DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})", re.ASCII)


class Refused(ValueError):  # noqa: N818 - it refuses a row; it is no failure of the program
    """A value that makes its row unusable.  The message is the reason, as it stands in the list of problems."""


class LongInteger(str):
    """The digits of a JSON integer too long to be worth a number: good as an id, out of range as anything else."""

    __slots__ = ()


class NegativeZero(int):
    """The JSON integer ``-0``: zero as an integer, minus zero as a score, as every JSON reader of doubles has it."""

    __slots__ = ()

    def __float__(self) -> float:
        return -0.0


def check_text(value: str) -> str:
    """Return ``value`` if it can be stored; raises :class:`Refused` for U+0000 and half surrogate pairs (R7, R8)."""
    if "\x00" in value:
        raise Refused("holds U+0000")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Refused("holds half a surrogate pair") from None
    return value


def read_id(value: object) -> str | None:
    """Return an id as text, ``None`` where it is null or empty; JSON integers keep every digit (R7)."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return check_text(str(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return str(int(value))
    raise Refused("an id is text or an integer")


def read_rank(value: object) -> int | None:
    """Return a rank, at least 1; ``None`` where none is given. Digits as text and integral numbers are integers."""
    number = _integer(value, "a rank is an integer of at least 1")
    if number is not None and number < 1:
        raise Refused("a rank is an integer of at least 1")
    return number


def read_depth(value: object) -> int | None:
    """Return a declared generation depth, at least 0; ``None`` where none is declared."""
    return _integer(value, "a depth is an integer of at least 0")


def _integer(value: object, wanted: str) -> int | None:
    if value is None:
        return None
    number: int | None = None
    if isinstance(value, str):
        match = _INTEGER.fullmatch(value)
        digits = value.partition(".")[0].lstrip("0") or "0"
        if match and len(digits) <= 10:
            number = int(digits)
    elif isinstance(value, float):
        number = int(value) if value.is_integer() else None
    elif isinstance(value, int) and not isinstance(value, bool):
        number = int(value)
    if number is None or not 0 <= number <= INT32_MAX:
        raise Refused(wanted)
    return number


def read_score(value: object) -> tuple[float | None, str | None]:
    """Return a score as given, and a notice if it is not a finite number (R19). Text is not a number here."""
    if value is None:
        return None, None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number, None
    return None, SCORE_NOT_A_NUMBER


def read_score_text(cell: str, decimal_comma: bool = False) -> tuple[float | None, str | None]:
    """Return a score from the text of a cell; with ``decimal_comma`` a comma is the decimal point (R14)."""
    text = cell.strip()
    if decimal_comma:
        text = text.replace(",", ".")
    return read_score(float(text)) if _NUMBER.fullmatch(text) else (None, SCORE_NOT_A_NUMBER)


def read_time(value: object) -> tuple[int | None, str | None]:
    """Return an instant in microseconds since 1970-01-01T00:00Z, and a notice (R13).

    ISO 8601 text (a date alone is its midnight; digits beyond microseconds are cut off), or epoch seconds as a number
    or as digits. Without an offset it is UTC, with a notice; anything else is ``None``, with a notice. Digits alone are
    always epoch seconds, never a date.
    """
    if value is None:
        return None, None
    if isinstance(value, str) and not isinstance(value, LongInteger):
        return _time_from_text(value.strip())
    if isinstance(value, int) and not isinstance(value, bool):
        return _within(int(value) * 1_000_000)
    if isinstance(value, float) and abs(value) < _BEYOND_SECONDS:
        return _within(round(value * 1e6))
    return None, TIME_UNKNOWN


def _time_from_text(text: str) -> tuple[int | None, str | None]:
    if _EPOCH_SECONDS.fullmatch(text):
        return _within(round(float(text) * 1e6) if "." in text else int(text) * 1_000_000)
    text = text.upper().replace(" Z", "Z").replace(" +", "+").replace(" -", "-")
    if _ISO_8601.fullmatch(text) is None:
        return None, TIME_UNKNOWN
    try:
        moment = datetime.fromisoformat(text.replace(",", "."))
        naive = moment.tzinfo is None
        since = (moment.replace(tzinfo=UTC) if naive else moment) - _EPOCH
    except (ValueError, OverflowError):
        return None, TIME_UNKNOWN
    microseconds, notice = _within((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds)
    return microseconds, TIME_ASSUMED_UTC if naive and notice is None else notice


def _within(microseconds: int) -> tuple[int | None, str | None]:
    if FIRST_TIME <= microseconds <= LAST_TIME:
        return microseconds, None
    return None, TIME_UNKNOWN


def read_class(value: object) -> tuple[ClassWord, str | None]:
    """Return the class that a word names; NONE, with a notice, where it is not understood (R16)."""
    if value is None or value == "":
        return ClassWord.NONE, None
    word = find_class(value) if isinstance(value, str) else None
    return (ClassWord.NONE, CLASS_NOT_UNDERSTOOD) if word is None else (word, None)


def read_anchors(value: object, separated: bool = False) -> tuple[tuple[tuple[str, float], ...], str | None]:
    """Return declared anchors as pairs (hash as given, weight), and a notice (R17).

    A text, an object with ``sha256`` and (if not 1) ``weight``, or a list of them; with ``separated`` a text may hold
    several, between ``|``. Weights are positive and finite. If any entry is not understood the whole list counts as
    missing: a list that lost an entry would divide its mass among the others.
    """
    entries: list[object]
    if isinstance(value, str) and separated:
        entries = list(value.split(LIST_SEPARATOR))
    else:
        entries = list(value) if isinstance(value, list) else [value]
    found: list[tuple[str, float]] = []
    for entry in entries:
        if entry is None or entry == "":
            continue
        pair = _anchor(entry)
        if pair is None:
            return (), ANCHOR_NOT_UNDERSTOOD
        found.append(pair)
    return tuple(found), None


def _anchor(entry: object) -> tuple[str, float] | None:
    weight: object = 1
    if isinstance(entry, dict):
        weight = entry.get("weight")
        weight = 1 if weight is None else weight
        entry = entry.get("sha256")
    if not isinstance(entry, str) or isinstance(entry, LongInteger) or not entry:
        return None
    number, _ = read_score(weight)
    return (check_text(entry), number) if number is not None and number > 0 else None


def read_parents(value: object, separated: bool = False) -> tuple[str, ...]:
    """Return the ids of the documents from which this one derives: an id or a list of ids.

    With ``separated`` a text may hold several, between ``|``. A parent that is not an id refuses the row: a derivation
    that lost a parent could only look better than it is.
    """
    if isinstance(value, str) and separated:
        value = value.split(LIST_SEPARATOR)
    entries = value if isinstance(value, list) else [value]
    return tuple(text for text in map(read_id, entries) if text is not None)


def compute_text_digest(text: str) -> str:
    """Return ``sha256:<hex>`` of the exact UTF-8 text."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def read_text(value: object) -> tuple[str | None, str | None]:
    """Return text for showing and grouping; an integer is its digits, any other value is missing, with a notice."""
    if value is None:
        return None, None
    if isinstance(value, str):
        return check_text(str(value)), None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(int(value)), None
    return None, VALUE_NOT_TEXT


def read_signature(value: object) -> tuple[str | None, str | None]:
    """Return a claim as given; null and empty are missing (R34), as is what is not text, with a notice."""
    if value is None or value == "":
        return None, None
    if isinstance(value, str) and not isinstance(value, LongInteger):
        return check_text(value), None
    return None, VALUE_NOT_TEXT


def read_content_digest(value: object) -> tuple[str | None, str | None]:
    """Return a content digest as ``sha256:<lower-case hex>``; any other form is missing, with a notice."""
    if value is None or value == "":
        return None, None
    match = _DIGEST.fullmatch(value.strip().lower()) if isinstance(value, str) else None
    return (None, CONTENT_DIGEST_NOT_UNDERSTOOD) if match is None else ("sha256:" + match[1], None)


def is_creative(value: object) -> bool:
    """Return whether the task column holds the word ``creative``, in any case, and nothing else (R55)."""
    return isinstance(value, str) and value.strip().lower() == "creative"


def read_text_digest(value: object) -> tuple[str | None, str | None]:
    """Return the digest of a text, with a notice for an empty one (R18)."""
    found, notice = read_text(value)
    if found is None:
        return None, notice
    return compute_text_digest(found), EMPTY_TEXT if found == "" else notice


Rule = Callable[[object], tuple[object, str | None]]
"""A rule for one value: value -> (typed value or ``None``, code of a notice or ``None``); raises :class:`Refused`."""

RULES: dict[str, Rule] = {
    "query_id": lambda value: (read_id(value), None),
    "query": read_text,
    "timestamp": read_time,
    "task": lambda value: (is_creative(value), None),
    "result_id": lambda value: (read_id(value), None),
    "document_id": lambda value: (read_id(value), None),
    "rank": lambda value: (read_rank(value), None),
    "score": read_score,
    "content_sha256": read_content_digest,
    "authenticity": read_class,
    "synthetic_generation_depth": lambda value: (read_depth(value), None),
    "human_source_anchor_hash": read_anchors,
    "source_authenticity_signature": read_signature,
    "derived_from": lambda value: (list(read_parents(value)) or None, None),
    "text": read_text_digest,
    **dict.fromkeys(LABEL_COLUMNS, read_text),
}
"""Canonical column -> the rule for its values, as JSON has them."""
