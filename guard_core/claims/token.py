"""Take a token apart into header, claim and signature, before it is known who signed it.

Flows in: the text of a compact JWS (RFC 7515).  Flows out: ``UnverifiedToken``, or ``MalformedClaimError`` with the
reason.  Everything that needs no key is checked here, and every failure is one status, MALFORMED (R35):

1. text of at most 16 KiB, checked before it is split;
2. three segments;
3. each in canonical base64url;
4. a header of strict JSON with exactly ``alg``, ``kid`` and ``typ``, each text, and our ``typ``: no ``crit``,
   ``b64``, ``jwk``, ``jku`` or ``x5u`` is ever interpreted, so no header leads to a key, a file or an address;
5. a payload of strict JSON, an object;
6. the members of the payload, each of its type; members without a meaning here are ignored (R36).

Nothing in ``UnverifiedToken`` is a fact: only ``verify`` uses it, and passes the claim on when the signature holds.
The bytes to verify are the bytes as received, never encoded again (R36).
Not here: whether the algorithm is allowed and the key known (``verify``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from guard_core.claims import base64url, strict_json
from guard_core.claims.claim import CLASS_OF_WORD, MAX_LISTED, MAX_TOKEN, TOKEN_TYPE, Claim
from guard_core.errors import MalformedClaimError, StrictJsonError

_HEADER_MEMBERS: Final = frozenset({"alg", "kid", "typ"})
_SHORT_HEADER: Final = 512
"""Longest header segment that is remembered once it has been read."""

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class UnverifiedToken:
    """Hold the parts of a token: ``algorithm`` and ``kid`` as the header names them, the claim, and the signature
    with the bytes that it has ``signed``."""

    algorithm: str
    kid: str
    signed: bytes
    signature: bytes
    claim: Claim


def read_token(token: str) -> UnverifiedToken:
    """Read a token by the steps above.  Raises ``MalformedClaimError``."""
    # (1): text of at most 16 KiB
    if not isinstance(token, str):
        raise MalformedClaimError("it is not text")
    if len(token) > MAX_TOKEN:
        raise MalformedClaimError(f"it is longer than {MAX_TOKEN} characters")
    try:
        raw = token.encode("ascii")
    except UnicodeEncodeError:
        raise MalformedClaimError("it holds a character outside base64url") from None

    # (2): three segments
    segments = raw.split(b".")
    if len(segments) != 3:
        raise MalformedClaimError(f"it has {len(segments)} segments, not three")

    # (3): each in canonical base64url
    payload, signature = _decode_segment(segments[1], "payload"), _decode_segment(segments[2], "signature")

    # (3) and (4): a header with exactly alg, kid and typ; all claims of a key share one, so it is read once
    read_header = _read_known_header if len(segments[0]) <= _SHORT_HEADER else _read_header
    algorithm, kid = read_header(segments[0])

    # (5): a payload that is an object
    members = _parse_object(payload, "payload")

    # (6): the members of the payload
    return UnverifiedToken(algorithm, kid, raw[: -len(segments[2]) - 1], signature, _read_claim(members))


def _decode_segment(text: bytes, name: str) -> bytes:
    try:
        return base64url.decode(text)
    except ValueError:
        raise MalformedClaimError(f"its {name} is not canonical base64url") from None


def _parse_object(data: bytes, name: str) -> dict[str, object]:
    try:
        value = strict_json.parse(data, max_bytes=MAX_TOKEN)
    except StrictJsonError as error:
        raise MalformedClaimError(f"its {name} {error}") from None
    if not isinstance(value, dict):
        raise MalformedClaimError(f"its {name} is not a JSON object")
    return value


def _read_header(segment: bytes) -> tuple[str, str]:
    header = _parse_object(_decode_segment(segment, "header"), "header")
    if header.keys() != _HEADER_MEMBERS:
        raise MalformedClaimError("its header does not hold exactly alg, kid and typ")
    algorithm, kid, kind = header["alg"], header["kid"], header["typ"]
    if not isinstance(algorithm, str) or not isinstance(kid, str):
        raise MalformedClaimError("alg or kid in its header is not text")
    if kind != TOKEN_TYPE:
        raise MalformedClaimError(f"its typ is not {TOKEN_TYPE}")
    return algorithm, kid


_read_known_header = lru_cache(maxsize=256)(_read_header)


def _read_claim(members: dict[str, object]) -> Claim:
    source_class = _read_text(members, "source_class")
    if source_class not in CLASS_OF_WORD:
        raise MalformedClaimError(f"source_class is not one of {', '.join(CLASS_OF_WORD)}")
    depth = _read_integer(members, "synthetic_generation_depth")
    if depth < 0:
        raise MalformedClaimError("synthetic_generation_depth is negative")
    content = _read_text(members, "content") if "content" in members else None
    if content is not None and not _DIGEST.fullmatch(content):
        raise MalformedClaimError("content is not sha256: and 64 lower-case hex digits")
    return Claim(
        iss=_read_text(members, "iss"),
        sub=_read_text(members, "sub"),
        iat=_read_integer(members, "iat"),
        source_class=CLASS_OF_WORD[source_class],
        depth=depth,
        exp=_read_integer(members, "exp") if "exp" in members else None,
        nbf=_read_integer(members, "nbf") if "nbf" in members else None,
        jti=_read_text(members, "jti") if "jti" in members else None,
        digital_source_type=_read_text(members, "digitalSourceType") if "digitalSourceType" in members else None,
        anchors=_read_anchors(members["human_source_anchor_hash"]) if "human_source_anchor_hash" in members else (),
        content=content,
        derived_from=_read_texts(members["derived_from"], "derived_from") if "derived_from" in members else (),
    )


def _read_text(members: dict[str, object], name: str) -> str:
    value = members.get(name)
    if not isinstance(value, str):
        raise MalformedClaimError(f"{name} is {'not text' if name in members else 'missing'}")
    return value


def _read_integer(members: dict[str, object], name: str) -> int:
    value = members.get(name)
    if type(value) is not int:  # true is an int to isinstance, and no number here
        raise MalformedClaimError(f"{name} is {'not an integer in range' if name in members else 'missing'}")
    return value


def _read_anchors(value: object) -> tuple[str, ...]:
    anchors = (value,) if isinstance(value, str) else _read_texts(value, "human_source_anchor_hash")
    if not all(_DIGEST.fullmatch(anchor) for anchor in anchors):
        raise MalformedClaimError("an anchor is not sha256: and 64 lower-case hex digits")
    return anchors


def _read_texts(value: object, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise MalformedClaimError(f"{name} is not a list of texts")
    if len(value) > MAX_LISTED:
        raise MalformedClaimError(f"{name} lists more than {MAX_LISTED}")
    return tuple(value)
