"""Find ids that look like others or hold what cannot be seen (R20).

Flows in: the distinct ids of a log.  Flows out: how many differ from another id only in Unicode form, and how many hold
invisible, bidi or control characters.
Rules kept here: ids are never changed and never joined; each distinct id counts once, whatever columns it stands in.
Not here: how such ids are shown (``guard_core.visible``).

Most logs have plain ASCII ids: one pass over their bytes shows that nothing else has to be done.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_HIDDEN_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800")
"""Fillers and joiners that draw nothing though they are letters or marks."""

_VARIATION_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0), range(0x180B, 0x1810))
_PRINTABLE_ASCII = r"^[\x20-\x7e]*$"


def is_hidden(character: str) -> bool:
    """Return whether a character draws nothing or changes how its neighbours are drawn: control, bidi, invisible."""
    return (
        unicodedata.category(character) in _HIDDEN_CATEGORIES
        or character in _HIDDEN_LETTERS
        or any(ord(character) in selectors for selectors in _VARIATION_SELECTORS)
    )


def count_suspicious_ids(columns: Sequence[pa.Array]) -> tuple[int, int]:
    """Count the distinct ids that differ from another only in Unicode form, and those that hide characters."""
    odd: set[str] = set()
    for values in columns:
        if not _plain(values):
            odd.update(values.filter(pc.invert(pc.match_substring_regex(values, _PRINTABLE_ASCII))).to_pylist())
    if not odd:
        return 0, 0
    hidden = sum(any(map(is_hidden, name)) for name in odd)
    return _same_but_for_form(odd, columns), hidden


def _same_but_for_form(odd: set[str], columns: Sequence[pa.Array]) -> int:
    forms: dict[str, set[str]] = {}
    for name in odd:
        forms.setdefault(unicodedata.normalize("NFC", name), set()).add(name)
    changed = pa.array([form for form, names in forms.items() if names != {form}], pa.string())
    for values in columns:  # the normal form itself may be a plain id
        found = changed.filter(pc.is_in(changed, value_set=values.cast(pa.string())))
        for form in found.to_pylist():
            forms[form].add(form)
    return sum(len(names) for names in forms.values() if len(names) > 1)


def _plain(values: pa.Array) -> bool:
    """Return whether all of the text is printable ASCII."""
    data = values.buffers()[2]
    if data is None or len(values) == 0:
        return True
    width = np.int64 if pa.types.is_large_string(values.type) else np.int32
    offsets = np.frombuffer(values.buffers()[1], width)[values.offset : values.offset + len(values) + 1]
    content = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]]
    return content.size == 0 or bool(content.min() >= 0x20 and content.max() <= 0x7E)
