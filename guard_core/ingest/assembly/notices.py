"""What the notices of a log say, and the order in which they are listed (R61).

Flows in: counts by code.  Flows out: ``Notice`` objects.
Rules kept here: a code without a count is no notice; messages name no value of the log, and no number: the count stands
beside them.
Not here: who counts what (readers and ``assemble.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from guard_core.ingest.log import Notice

_MESSAGES = {
    "empty_log": "files hold no record",
    "partial_source": "sources say of themselves that they are partial",
    "format_differs_from_suffix": "files hold another format than their name says; their content decided",
    "order_differs_from_rank": "result lists were not in rank order; the rank counts",
    "exact_repeat": "rows repeat earlier ones in every column; they are ignored",
    "time_assumed_utc": "times have no offset; they are taken as UTC",
    "time_unknown": "times are neither ISO 8601 nor epoch seconds; they are unknown",
    "score_not_a_number": "scores are no finite numbers; they are missing",
    "empty_text": "texts are empty",
    "value_not_text": "values stand where text is expected and are none; they are missing",
    "class_not_understood": "class words are not known; they count as no class",
    "anchor_not_understood": "anchors are neither digests nor objects with sha256; they count as no anchor",
    "content_digest_not_understood": "content digests are not SHA-256 in hex; they are missing",
    "metadata_not_understood": "metadata texts begin like JSON objects and are none; they give no provenance",
    "id_unicode_form": "ids differ from another id only in their Unicode form; they are not joined",
    "id_hidden_characters": "ids hold invisible, bidi or control characters",
    "derivation_cycle": "documents descend from themselves",
    "problems_not_listed": "rejected rows beyond those listed",
}


def make_notices(counts: Mapping[str, int]) -> Iterator[Notice]:
    """The notices of these counts, in a fixed order; codes not known here come last, by name."""
    known = [code for code in _MESSAGES if counts.get(code, 0) > 0]
    others = sorted(code for code in counts if code not in _MESSAGES and counts[code] > 0)
    for code in (*known, *others):
        yield Notice(code, counts[code], _MESSAGES.get(code, code))
