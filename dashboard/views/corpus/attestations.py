"""Describe the claims of one retrieval: who attests each result, when, with which key, and whether its text matches.

Flows in: ``Evidence`` and a stretch of its results, texts where they are at hand.  Flows out: ``Attestations``.
Rules kept here: a valid claim is its originator's word, "attested by", and never a fact; of a claim that is not valid
nothing is shown but its status, in words, with what to do; a mismatch that is only a matter of spelling says so; names
are written out.
Not here: the log as a whole (``originators.py``), what a class rests on otherwise (``retrieval.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.text import escape_text
from dashboard.views.corpus.originators import format_day
from dashboard.views.table import Cell, Table, make_table
from dashboard.words import CONTENT_CHECK, label_code
from guard_core.claims import STATUS_WORDS, ClaimOutcome
from guard_core.codes import STATUSES
from guard_core.model import SignatureStatus
from guard_core.provenance.evidence import Evidence

COLUMNS = ("Rank", "Result", "Claim", "Attested by", "On", "Key", "Content", "Attested as")

FAULTS = 20
"""Claims that fail and are explained one by one; more of them fail for the same reasons, as a rule."""

_VALID = SignatureStatus.VALID


@dataclass(frozen=True, slots=True)
class Attestations:
    """Claims of all results; ``faults`` says why a claim fails and what to do, ``more`` counts faults not listed."""

    rows: Table
    faults: tuple[str, ...]
    more: int


def list_attestations(evidence: Evidence, first: int, last: int, texts: Mapping[str, str]) -> Attestations:
    """List the claims of the results from ``first`` up to ``last``.

    ``texts`` holds texts by their digests, as far as they could be read (:func:`find_mismatched_texts`).
    """
    log = evidence.log
    rows: list[tuple[Cell, ...]] = []
    faults: list[str] = []
    failing = 0
    for row in range(first, last):
        status = STATUSES.member(evidence.signature_statuses[row])
        name = escape_text(log.result_ids.text(row), 80)
        outcome = evidence.outcome(row)
        from_catalogue = evidence.claims is not None and log.signatures.codes[row] < 0 <= evidence.claims.codes[row]
        claim = label_code(status.value) + (", the catalogue's" if from_catalogue else "")
        rows.append((int(log.ranks[row]), name, claim, *_describe_claim(status, outcome)))
        if outcome is None or status in (_VALID, SignatureStatus.MISSING):
            continue
        failing += 1
        if len(faults) < FAULTS:
            reason = escape_text(outcome.explain(texts.get(log.text_digests.text(row) or "")))
            faults.append(f"{log.ranks[row]}, {name}: {reason}. {STATUS_WORDS[status].advice}")
    if evidence.decided is None and first < last:
        words = STATUS_WORDS[SignatureStatus.UNCHECKED]
        faults.append(f"{words.meaning} {words.advice}")
    return Attestations(make_table(COLUMNS, rows), tuple(faults), max(failing - FAULTS, 0))


def has_claims(evidence: Evidence, first: int, last: int) -> bool:
    """Return whether one of these results carries a claim, or a trust store asks it for one."""
    missing = STATUSES.code(SignatureStatus.MISSING)
    carried = bool((evidence.signature_statuses[first:last] != missing).any())
    return first < last and (evidence.decided is not None or carried)


def find_mismatched_texts(evidence: Evidence, first: int, last: int) -> tuple[frozenset[str], frozenset[str]]:
    """Return digests of the texts that explain a mismatch, and the ids of their documents."""
    log = evidence.log
    mismatch = STATUSES.code(SignatureStatus.CONTENT_MISMATCH)
    rows = [row for row in range(first, last) if evidence.signature_statuses[row] == mismatch]
    digests, ids = (
        frozenset(text for row in rows if (text := column.text(row)) is not None)
        for column in (log.text_digests, log.document_ids)
    )
    return digests, ids


def _describe_claim(status: SignatureStatus, outcome: ClaimOutcome | None) -> tuple[str, str, str, str, str]:
    """Return who attests it, the day, the key, whether the text was checked, and the class; empty if not valid."""
    if status is not _VALID or outcome is None or outcome.claim is None or outcome.key is None:
        return "", "", "", "", ""
    claim, key = outcome.claim, escape_text(outcome.key.kid, 80)
    return (
        escape_text(claim.iss, 80),
        format_day(claim.iat),
        f"{key} (retired since)" if outcome.key_retired else key,
        CONTENT_CHECK[outcome.content],
        claim.source_class.value + (f", depth {claim.depth}" if claim.depth else ""),
    )
