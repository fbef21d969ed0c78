"""Links: the policy, the baseline and the log's identity as URL parameters, and back.

Flows in: policies, or the parameters of a URL, which anybody may have written.  Flows out: parameters, or a
``Link``.
Rules kept here: every value is validated like one in a policy file (R45), one that is refused is named and left
out, the others count; a link never names a path and never makes a log readable, it only says which one it was made
for.
Not here: Streamlit's side of the URL (``controls``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from guard_core.errors import PolicyError
from guard_core.judging.policy import FIELDS, PRESETS, NamedPolicy, parse_field, policy_fields, preset, with_fields

BASELINE = "baseline"
NAME_LIMIT = 120

_DIGEST = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Link:
    """What a URL asks for.  ``None``: it does not say.  ``refused`` holds a sentence for each value left out."""

    policy: NamedPolicy | None = None
    baseline: NamedPolicy | None = None
    log: str | None = None
    file: str | None = None
    refused: tuple[str, ...] = ()


def log_mark(digest: str) -> str:
    """The part of a log's digest that stands in URLs: 16 hex digits."""
    return digest.removeprefix("sha256:")[:16]


def parameters(policy: NamedPolicy, baseline: NamedPolicy, digest: str | None, file: str | None) -> dict[str, str]:
    """The parameters that :func:`read` reads back: each preset, and the fields that differ from it."""
    given = _write(policy, "preset", "") | _write(baseline, BASELINE, f"{BASELINE}.")
    if digest is not None:
        given["log"] = log_mark(digest)
    if file:
        given["file"] = file[:NAME_LIMIT]
    return given


def read(given: Mapping[str, str]) -> Link:
    """What the parameters ask for."""
    refused: list[str] = []
    policy = _read(given, "preset", "", refused)
    baseline = _read(given, BASELINE, f"{BASELINE}.", refused)
    log = given.get("log")
    if log is not None and not _DIGEST.fullmatch(log):
        refused.append("log: not the mark of a log; allowed: 16 hex digits")
        log = None
    file = given.get("file")
    return Link(policy, baseline, log, file[:NAME_LIMIT] if file and log else None, tuple(refused))


def _write(named: NamedPolicy, word: str, prefix: str) -> dict[str, str]:
    start = policy_fields(PRESETS[named.preset])
    values = {name: value for name, value in policy_fields(named.policy).items() if value != start[name]}
    return {word: named.preset} | {prefix + name: _text(value) for name, value in values.items()}


def _text(value: bool | float | str | list[str] | None) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(value)
    return "none" if value is None else str(value)


def _read(given: Mapping[str, str], word: str, prefix: str, refused: list[str]) -> NamedPolicy | None:
    names = [name for name in FIELDS if prefix + name in given]
    if word not in given and not names:
        return None
    try:
        named = preset(given.get(word, "reference"))
    except PolicyError as error:
        refused.append(str(error))
        named = preset("reference")
    for name in names:
        try:
            named = with_fields(named, {name: parse_field(name, given[prefix + name])})
        except PolicyError as error:
            refused.append(str(error))
    return named
