"""What a page looks at: a log, the retrievals that the filter leaves, the policy that decides which those are.

Flows in: ``Loaded``, a ``Selection``, a policy.  Flows out: statistics, verdicts and whatever a page works out from
them, each worked out once and shared between sessions by content only.
Rules kept here: caches are keyed by digests of content, selection and policy, never by a frame or an object; all that
is kept is immutable; what a filter by verdict keeps is decided by one policy (``by``), so that moving another one
changes verdicts and not the retrievals that are looked at.
Not here: loading (``session.py``), widgets and URL (``controls``), numbers (``views``).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import streamlit as st

from dashboard.session import Loaded
from guard_core.corpus.derivation import Derivation, derivation_of
from guard_core.judging.judge import Verdicts, judge
from guard_core.judging.policy import policy_digest
from guard_core.judging.selection import Selection, in_log, in_verdicts, narrowed
from guard_core.judging.statistics import Statistics
from guard_core.model import SynthesisPolicy

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Scene:
    """The retrievals of ``loaded`` that ``selection`` leaves, where ``by`` decides on verdicts and findings.

    ``other`` is the same log under another trust: it is what is counted, and ``loaded`` decides which retrievals.
    """

    loaded: Loaded
    selection: Selection
    by: SynthesisPolicy
    other: Loaded | None = None

    @property
    def total(self) -> int:
        """Retrievals of the whole log."""
        return self.loaded.evidence.log.retrieval_count

    def key(self, top_k: int | None) -> str:
        """What the statistics depend on, as text."""
        decided = not self.selection.of_verdicts.empty
        by = policy_digest(self.by) if decided or self.selection.anchor else ""
        other = "" if self.other is None else self.other.key
        return f"{self.loaded.key}|{other}|{top_k}|{self.selection!r}|{by}"

    def over(self, other: Loaded) -> Scene:
        """The same retrievals, of the same log under another trust."""
        return self if other is self.loaded else dataclasses.replace(self, other=other)

    def statistics(self, top_k: int | None) -> Statistics:
        """Statistics of the kept retrievals."""
        return _statistics(self.key(top_k), top_k, self)

    def verdicts(self, policy: SynthesisPolicy) -> Verdicts:
        """The judgement of the kept retrievals under a policy."""
        return _verdicts(self.key(policy.top_k), policy_digest(policy), policy, self)

    def narrowed(self, **fields: str | tuple[str, ...]) -> Scene:
        """The scene with some fields of its selection replaced."""
        return dataclasses.replace(self, selection=dataclasses.replace(self.selection, **fields))  # type: ignore[arg-type]  # names of text fields

    def once(self, name: str, top_k: int | None, make: Callable[[], Made], *parts: object) -> Made:
        """What ``make`` gives, worked out once for these statistics; ``name`` and ``parts`` tell it from others.

        For what looks at every result: ``make`` must depend on nothing else.
        """
        found: Made = _once("|".join((name, self.key(top_k), *map(repr, parts))), make)
        return found

    def lasting(self, name: str, make: Callable[[], Made], *parts: object) -> Made:
        """What ``make`` gives, worked out once for the log whatever the filter; ``name`` and ``parts`` tell it from
        others."""
        found: Made = _once("|".join((name, (self.other or self.loaded).key, *map(repr, parts))), make)
        return found

    def derivation(self) -> Derivation:
        """Who derives from whom."""
        evidence = (self.other or self.loaded).evidence
        return self.lasting("derivation", lambda: derivation_of(evidence))


@st.cache_resource(max_entries=8, show_spinner="Counting", show_time=True)
def _statistics(key: str, top_k: int | None, _scene: Scene) -> Statistics:
    selection = _scene.selection
    if _scene.other is not None:
        kept = dataclasses.replace(_scene, other=None).statistics(top_k).retrievals
        keep = np.zeros(_scene.total, bool)
        keep[kept] = True
        return Statistics.of(_scene.other.evidence, top_k, keep)
    if selection.empty:
        return Statistics.of(_scene.loaded.evidence, top_k)
    everything = dataclasses.replace(_scene, selection=Selection())
    whole = everything.statistics(top_k)
    keep = in_log(whole.evidence, selection.of_log, _scene.by.belief)
    if not selection.of_verdicts.empty:
        keep = keep & in_verdicts(everything.verdicts(_scene.by), selection.of_verdicts)
    return narrowed(whole, keep)


@st.cache_resource(max_entries=128, show_spinner=False)
def _verdicts(key: str, digest: str, _policy: SynthesisPolicy, _scene: Scene) -> Verdicts:
    return judge(_scene.statistics(_policy.top_k), _policy)


@st.cache_resource(max_entries=64, show_spinner="Counting", show_time=True)
def _once(key: str, _make: Callable[[], Made]) -> Made:
    return _make()
