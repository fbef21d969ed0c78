"""The nouns of signed claims: what an originator says of a document.

Flows in: nothing.  Flows out: ``Claim``, ``SourceClass``, the names and limits of the format.
Rules kept here: a ``Claim`` is a statement, not a fact; it is worth what its signature, its key and its originator
are worth (``verify``).  A claim names a document (``sub``), never a result.
Not here: reading it from a token (``token``), making one (``sign``), judging it (``verify``).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

TOKEN_TYPE: Final = "source-authenticity+jwt"  # noqa: S105  # the name of a type, not a secret
"""The only ``typ``, so that a token made for another purpose can never pass as a claim."""

MAX_TOKEN: Final = 16 * 1024
"""Longest token in characters, told before it is split."""

MAX_LISTED: Final = 64
"""Most anchors, and most parents, of one claim."""


class SourceClass(Enum):
    """The three values of ``source_class``."""

    HUMAN_AUTHORED = "human-authored"
    MODEL_GENERATED = "model-generated"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class Claim:
    """One signed statement on one document.

    ``iss`` is the originator, ``sub`` the document id as in the log.  Times are whole seconds since 1970 (UTC):
    ``iat`` when it was issued, ``nbf`` and ``exp`` from and until when it holds.  ``depth`` is the generation depth,
    0 or greater (up to 2**53 - 1: cap it before it goes into a narrow column).  ``anchors`` and ``content`` are
    digests, ``sha256:`` and 64 lower-case hex digits; ``derived_from`` holds document ids or such digests.
    """

    iss: str
    sub: str
    iat: int
    source_class: SourceClass
    depth: int
    exp: int | None = None
    nbf: int | None = None
    jti: str | None = None
    digital_source_type: str | None = None
    anchors: tuple[str, ...] = ()
    content: str | None = None
    derived_from: tuple[str, ...] = ()
