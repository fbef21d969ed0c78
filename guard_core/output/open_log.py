"""Open a log for a notebook or a program: evidence made once, judged as often as you like.

Flows in: paths, or tables in memory; a policy.  Flows out: ``OpenLog``, which gives ``Evaluation`` objects and frames.
Rules kept here: nothing is read, joined, verified or counted again for another policy; the numbers are those of
``source-guard evaluate`` for the same inputs; where no policy is named, the one in force is ``strict`` with a trust
store and ``reference`` without (``choose_preset``).
Not here: reading (``guard_core.provenance.inputs``), the judgement (``evaluation.py``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa

from guard_core.claims import TrustStore
from guard_core.errors import InputError, PolicyError
from guard_core.files.limits import Limits
from guard_core.ingest.reading import TableSource
from guard_core.ingest.records.values import read_time
from guard_core.judging.judge import judge
from guard_core.judging.policy import (
    FIELDS,
    PRESETS,
    NamedPolicy,
    choose_preset,
    find_preset,
    list_policy_fields,
    load_policy,
    replace_fields,
)
from guard_core.judging.statistics import Statistics
from guard_core.judging.whatif import sweep
from guard_core.model import CountUnit, Finding, SignatureGate, SynthesisPolicy, SynthesisVerdict
from guard_core.output.arrays import format_time
from guard_core.output.evaluation import Evaluation, evaluate
from guard_core.output.frames import Frame
from guard_core.output.people.html import draw_reading
from guard_core.provenance.evidence import Evidence
from guard_core.provenance.inputs import load_inputs
from guard_core.visible import count_noun, visible

PolicySource = str | os.PathLike[str] | SynthesisPolicy | NamedPolicy | None
"""A preset by its name, a policy file by its path, a policy, or ``None`` for the default."""

_RATIO = "min_human_grounding_ratio"
_POLICIES = f"{', '.join(PRESETS)}, or the path of a policy file"
_TYPES = {"top_k": pa.int64(), "max_depth_in_grounded": pa.int64(), "halt_on": pa.list_(pa.string())}
"""Types of fields that a list of values may not show: it may hold nothing but ``None`` or empty lists."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OpenLog:
    """A log with its evidence.  ``evaluated_at`` is ISO 8601 UTC text, ``None`` where no time was given."""

    evidence: Evidence
    evaluated_at: str | None = None
    _statistics: dict[int | None, Statistics] = field(default_factory=dict, init=False)

    def judge(self, policy: PolicySource = None, **fields: object) -> Evaluation:
        """Judge every retrieval under a policy; ``fields`` replace fields of it.  Raises ``PolicyError``."""
        named = self._choose_policy(policy, fields)
        return evaluate(self.evidence, named, self.evaluated_at, statistics=self._count(named.policy.top_k))

    def sweep(
        self, name: str, values: Iterable[object] | None = None, *, policy: PolicySource = None, **fields: object
    ) -> Frame:
        """Count verdicts for one value of a policy field after the other.

        Left out, the values are every one that makes a difference for the minimum ratio (with a minimum above the value
        of the row before and up to that of a row, the counts are those of this row), and all there are for a field of
        words or of true and false; other fields need ``values``.  Raises ``PolicyError``.
        """
        base = self._choose_policy(policy, fields)
        if name == _RATIO and values is None:
            return self._sweep_ratios(base.policy)
        if name not in FIELDS:
            raise PolicyError(visible(str(name)), "unknown field", ", ".join(FIELDS))
        chosen = _list_values(name) if values is None else _check_values(name, values)
        policies = [replace_fields(base, {name: _read_plain(value)}).policy for value in chosen]
        summaries = [judge(self._count(each.top_k), each).summary() for each in policies]
        columns: dict[str, pa.Array] = {
            name: pa.array([list_policy_fields(each)[name] for each in policies], _TYPES.get(name))
        }
        columns |= {word: pa.array([s.verdicts[word] for s in summaries], pa.int64()) for word in _VERDICTS}
        columns["counted"] = pa.array([summary.counted for summary in summaries], pa.int64())
        return _hold(columns)

    def _sweep_ratios(self, policy: SynthesisPolicy) -> Frame:
        found = sweep(self._count(policy.top_k), policy)
        counts = found.counts[int(policy.allow_depth_1_synthetic)]
        columns = {_RATIO: pa.array(found.ratios)}
        columns |= {word: pa.array(counts[code]) for code, word in enumerate(_VERDICTS)}
        columns["counted"] = pa.array([found.counted] * len(found.ratios), pa.int64())
        return _hold(columns)

    def _count(self, top_k: int | None) -> Statistics:
        if top_k not in self._statistics:
            self._statistics[top_k] = Statistics.from_evidence(self.evidence, top_k)
        return self._statistics[top_k]

    def _choose_policy(self, policy: PolicySource, fields: Mapping[str, object]) -> NamedPolicy:
        default = choose_preset(trusted=self.evidence.decided is not None)
        if policy is None:
            named = find_preset(default)
        elif isinstance(policy, NamedPolicy):
            named = policy
        elif isinstance(policy, SynthesisPolicy):
            named = NamedPolicy("reference", _check_policy(policy))  # the preset adds nothing: every field is given
        elif isinstance(policy, str) and policy in PRESETS:
            named = find_preset(policy)
        elif not isinstance(policy, str | os.PathLike):
            raise PolicyError("preset", f"{type(policy).__name__} is no policy", _POLICIES)
        elif isinstance(policy, str) and not os.path.exists(policy):  # noqa: PTH110  # Path raises if it is too long
            raise PolicyError("preset", "unknown word", _POLICIES)
        else:
            named = load_policy(Path(policy), default=default)
        return replace_fields(named, {name: _read_plain(value) for name, value in fields.items()})

    def __repr__(self) -> str:
        log = self.evidence.log
        results = count_noun(log.result_count, "result")
        return f"OpenLog of {count_noun(log.retrieval_count, 'retrieval')} with {results}"

    def _repr_html_(self) -> str:
        return draw_reading(self.evidence)


def open_log(
    log: TableSource | Sequence[TableSource],
    *,
    catalogue: TableSource | None = None,
    trust: str | os.PathLike[str] | TrustStore | None = None,
    at: str | datetime | None = None,
    mapping: Mapping[str, str] | None = None,
    input_format: str | None = None,
    limits: Limits | None = None,
) -> OpenLog:
    """Open a log: read it, join the catalogue, check the claims, and work out the evidence, once.

    ``log`` is a path, a DataFrame, an Arrow table, or several of them that make up one log; ``catalogue`` is one of
    these, ``trust`` the path of a trust store.  ``at`` is the time to judge claims at: a ``datetime``, ISO 8601 text or
    seconds since 1970 as text, in UTC where it names no offset; now, if left out.  ``mapping`` (canonical field ->
    column) names columns that are called otherwise.  Raises ``InputError`` where an input cannot be used.
    """
    if not isinstance(trust, str | os.PathLike | TrustStore | None):
        raise InputError("trust", f"{type(trust).__name__} is no trust store", "give the path of one")
    sources = log if isinstance(log, list | tuple) else [cast("TableSource", log)]
    moment = None if at is None else _read_time(at)
    evidence = load_inputs(
        sources,
        catalogue=catalogue,
        trust=trust if trust is None or isinstance(trust, TrustStore) else Path(trust),
        at=None if moment is None else moment // 1_000_000,
        mapping=mapping,
        input_format=input_format,
        limits=limits,
    )
    return OpenLog(evidence, None if moment is None else format_time(moment))


_VERDICTS = tuple(verdict.name for verdict in SynthesisVerdict)


def _read_time(at: str | datetime) -> int:
    """Return a time in microseconds since 1970."""
    if isinstance(at, datetime):
        at = (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).isoformat()
    moment, _ = read_time(at)
    if moment is None:
        raise InputError("at", "not a time", "give ISO 8601, such as 2026-11-30T12:00:00Z, or seconds since 1970")
    return moment


def _read_plain(value: object) -> object:
    """Return a value as a policy file has it, from a number of numpy, a member of an enum, or a list of some."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return [_read_plain(entry) for entry in value]
    return value.value if isinstance(value, Enum) else value


def _check_policy(policy: SynthesisPolicy) -> SynthesisPolicy:
    """Return a policy whose fields are all of their type and in range; its ratio may have any number of decimals."""
    fields = {name: _read_plain(getattr(policy, name)) for name in FIELDS}
    ratio = fields[_RATIO]
    within = isinstance(ratio, float) and 0.0 < ratio < 1.0
    checked = replace_fields(find_preset("reference"), fields | {_RATIO: 0.5} if within else fields).policy
    return replace(checked, min_human_grounding_ratio=ratio) if isinstance(ratio, float) and within else checked


def _check_values(name: str, values: Iterable[object]) -> Sequence[object]:
    """Return the values of a sweep; there must be one."""
    chosen = [] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
    if not chosen:
        raise PolicyError(name, "no list of values", FIELDS[name].allowed)
    return chosen


def _list_values(name: str) -> Sequence[object]:
    """Return all values of a field that has few."""
    words = {"signatures": SignatureGate, "count": CountUnit}
    if name in words:
        return tuple(words[name])
    if name == "halt_on":
        return [[], *([finding] for finding in Finding)]
    if isinstance(getattr(PRESETS["reference"], name), bool):
        return (False, True)
    raise PolicyError(name, "no values were named", FIELDS[name].allowed)


def _hold(columns: Mapping[str, pa.Array]) -> Frame:
    rows = len(next(iter(columns.values())))
    return Frame({name: partial(columns.__getitem__, name) for name in columns}, rows)
