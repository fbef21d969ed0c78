"""Hold checked claims as columns, and remember those that were checked before.

Flows in: ``CheckedClaim`` of single tokens.  Flows out: ``ClaimColumns``, one row a distinct token.
Rules kept here: a checked claim is remembered by the digest of its token and of the keys that it was checked with,
never by names that the token gives; columns never change, and a memory that grows makes new ones; it is bounded.
Not here: verifying (``verify``), whole logs (``checked_log``).
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
from guard_core.claims.verify import CheckedClaim
from guard_core.codes import STATUSES, CodeTable

SOURCE_CLASSES: Final = CodeTable(SourceClass)

NO_START: Final = np.iinfo(np.int64).min
NO_END: Final = np.iinfo(np.int64).max
"""Stand in columns of times where there is no bound."""


@dataclass(frozen=True, slots=True)
class ClaimColumns:
    """Hold what keys alone tell of distinct tokens, one row each.

    ``statuses`` holds codes of ``guard_core.codes.STATUSES``, ``VALID`` where the signature holds; every other column
    but ``checks`` has a meaning only there.  ``key`` and ``issuer`` are indices into ``keys`` (kid and thumbprint)
    and ``issuers``; ``source_class`` holds codes of ``SOURCE_CLASSES``; times are seconds since 1970, with
    ``NO_START`` in ``nbf`` and ``NO_END`` in ``exp`` where the claim has none.  ``checks`` are the checked claims.
    """

    statuses: NDArray[np.uint8]
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

    def take_rows(self, positions: NDArray[np.int64]) -> ClaimColumns:
        """Return the rows at these positions, in their order."""
        places = pa.array(positions)
        return ClaimColumns(
            statuses=self.statuses[positions],
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


def build_claim_columns(checks: Sequence[CheckedClaim]) -> ClaimColumns:
    """Build the columns of checked claims, in their order."""
    n = len(checks)
    keys: dict[tuple[str, str], int] = {}
    issuers: dict[str, int] = {}
    statuses = np.fromiter((STATUSES.code(check.status) for check in checks), np.uint8, n)
    key, issuer = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    source_class = np.full(n, -1, np.int8)
    depth, iat = np.zeros(n, np.int64), np.zeros(n, np.int64)
    nbf, exp = np.full(n, NO_START, np.int64), np.full(n, NO_END, np.int64)
    consistent = np.ones(n, np.bool_)
    subjects: list[str | None] = [None] * n
    contents: list[str | None] = [None] * n
    for i, check in enumerate(checks):
        claim = check.claim
        if claim is None or check.key is None:
            continue
        key[i] = keys.setdefault(check.key, len(keys))
        issuer[i] = issuers.setdefault(claim.iss, len(issuers))
        source_class[i] = SOURCE_CLASSES.code(claim.source_class)
        depth[i] = claim.depth
        iat[i] = claim.iat
        if claim.nbf is not None:
            nbf[i] = claim.nbf
        if claim.exp is not None:
            exp[i] = claim.exp
        consistent[i] = check.contradiction is None
        subjects[i] = claim.sub
        contents[i] = claim.content
    objects = np.empty(n, np.object_)
    objects[:] = checks
    return ClaimColumns(
        statuses=statuses,
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


def digest_token(token: str) -> bytes:
    """Return the SHA-256 of a token as it stands in a log."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


class _Memory:
    """Hold what was checked with one set of keys."""

    def __init__(self) -> None:
        self.places: dict[bytes, int] = {}
        self.checks: list[CheckedClaim] = []
        self.columns = build_claim_columns(())


class KeptChecks:
    """Remember checked claims, by the digests of token and keys.  May be shared between threads.

    It forgets everything when it would hold more than ``limit`` claims, and keeps nothing of a log that has more.
    """

    def __init__(self, limit: int = 1_000_000) -> None:
        self._limit = limit
        self._memories: dict[str, _Memory] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        with self._lock:
            return self._count_checks()

    def find_checks(self, key_digest: str, digests: Sequence[bytes]) -> list[CheckedClaim | None]:
        """Find the checked claims of tokens, in their order; ``None`` where one was never checked with these keys."""
        with self._lock:
            memory = self._memories.get(key_digest)
            if memory is None:
                return [None] * len(digests)
            places = [memory.places.get(digest, -1) for digest in digests]
            return [None if place < 0 else memory.checks[place] for place in places]

    def add_checks(self, key_digest: str, digests: Sequence[bytes], checks: Sequence[CheckedClaim]) -> None:
        """Remember the checked claims of tokens, which were checked with these keys."""
        with self._lock:
            if self._count_checks() + len(checks) > self._limit:
                self._memories.clear()
            if len(checks) > self._limit:
                return
            memory = self._memories.setdefault(key_digest, _Memory())
            for digest, check in zip(digests, checks, strict=True):
                if digest not in memory.places:
                    memory.places[digest] = len(memory.checks)
                    memory.checks.append(check)

    def find_columns(self, key_digest: str, digests: Sequence[bytes]) -> ClaimColumns | None:
        """Return the columns of tokens, in their order; ``None`` if one of them is not remembered."""
        with self._lock:
            memory = self._memories.get(key_digest)
            if memory is None:
                return None
            positions = [memory.places.get(digest, -1) for digest in digests]
            if -1 in positions:
                return None
            if len(memory.columns.checks) != len(memory.checks):
                memory.columns = build_claim_columns(memory.checks)
            return memory.columns.take_rows(np.array(positions, np.int64))

    def _count_checks(self) -> int:
        return sum(len(memory.checks) for memory in self._memories.values())
