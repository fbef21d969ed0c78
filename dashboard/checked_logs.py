"""Decide the claims of a loaded log again: under another trust store, or with less trust.

Flows in: a ``LoadedLog``, a trust store that was uploaded, a ``Distrust``.  Flows out: a ``LoadedLog`` with other
evidence.
Rules kept here: nothing is read again; caches are keyed by digests of the log, the trust store and the time; with less
trust no signature is verified again (``Evidence.with_trust``), with another trust store only those that its keys were
never asked about.
Not here: reading logs (``logs.py``), what is computed from them (``filtered_log.py``).
"""

from __future__ import annotations

import dataclasses
import hashlib

import streamlit as st

from dashboard.distrust import Distrust, reduce_trust
from dashboard.logs import KEPT_CHECKS, LoadedLog, Request, UploadedTrustStore
from dashboard.views import filters
from guard_core.claims import TrustStore
from guard_core.provenance.evidence import Evidence, build_evidence


def check_log(found: LoadedLog, uploaded: UploadedTrustStore, at: int) -> LoadedLog:
    """Check the claims of a log by a trust store, at a time in seconds since 1970."""
    request = dataclasses.replace(found.request, trust=uploaded, at=at)
    return _check_log(request.digest, found, request, uploaded.store, at)


def distrust_log(found: LoadedLog, distrust: Distrust) -> LoadedLog:
    """Return the log with less trust; itself where that changes nothing."""
    decided = found.evidence.decided
    if distrust.is_empty or decided is None:
        return found
    store = reduce_trust(decided.store, distrust, decided.at)
    if store.digest == decided.store.digest:
        return found
    digest = hashlib.sha256(f"{found.digest}|{store.digest}|{decided.at}".encode()).hexdigest()
    return _distrust_log(digest, found, store, decided.at)


@st.cache_resource(max_entries=4, show_spinner="Checking claims", show_time=True)
def _check_log(digest: str, _found: LoadedLog, _request: Request, _store: TrustStore, _at: int) -> LoadedLog:
    evidence = build_evidence(_found.evidence.log, _found.evidence.catalogue, _store, at=_at, kept=KEPT_CHECKS)
    return dataclasses.replace(_replace_evidence(_found, digest, evidence), request=_request)


@st.cache_resource(max_entries=4, show_spinner=False)
def _distrust_log(digest: str, _found: LoadedLog, _store: TrustStore, _at: int) -> LoadedLog:
    return _replace_evidence(_found, digest, _found.evidence.with_trust(_store, _at))


def _replace_evidence(found: LoadedLog, digest: str, evidence: Evidence) -> LoadedLog:
    offers = found.offers[0], filters.list_filter_values(evidence)
    return dataclasses.replace(found, digest=digest, evidence=evidence, offers=offers)
