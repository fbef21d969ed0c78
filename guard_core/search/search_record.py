"""Write records of guarded searches: one line of canonical JSON for each search and for the decision.

Flows in: results, manifests, policy, filter.  Flows out: JSON text and digests.
Rules kept here: a record holds everything that the judgement rests on, so that it can be judged again from the record
alone; it names the digest of the record that it follows; the same inputs give the same bytes; the text is ASCII,
so that nothing in it acts on a terminal or a line splitter.
Not here: evaluations of whole logs (``guard_core.output``); a text of a hit, which no record keeps.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from enum import Enum

from guard_core.judging.policy import list_policy_fields
from guard_core.model import Decision, SearchResult, SynthesisManifest, SynthesisPolicy
from guard_core.search.requery_outcome import Appraisal
from guard_core.search.source_filter import SourceFilter

SEARCH_SCHEMA = "source-guard/search/1"
DECISION_SCHEMA = "source-guard/guarded-search/1"


def make_search_record(
    results: Sequence[SearchResult],
    rejected: int,
    manifest: SynthesisManifest | None,
    policy: SynthesisPolicy,
    wanted: SourceFilter | None,
    before: str | None,
    *,
    asked_for: int | None,
    creative_task: bool,
) -> str:
    """Make the record of one search; ``before`` is the digest of the record that a re-query follows."""
    return _write_canonical(
        {
            "schema": SEARCH_SCHEMA,
            "requery_of": before,
            "filter": None if wanted is None else dataclasses.asdict(wanted),
            "filtered": wanted is not None,
            "asked_for": asked_for,
            "creative_task": creative_task,
            "policy": list_policy_fields(policy),
            "rejected": rejected,
            "results": [dataclasses.asdict(result) for result in results],
            "manifest": None if manifest is None else dataclasses.asdict(manifest),
        }
    )


def make_decision_record(
    searches: Sequence[str], decision: Decision | None, directive: str, appraisal: Appraisal | None
) -> str:
    """Make the record of the decision; ``searches`` are the digests of the records of its searches."""
    return _write_canonical(
        {
            "schema": DECISION_SCHEMA,
            "searches": list(searches),
            "decision": decision,
            "directive": directive,
            "requery": None if appraisal is None else dataclasses.asdict(appraisal),
        }
    )


def compute_digest(record: str) -> str:
    """Return ``sha256:<hex>`` of a record."""
    return "sha256:" + hashlib.sha256(record.encode("ascii")).hexdigest()


def _write_canonical(value: dict[str, object]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=_choose_word)


def _choose_word(member: object) -> str:
    """Return the word for a member of an enum: its text where it has one, else its name."""
    assert isinstance(member, Enum)
    return member.value if isinstance(member.value, str) else member.name
