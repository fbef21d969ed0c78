"""Source Guard: who wrote what a retrieval returned, how that is known, and whether it is grounded in human sources.

Where to start:

* one result set: ``SyntheticSourceGuard.evaluate_results(results, policy)``
* a whole log: ``ingest.read_log`` -> ``evidence.build_evidence`` -> ``statistics.Statistics.of`` -> ``judge.judge``
* the command line: ``source-guard --help``; the dashboard: ``source-guard demo``

The data flows one way: files -> ``ingest`` and ``provenance`` -> ``evidence`` -> ``statistics`` -> ``judge`` ->
``manifest``.
"""

from guard_core.errors import SourceGuardError
from guard_core.guard import SyntheticSourceGuard
from guard_core.model import (
    Anchor,
    Applicability,
    AuthenticityClass,
    Basis,
    Conflict,
    CountUnit,
    Decision,
    Finding,
    SearchResult,
    SignatureGate,
    SignatureStatus,
    SynthesisManifest,
    SynthesisPolicy,
    SynthesisVerdict,
)

__all__ = [
    "Anchor",
    "Applicability",
    "AuthenticityClass",
    "Basis",
    "Conflict",
    "CountUnit",
    "Decision",
    "Finding",
    "SearchResult",
    "SignatureGate",
    "SignatureStatus",
    "SourceGuardError",
    "SynthesisManifest",
    "SynthesisPolicy",
    "SynthesisVerdict",
    "SyntheticSourceGuard",
]
