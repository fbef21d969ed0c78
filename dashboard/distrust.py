"""What if somebody were not trusted: originators switched off, keys taken as compromised; as URL parameters and back.

Flows in: names that a reader or a link gives, and the trust store of a log.  Flows out: ``Distrust``, another trust
store, sentences.
Rules kept here: trust is only ever taken away here, never given; every name of a link is bounded (R45) and one that is
refused is named and left out; a name that the trust store does not know changes nothing, and is said.
Not here: deciding claims again (``trusting.py``), the controls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.text import visible
from guard_core.claims import SUSPENDED, Revocation, TrustStore
from guard_core.claims.trust_store import KEY_COMPROMISE

NAME_LIMIT = 500
"""Characters of one name in a link."""

NAMES_LIMIT = 50
"""Names of one kind."""

_ALLOWED = f"1 to {NAME_LIMIT} characters"


@dataclass(frozen=True, slots=True)
class Distrust:
    """``originators`` (their ``iss``) that are switched off, and ``keys`` (their ``kid``) taken as compromised."""

    originators: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """True if everybody is trusted as the trust store says."""
        return not self.originators and not self.keys


def chosen(originators: Sequence[str], keys: Sequence[str]) -> Distrust:
    """What was chosen; what no name can be is left out."""
    return Distrust(*(tuple(name for name in names if _fits(name))[:NAMES_LIMIT] for names in (originators, keys)))


def parameters(wish: Distrust) -> dict[str, list[str]]:
    """The parameters that :func:`read` reads back."""
    given = {"distrust": list(wish.originators), "compromised": list(wish.keys)}
    return {name: values for name, values in given.items() if values}


def read(given: Mapping[str, Sequence[str]]) -> tuple[Distrust, tuple[str, ...]]:
    """What the parameters of a URL ask for, and a sentence for each kind of value that was left out."""
    refused = []
    found = []
    for name in ("distrust", "compromised"):
        values = list(dict.fromkeys(given.get(name, ())))
        kept = tuple(value for value in values if _fits(value))
        if len(kept) != len(values):
            refused.append(f"{name}: empty or too long; allowed: {_ALLOWED}")
        if len(kept) > NAMES_LIMIT:
            refused.append(f"{name}: too many names; allowed: {NAMES_LIMIT}")
        found.append(kept[:NAMES_LIMIT])
    return Distrust(*found), tuple(refused)


def originators_of(store: TrustStore) -> tuple[str, ...]:
    """Every originator that a trust store names, with limits or with a key."""
    return tuple(sorted({*store.originators, *(key.iss for key in store.keys.values())}))


def applied(store: TrustStore, wish: Distrust, at: int) -> TrustStore:
    """The trust store with less trust in it; ``at`` is when keys are taken as compromised, in seconds since 1970."""
    known = originators_of(store)
    for iss in wish.originators:
        if iss in known:
            store = store.with_status(iss, SUSPENDED)
    for kid in wish.keys:
        if kid in store.keys:
            store = store.with_revocation(kid, Revocation(at, KEY_COMPROMISE))
    return store


def in_words(wish: Distrust) -> str:
    """The wish in half a line: "Saltrook Press switched off, key 2026-a compromised"."""
    parts = [f"{visible(iss, 60)} switched off" for iss in wish.originators]
    parts += [f"key {visible(kid, 60)} compromised" for kid in wish.keys]
    more = f" and {len(parts) - 4} more" if len(parts) > 4 else ""
    return ", ".join(parts[:4]) + more


def unknown(store: TrustStore | None, wish: Distrust) -> tuple[str, ...]:
    """Names of the wish that the trust store does not know."""
    if store is None:
        return (*wish.originators, *wish.keys)
    known = originators_of(store)
    return (
        *(iss for iss in wish.originators if iss not in known),
        *(kid for kid in wish.keys if kid not in store.keys),
    )


def _fits(name: str) -> bool:
    return 0 < len(name) <= NAME_LIMIT and "\0" not in name
