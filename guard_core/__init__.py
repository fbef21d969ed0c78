"""Source Guard: who wrote what a retrieval returned, how that is known, and whether it is grounded in human sources.

Where to start:

* one result set: ``SyntheticSourceGuard.evaluate_results(results, policy)``
* a search of yours, judged and repeated where it has to be: ``guarded_search(search, policy)``
* a whole log: ``ingest.read_log`` -> ``evidence.build_evidence`` -> ``statistics.Statistics.of`` -> ``judge.judge``
* the command line: ``source-guard --help``; the dashboard: ``source-guard demo``

The data flows one way: files -> ``ingest`` and ``provenance`` -> ``evidence`` -> ``statistics`` -> ``judge`` ->
``manifest``.
"""

from guard_core.errors import SourceGuardError
from guard_core.judging.guard import SyntheticSourceGuard
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
from guard_core.search.requery import GuardedSearch, Requery, guarded_search
from guard_core.search.requery_outcome import RequeryOutcome
from guard_core.search.source_filter import IndexFields, SourceFilter

__all__ = [
    "Anchor",
    "Applicability",
    "AuthenticityClass",
    "Basis",
    "Conflict",
    "CountUnit",
    "Decision",
    "Finding",
    "GuardedSearch",
    "IndexFields",
    "Requery",
    "RequeryOutcome",
    "SearchResult",
    "SignatureGate",
    "SignatureStatus",
    "SourceFilter",
    "SourceGuardError",
    "SynthesisManifest",
    "SynthesisPolicy",
    "SynthesisVerdict",
    "SyntheticSourceGuard",
    "guarded_search",
]
