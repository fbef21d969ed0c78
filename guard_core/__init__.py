"""Source Guard: who wrote what a retrieval returned, how that is known, and whether it is grounded in human sources.

Where to start:

* a whole log, in a notebook: ``open_log("log.jsonl").judge("reference").retrievals.to_pandas()``
* one result set: ``SyntheticSourceGuard.evaluate_results(results, policy)``
* a search of yours, judged and repeated where it has to be: ``guarded_search(search, policy)``
* the command line: ``source-guard --help``, or ``python -m guard_core``; the dashboard: ``source-guard demo``

``__all__`` is the public surface; docs/library.md explains each name.  The data flows one way: ``ingest`` and
``claims`` -> ``provenance`` (evidence) -> ``judging`` -> ``output``; ``search`` guards one live search.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from guard_core.errors import InputError, PolicyError, SourceGuardError
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

if _TYPE_CHECKING:
    from guard_core.output.evaluation import Evaluation
    from guard_core.output.frames import Frame
    from guard_core.output.open_log import OpenLog, open_log

__all__ = [
    "Anchor",
    "Applicability",
    "AuthenticityClass",
    "Basis",
    "Conflict",
    "CountUnit",
    "Decision",
    "Evaluation",
    "Finding",
    "Frame",
    "GuardedSearch",
    "IndexFields",
    "InputError",
    "OpenLog",
    "PolicyError",
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
    "open_log",
]

_LOADED_WHEN_ASKED_FOR = {
    "Evaluation": "guard_core.output.evaluation",
    "Frame": "guard_core.output.frames",
    "OpenLog": "guard_core.output.open_log",
    "open_log": "guard_core.output.open_log",
}
"""Names for whole logs, and where they are: Arrow takes longer to load than all the rest."""


def __getattr__(name: str) -> object:
    if name not in _LOADED_WHEN_ASKED_FOR:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415  # a name here would be a public one

    return getattr(import_module(_LOADED_WHEN_ASKED_FOR[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
