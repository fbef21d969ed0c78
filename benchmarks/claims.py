"""Measure the speed of signed claims, each figure against its limit in the same run.

    python -m benchmarks.claims [--quick]

1. The whole check of one claim (parse, signature, policy, document, text) against a bare Ed25519 verify of the same
   bytes by the library: at most 1.3 times.
2. A log of 1,000,000 rows over 50,000 distinct documents, each with a claim: what the claims add, against the bare
   verify of the distinct claims on one core: at most once, with two threads (which needs two cores that are free).
3. The same log again, with outcomes kept: at least 20 times faster than the first time on one core.
4. What if an originator were switched off, or a key revoked: statuses of all rows anew, under 500 ms.

Flows out: a table, and exit status 1 if a figure is beyond its limit.  Rounds are interleaved.  Of one claim the
median of their ratios is taken; of a log the best round on each side, because work of others on the same cores can
only add time, and takes the second thread's core away first.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from numpy.typing import NDArray

from guard_core.claims import (
    SUSPENDED,
    CheckedLog,
    Claim,
    KeptChecks,
    Originator,
    Revocation,
    SigningKey,
    SourceClass,
    TrustStore,
    check_log,
    decide_log,
    digest_text,
    format_trust_store,
    generate_key,
    make_jwks_entry,
    parse_trust_store,
    sign_claim,
    verify_claim,
)
from guard_core.claims.token import read_token
from guard_core.codes import STATUSES
from guard_core.columns import TextColumn
from guard_core.model import SignatureStatus

AT = 1_796_040_000
ORIGINATOR = "https://archive.example"
VALID = STATUSES.code(SignatureStatus.VALID)


@dataclass(frozen=True)
class Figure:
    """One measured number and its limit: the greatest value allowed, the least one, or none."""

    name: str
    value: float
    most: float | None = None
    least: float | None = None

    @property
    def holds(self) -> bool:
        return (self.most is None or self.value <= self.most) and (self.least is None or self.value >= self.least)

    def __str__(self) -> str:
        limit = "" if self.most is None else f"<= {self.most:g}"
        limit = limit if self.least is None else f">= {self.least:g}"
        verdict = "ok" if self.holds else "BEYOND"
        return f"{self.name:<76} {self.value:>9.3f}  {limit:<7} {verdict if limit else ''}".rstrip()


@dataclass(frozen=True)
class Material:
    """Claims on distinct documents, and what is needed to check them."""

    store: TrustStore
    kid: str
    documents: list[str]
    digests: list[str]
    tokens: list[str]
    bare: Ed25519PublicKey
    signed: list[tuple[bytes, bytes]]


def material(documents: int) -> Material:
    """Make ``number`` claims by one new Ed25519 key."""
    key: SigningKey = generate_key()
    limits = [Originator(ORIGINATOR, "Archive", frozenset(SourceClass), 9)]
    store = parse_trust_store(
        format_trust_store([make_jwks_entry(key.public, ORIGINATOR)], limits).encode(), "trust.json"
    )
    names = [f"doc-{number:07}" for number in range(documents)]
    digests = [digest_text(f"text of {name}") for name in names]
    tokens = [
        sign_claim(Claim(ORIGINATOR, name, AT - 86_400, SourceClass.HUMAN_AUTHORED, 0, content=digest), key)
        for name, digest in zip(names, digests, strict=True)
    ]
    signed = [(each.signature, each.signed) for each in map(read_token, tokens)]
    return Material(
        store, key.kid, names, digests, tokens, Ed25519PublicKey.from_public_bytes(key.public.point), signed
    )


def seconds(work: Callable[[], object]) -> float:
    """Return how long one call takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def bare_verify(given: Material) -> None:
    """Verify with the cryptographic library alone."""
    for signature, message in given.signed:
        given.bare.verify(signature, message)


def one_claim(given: Material, rounds: int) -> Figure:
    """Measure figure 1."""

    def whole() -> None:
        for token, document, digest in zip(given.tokens, given.documents, given.digests, strict=True):
            outcome = verify_claim(token, given.store, AT, document_id=document, digest=digest)
            assert outcome.status is SignatureStatus.VALID

    ratios = [seconds(whole) / seconds(lambda: bare_verify(given)) for _ in range(rounds)]
    return Figure("whole check of one claim / bare Ed25519 verify", statistics.median(ratios), most=1.3)


def log_columns(given: Material, rows: int) -> tuple[TextColumn, TextColumn, TextColumn]:
    """Make a log in which 5 % of the documents get 80 % of the rows, and every document occurs."""
    source, count = random.Random(5), len(given.documents)
    often = count // 20
    picks = [source.randrange(often) if source.random() < 0.8 else source.randrange(count) for _ in range(rows - count)]
    codes = np.array([*range(count), *picks], np.int32)
    return (
        TextColumn(codes, pa.array(given.tokens)),
        TextColumn(codes, pa.array(given.documents)),
        TextColumn(codes, pa.array(given.digests)),
    )


def decide_rows(checked: CheckedLog, trust: TrustStore) -> NDArray[np.uint8]:
    """Decide the statuses of all rows under another trust."""
    return decide_log(checked, trust, AT).list_row_statuses()


def whole_log(given: Material, rows: int, rounds: int) -> list[Figure]:
    """Measure figures 2 to 4."""
    columns = log_columns(given, rows)

    def statuses(threads: int, kept: KeptChecks) -> None:
        checked = check_log(*columns, given.store, kept=kept, threads=threads)
        assert (decide_log(checked, given.store, AT).list_row_statuses() == VALID).all()

    bare, one, two, again = [], [], [], []
    for _ in range(rounds):
        kept = KeptChecks()
        bare.append(seconds(lambda: bare_verify(given)))
        one.append(seconds(partial(statuses, 1, kept)))
        again.append(seconds(partial(statuses, 1, kept)))
        two.append(seconds(lambda: statuses(2, KeptChecks())))
    checked = check_log(*columns, given.store)
    off = given.store.with_status(ORIGINATOR, SUSPENDED)
    revoked = given.store.with_revocation(given.kid, Revocation(AT, "keyCompromise"))
    what_if = [seconds(partial(decide_rows, checked, trust)) for trust in (off, revoked) * 5]
    size = f"{rows:,} rows, {len(given.documents):,} claims"
    return [
        Figure(f"{size}: one thread / bare verify on one core", min(one) / min(bare)),
        Figure(f"{size}: two threads / bare verify on one core", min(two) / min(bare), most=1.0),
        Figure(f"{size}: two threads faster than one, times", min(one) / min(two)),
        Figure(f"{size}: kept outcomes faster, times", min(one) / min(again), least=20),
        Figure(f"{size}: what-if over trust, ms", 1000 * min(what_if), most=500),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 if a limit is broken."""
    parser = argparse.ArgumentParser(description="Speed of signed claims against its limits.")
    parser.add_argument("--quick", action="store_true", help="a tenth of the log, fewer rounds")
    quick: bool = parser.parse_args(arguments).quick
    figures = [one_claim(material(2_000), 5 if quick else 15)]
    figures += whole_log(material(5_000 if quick else 50_000), 100_000 if quick else 1_000_000, 5)
    for figure in figures:
        print(figure)
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
