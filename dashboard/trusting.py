"""The claims of a log that is loaded, under another trust store or with less trust: nothing is read again.

Flows in: ``Loaded``, a trust store that was uploaded, a ``Distrust``.  Flows out: ``Loaded`` with other evidence.
Rules kept here: caches are keyed by digests of the log, the trust store and the time; with less trust no signature is
verified again (``Evidence.with_trust``), with another trust store only those that its keys were never asked about.
Not here: reading logs (``session.py``), what is worked out from them (``scene.py``).
"""

from __future__ import annotations

import dataclasses
import hashlib

import streamlit as st

from dashboard import distrust, session
from dashboard.distrust import Distrust
from dashboard.session import HeldStore, Loaded, Request
from dashboard.views import filters
from guard_core.claims import TrustStore
from guard_core.provenance.evidence import Evidence, build_evidence


def checked(found: Loaded, held: HeldStore, at: int) -> Loaded:
    """The log with its claims checked by a trust store, at a time in seconds since 1970."""
    request = dataclasses.replace(found.request, trust=held, at=at)
    return _checked(request.key, found, request, held.store, at)


def distrusting(found: Loaded, wish: Distrust) -> Loaded:
    """The log with less trust; itself where that changes nothing."""
    decided = found.evidence.decided
    if wish.empty or decided is None:
        return found
    store = distrust.applied(decided.store, wish, decided.at)
    if store.digest == decided.store.digest:
        return found
    key = hashlib.sha256(f"{found.key}|{store.digest}|{decided.at}".encode()).hexdigest()
    return _distrusting(key, found, store, decided.at)


@st.cache_resource(max_entries=4, show_spinner="Checking claims", show_time=True)
def _checked(key: str, _found: Loaded, _request: Request, _store: TrustStore, _at: int) -> Loaded:
    evidence = build_evidence(_found.evidence.log, _found.evidence.catalogue, _store, at=_at, kept=session.KEPT)
    return dataclasses.replace(_with(_found, key, evidence), request=_request)


@st.cache_resource(max_entries=4, show_spinner=False)
def _distrusting(key: str, _found: Loaded, _store: TrustStore, _at: int) -> Loaded:
    return _with(_found, key, _found.evidence.with_trust(_store, _at))


def _with(found: Loaded, key: str, evidence: Evidence) -> Loaded:
    offers = found.offers[0], filters.offered(evidence)
    return dataclasses.replace(found, key=key, evidence=evidence, offers=offers)
