"""Read policies from outside and write them: presets, validation, TOML and JSON files, texts of URLs and flags.

Flows in: preset names, files, mappings of field names to values, texts.  Flows out: ``NamedPolicy`` with a
``SynthesisPolicy`` in which every field is of its type and in range.
Rules kept here: unknown fields, unknown words, values of another type (``true`` is not a number), NaN, infinities,
values out of range and ratios of more than four decimals are refused with the field's name and what it takes (R45);
fields that are not given take the preset's value (R44).
Not here: what a field does (``guard.py``, docs/policy.md).
"""

from __future__ import annotations

import dataclasses
import json
import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType

from guard_core.errors import PolicyError, PolicyFileError
from guard_core.model import CountUnit, Finding, SignatureGate, SynthesisPolicy

PRESETS: Mapping[str, SynthesisPolicy] = MappingProxyType(
    {
        "reference": SynthesisPolicy(0.5, True),
        "strict": SynthesisPolicy(
            0.5,
            True,
            signatures=SignatureGate.VERIFIED,
            require_anchor=True,
            allow_unknown=False,
            count=CountUnit.DOCUMENTS,
            min_effective_anchors=3.0,
            max_depth_in_grounded=1,
            halt_on=(Finding.RESULTS_REJECTED,),
        ),
    }
)
"""The named policies.  ``reference`` is the specification's rule with its two fields at 0.5 and true (R43)."""

MAX_POLICY_BYTES = 64 * 1024
"""A policy file larger than this is refused unread."""

RATIO_DECIMALS = 4
_LARGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class NamedPolicy:
    """A valid policy and the preset that it started from."""

    preset: str
    policy: SynthesisPolicy


@dataclass(frozen=True, slots=True)
class Field:
    """One policy field: what it means in a sentence, what it takes, and how a value as in TOML or JSON is read.

    ``read`` takes such a value and gives the typed one, or raises ``PolicyError``.
    """

    name: str
    meaning: str
    allowed: str
    read: Callable[[object], object]


def _ratio(name: str, allowed: str) -> Callable[[object], object]:
    def read(value: object) -> float:
        number = _number(name, value, allowed)
        if not 0.0 <= number <= 1.0:
            raise PolicyError(name, "out of range", allowed)
        exponent = Decimal(repr(number)).normalize().as_tuple().exponent
        if isinstance(exponent, int) and -exponent > RATIO_DECIMALS:
            raise PolicyError(name, f"more than {RATIO_DECIMALS} decimals", allowed)
        return number + 0.0  # -0.0 becomes 0.0, so that equal policies are written alike

    return read


def _number(name: str, value: object, allowed: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise PolicyError(name, "not a number", allowed)
    if isinstance(value, float) and not math.isfinite(value):
        raise PolicyError(name, "not a finite number", allowed)
    if abs(value) > _LARGEST:
        raise PolicyError(name, "out of range", allowed)
    return float(value)


def _positive(name: str, allowed: str) -> Callable[[object], object]:
    def read(value: object) -> float:
        number = _number(name, value, allowed)
        if number < 0.0:
            raise PolicyError(name, "out of range", allowed)
        return number + 0.0

    return read


def _flag(name: str, allowed: str) -> Callable[[object], object]:
    def read(value: object) -> bool:
        if not isinstance(value, bool):
            raise PolicyError(name, "neither true nor false", allowed)
        return value

    return read


def _limit(name: str, allowed: str, least: int) -> Callable[[object], object]:
    def read(value: object) -> int | None:
        if value is None or value == "none":
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            raise PolicyError(name, "not a whole number", allowed)
        if not least <= value <= _LARGEST:
            raise PolicyError(name, "out of range", allowed)
        return value

    return read


def _word(name: str, allowed: str, words: type[SignatureGate | CountUnit]) -> Callable[[object], object]:
    def read(value: object) -> SignatureGate | CountUnit:
        for member in words:
            if value == member.value and isinstance(value, str):
                return member
        raise PolicyError(name, "unknown word", allowed)

    return read


def _findings(name: str, allowed: str) -> Callable[[object], object]:
    def read(value: object) -> tuple[Finding, ...]:
        if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
            raise PolicyError(name, "not a list of words", allowed)
        known = {f.value: f for f in Finding}
        if not all(v in known for v in value):
            raise PolicyError(name, "unknown word", allowed)
        return tuple(f for f in Finding if f.value in value)

    return read


def _field(name: str, meaning: str, allowed: str, reader: Callable[[str, str], Callable[[object], object]]) -> Field:
    return Field(name, meaning, allowed, reader(name, allowed))


_BOTH = "true or false"
FIELDS: Mapping[str, Field] = MappingProxyType(
    {
        field.name: field
        for field in (
            _field(
                "min_human_grounding_ratio",
                "Least share of human results for a grounded verdict, compared with >=.",
                f"a number from 0 to 1 with at most {RATIO_DECIMALS} decimals",
                _ratio,
            ),
            _field(
                "allow_depth_1_synthetic",
                "Whether synthetic content made directly from human sources may stand in for human grounding.",
                _BOTH,
                _flag,
            ),
            _field(
                "signatures",
                "What is asked of each result's signature before anything else.",
                ", ".join(g.value for g in SignatureGate),
                lambda name, allowed: _word(name, allowed, SignatureGate),
            ),
            _field(
                "require_anchor",
                "Whether the depth-1 route needs a resolved human source for each depth-1 result.",
                _BOTH,
                _flag,
            ),
            _field("allow_unknown", "Whether a result of unknown class may pass the depth-1 route.", _BOTH, _flag),
            _field(
                "count",
                "What the ratio counts: list entries, or distinct documents.",
                ", ".join(c.value for c in CountUnit),
                lambda name, allowed: _word(name, allowed, CountUnit),
            ),
            _field(
                "top_k",
                "How many results of each list are judged, from the top.",
                f"a whole number from 1 to {_LARGEST}, or none",
                lambda name, allowed: _limit(name, allowed, 1),
            ),
            _field(
                "min_effective_anchors",
                "Fewer independent human sources than this give the finding coverage_illusion.",
                f"a number from 0 to {_LARGEST}",
                _positive,
            ),
            _field(
                "max_depth_in_grounded",
                "A grounded set with a deeper result has the finding hallucination_amplification.",
                f"a whole number from 0 to {_LARGEST}, or none",
                lambda name, allowed: _limit(name, allowed, 0),
            ),
            _field(
                "halt_on",
                "Findings and notices that turn PROCEED into HALT.",
                "a list of " + ", ".join(f.value for f in Finding),
                _findings,
            ),
        )
    }
)
"""Every field of a policy, in the order in which it is listed everywhere."""


def choose_preset(*, trusted: bool) -> str:
    """Return the preset in force where none is named: claims are asked for where a trust store can check them."""
    return "strict" if trusted else "reference"


def find_preset(name: str) -> NamedPolicy:
    """Return the preset of that name.  Raises ``PolicyError``."""
    if name not in PRESETS:
        raise PolicyError("preset", "unknown word", ", ".join(PRESETS))
    return NamedPolicy(name, PRESETS[name])


def replace_fields(named: NamedPolicy, fields: Mapping[str, object]) -> NamedPolicy:
    """Return ``named`` with some fields replaced by values as in TOML or JSON.  Raises ``PolicyError``."""
    typed: dict[str, object] = {}
    for name, value in fields.items():
        if name not in FIELDS:
            raise PolicyError(_shown(name), "unknown field", ", ".join(FIELDS))
        typed[name] = FIELDS[name].read(value)
    return NamedPolicy(named.preset, dataclasses.replace(named.policy, **typed))  # type: ignore[arg-type]  # read by FIELDS


def parse_field(name: str, text: str) -> object:
    """Read a value as in TOML from the text of a flag or URL parameter.

    Numbers and the words true, false, none are plain; a list is separated by commas.  Raises ``PolicyError``; the
    value is not yet checked against its range (``replace_fields`` does that).
    """
    if name not in FIELDS:
        raise PolicyError(_shown(name), "unknown field", ", ".join(FIELDS))
    default = getattr(PRESETS["reference"], name)
    allowed = FIELDS[name].allowed
    if name == "halt_on":
        return [word for word in text.split(",") if word]
    if isinstance(default, bool):
        if text not in ("true", "false"):
            raise PolicyError(name, "neither true nor false", allowed)
        return text == "true"
    if isinstance(default, (SignatureGate, CountUnit)) or text == "none":
        return text
    if not text.isascii() or "_" in text or text != text.strip():  # float() and int() are more lenient than TOML
        raise PolicyError(name, "not a number", allowed)
    try:
        return float(text) if isinstance(default, float) else int(text)
    except ValueError:
        raise PolicyError(name, "not a number", allowed) from None


def parse_policy(text: str, name: str, start: str | None = None, *, default: str = "reference") -> NamedPolicy:
    """Read a policy from the text of a TOML or JSON file; ``name`` is shown in errors.

    ``start`` overrules the preset that the text names (R44), ``default`` is the preset where nothing names one.
    Raises ``PolicyError``.
    """
    values = _parse_json(text, name) if text.lstrip().startswith("{") else _parse_toml(text, name)
    chosen = values.pop("preset", default)
    if not isinstance(chosen, str):
        raise PolicyError("preset", "unknown word", ", ".join(PRESETS))
    own = find_preset(chosen)
    return replace_fields(own if start is None else find_preset(start), values)


def load_policy(path: str | Path, start: str | None = None, *, default: str = "reference") -> NamedPolicy:
    """Read a policy from a file; ``start`` overrules its preset, ``default`` is its preset where it names none.

    Raises ``PolicyError``, also when the file cannot be read.
    """
    shown = _shown(str(path))
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_POLICY_BYTES + 1)
    except (OSError, ValueError) as error:  # a name that no file can have is a ValueError
        reason = error.strerror if isinstance(error, OSError) else "the name cannot be used"
        raise PolicyFileError(shown, f"cannot be read ({reason})", "a TOML or JSON file") from None
    if len(data) > MAX_POLICY_BYTES:
        raise PolicyFileError(shown, "is too large", f"a TOML or JSON file of at most {MAX_POLICY_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PolicyFileError(shown, "is not UTF-8", "a TOML or JSON file in UTF-8") from None
    return parse_policy(text, shown, start, default=default)


def list_policy_fields(policy: SynthesisPolicy) -> dict[str, bool | int | float | str | list[str] | None]:
    """List every field as a plain JSON value, in fixed order."""
    plain: dict[str, bool | int | float | str | list[str] | None] = {}
    for name in FIELDS:
        value = getattr(policy, name)
        if isinstance(value, (SignatureGate, CountUnit)):
            plain[name] = value.value
        elif isinstance(value, tuple):
            plain[name] = [finding.value for finding in value]
        else:
            plain[name] = value
    return plain


def write_policy(named: NamedPolicy) -> str:
    """Write the text of a policy file that ``parse_policy`` reads back to the same policy."""
    lines = [f"preset = {json.dumps(named.preset)}"]
    for name, value in list_policy_fields(named.policy).items():
        lines.append(f"{name} = {json.dumps('none' if value is None else value)}")
    return "\n".join(lines) + "\n"


def _parse_toml(text: str, name: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyFileError(_shown(name), f"is not TOML ({error})", "a TOML or JSON file") from None


def _parse_json(text: str, name: str) -> dict[str, object]:
    def members(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(dict(pairs)) < len(pairs):
            raise PolicyFileError(_shown(name), "repeats a member", "each field once")
        return dict(pairs)

    try:
        values: dict[str, object] = json.loads(text, object_pairs_hook=members)
    except PolicyError:
        raise
    except (ValueError, RecursionError):
        raise PolicyFileError(_shown(name), "is not JSON", "a TOML or JSON file") from None
    return values


def _shown(text: str) -> str:
    """Make a field or file name from outside safe on a terminal."""
    return text.encode("unicode_escape").decode("ascii")[:200] if not text.isprintable() else text[:200]
