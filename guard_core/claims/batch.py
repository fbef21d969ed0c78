"""The claims of a whole log, each verified once.

Flows in: the claim, document and text digest of every row, as columns; a trust store.  Flows out: ``CheckedLog``, and
from it, for any trust and time, ``DecidedLog``.
Rules kept here: a signature is verified once a distinct token, on as many threads as asked for (the library lets go
of the interpreter lock); the comparison with document and text is made once a distinct (token, document, text
digest), called a *case*; both are spread over the rows by their numbers.  ``decide_log`` is the columnar form of
``verify.decide`` and says the same; it needs no cryptography and no row of the log.  A broken token costs its own
status only.
Not here: the steps themselves (``verify``), what a claim does to a class (evidence).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from guard_core.claims.columns import (
    NO_END,
    NO_START,
    SOURCE_CLASSES,
    ClaimColumns,
    KeptChecks,
    claim_columns,
    token_digest,
)
from guard_core.claims.content import ContentCheck
from guard_core.claims.trust_store import ACTIVE, TrustedKey, TrustStore
from guard_core.claims.verify import LEEWAY, Checked, Outcome, check_signature, decide
from guard_core.codes import STATUSES, CodeTable
from guard_core.columns import TextColumn
from guard_core.errors import OtherKeysError
from guard_core.files.limits import Progress
from guard_core.model import SignatureStatus

CONTENT_CHECKS: Final = CodeTable(ContentCheck)

_PIECE = 256  # tokens between two reports of progress; about 30 ms of work


@dataclass(frozen=True, slots=True)
class CheckedLog:
    """What keys alone tell of a log's claims.

    ``claims`` has one row a distinct token.  ``case_of`` gives for each row of the log its case, -1 without a claim.
    The columns of cases: ``case_claim`` (row of ``claims``), ``about`` (the claim's ``sub`` is the document),
    ``content`` (code of ``ContentCheck``), ``documents`` and ``digests`` (codes as in the log's columns).
    ``verified`` signatures were checked now, the others had been kept.
    """

    claims: ClaimColumns
    case_of: NDArray[np.int32]
    case_claim: NDArray[np.int64]
    about: NDArray[np.bool_]
    content: NDArray[np.uint8]
    key_digest: str
    verified: int


@dataclass(frozen=True, slots=True)
class DecidedLog:
    """The statuses of a log's claims under one trust store at one time.

    ``statuses`` and ``key_retired`` have one entry a case; a status is a code of ``guard_core.codes.STATUSES``.
    """

    checked: CheckedLog
    store: TrustStore
    at: int
    statuses: NDArray[np.uint8]
    key_retired: NDArray[np.bool_]

    def per_row(self) -> NDArray[np.uint8]:
        """The status code of every row of the log; ``MISSING`` without a claim."""
        missing = STATUSES.code(SignatureStatus.MISSING)
        if not len(self.statuses):
            return np.full(len(self.checked.case_of), missing, np.uint8)
        return np.where(self.checked.case_of < 0, missing, self.statuses[self.checked.case_of])

    def outcome(self, row: int) -> Outcome:
        """The outcome of one row of the log, with its reason in words."""
        case = int(self.checked.case_of[row])
        if case < 0:
            return Outcome(SignatureStatus.MISSING, "there is no claim")
        check: Checked = self.checked.claims.checks[self.checked.case_claim[case]]
        claim = check.claim
        if claim is None:
            return decide(check, self.store, self.at)
        content = CONTENT_CHECKS.member(self.checked.content[case])
        digest = {ContentCheck.CHECKED: claim.content, ContentCheck.MISMATCH: ""}.get(content)
        document = claim.sub if self.checked.about[case] else f"not {claim.sub}"
        return decide(check, self.store, self.at, document_id=document, digest=digest)


def check_log(
    signatures: TextColumn,
    documents: TextColumn,
    digests: TextColumn,
    store: TrustStore,
    *,
    kept: KeptChecks | None = None,
    threads: int = 2,
    progress: Progress | None = None,
) -> CheckedLog:
    """Check the signatures of a log and compare its claims with documents and texts.

    The three columns have one entry a row: the claim as given, the document id, and the digest of the text
    (``sha256:<hex>``, missing where the text is not at hand).  ``progress`` is called, from this thread, with
    distinct claims done and in all.
    """
    used = np.unique(signatures.codes)
    used = used[used >= 0]
    tokens: list[str] = signatures.values.take(pa.array(used)).to_pylist()
    claims, verified = _check_tokens(tokens, store, kept, threads, progress)

    row_claim = np.full(len(signatures.values) + 1, -1, np.int64)  # the last entry answers for code -1
    row_claim[used] = np.arange(len(used))
    case_of, (case_claim, case_document, case_digest) = _cases(
        row_claim[signatures.codes], documents.codes, digests.codes
    )
    subjects, contents = claims.subjects.take(pa.array(case_claim)), claims.contents.take(pa.array(case_claim))
    about = _equal(subjects, documents, case_document) | (case_document < 0)
    content = np.select(
        [_is_null(contents), case_digest < 0, _equal(contents, digests, case_digest)],
        [
            CONTENT_CHECKS.code(ContentCheck.NOT_STATED),
            CONTENT_CHECKS.code(ContentCheck.UNCHECKED),
            CONTENT_CHECKS.code(ContentCheck.CHECKED),
        ],
        CONTENT_CHECKS.code(ContentCheck.MISMATCH),
    ).astype(np.uint8)
    return CheckedLog(claims, case_of, case_claim, about, content, store.key_digest, verified)


def decide_log(checked: CheckedLog, store: TrustStore, at: int) -> DecidedLog:
    """Steps (8) to (17) of ``verify`` for every case of a log.

    Raises ``OtherKeysError`` if the keys of ``store`` are not those that the signatures were checked with.
    """
    if store.key_digest != checked.key_digest:
        raise OtherKeysError("the claims were checked with keys of another trust store: check their signatures again")
    claims, of = checked.claims, checked.case_claim
    by_claim, retired = _decide_claims(claims, store, at)
    statuses = by_claim[of]
    valid = statuses == STATUSES.code(SignatureStatus.VALID)
    statuses[valid & (checked.content == CONTENT_CHECKS.code(ContentCheck.MISMATCH))] = STATUSES.code(
        SignatureStatus.CONTENT_MISMATCH
    )
    statuses[valid & ~checked.about] = STATUSES.code(SignatureStatus.SUBJECT_MISMATCH)  # (15) goes before (16)
    return DecidedLog(checked, store, at, statuses, retired[of])


def unchecked(signatures: TextColumn) -> NDArray[np.uint8]:
    """The status code of every row where no trust store is loaded (R34)."""
    empty = [code for code, value in enumerate(signatures.values.to_pylist()) if value == ""]
    missing = (signatures.codes < 0) | np.isin(signatures.codes, empty)
    codes = STATUSES.code(SignatureStatus.MISSING), STATUSES.code(SignatureStatus.UNCHECKED)
    return np.where(missing, *codes).astype(np.uint8)


def _check_tokens(
    tokens: Sequence[str], store: TrustStore, kept: KeptChecks | None, threads: int, progress: Progress | None
) -> tuple[ClaimColumns, int]:
    if kept is None:
        return claim_columns(_verify(tokens, store, threads, progress)), len(tokens)
    digests = [token_digest(token) for token in tokens]
    found = kept.find(store.key_digest, digests)
    new = [i for i, check in enumerate(found) if check is None]
    if new:
        checks = _verify([tokens[i] for i in new], store, threads, progress)
        kept.add(store.key_digest, [digests[i] for i in new], checks)
        for i, check in zip(new, checks, strict=True):
            found[i] = check
    columns = kept.columns(store.key_digest, digests)
    if columns is None:  # more distinct claims than are kept, or another thread's log took their place
        columns = claim_columns([check for check in found if check is not None])
    return columns, len(new)


def _verify(tokens: Sequence[str], store: TrustStore, threads: int, progress: Progress | None) -> list[Checked]:
    pieces = [tokens[start : start + _PIECE] for start in range(0, len(tokens), _PIECE)]
    checks: list[Checked] = []
    with ThreadPoolExecutor(max(threads, 1), thread_name_prefix="source-guard-claims") as pool:
        try:
            for piece in pool.map(lambda piece: [check_signature(token, store) for token in piece], pieces):
                checks += piece
                if progress is not None:
                    progress(len(checks), len(tokens))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return checks


def _decide_claims(claims: ClaimColumns, store: TrustStore, at: int) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Statuses of distinct tokens by the steps up to (14), and whether their keys sign nothing new."""
    statuses = claims.failure.copy()
    holds = statuses == STATUSES.code(SignatureStatus.VALID)
    if not holds.any():
        return statuses, np.zeros(len(statuses), np.bool_)
    keys = [store.keys[kid] for kid, _ in claims.keys]
    owners, limits = _Limits.of(claims, keys, store), _Windows.of(keys, at)
    key, issuer, iat = claims.key, claims.issuer, claims.iat
    failed = (
        (SignatureStatus.UNTRUSTED_ISSUER, (owners.owner[key] != issuer) | ~owners.active[issuer]),
        (
            SignatureStatus.NOT_PERMITTED,
            ~owners.may_attest[issuer, claims.source_class] | (claims.depth > owners.max_depth[issuer]),
        ),
        (SignatureStatus.KEY_NOT_VALID, (iat < limits.start[key]) | (iat >= limits.end[key])),
        (SignatureStatus.REVOKED, iat >= limits.revoked_from[key]),
        (SignatureStatus.NOT_YET_VALID, (iat > at + LEEWAY) | (claims.nbf > at + LEEWAY)),
        (SignatureStatus.EXPIRED, claims.exp < at - LEEWAY),
        (SignatureStatus.INCONSISTENT, ~claims.consistent),
    )
    for status, mask in reversed(failed):  # the first failing step wins, so it is written last
        statuses[holds & mask] = STATUSES.code(status)
    return statuses, holds & limits.retired[key]


@dataclass(frozen=True, slots=True)
class _Limits:
    """Per originator that occurs: whether its word counts and for what; per key: its owner (-1: none that occurs)."""

    owner: NDArray[np.int32]
    active: NDArray[np.bool_]
    may_attest: NDArray[np.bool_]
    max_depth: NDArray[np.int64]

    @staticmethod
    def of(claims: ClaimColumns, keys: Sequence[TrustedKey], store: TrustStore) -> _Limits:
        numbers = {iss: number for number, iss in enumerate(claims.issuers)}
        each = [store.originator(iss) for iss in claims.issuers]
        return _Limits(
            np.array([numbers.get(key.iss, -1) for key in keys], np.int32),
            np.array([one.status == ACTIVE for one in each], np.bool_),
            np.array(
                [[one.may_attest is None or c in one.may_attest for c in SOURCE_CLASSES.members] for one in each],
                np.bool_,
            ),
            np.array([NO_END if one.max_depth is None else one.max_depth for one in each], np.int64),
        )


@dataclass(frozen=True, slots=True)
class _Windows:
    """Per key: claims count that were issued from ``start`` until before ``end`` and before ``revoked_from``."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    revoked_from: NDArray[np.int64]
    retired: NDArray[np.bool_]

    @staticmethod
    def of(keys: Sequence[TrustedKey], at: int) -> _Windows:
        reach = [NO_END if k.revoked is None else NO_START if k.revoked.reaches_all else k.revoked.at for k in keys]
        return _Windows(
            np.array([NO_START if key.nbf is None else key.nbf for key in keys], np.int64),
            np.array([NO_END if key.exp is None else key.exp for key in keys], np.int64),
            np.array(reach, np.int64),
            np.array([key.retired(at) for key in keys], np.bool_),
        )


def _cases(*columns: NDArray[np.int64] | NDArray[np.int32]) -> tuple[NDArray[np.int32], tuple[NDArray[np.int64], ...]]:
    """Number distinct rows of code columns: the number of each row (-1 where the first code is), and the codes of
    each case."""
    absent = columns[0] < 0
    numbers = columns[0].astype(np.int64)
    codes: list[NDArray[np.int64]] = []
    for column in columns[1:]:
        # Two codes become one, and one again after each step, so that no product outgrows 64 bits.
        base = int(column.max(initial=-1)) + 2
        encoded = pa.array(numbers * base + (column + 1), mask=absent).dictionary_encode()
        pair = encoded.dictionary.to_numpy(zero_copy_only=False).astype(np.int64)
        before = pair // base
        codes = [each[before] for each in codes] if codes else [before]
        codes.append(pair % base - 1)
        numbers = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return numbers.astype(np.int32), tuple(codes)


def _equal(stated: pa.LargeStringArray, column: TextColumn, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    given = column.values.cast(pa.large_string()).take(pa.array(codes, mask=codes < 0))
    result: NDArray[np.bool_] = pc.equal(stated, given).fill_null(False).to_numpy(zero_copy_only=False)
    return result


def _is_null(values: pa.LargeStringArray) -> NDArray[np.bool_]:
    result: NDArray[np.bool_] = values.is_null().to_numpy(zero_copy_only=False)
    return result
