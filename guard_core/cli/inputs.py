"""Read the texts of options as typed inputs: policy, limits, evaluation time, gates.

Flows in: parsed arguments.  Flows out: the values that the product works with.
Rules kept here: everything is checked before anything is read; a refused value names its option and what the option
takes (R45); ``--preset`` overrules the policy file's preset, other options overrule its fields (R44).
Not here: which options there are (``command.py`` and the commands), reading logs (``ingest``).
"""

from __future__ import annotations

import argparse
import dataclasses
import re
import time as clock
from fractions import Fraction

from guard_core.cli.command import UsageError
from guard_core.errors import PolicyError
from guard_core.files.limits import Limits
from guard_core.ingest.records.values import read_time
from guard_core.judging.policy import NamedPolicy, choose_preset, find_preset, load_policy, parse_field, replace_fields
from guard_core.output.arrays import format_time

_LARGEST_LIMIT = 1 << 62
_SHARE = re.compile(r"(?:0?\.[0-9]{1,9}|[01]\.?0{0,9}|0\.[0-9]{1,9})", re.ASCII)


def choose_policy(arguments: argparse.Namespace) -> NamedPolicy:
    """Return the policy in force.  Raises ``PolicyError`` or ``UsageError``."""
    start: str | None = arguments.preset
    default = choose_preset(trusted=arguments.trust is not None)
    if arguments.policy is None:
        named = find_preset(start or default)
    else:
        named = load_policy(arguments.policy, start, default=default)
    fields: dict[str, object] = {}
    for option, name, text in (
        ("--min-human-ratio", "min_human_grounding_ratio", arguments.min_human_ratio),
        ("--top-k", "top_k", arguments.top_k),
    ):
        if text is None:
            continue
        try:
            fields[name] = parse_field(name, text)
            named = replace_fields(named, {name: fields[name]})
        except PolicyError as error:
            raise UsageError(f"{option}: {error}") from None
    if arguments.allow_depth_1 is not None:
        named = replace_fields(named, {"allow_depth_1_synthetic": arguments.allow_depth_1})
    return named


def read_limits(arguments: argparse.Namespace) -> Limits:
    """Return the limits of reading.  Raises ``UsageError``."""
    chosen: dict[str, int] = {}
    for field in dataclasses.fields(Limits):
        text = getattr(arguments, f"max_{field.name}")
        if text is not None:
            chosen[field.name] = read_whole_number(f"--max-{field.name.replace('_', '-')}", text, 1, _LARGEST_LIMIT)
    return dataclasses.replace(Limits(), **chosen)


def read_evaluation_time(text: str | None) -> str | None:
    """Return the evaluation time as ISO 8601 UTC text, ``None`` where none is given.  Raises ``UsageError``."""
    return None if text is None else format_time(_microseconds(text))


def read_seconds(text: str | None) -> int:
    """Return a time in whole seconds since 1970: the one given, else now.  Raises ``UsageError``."""
    return int(clock.time()) if text is None else _microseconds(text) // 1_000_000


def _microseconds(text: str) -> int:
    moment, _ = read_time(text)
    if moment is None:
        raise UsageError("--at: not a time; takes ISO 8601, such as 2026-11-30T12:00:00Z, or seconds since 1970")
    return moment


def read_halt_share(text: str | None) -> Fraction | None:
    """Return the greatest share of retrievals that may halt, exact.  Raises ``UsageError``."""
    if text is None:
        return None
    if not _SHARE.fullmatch(text):
        raise UsageError("--max-halt-share: takes a number from 0 to 1")
    return Fraction(text)


def read_port(text: str | None) -> str | None:
    """Return a port number as text.  Raises ``UsageError``."""
    return None if text is None else str(read_whole_number("--port", text, 1, 65_535))


def read_whole_number(option: str, text: str, least: int, most: int) -> int:
    """Return the number that an option gives, ``least`` to ``most``.  Raises ``UsageError``."""
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        raise UsageError(f"{option}: takes a whole number from {least} to {most}")
    return int(text)
