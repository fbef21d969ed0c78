"""Take trust away for a what-if: originators switched off, keys taken as compromised.

Flows in: a ``Distrust`` and the trust store of a log.  Flows out: another trust store, and sentences.
Rules kept here: trust is only ever taken away, never given; a name that the trust store does not know changes nothing,
and is named on the page.
Not here: deciding claims again (``checked_logs.py``), the names in a link (``url.py``), the controls.
"""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.text import escape_text
from guard_core.claims import SUSPENDED, Revocation, TrustStore
from guard_core.claims.trust_store import KEY_COMPROMISE

_NAMED = 4
"""Names that a sentence lists; the others are counted."""


@dataclass(frozen=True, slots=True)
class Distrust:
    """``originators`` (their ``iss``) that are switched off, and ``keys`` (their ``kid``) taken as compromised."""

    originators: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if everybody is trusted as the trust store says."""
        return not self.originators and not self.keys


def list_originators(store: TrustStore) -> tuple[str, ...]:
    """List every originator that a trust store names, with limits or with a key."""
    return tuple(sorted({*store.originators, *(key.iss for key in store.keys.values())}))


def reduce_trust(store: TrustStore, distrust: Distrust, at: int) -> TrustStore:
    """Return the trust store with less trust in it.

    ``at`` is when keys are taken as compromised, in seconds since 1970.
    """
    named = list_originators(store)
    for iss in distrust.originators:
        if iss in named:
            store = store.with_status(iss, SUSPENDED)
    for kid in distrust.keys:
        if kid in store.keys:
            store = store.with_revocation(kid, Revocation(at, KEY_COMPROMISE))
    return store


def describe_distrust(distrust: Distrust) -> str:
    """Describe a distrust in a few words: "Saltrook Press switched off, key 2026-a compromised"."""
    parts = [f"{escape_text(iss, 60)} switched off" for iss in distrust.originators]
    parts += [f"key {escape_text(kid, 60)} compromised" for kid in distrust.keys]
    more = f" and {len(parts) - _NAMED} more" if len(parts) > _NAMED else ""
    return ", ".join(parts[:_NAMED]) + more


def find_unknown_names(store: TrustStore | None, distrust: Distrust) -> tuple[str, ...]:
    """Return the names of a distrust that the trust store does not have."""
    if store is None:
        return (*distrust.originators, *distrust.keys)
    named = list_originators(store)
    return (
        *(iss for iss in distrust.originators if iss not in named),
        *(kid for kid in distrust.keys if kid not in store.keys),
    )
