"""Hold a trust store: whose claims count, for what and when; and what-ifs over it.

Flows in: keys and originators that passed the loading rules of ``trust_file``.  Flows out: ``TrustStore``.
Rules kept here: a store is immutable, and its digest covers everything that can change a status; a what-if is another
store with the same keys, and the same ``key_digest``, so that signatures checked with one need not be checked again.
Not here: reading a store, judging a claim with it (``verify``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from guard_core.claims.claim import SourceClass
from guard_core.claims.keys import PublicKey

ACTIVE: Final = "active"
"""The only status of an originator whose claims count (R39)."""

SUSPENDED: Final = "suspended"

KEY_COMPROMISE: Final = "keyCompromise"


@dataclass(frozen=True, slots=True)
class Revocation:
    """Hold when and why a key was revoked: ``at`` in seconds since 1970, ``reason`` sets how far it reaches (R40)."""

    at: int
    reason: str

    @property
    def reaches_all(self) -> bool:
        """Whether the revocation reaches every claim by the key, whatever its date, which a thief is free to choose.

        The reason is compared without case, hyphens, underscores and spaces: a misspelling must not weaken it.
        """
        return "".join(c for c in self.reason.lower() if c.isalnum()) == KEY_COMPROMISE.lower()

    def reaches(self, issued: int) -> bool:
        """Return whether the revocation reaches a claim issued at that time."""
        return self.reaches_all or issued >= self.at


@dataclass(frozen=True, slots=True)
class TrustedKey:
    """Hold a usable key and its owner ``iss``.

    Claims count that were issued at or after ``nbf`` and before ``exp``, and that no revocation reaches (R40).
    """

    kid: str
    iss: str
    key: PublicKey
    nbf: int | None = None
    exp: int | None = None
    revoked: Revocation | None = None

    def covers(self, issued: int) -> bool:
        """Return whether a claim issued at that time lies in the window of the key."""
        return (self.nbf is None or issued >= self.nbf) and (self.exp is None or issued < self.exp)

    def is_retired(self, now: int) -> bool:
        """Return whether the key signs nothing new at that time, although what it signed before may count."""
        return (self.exp is not None and now >= self.exp) or (self.revoked is not None and now >= self.revoked.at)


@dataclass(frozen=True, slots=True)
class Originator:
    """Hold the limits that a store sets to one originator; ``None`` sets none (R39)."""

    iss: str
    name: str | None = None
    may_attest: frozenset[SourceClass] | None = None
    max_depth: int | None = None
    status: str = ACTIVE


@dataclass(frozen=True, slots=True)
class SkippedKey:
    """Name an entry that is of no use; ``entry`` counts from 1, and ``kid`` is ``None`` where it has none."""

    entry: int
    kid: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class TrustStore:
    """Hold the keys by ``kid``, the originators by ``iss``, and what was skipped while loading.

    ``digest`` (``sha256:<hex>``) covers usable keys with owners, windows and revocations, and the originators;
    ``key_digest`` covers only what the check of a signature depends on, its words included: ``kid``, algorithm and
    point, and skipped kids.  ``notices`` are lines for the curator: unknown members, one key under two names.
    """

    keys: Mapping[str, TrustedKey]
    originators: Mapping[str, Originator]
    skipped: tuple[SkippedKey, ...]
    notices: tuple[str, ...]
    digest: str
    key_digest: str

    @staticmethod
    def build(
        keys: Iterable[TrustedKey],
        originators: Iterable[Originator] = (),
        skipped: Iterable[SkippedKey] = (),
        notices: Iterable[str] = (),
    ) -> TrustStore:
        """Build a store of these parts; kids and originators must be distinct, which ``trust_file`` checks."""
        by_kid = {key.kid: key for key in sorted(keys, key=lambda key: key.kid)}
        by_iss = {each.iss: each for each in sorted(originators, key=lambda each: each.iss)}
        skipped = tuple(skipped)
        material = [[key.kid, key.key.algorithm, key.key.point.hex()] for key in by_kid.values()]
        policy = [[_list_key_limits(key) for key in by_kid.values()], [_list_limits(each) for each in by_iss.values()]]
        return TrustStore(
            keys=MappingProxyType(by_kid),
            originators=MappingProxyType(by_iss),
            skipped=skipped,
            notices=tuple(notices),
            digest=_digest_json([material, policy]),
            key_digest=_digest_json([material, [[each.kid, each.reason] for each in skipped]]),
        )

    def find_originator(self, iss: str) -> Originator:
        """Find the limits of ``iss``; without an entry it has none (R39)."""
        return self.originators.get(iss) or Originator(iss)

    def with_status(self, iss: str, status: str) -> TrustStore:
        """Return the store in which this originator has that status (``SUSPENDED`` switches it off)."""
        changed = dict(self.originators)
        changed[iss] = replace(self.find_originator(iss), status=status)
        return TrustStore.build(self.keys.values(), changed.values(), self.skipped, self.notices)

    def with_revocation(self, kid: str, revoked: Revocation | None) -> TrustStore:
        """Return the store in which this key is revoked, or is not.  Raises ``KeyError`` for an unknown key."""
        changed = dict(self.keys)
        changed[kid] = replace(self.keys[kid], revoked=revoked)
        return TrustStore.build(changed.values(), self.originators.values(), self.skipped, self.notices)


def _list_key_limits(key: TrustedKey) -> list[object]:
    revoked = key.revoked and [key.revoked.at, key.revoked.reason]
    return [key.kid, key.iss, key.nbf, key.exp, revoked]


def _list_limits(each: Originator) -> list[object]:
    classes = None if each.may_attest is None else sorted(c.value for c in each.may_attest)
    return [each.iss, each.name, classes, each.max_depth, each.status]


def _digest_json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()
