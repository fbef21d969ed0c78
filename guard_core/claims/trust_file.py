"""Read a trust store: a JSON Web Key Set whose keys name their originators.

Flows in: a file, or its bytes.  Flows out: ``TrustStore``, or ``TrustStoreError`` with file, entry and reason.
The loading rules, in order:

1. strict JSON in UTF-8 (a byte order mark is allowed), at most 16 MiB: an object with a list ``keys``;
2. an entry with private or symmetric material refuses the whole store, since that key is no longer secret;
3. a ``kid`` that occurs twice refuses the store, usable or not, since a claim would not say which key it means;
4. an entry that is of no use is skipped and listed with its reason, and the others stay (R38): not an object, no
   ``kid`` or ``iss``, a kind or point that ``keys`` refuses, a window or revocation that cannot be read;
5. ``issuers`` sets limits; an entry there that cannot be read refuses the store, because skipping it would lift them.

A member that is null counts as left out.  Unknown members are ignored, and in ``issuers`` and at the top level they are
listed, because a misspelt limit limits nothing.
Not here: whose claims count (``verify``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from guard_core.claims import strict_json
from guard_core.claims.claim import CLASS_OF_WORD, SourceClass
from guard_core.claims.keys import load_public_key
from guard_core.claims.small_files import read_small_file
from guard_core.claims.trust_store import ACTIVE, Originator, Revocation, SkippedKey, TrustedKey, TrustStore
from guard_core.errors import KeyRefusedError, StrictJsonError, TrustStoreError
from guard_core.files.input_file import escape_file_name

MAX_BYTES: Final = 16 * 1024 * 1024
MAX_KID: Final = 256
"""Longest ``kid`` in characters."""

_BOM: Final = b"\xef\xbb\xbf"
_PRIVATE: Final = ("d", "k", "priv", "p", "q", "dp", "dq", "qi", "oth")
"""Members of private and symmetric keys (RFC 7518, section 6; ``priv`` of algorithm key pairs)."""

_TOP: Final = frozenset({"keys", "issuers"})
_LIMITS: Final = frozenset({"name", "may_attest", "max_depth", "status"})


class _SkippedError(Exception):
    """Raised for an entry that is of no use; the message is the reason."""


def read_trust_store(path: str | Path) -> TrustStore:
    """Read a trust store from a regular file.  Raises ``TrustStoreError``."""
    return parse_trust_store(read_small_file(path, MAX_BYTES, TrustStoreError), escape_file_name(path))


def parse_trust_store(data: bytes, name: str) -> TrustStore:
    """Read a trust store from the bytes of a file called ``name``.  Raises ``TrustStoreError``."""
    # (1): strict JSON, an object with a list of keys
    try:
        top = strict_json.parse(data.removeprefix(_BOM), max_bytes=MAX_BYTES)
    except StrictJsonError as error:
        pem = data.lstrip().startswith(b"-----BEGIN")
        fault = "is a PEM file, not a JSON Web Key Set" if pem else str(error)
        raise TrustStoreError(name, fault, "a trust store is a JSON Web Key Set") from None
    if not isinstance(top, dict):
        raise TrustStoreError(name, "is not a JSON object", "a trust store is an object with a list keys")
    _check_public(top, name, "top level")
    entries, limits = top.get("keys"), top.get("issuers")
    if not isinstance(entries, list):
        raise TrustStoreError(name, "has no list of keys", "a trust store is an object with a list keys")
    if not (limits is None or isinstance(limits, dict)):
        raise TrustStoreError(name, "is not an object", "issuers maps an originator to its limits", "issuers")

    # (2) and (3) look at every entry, also at those that are skipped later
    kids: dict[str, int] = {}
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict):
            continue
        place = f"keys entry {number}"
        _check_public(entry, name, place)
        kid = entry.get("kid")
        if isinstance(kid, str) and kids.setdefault(kid, number) != number:
            fault = f"has the kid of entry {kids[kid]}"
            raise TrustStoreError(name, fault, "give each key a kid of its own, best its thumbprint", place)

    # (4): usable keys, and the others with reasons
    keys, skipped = [], []
    for number, entry in enumerate(entries, 1):
        try:
            keys.append(_read_key(entry))
        except (_SkippedError, KeyRefusedError) as reason:
            kid = entry.get("kid") if isinstance(entry, dict) else None
            skipped.append(SkippedKey(number, kid if isinstance(kid, str) else None, str(reason)))

    # (5): limits
    originators = [_read_originator(iss, entry, name) for iss, entry in (limits or {}).items()]
    return TrustStore.build(
        keys, originators, skipped, [*_list_unknown_members(top, limits or {}), *_list_shared_keys(keys)]
    )


def _check_public(entry: dict[str, object], name: str, place: str) -> None:
    if entry.get("kty") == "oct" or any(member in entry for member in _PRIVATE):
        raise TrustStoreError(
            name,
            "holds private or symmetric key material",
            "take it out, and do not use that key again: a trust store holds public keys only",
            place,
        )


def _read_key(entry: object) -> TrustedKey:
    if not isinstance(entry, dict):
        raise _SkippedError("it is not an object")
    kid, iss = entry.get("kid"), entry.get("iss")
    if not isinstance(kid, str) or not 0 < len(kid) <= MAX_KID:
        raise _SkippedError(f"its kid is not text of 1 to {MAX_KID} characters")
    key = load_public_key(entry)
    if not isinstance(iss, str) or not iss:
        raise _SkippedError("it names no originator (iss)")
    return TrustedKey(
        kid, iss, key, _read_time(entry, "nbf"), _read_time(entry, "exp"), _read_revocation(entry.get("revoked"))
    )


def _read_time(entry: dict[str, object], member: str) -> int | None:
    value = entry.get(member)
    if value is not None and type(value) is not int:  # true is an int to isinstance
        raise _SkippedError(f"its {member} is not a whole number of seconds")
    return value


def _read_revocation(value: object) -> Revocation | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _SkippedError("its revoked is not an object with at and reason")
    at, reason = value.get("at"), value.get("reason")
    if type(at) is not int or not isinstance(reason, str):
        raise _SkippedError("its revoked has no at in whole seconds, or no reason as text")
    return Revocation(at, reason)


def _read_originator(iss: str, entry: object, name: str) -> Originator:
    place = f"issuers entry {_quote(iss)}"
    if not isinstance(entry, dict):
        raise TrustStoreError(name, "is not an object", "an entry holds name, may_attest, max_depth, status", place)
    label, status = entry.get("name"), entry.get("status")
    if not (label is None or isinstance(label, str)):
        raise TrustStoreError(name, "name is not text", "write it in quotes", place)
    if not (status is None or isinstance(status, str)):
        raise TrustStoreError(name, "status is not text", f'write "{ACTIVE}", or another word to suspend it', place)
    depth = entry.get("max_depth")
    if depth is not None and (type(depth) is not int or depth < 0):
        raise TrustStoreError(name, "max_depth is not an integer of 0 or more", "write a whole number", place)
    classes = _read_classes(entry.get("may_attest"), name, place)
    return Originator(iss, label, classes, depth, ACTIVE if status is None else status)


def _read_classes(value: object, name: str, place: str) -> frozenset[SourceClass] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(word, str) and word in CLASS_OF_WORD for word in value):
        words = ", ".join(CLASS_OF_WORD)
        raise TrustStoreError(name, "may_attest is not a list of source classes", f"the classes are {words}", place)
    return frozenset(CLASS_OF_WORD[word] for word in value)


def _list_unknown_members(top: dict[str, object], limits: dict[str, object]) -> list[str]:
    notices = [f"top level: the member {_quote(each)} means nothing here" for each in top if each not in _TOP]
    for iss, entry in limits.items():
        if isinstance(entry, dict):
            idle = [each for each in entry if each not in _LIMITS]
            place = f"issuers entry {_quote(iss)}"
            notices += [f"{place}: the member {_quote(each)} limits nothing" for each in idle]
    return notices


def _list_shared_keys(keys: list[TrustedKey]) -> list[str]:
    first: dict[str, TrustedKey] = {}
    notices = []
    for key in keys:
        other = first.setdefault(key.key.thumbprint, key)
        if other is not key:
            whose = "one originator" if other.iss == key.iss else "two originators"
            names = f"{_quote(other.kid)} and {_quote(key.kid)}"
            notices.append(f"the kids {names} of {whose} name one and the same key")
    return notices


def _quote(name: str) -> str:
    """Return a name of the operator's own file, on one line and of bounded length."""
    return ascii(name)[:80]
