"""Parse a column of JSON values that have no quotes or brackets: numbers, ``true``, ``false``, ``null``.

Flows in: their texts, as dictionary codes.  Flows out: an Arrow column: int64, float64, bool or null.
Rules kept here: what is not such a value, or would lose something in the type of the column (integers beyond 64 bits,
integers among floats, minus zero among integers, ``NaN``), gives ``None``, so that another tier reads it.
Not here: what the numbers mean.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

_INTEGER = r"^(0|-?[1-9][0-9]{0,17})$"
_FLOAT = r"^-?(0|[1-9][0-9]*)(\.[0-9]+([eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)$"
_TRUTH = {"true": True, "false": False}


def parse_bare_values(texts: pa.DictionaryArray) -> pa.Array | None:
    """Return the column of these texts, ``None`` where another tier has to read it."""
    words = texts.dictionary
    null = pc.equal(words, "null")
    given = words.filter(pc.invert(null))
    kind: pa.DataType
    if not len(given):
        return pa.nulls(len(texts))
    if _all_match(given, _INTEGER):
        kind = pa.int64()
    elif _all_match(given, _FLOAT):
        kind = pa.float64()
    elif all(word in _TRUTH for word in given.slice(0, 3).to_pylist()) and len(given) <= len(_TRUTH):
        kind = pa.bool_()
    else:
        return None
    numbers = pc.if_else(null, pa.scalar(None, pa.string()), words).cast(kind)
    if kind == pa.float64() and not pc.all(pc.is_finite(numbers)).as_py():
        return None
    return numbers.take(texts.indices)


def _all_match(words: pa.StringArray, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(words, pattern)).as_py())
