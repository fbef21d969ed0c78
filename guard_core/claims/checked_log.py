"""Check the claims of a whole log, each signature once.

Flows in: the claim, document and text digest of every row, as columns; a trust store.  Flows out: ``CheckedLog``, and
from it, for any trust and time, ``DecidedLog``.
Rules kept here: a signature is verified once for each distinct token, on as many threads as asked for (the library
releases the interpreter lock).  Document and text are compared once for each distinct (token, document, text digest),
called a *case*; both are spread over the rows by their numbers.  ``decide_log`` does on columns what
``verify.decide_claim`` does for one claim, and gives the same statuses; it needs no cryptography and no row of the log.
A broken token costs its own status only.
Not here: the steps themselves (``verify``), what a claim does to a class (``guard_core.provenance.evidence``).
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

from guard_core.claims.claim_columns import (
    NO_END,
    NO_START,
    SOURCE_CLASSES,
    ClaimColumns,
    KeptChecks,
    build_claim_columns,
    digest_token,
)
from guard_core.claims.content import ContentCheck
from guard_core.claims.trust_store import ACTIVE, Originator, TrustedKey, TrustStore
from guard_core.claims.verify import LEEWAY, NO_CLAIM, CheckedClaim, ClaimOutcome, check_signature, decide_claim
from guard_core.codes import STATUSES, CodeTable
from guard_core.columns import TextColumn, translate_codes
from guard_core.errors import OtherKeysError
from guard_core.files.limits import Progress
from guard_core.model import SignatureStatus

CONTENT_CHECKS: Final = CodeTable(ContentCheck)
_MISMATCH: Final = CONTENT_CHECKS.code(ContentCheck.MISMATCH)
_VALID: Final = STATUSES.code(SignatureStatus.VALID)

_PIECE = 256  # tokens between two calls of progress; about 30 ms of work


@dataclass(frozen=True, slots=True)
class CheckedLog:
    """Hold what keys alone tell of the claims of a log.

    ``claims`` has one row for each distinct token.  ``case_of`` gives the case of each row of the log, -1 without a
    claim.  The columns of cases are ``case_claim`` (row of ``claims``), ``is_about`` (the claim's ``sub`` is the
    document) and ``content`` (code of ``CONTENT_CHECKS``).  ``verified`` counts the signatures that were verified now;
    the other claims were remembered.
    """

    claims: ClaimColumns
    case_of: NDArray[np.int32]
    case_claim: NDArray[np.int64]
    is_about: NDArray[np.bool_]
    content: NDArray[np.uint8]
    key_digest: str
    verified: int


@dataclass(frozen=True, slots=True)
class DecidedLog:
    """Hold the statuses of the claims of a log under one trust store at one time.

    ``statuses`` (codes of ``guard_core.codes.STATUSES``) and ``key_retired`` have one entry for each case.  ``at`` is
    the time to judge at, in seconds since 1970.
    """

    checked: CheckedLog
    store: TrustStore
    at: int
    statuses: NDArray[np.uint8]
    key_retired: NDArray[np.bool_]

    def list_row_statuses(self) -> NDArray[np.uint8]:
        """List the status code of every row of the log; ``MISSING`` without a claim."""
        return translate_codes(self.checked.case_of, self.statuses, int(STATUSES.code(SignatureStatus.MISSING)))

    def decide_case(self, case: int) -> ClaimOutcome:
        """Decide on one case, with the reason in words; -1 is a row without a claim."""
        if case < 0:
            return NO_CLAIM
        checked = self.checked
        return decide_claim(
            checked.claims.checks[checked.case_claim[case]],
            self.store,
            self.at,
            is_about=bool(checked.is_about[case]),
            content=CONTENT_CHECKS.member(checked.content[case]),
        )


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
    """Check the signatures of a log, and compare its claims with documents and texts.

    The three columns have one entry for each row: the claim as given, the document id, and the digest of the text
    (``sha256:<hex>``, missing where the text is not at hand).  ``progress`` is called, from this thread, with the
    number of distinct claims that are done and of all.
    """
    used = np.unique(signatures.codes)
    used = used[used >= 0]
    tokens: list[str] = signatures.values.take(pa.array(used)).to_pylist()
    claims, verified = _check_tokens(tokens, store, kept, threads, progress)

    row_claim = np.full(len(signatures.values) + 1, -1, np.int64)  # the last entry answers for code -1
    row_claim[used] = np.arange(len(used))
    case_of, (case_claim, case_document, case_digest) = _number_cases(
        row_claim[signatures.codes], documents.codes, digests.codes
    )
    subjects, contents = claims.subjects.take(pa.array(case_claim)), claims.contents.take(pa.array(case_claim))
    is_about = _compare_texts(subjects, documents, case_document) | (case_document < 0)
    content = np.select(
        [
            contents.is_null().to_numpy(zero_copy_only=False),
            case_digest < 0,
            _compare_texts(contents, digests, case_digest),
        ],
        [
            CONTENT_CHECKS.code(ContentCheck.NOT_STATED),
            CONTENT_CHECKS.code(ContentCheck.UNCHECKED),
            CONTENT_CHECKS.code(ContentCheck.CHECKED),
        ],
        _MISMATCH,
    ).astype(np.uint8)
    return CheckedLog(claims, case_of, case_claim, is_about, content, store.key_digest, verified)


def decide_log(checked: CheckedLog, store: TrustStore, at: int) -> DecidedLog:
    """Decide on every case of a log by steps (8) to (17) of ``verify``.

    ``at`` is the time to judge at, in seconds since 1970.  Raises ``OtherKeysError`` if the keys of ``store`` are not
    those that the signatures were checked with.
    """
    if store.key_digest != checked.key_digest:
        raise OtherKeysError("the claims were checked with keys of another trust store: check their signatures again")
    by_claim, retired = _decide_claims(checked.claims, store, at)
    statuses = by_claim[checked.case_claim]
    valid = statuses == _VALID
    statuses[valid & (checked.content == _MISMATCH)] = STATUSES.code(SignatureStatus.CONTENT_MISMATCH)
    statuses[valid & ~checked.is_about] = STATUSES.code(SignatureStatus.SUBJECT_MISMATCH)  # (15) goes before (16)
    return DecidedLog(checked, store, at, statuses, retired[checked.case_claim])


def _check_tokens(
    tokens: Sequence[str], store: TrustStore, kept: KeptChecks | None, threads: int, progress: Progress | None
) -> tuple[ClaimColumns, int]:
    """Check distinct tokens, and count those that were not remembered."""
    if kept is None:
        return build_claim_columns(_check_signatures(tokens, store, threads, progress)), len(tokens)
    digests = [digest_token(token) for token in tokens]
    found = kept.find_checks(store.key_digest, digests)
    new = [i for i, check in enumerate(found) if check is None]
    if new:
        checks = _check_signatures([tokens[i] for i in new], store, threads, progress)
        kept.add_checks(store.key_digest, [digests[i] for i in new], checks)
        for i, check in zip(new, checks, strict=True):
            found[i] = check
    columns = kept.find_columns(store.key_digest, digests)
    if columns is None:  # more distinct claims than are remembered, or another thread's log took their place
        columns = build_claim_columns([check for check in found if check is not None])
    return columns, len(new)


def _check_signatures(
    tokens: Sequence[str], store: TrustStore, threads: int, progress: Progress | None
) -> list[CheckedClaim]:
    pieces = [tokens[start : start + _PIECE] for start in range(0, len(tokens), _PIECE)]
    checks: list[CheckedClaim] = []
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
    """Decide on distinct tokens by the steps up to (14), and mark those whose keys sign nothing new."""
    statuses = claims.statuses.copy()
    holds = statuses == _VALID
    if not holds.any():
        return statuses, np.zeros(len(statuses), np.bool_)
    keys = [store.keys[kid] for kid, _ in claims.keys]
    limits = _collect_limits(keys, [store.find_originator(iss) for iss in claims.issuers])
    retired = np.array([key.is_retired(at) for key in keys], np.bool_)
    key, issuer, iat = claims.key, claims.issuer, claims.iat
    failed = (
        (SignatureStatus.UNTRUSTED_ISSUER, (limits.owner[key] != issuer) | ~limits.active[issuer]),
        (
            SignatureStatus.NOT_PERMITTED,
            ~limits.may_attest[issuer, claims.source_class] | (claims.depth > limits.max_depth[issuer]),
        ),
        (SignatureStatus.KEY_NOT_VALID, (iat < limits.start[key]) | (iat >= limits.end[key])),
        (SignatureStatus.REVOKED, iat >= limits.revoked_from[key]),
        (SignatureStatus.NOT_YET_VALID, (iat > at + LEEWAY) | (claims.nbf > at + LEEWAY)),
        (SignatureStatus.EXPIRED, claims.exp < at - LEEWAY),
        (SignatureStatus.INCONSISTENT, ~claims.consistent),
    )
    for status, mask in reversed(failed):  # the first failing step wins, so it is written last
        statuses[holds & mask] = STATUSES.code(status)
    return statuses, holds & retired[key]


@dataclass(frozen=True, slots=True)
class _Limits:
    """Hold the limits of a trust store as columns.

    For each key: its ``owner`` among the originators (-1 if no claim is by that one), and the times of issue that
    count, from ``start``, before ``end`` and before ``revoked_from``.  For each originator: whether it is ``active``,
    which classes it ``may_attest`` (one column for each) and up to what depth.
    """

    owner: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    revoked_from: NDArray[np.int64]
    active: NDArray[np.bool_]
    may_attest: NDArray[np.bool_]
    max_depth: NDArray[np.int64]


def _collect_limits(keys: Sequence[TrustedKey], originators: Sequence[Originator]) -> _Limits:
    places = {originator.iss: place for place, originator in enumerate(originators)}
    reach = [NO_END if k.revoked is None else NO_START if k.revoked.reaches_all else k.revoked.at for k in keys]
    classes = [SOURCE_CLASSES.members if each.may_attest is None else each.may_attest for each in originators]
    return _Limits(
        owner=np.array([places.get(key.iss, -1) for key in keys], np.int32),
        start=np.array([NO_START if key.nbf is None else key.nbf for key in keys], np.int64),
        end=np.array([NO_END if key.exp is None else key.exp for key in keys], np.int64),
        revoked_from=np.array(reach, np.int64),
        active=np.array([each.status == ACTIVE for each in originators], np.bool_),
        may_attest=np.array([[c in allowed for c in SOURCE_CLASSES.members] for allowed in classes], np.bool_),
        max_depth=np.array([NO_END if each.max_depth is None else each.max_depth for each in originators], np.int64),
    )


def _number_cases(
    *columns: NDArray[np.int64] | NDArray[np.int32],
) -> tuple[NDArray[np.int32], tuple[NDArray[np.int64], ...]]:
    """Number the distinct rows of code columns.

    Returns the number of each row (-1 where its first code is -1), and the codes of each number.
    """
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


def _compare_texts(stated: pa.LargeStringArray, column: TextColumn, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    given = column.values.cast(pa.large_string()).take(pa.array(codes, mask=codes < 0))
    result: NDArray[np.bool_] = pc.equal(stated, given).fill_null(False).to_numpy(zero_copy_only=False)
    return result
