"""Define a signed claim: what an originator states of a document.

Flows in: nothing.  Flows out: ``Claim``, ``SourceClass``, the names and limits of the format.
Rules kept here: a ``Claim`` is a statement, not a fact; it is worth what its signature, its key and its originator
are worth (``verify``).  A claim is about a document (``sub``), never about a result.
Not here: reading it from a token (``token``), making one (``sign``), judging it (``verify``).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

TOKEN_TYPE: Final = "source-authenticity+jwt"  # noqa: S105  # the name of a type, not a secret
"""The only ``typ`` of a header, so that a token made for another purpose never passes as a claim."""

MAX_TOKEN: Final = 16 * 1024
"""Longest token in characters, checked before it is split."""

MAX_LISTED: Final = 64
"""Most anchors, and most parents, that one claim may list."""


class SourceClass(Enum):
    """Name the three values of ``source_class``."""

    HUMAN_AUTHORED = "human-authored"
    MODEL_GENERATED = "model-generated"
    HYBRID = "hybrid"


CLASS_OF_WORD: Final = {each.value: each for each in SourceClass}


@dataclass(frozen=True, slots=True)
class Claim:
    """Hold one signed statement about one document.

    ``iss`` is the originator, ``sub`` the document id as in the log.  Times are whole seconds since 1970 (UTC):
    ``iat`` when it was issued, ``nbf`` and ``exp`` from and until when it holds.  ``depth`` is the generation depth,
    0 to 2**53 - 1 (cap it before it goes into a narrow column).  ``anchors`` and ``content`` are
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
