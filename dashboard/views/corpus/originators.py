"""Count what Originators shows: who attests what, which human results rest on whom, what becomes of the claims.

Flows in: ``Statistics`` over evidence with a trust store.  Flows out: ``Originators``: numbers, tables, sentences.
Rules kept here: a result belongs to the originator whose key made its signature, whatever the claim says of itself; a
claim whose signature does not hold belongs to nobody, because nothing in it is known to be anybody's; a result rests on
an originator where the claim is VALID; names of trust store and log are written out.
Not here: one result (``attestations.py``), deciding claims (``guard_core.claims``).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from dashboard.distrust import list_originators
from dashboard.text import escape_text
from dashboard.views.table import Table, TitledTable, make_table
from dashboard.words import format_share, label_code
from guard_core.claims import STATUS_WORDS, DecidedLog, TrustedKey, TrustStore
from guard_core.codes import BASES, HUMAN, STATUSES
from guard_core.judging.statistics import Statistics
from guard_core.model import Basis, Belief, SignatureStatus
from guard_core.visible import count_noun

NOBODY, NO_CLAIM = "No signature that holds", "No claim"
"""Names of the groups that belong to no originator."""

_VALID, _MISSING = STATUSES.code(SignatureStatus.VALID), STATUSES.code(SignatureStatus.MISSING)
_SIGNED = BASES.code(Basis.SIGNED)
_DATE_MIN, _DATE_MAX = -62_135_596_800, 253_402_300_799


@dataclass(frozen=True, slots=True)
class Originators:
    """Claims by originator and status.

    ``names`` are originators by results, then ``NOBODY`` and ``NO_CLAIM`` where they occur; ``counts[i][j]`` results of
    group i have status ``statuses[j]``.  ``faults`` are the statuses other than VALID and MISSING that occur, with
    their results, the most frequent first.
    """

    title: str
    names: tuple[str, ...]
    statuses: tuple[SignatureStatus, ...]
    counts: tuple[tuple[int, ...], ...]
    listed: Table
    numbers: Table
    faults: tuple[tuple[SignatureStatus, int], ...]
    fault_numbers: TitledTable
    advice: Table
    keys: Table
    skipped: Table
    notices: tuple[str, ...]
    trust: str
    results: int
    valid: int
    human: int
    rests: int
    active: int
    known: int


@dataclass(frozen=True, slots=True)
class _Groups:
    """Rows by group: ``group`` and ``key`` (-1 none) of each judged result, and the counts by group and status."""

    group: NDArray[np.int64]
    key: NDArray[np.int64]
    counts: NDArray[np.int64]
    documents: NDArray[np.int64]
    human: NDArray[np.int64]


def count_originators(statistics: Statistics, belief: Belief) -> Originators | None:
    """Count claims by originator and status; ``None`` where no trust store is loaded."""
    evidence = statistics.evidence
    decided = evidence.decided
    if decided is None or evidence.cases is None:
        return None
    store = decided.store
    names = list_originators(store)
    human = evidence.under(belief).classes[statistics.rows] == HUMAN
    groups = _group_results(statistics, decided, names, human)
    totals = groups.counts.sum(axis=1)
    order = sorted(range(len(names)), key=lambda i: (-totals[i], names[i]))
    occurring = [*(i for i in order if totals[i]), *(i for i in (len(names), len(names) + 1) if totals[i])]
    words = [*(escape_text(name, 60) for name in names), NOBODY, NO_CLAIM]
    used = np.flatnonzero(groups.counts.sum(axis=0))[::-1]  # VALID is the last of the statuses, and stands first
    results, humans = int(totals.sum()), int(human.sum())
    valid, rests = int(groups.counts[:, _VALID].sum()), int(groups.human.sum())
    faults = sorted(
        ((int(groups.counts[:, j].sum()), int(j)) for j in used if j not in (_VALID, _MISSING)), reverse=True
    )
    counts = tuple(tuple(int(groups.counts[i, j]) for j in used) for i in occurring)
    return Originators(
        title=_title_claims(results, valid),
        names=tuple(words[i] for i in occurring),
        statuses=tuple(map(STATUSES.member, used.tolist())),
        counts=counts,
        listed=_list_originators(store, names, order, groups, humans),
        numbers=make_table(
            ("Originator", *(label_code(STATUSES.member(j).value) for j in used)),
            [(words[i], *row) for i, row in zip(occurring, counts, strict=True)],
        ),
        faults=tuple((STATUSES.member(j), number) for number, j in faults),
        fault_numbers=TitledTable(_title_faults(faults), _list_faults(faults, results)),
        advice=_list_advice(groups.counts.sum(axis=0)),
        keys=_list_keys(store, decided, groups),
        skipped=make_table(
            ("Entry", "Key", "Why it is skipped"),
            [
                (each.entry, escape_text(each.kid, 80) or "(no name)", escape_text(each.reason))
                for each in store.skipped
            ],
        ),
        notices=tuple(escape_text(notice) for notice in store.notices),
        trust=describe_trust(decided),
        results=results,
        valid=valid,
        human=humans,
        rests=rests,
        active=sum(store.find_originator(iss).status == "active" for iss in names),
        known=len(names),
    )


def describe_trust(decided: DecidedLog) -> str:
    """Describe the trust store in a few words: "7 usable keys, 2 skipped, claims judged at 2026-10-01"."""
    store = decided.store
    skipped = f", {len(store.skipped):,} skipped" if store.skipped else ""
    return f"{count_noun(len(store.keys), 'usable key')}{skipped}, claims judged at {format_moment(decided.at)}"


def format_moment(seconds: int) -> str:
    """Return a time in seconds since 1970 as text in UTC: the day alone at midnight, seconds if no calendar has it."""
    if not _DATE_MIN <= seconds <= _DATE_MAX:
        return f"{seconds} seconds since 1970"
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%d}" if moment.hour == moment.minute == 0 else f"{moment:%Y-%m-%d %H:%M} UTC"


def format_day(seconds: int) -> str:
    """Return the day of a time in seconds since 1970, in UTC."""
    return format_moment(seconds)[:10] if _DATE_MIN <= seconds <= _DATE_MAX else format_moment(seconds)


def count_claims(statistics: Statistics) -> int:
    """Count the results that carry a claim, checked or not."""
    evidence = statistics.evidence
    claims = evidence.log.signatures if evidence.claims is None else evidence.claims
    return int(np.count_nonzero(claims.codes[statistics.rows] >= 0))


def _group_results(
    statistics: Statistics, decided: DecidedLog, names: tuple[str, ...], human: NDArray[np.bool_]
) -> _Groups:
    evidence, checked = statistics.evidence, decided.checked
    rows, claims = statistics.rows, decided.checked.claims
    cases = np.asarray(evidence.cases)[rows]
    holds = claims.statuses == _VALID  # of a claim's own columns: its signature holds
    of_claim = np.where(holds, claims.key, -1)
    key = np.append(of_claim[checked.case_claim], -1)[cases].astype(np.int64)
    place = {iss: i for i, iss in enumerate(names)}
    owner = np.array([place[decided.store.keys[kid].iss] for kid, _ in claims.keys] + [len(names)], np.int64)
    group = np.where(cases < 0, len(names) + 1, owner[key])
    size, width = len(names) + 2, len(STATUSES)
    status = evidence.signature_statuses[rows]
    counts = np.bincount(group * width + status, minlength=size * width).reshape(size, width)
    base = len(evidence.log.document_ids.values) + 1
    pairs = np.unique(group * base + evidence.log.document_ids.codes[rows] + 1)
    rests = human & (evidence.bases[rows] == _SIGNED)
    return _Groups(
        group,
        key,
        counts.astype(np.int64),
        np.bincount(pairs // base, minlength=size),
        np.bincount(group[rests], minlength=size),
    )


def _title_claims(results: int, valid: int) -> str:
    if not results:
        return "There is no result to attest"
    return f"{format_share(valid, results)} of {count_noun(results, 'result')} carry a valid claim"


def _title_faults(faults: list[tuple[int, int]]) -> str:
    if not faults:
        return "No claim fails"
    number, code = faults[0]
    often = label_code(STATUSES.member(code).value)
    return f"{count_noun(sum(n for n, _ in faults), 'claim')} fail; most often: {often} ({number:,})"


def _list_faults(faults: list[tuple[int, int]], results: int) -> Table:
    rows = [(label_code(STATUSES.member(j).value), number, format_share(number, results)) for number, j in faults]
    return make_table(("Status", "Results", "Share"), rows)


def _list_originators(
    store: TrustStore, names: tuple[str, ...], order: list[int], groups: _Groups, humans: int
) -> Table:
    rows = []
    for i in order:
        limits = store.find_originator(names[i])
        classes = "anything" if limits.may_attest is None else ", ".join(sorted(c.value for c in limits.may_attest))
        rows.append(
            (
                escape_text(names[i], 120),
                escape_text(limits.status, 40),
                int(groups.documents[i]),
                int(groups.counts[i].sum()),
                int(groups.counts[i, _VALID]),
                format_share(int(groups.human[i]), humans),
                int(groups.human[i]),
                classes or "nothing",
                "any" if limits.max_depth is None else str(limits.max_depth),
                "" if limits.name in (None, names[i]) else escape_text(limits.name, 120),
            )
        )
    columns = (
        "Originator", "Status", "Documents", "Results", "Valid", "Share of human results", "Human results",
        "May attest", "Deepest", "Also called",
    )  # fmt: skip
    if not any(row[-1] for row in rows):
        return make_table(columns[:-1], [row[:-1] for row in rows])
    return make_table(columns, rows)


def _list_advice(totals: NDArray[np.int64]) -> Table:
    rows = []
    for j in sorted(np.flatnonzero(totals).tolist(), key=lambda j: -totals[j]):
        words = STATUS_WORDS[STATUSES.member(j)]
        rows.append((label_code(STATUSES.member(j).value), int(totals[j]), words.meaning, words.advice))
    return make_table(("Status", "Results", "What it means", "What to do"), rows)


def _list_keys(store: TrustStore, decided: DecidedLog, groups: _Groups) -> Table:
    used = np.bincount(groups.key[groups.key >= 0], minlength=len(decided.checked.claims.keys))
    results = {kid: int(used[i]) for i, (kid, _) in enumerate(decided.checked.claims.keys)}
    rows = [
        (
            escape_text(key.kid, 80),
            escape_text(key.iss, 80),
            results.get(key.kid, 0),
            _describe_key(key, decided.at),
            "" if key.nbf is None else format_moment(key.nbf),
            "" if key.exp is None else format_moment(key.exp),
            "" if key.revoked is None else f"{format_moment(key.revoked.at)}: {escape_text(key.revoked.reason, 60)}",
            key.key.algorithm,
            key.key.thumbprint,
        )
        for key in sorted(store.keys.values(), key=lambda key: (key.iss, key.kid))
    ]
    columns = (
        "Key", "Originator", "Results", "State", "Signs from", "Signs until", "Revoked", "Algorithm", "Thumbprint"
    )  # fmt: skip
    return make_table(columns, rows)


def _describe_key(key: TrustedKey, at: int) -> str:
    if key.revoked is not None and key.revoked.reaches_all:
        return "compromised: no claim by it is valid"
    if key.nbf is not None and at < key.nbf:
        return "signs later"
    return "retired: what it signed before stays valid" if key.is_retired(at) else "signs"
