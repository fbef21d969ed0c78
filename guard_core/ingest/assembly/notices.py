"""Word the notices of a log, and list them in order (R61).

Flows in: counts by code.  Flows out: ``Notice`` objects.
Rules kept here: a code without a count is no notice; a message says what was counted, so that it stands beside any
count; it names no value of the log.
Not here: who counts what (readers and ``assemble.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from guard_core.ingest.log import Notice

_MESSAGES = {
    "empty_log": "files without any record",
    "partial_source": "sources that say that they are partial",
    "format_differs_from_suffix": "files of another format than their name says; their content decides",
    "order_differs_from_rank": "lists of results that were not in the order of their ranks; the ranks count",
    "exact_repeat": "rows that repeat an earlier one in every column; ignored",
    "time_assumed_utc": "times without an offset; taken as UTC",
    "time_unknown": "times that are neither ISO 8601 nor epoch seconds; unknown",
    "score_not_a_number": "scores that are not finite numbers; missing",
    "empty_text": "texts that are empty",
    "value_not_text": "values that are not text where text is expected; missing",
    "class_not_understood": "class words that are not known; no class",
    "anchor_not_understood": "anchors that are neither digests nor objects with sha256; no anchor",
    "content_digest_not_understood": "content digests that are not SHA-256 in hex; missing",
    "metadata_not_understood": "metadata texts that begin like a JSON object and are none; no provenance",
    "id_unicode_form": "ids that differ from another id only in their Unicode form; not joined",
    "id_hidden_characters": "ids that hold invisible, bidi or control characters",
    "problems_not_listed": "rejected rows that are counted but not listed",
}


def make_notices(counts: Mapping[str, int]) -> Iterator[Notice]:
    """Yield the notices of these counts, in a fixed order; codes without a message come last, by name."""
    known = [code for code in _MESSAGES if counts.get(code, 0) > 0]
    others = sorted(code for code in counts if code not in _MESSAGES and counts[code] > 0)
    for code in (*known, *others):
        yield Notice(code, counts[code], _MESSAGES.get(code, code))
