"""Every failure that Source Guard raises on purpose, in one tree.

::

    SourceGuardError                 the root: catch this to catch all of ours
    ├── NoResultsError               an empty result set was given to the rule (also a ValueError)
    ├── PolicyError                  a policy value is refused: field, value's fault, what is allowed
    └── InputError                   a file cannot be used: file, place, what to do
        ├── LogError                 a retrieval log
        ├── MappingError             a column mapping names a field or column that is not there
        └── CatalogueError           a provenance catalogue

Flows in: nothing.  Flows out: exceptions whose ``str`` is one line that a person can act on.
Rules: a message names the file and the place, never the value found there (log text may be private or hostile);
an error that would be wrong to ignore is raised, never returned.
Not here: problems of single rows.  Those are data (``guard_core.ingest.log.Problem``), because one bad row must
not hide the readable ones.
"""

from __future__ import annotations


class SourceGuardError(Exception):
    """Root of the tree."""


class NoResultsError(SourceGuardError, ValueError):
    """The rule was asked to judge an empty tuple of results (specification: ``ValueError``)."""


class PolicyError(SourceGuardError, ValueError):
    """A policy field is refused.

    ``field`` is the name as written in the policy file, ``allowed`` says what the field takes.
    """

    def __init__(self, field: str, fault: str, allowed: str) -> None:
        self.field = field
        self.fault = fault
        self.allowed = allowed
        super().__init__(f"policy field {field}: {fault}; allowed: {allowed}")


class InputError(SourceGuardError):
    """A file cannot be used at all.

    ``file`` is its display name, ``place`` a line, record or column (or ``None``), ``advice`` what to do about it.
    """

    def __init__(self, file: str, fault: str, advice: str, place: str | None = None) -> None:
        self.file = file
        self.fault = fault
        self.advice = advice
        self.place = place
        where = f"{file}, {place}" if place else file
        super().__init__(f"{where}: {fault}; {advice}")


class LogError(InputError):
    """A retrieval log is unreadable or holds no retrieval."""


class MappingError(InputError):
    """A column mapping names something that does not exist."""


class CatalogueError(InputError):
    """A provenance catalogue is unreadable."""
