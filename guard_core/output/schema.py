"""Hold the evaluation object as types, and encode its parts in the one way there is.

Flows in: plain values.  Flows out: records with a fixed order of members, and their canonical JSON.
Rules kept here: the order of members is the order of fields below; a member that is not named below is refused when
an object is read back; numbers are as short as they can be and read back to the same number; JSON text holds no
character that a terminal or a line splitter could act on (control, bidi and invisible characters are escaped, which
JSON readers undo).
Not here: what the values are (``evaluation.py``, ``head.py``), checking an object (``recompute.py``).
"""

from __future__ import annotations

import re

import msgspec

SCHEMA = "source-guard/evaluation/1"
"""Name and version of the evaluation object."""


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An object of fixed members, in order."""


class FileRecord(Record, frozen=True):
    """One input file of the log; ``sha256`` is of its bytes as they stand on disk, in hex."""

    name: str
    format: str
    sha256: str


class ProblemRecord(Record, frozen=True):
    """A row that was rejected."""

    file: str
    line: int
    field: str
    reason: str


class NoticeRecord(Record, frozen=True):
    """Something that a reader of the numbers should know; ``count`` results or ids are concerned."""

    code: str
    count: int
    message: str


class LogRecord(Record, frozen=True):
    """What was read.  ``rows_read`` = ``rows_accepted`` + ``rows_rejected`` + ``rows_ignored``.

    ``digest`` is the digest of the accepted rows in canonical form: it stands for everything in them, also
    for columns that the object does not list.  The other members are shown and not covered by a digest (R58).
    """

    files: list[FileRecord]
    rows_read: int
    rows_accepted: int
    rows_rejected: int
    rows_ignored: int
    incomplete: bool
    problems: list[ProblemRecord]
    notices: list[NoticeRecord]
    digest: str


class CatalogueRecord(Record, frozen=True):
    """The catalogue's size and how much of the log it knows; ``digest`` is null without a catalogue."""

    documents: int
    matched_results: int
    unmatched_results: int
    digest: str | None


class SkippedKeyRecord(Record, frozen=True):
    """An entry of the trust store that cannot be used; ``kid`` is null where it has none."""

    kid: str | None
    reason: str


class TrustRecord(Record, frozen=True):
    """Usable keys, and the entries that were skipped, in the order of their ``kid``; ``digest`` is that of the trust
    store, null while none is loaded."""

    keys: int
    skipped: list[SkippedKeyRecord]
    digest: str | None


class SummaryRecord(Record, frozen=True):
    """Counts over the log.  ``verdicts``, ``proceed``, ``halt``, ``findings`` and the ratios leave out retrievals
    without results and creative tasks (R54, R55); a ratio over nothing is null."""

    retrievals: int
    with_results: int
    no_results: int
    creative: int
    evaluated_at: str | None
    macro_ratio: float | None
    micro_ratio: float | None
    verdicts_if_signatures_waived: dict[str, int]
    verdicts: dict[str, int]
    proceed: int
    halt: int
    findings: dict[str, int]


class ResultRecord(Record, frozen=True, gc=False):
    """One result of a retrieval, as the policy in force sees it (R33), beside what the log declares."""

    rank: int
    result_id: str
    document_id: str
    score: float | None
    authenticity: str
    declared_authenticity: str
    basis: str
    depth: int | None
    depth_at_least: int | None
    anchors: tuple[str, ...]
    declared_anchors: tuple[str, ...]
    signature: str
    originator: str | None
    conflicts: tuple[str, ...]


class RetrievalRecord(Record, frozen=True):
    """One retrieval with its verdict.  All results are listed, in judged order, also those beyond ``top_k``."""

    retrieval_id: str
    query_id: str
    query: str | None
    verdict: str
    verdict_if_signatures_waived: str | None
    decision: str | None
    applicability: str | None
    directive: str
    manifest_digest: str | None
    total: int
    human: int
    authenticity_diversity_metric: float | None
    anchored_ratio: float | None
    effective_anchors: float | None
    max_depth: int | None
    margin: int | None
    findings: tuple[str, ...]
    results: list[ResultRecord]


PolicyRecord = dict[str, bool | int | float | str | list[str] | None]
"""``preset``, then every field of the policy in its fixed order."""


class HeadRecord(Record, frozen=True):
    """The evaluation object up to its retrievals."""

    schema: str
    log: LogRecord
    catalogue: CatalogueRecord
    trust: TrustRecord
    policy: PolicyRecord
    summary: SummaryRecord


class EvaluationRecord(Record, frozen=True):
    """The whole evaluation object, as it is read back."""

    schema: str
    log: LogRecord
    catalogue: CatalogueRecord
    trust: TrustRecord
    policy: PolicyRecord
    summary: SummaryRecord
    retrievals: list[RetrievalRecord]
    digest: str


_ENCODER = msgspec.json.Encoder()
_RISKY = re.compile(
    "[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Legal in JSON text, and still acted on by terminals, line splitters or eyes."""


def encode(value: Record | PolicyRecord | str | list[RetrievalRecord]) -> bytes:
    """Encode as canonical JSON: compact, members in order, risky characters as ``\\u`` escapes; UTF-8."""
    data = _ENCODER.encode(value)
    if data.isascii() and b"\x7f" not in data:
        return data
    return _RISKY.sub(_escape, data.decode()).encode()


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
