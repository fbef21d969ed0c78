"""Define every failure that Source Guard raises on purpose, in one tree.

::

    SourceGuardError                 the root: catch this to catch all of ours
    ├── NoResultsError               an empty result set was given to the rule (also a ValueError)
    ├── PolicyError                  a policy value is refused: field, value's fault, what is allowed
    │   └── PolicyFileError          a policy file cannot be read: file, fault, what to give
    ├── ManifestError                an evaluation object does not hold: member, what is wrong
    ├── OutputError                  a file cannot be written
    ├── SearchError                  a guarded search cannot be judged as asked (also a ValueError)
    ├── HaltedSearchError            a guarded search halts, where its hits were all that was asked for
    ├── StrictJsonError              text is not strict JSON (also a ValueError)
    ├── ClaimError                   signed claims
    │   ├── MalformedClaimError      a token cannot be read, whoever signed it
    │   ├── KeyRefusedError          a public key is of no use here, or unsafe
    │   ├── SigningError             a claim may not be signed as asked
    │   └── OtherKeysError           outcomes of one set of keys were asked about another
    └── InputError                   a file cannot be used: file, place, what to do
        ├── LogError                 a retrieval log
        ├── MappingError             a column mapping names a field or column that is not there
        ├── CatalogueError           a provenance catalogue
        ├── TrustStoreError          a trust store: file, entry, reason
        └── KeyFileError             a file that holds, or is to hold, a private key

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


class PolicyFileError(PolicyError):
    """A policy file cannot be read at all.  ``field`` is the file's display name."""

    def __init__(self, file: str, fault: str, allowed: str) -> None:
        super().__init__(file, fault, allowed)
        self.args = (f"{file}: {fault}; give {allowed}",)


class ManifestError(SourceGuardError):
    """An evaluation object does not hold.  ``member`` is the path of the member that does not, ``fault`` what is
    wrong."""

    def __init__(self, member: str, fault: str) -> None:
        self.member = member
        self.fault = fault
        super().__init__(f"{member}: {fault}")


class OutputError(SourceGuardError):
    """A file cannot be written; whatever stood there before is left as it was."""


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


class TrustStoreError(InputError):
    """A trust store is refused: unreadable, not strict JSON, ambiguous, or holding material that must not be there."""


class KeyFileError(InputError):
    """A private key file cannot be read or written.  Nothing of the key is ever in the message."""


class SearchError(SourceGuardError, ValueError):
    """A guarded search cannot be judged: the search gave something that is no list of hits, or the call makes no
    sense.  Never raised for what was found."""


class HaltedSearchError(SourceGuardError):
    """A guarded search halts, and whoever called has no other way to learn of it.

    ``str`` is the directive; ``trail`` holds the records of the search, one JSON line each.
    """

    def __init__(self, directive: str, trail: tuple[str, ...]) -> None:
        self.trail = trail
        super().__init__(directive)


class StrictJsonError(SourceGuardError, ValueError):
    """Text is not strict JSON.  The message is a phrase that says why ("repeats a member"), never what stood there."""


class ClaimError(SourceGuardError):
    """Anything that goes wrong with signed claims outside files."""


class MalformedClaimError(ClaimError):
    """A token cannot be read as a claim, whoever signed it (R35).  The message never quotes the token."""


class KeyRefusedError(ClaimError):
    """A public key is of a kind that claims do not use, is not a point of its curve, or is unsafe."""


class SigningError(ClaimError):
    """A claim may not be signed as asked, because every verifier would refuse it."""


class OtherKeysError(ClaimError):
    """Cryptographic outcomes were made with other keys than those of the trust store at hand."""
