"""Every finding has its own sentence and its own advice; when it holds is tested in ``test_guard.py``."""

from __future__ import annotations

from guard_core.judging.findings import advise_finding, say_finding
from guard_core.judging.policy import find_preset
from guard_core.model import FAILURE_MODES, Finding


def test_every_finding_has_its_words() -> None:
    policy = find_preset("strict").policy
    assert len({say_finding(finding, 2, 1.0, None, policy) for finding in Finding}) == len(Finding)
    assert len({advise_finding(finding) for finding in Finding}) == len(Finding)


def test_the_failure_modes_come_first() -> None:
    assert tuple(Finding)[: len(FAILURE_MODES)] == FAILURE_MODES
