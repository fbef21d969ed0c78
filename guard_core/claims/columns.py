"""Checked signatures as columns, and the memory of those that were checked before.

Flows in: ``Checked`` outcomes of single tokens.  Flows out: ``ClaimColumns``, one row a distinct token.
Rules kept here: an outcome is kept by the digest of its token and of the keys that it was checked with, never by the
token's own names; columns are immutable, and growing the memory makes new ones; the memory is bounded.
Not here: verifying (``verify``), whole logs (``batch``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from guard_core.claims.claim import SourceClass
from guard_core.claims.verify import Checked
from guard_core.codes import STATUSES, CodeTable
from guard_core.model import SignatureStatus

SOURCE_CLASSES: Final = CodeTable(SourceClass)

NO_START: Final = np.iinfo(np.int64).min
NO_END: Final = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class ClaimColumns:
    """What keys alone can tell of ``n`` distinct tokens.

    ``failure`` is a status code, ``VALID`` where the signature holds; every other column is meaningful only there.
    ``key`` and ``issuer`` are indices into ``keys`` (pairs of kid and thumbprint) and ``issuers``; ``source_class``
    holds codes of ``SOURCE_CLASSES``; times are in seconds, ``nbf`` and ``exp`` ``NO_START`` and ``NO_END`` where the
    claim has none.  ``checks`` are the outcomes themselves, for details.
    """

    failure: NDArray[np.uint8]
    key: NDArray[np.int32]
    issuer: NDArray[np.int32]
    source_class: NDArray[np.int8]
    depth: NDArray[np.int64]
    iat: NDArray[np.int64]
    nbf: NDArray[np.int64]
    exp: NDArray[np.int64]
    consistent: NDArray[np.bool_]
    subjects: pa.LargeStringArray
    contents: pa.LargeStringArray
    checks: NDArray[np.object_]
    keys: tuple[tuple[str, str], ...]
    issuers: tuple[str, ...]

    def take(self, positions: NDArray[np.int64]) -> ClaimColumns:
        """The rows at these positions, in their order."""
        places = pa.array(positions)
        return ClaimColumns(
            failure=self.failure[positions],
            key=self.key[positions],
            issuer=self.issuer[positions],
            source_class=self.source_class[positions],
            depth=self.depth[positions],
            iat=self.iat[positions],
            nbf=self.nbf[positions],
            exp=self.exp[positions],
            consistent=self.consistent[positions],
            subjects=self.subjects.take(places),
            contents=self.contents.take(places),
            checks=self.checks[positions],
            keys=self.keys,
            issuers=self.issuers,
        )


def claim_columns(checks: Sequence[Checked]) -> ClaimColumns:
    """Outcomes as columns, in their order."""
    n = len(checks)
    keys: dict[tuple[str, str], int] = {}
    issuers: dict[str, int] = {}
    failure = np.full(n, STATUSES.code(SignatureStatus.VALID), np.uint8)
    key, issuer = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    source_class = np.full(n, -1, np.int8)
    depth, iat = np.zeros(n, np.int64), np.zeros(n, np.int64)
    nbf, exp = np.full(n, NO_START, np.int64), np.full(n, NO_END, np.int64)
    consistent = np.ones(n, np.bool_)
    subjects: list[str | None] = [None] * n
    contents: list[str | None] = [None] * n
    for i, check in enumerate(checks):
        claim = check.claim
        if claim is None or check.kid is None or check.thumbprint is None:
            failure[i] = STATUSES.code(check.failure or SignatureStatus.MALFORMED)
            continue
        key[i] = keys.setdefault((check.kid, check.thumbprint), len(keys))
        issuer[i] = issuers.setdefault(claim.iss, len(issuers))
        source_class[i] = SOURCE_CLASSES.code(claim.source_class)
        depth[i] = claim.depth
        iat[i] = claim.iat
        if claim.nbf is not None:
            nbf[i] = claim.nbf
        if claim.exp is not None:
            exp[i] = claim.exp
        consistent[i] = check.disagreement is None
        subjects[i] = claim.sub
        contents[i] = claim.content
    objects = np.empty(n, np.object_)
    objects[:] = checks
    return ClaimColumns(
        failure=failure,
        key=key,
        issuer=issuer,
        source_class=source_class,
        depth=depth,
        iat=iat,
        nbf=nbf,
        exp=exp,
        consistent=consistent,
        subjects=pa.array(subjects, pa.large_string()),
        contents=pa.array(contents, pa.large_string()),
        checks=objects,
        keys=tuple(keys),
        issuers=tuple(issuers),
    )


def token_digest(token: str) -> bytes:
    """SHA-256 of a token as it stands in a log."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


class _Book:
    """What was checked with one set of keys."""

    def __init__(self) -> None:
        self.places: dict[bytes, int] = {}
        self.checks: list[Checked] = []
        self.columns = claim_columns(())


class KeptChecks:
    """The memory of checked signatures, by the digests of token and keys.  May be shared between threads.

    It forgets everything when it would hold more than ``limit`` outcomes, and keeps nothing of a log that has more.
    """

    def __init__(self, limit: int = 1_000_000) -> None:
        self._limit = limit
        self._books: dict[str, _Book] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        with self._lock:
            return sum(len(book.checks) for book in self._books.values())

    def find(self, key_digest: str, digests: Sequence[bytes]) -> list[Checked | None]:
        """The outcomes of these tokens, in their order; ``None`` where one was never checked with these keys."""
        with self._lock:
            book = self._books.get(key_digest)
            if book is None:
                return [None] * len(digests)
            places = [book.places.get(digest, -1) for digest in digests]
            return [None if place < 0 else book.checks[place] for place in places]

    def add(self, key_digest: str, digests: Sequence[bytes], checks: Sequence[Checked]) -> None:
        """Keep outcomes of tokens that were checked with these keys."""
        with self._lock:
            if sum(len(book.checks) for book in self._books.values()) + len(checks) > self._limit:
                self._books.clear()
            if len(checks) > self._limit:
                return
            book = self._books.setdefault(key_digest, _Book())
            for digest, check in zip(digests, checks, strict=True):
                if digest not in book.places:
                    book.places[digest] = len(book.checks)
                    book.checks.append(check)

    def columns(self, key_digest: str, digests: Sequence[bytes]) -> ClaimColumns | None:
        """The outcomes of these tokens as columns, in their order; ``None`` if one of them is not kept."""
        with self._lock:
            book = self._books.get(key_digest)
            if book is None:
                return None
            positions = [book.places.get(digest, -1) for digest in digests]
            if -1 in positions:
                return None
            if len(book.columns.checks) != len(book.checks):
                book.columns = claim_columns(book.checks)
            return book.columns.take(np.array(positions, np.int64))
