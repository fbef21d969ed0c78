"""Whose word is taken, for what, and when: the nouns of a trust store, and what-ifs over it.

Flows in: keys and originators that passed the loading rules (``trust_file``).  Flows out: ``TrustStore``.
Rules kept here: a store is immutable, and its digest covers everything that can change a status; a what-if is another
store with the same keys, so that signatures checked with one need not be checked again for the other (``key_digest``
says that they are the same).
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
    """When and why a key was revoked; ``at`` in seconds since 1970.  ``reason`` decides how far it reaches (R40)."""

    at: int
    reason: str

    @property
    def reaches_all(self) -> bool:
        """True if no claim by the key stands, whenever it says it was issued: a thief can date it as he likes.

        The reason is compared without case, hyphens, underscores and spaces: a slip of the pen must not weaken it.
        """
        return "".join(c for c in self.reason.lower() if c.isalnum()) == KEY_COMPROMISE.lower()

    def reaches(self, issued: int) -> bool:
        """True if a claim issued at that time falls under the revocation."""
        return self.reaches_all or issued >= self.at


@dataclass(frozen=True, slots=True)
class TrustedKey:
    """A usable key: ``iss`` owns it; claims count that were issued at or after ``nbf`` and before ``exp`` (R40 comes
    on top)."""

    kid: str
    iss: str
    key: PublicKey
    nbf: int | None = None
    exp: int | None = None
    revoked: Revocation | None = None

    def covers(self, issued: int) -> bool:
        """True if a claim issued at that time lies in the key's window."""
        return (self.nbf is None or issued >= self.nbf) and (self.exp is None or issued < self.exp)

    def retired(self, now: int) -> bool:
        """True if the key signs nothing new at that time, although what it signed before may stand."""
        return (self.exp is not None and now >= self.exp) or (self.revoked is not None and now >= self.revoked.at)


@dataclass(frozen=True, slots=True)
class Originator:
    """What a store says of one originator.  ``None`` sets no limit (R39)."""

    iss: str
    name: str | None = None
    may_attest: frozenset[SourceClass] | None = None
    max_depth: int | None = None
    status: str = ACTIVE


@dataclass(frozen=True, slots=True)
class SkippedKey:
    """An entry that is of no use.  ``entry`` counts from 1; ``kid`` is ``None`` where it has none."""

    entry: int
    kid: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class TrustStore:
    """Keys by ``kid``, originators by ``iss``, and what was left aside while loading.

    ``digest`` (``sha256:<hex>``) covers usable keys with owners, windows and revocations, and the originators;
    ``key_digest`` covers only what the outcome of a signature depends on, words included: ``kid``, algorithm and
    point, and skipped kids. ``notices`` are lines for the curator: members without a meaning, one key under two names.
    """

    keys: Mapping[str, TrustedKey]
    originators: Mapping[str, Originator]
    skipped: tuple[SkippedKey, ...]
    notices: tuple[str, ...]
    digest: str
    key_digest: str

    @staticmethod
    def of(
        keys: Iterable[TrustedKey],
        originators: Iterable[Originator] = (),
        skipped: Iterable[SkippedKey] = (),
        notices: Iterable[str] = (),
    ) -> TrustStore:
        """A store of these parts; kids and originators must be distinct, which ``trust_file`` sees to."""
        by_kid = {key.kid: key for key in sorted(keys, key=lambda key: key.kid)}
        by_iss = {each.iss: each for each in sorted(originators, key=lambda each: each.iss)}
        skipped = tuple(skipped)
        material = [[key.kid, key.key.algorithm, key.key.point.hex()] for key in by_kid.values()]
        policy = [[_key_record(key) for key in by_kid.values()], [_record(each) for each in by_iss.values()]]
        return TrustStore(
            keys=MappingProxyType(by_kid),
            originators=MappingProxyType(by_iss),
            skipped=skipped,
            notices=tuple(notices),
            digest=_digest([material, policy]),
            key_digest=_digest([material, [[each.kid, each.reason] for each in skipped]]),
        )

    def originator(self, iss: str) -> Originator:
        """What the store says of ``iss``; without an entry nothing limits it (R39)."""
        return self.originators.get(iss) or Originator(iss)

    def with_status(self, iss: str, status: str) -> TrustStore:
        """What if this originator had that status (``SUSPENDED`` switches it off)?"""
        changed = dict(self.originators)
        changed[iss] = replace(self.originator(iss), status=status)
        return TrustStore.of(self.keys.values(), changed.values(), self.skipped, self.notices)

    def with_revocation(self, kid: str, revoked: Revocation | None) -> TrustStore:
        """What if this key were revoked, or were not?  Raises ``KeyError`` for a key that is not there."""
        changed = dict(self.keys)
        changed[kid] = replace(self.keys[kid], revoked=revoked)
        return TrustStore.of(changed.values(), self.originators.values(), self.skipped, self.notices)


def _key_record(key: TrustedKey) -> list[object]:
    revoked = key.revoked and [key.revoked.at, key.revoked.reason]
    return [key.kid, key.iss, key.nbf, key.exp, revoked]


def _record(each: Originator) -> list[object]:
    classes = None if each.may_attest is None else sorted(c.value for c in each.may_attest)
    return [each.iss, each.name, classes, each.max_depth, each.status]


def _digest(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()
