"""Make the claims that a verifier must refuse, each with the one status that it must give.

Flows in: test keys.  Flows out: cases, in the order in which a verifier meets them.
Rules kept here: a claim with two faults names both in its reason, and gets the status of the step that comes first.
"""

from __future__ import annotations

from base64 import b64encode

from guard_core.claims.base64url import decode, encode
from tests.conformance.valid_claims import make_longest_token
from tests.support.claim_tokens import (
    ARCHIVE,
    AT,
    BUREAU,
    DAY,
    KEY,
    OTHER_DIGEST,
    P256,
    SLEEPER,
    TEXT,
    TEXT_DIGEST,
    VENDOR,
    Case,
    encode_part,
    header,
    model_payload,
    payload,
    replace_segment,
    token,
)

_GOOD = token(payload())
_HEAD, _BODY, _SIGNATURE = _GOOD.split(".")
_RAW = decode(_SIGNATURE.encode())


def list_refused_claims() -> list[Case]:
    """List all claims that must be refused."""
    return [
        Case("missing", "MISSING", "there is no claim", ""),
        *_malformed_tokens(),
        *_malformed_json(),
        *_malformed_members(),
        *_keys(),
        *_originators(),
        *_times(),
        *_contradictions(),
        *_transplants(),
    ]


def _list_cases(status: str, table: dict[str, tuple[str, str]], prefix: str = "") -> list[Case]:
    """List the claims of a table, which maps a name to reason and token; all are on doc-1 and get this status."""
    return [Case(prefix + name, status, reason, text) for name, (reason, text) in table.items()]


def _malformed_tokens() -> list[Case]:
    bits = _SIGNATURE[:-1] + {"A": "B", "Q": "R", "g": "h", "w": "x"}[_SIGNATURE[-1]]
    padded = token(payload(note="xx" if len(encode_part(payload(note="x"))) % 3 == 0 else "x"))
    standard = token(payload(note="???>>>"))
    body = standard.split(".")[1].replace("_", "/").replace("-", "+")
    no_type = {name: value for name, value in header().items() if name != "typ"}
    no_kid = {name: value for name, value in header().items() if name != "kid"}
    table = {
        "too-long": ("one character over 16 KiB", make_longest_token() + "A"),
        "no-segments": ("not a JWS", "human-authored, honestly"),
        "two-segments": ("two segments", f"{_HEAD}.{_BODY}"),
        "four-segments": ("four segments", f"{_GOOD}.{_SIGNATURE}"),
        "space": ("white space before it", f" {_GOOD}"),
        "newline": ("a newline after it", f"{_GOOD}\n"),
        "padding": ("base64 padding", replace_segment(padded, 1, padded.split(".")[1] + "=")),
        "standard-base64": ("the standard alphabet of base64", replace_segment(standard, 1, body)),
        "spare-bits": ("bits left over in the last character", replace_segment(_GOOD, 2, bits)),
        "fullwidth": ("a letter that only looks like one of base64url", _GOOD.replace("e", "\uff45", 1)),
        "empty-header": ("no header", f".{_BODY}.{_SIGNATURE}"),
        "empty-payload": ("no payload", f"{_HEAD}..{_SIGNATURE}"),
        "type-jwt": ("made for another purpose", token(payload(), head=header(typ="JWT"))),
        "no-type": ("no typ", token(payload(), head=no_type)),
        "no-kid": ("no kid", token(payload(), head=no_kid)),
        "kid-number": ("a kid that is no text", token(payload(), head={**header(), "kid": 1})),
        "crit": ("a header that asks to be understood", token(payload(), head=header(crit=["human"], human=True))),
        "b64": ("an unencoded payload", token(payload(), head=header(crit=["b64"], b64=False))),
        "embedded-key": ("a key in the header", token(payload(), head=header(jwk={"kty": "OKP"}))),
        "key-address": ("an address of keys in the header", token(payload(), head=header(jku="https://evil.example/"))),
        "header-list": ("a header that is a list", token(payload(), head=[header()])),
    }
    return _list_cases("MALFORMED", table, "malformed-")


def _malformed_json() -> list[Case]:
    body, head = encode_part(payload()), encode_part(header())
    table: dict[str, tuple[str, str]] = {
        "not-json": ("a payload that is no JSON", token(b"human-authored")),
        "list": ("a payload that is a list", token([payload()])),
        "trailing-comma": ("JSON with a trailing comma", token(body[:-1] + b",}")),
        "trailing-text": ("text after the JSON", token(body + b"{}")),
        "bom": ("a byte order mark", token(b"\xef\xbb\xbf" + body)),
        "utf-16": ("UTF-16", token(body.decode().encode("utf-16"))),
        "latin-1": ("bytes that are not UTF-8", token(body[:-1] + b',"note":"caf\xe9"}')),
        "repeated": ("source_class twice", token(body[:-1] + b',"source_class":"hybrid"}')),
        "repeated-escaped": ("sub twice, once with an escape", token(body[:-1] + b',"s\\u0075b":"doc-2"}')),
        "repeated-deep": ("a name twice in a member that is ignored", token(body[:-1] + b',"x":{"a":1,"a":2}}')),
        "repeated-header": ("alg twice", token(body, head=head[:-1] + b',"alg":"none"}')),
        "nan": ("NaN", token(body[:-1] + b',"score":NaN}')),
        "infinity": ("-Infinity", token(body[:-1] + b',"score":-Infinity}')),
        "surrogate": ("half of a surrogate pair", token(body[:-1] + b',"note":"\\ud83d"}')),
        "nested": (
            "nesting of 100 in a member that is ignored",
            token(body[:-1] + b',"x":' + b"[" * 100 + b"]" * 100 + b"}"),
        ),
        "braces": ("nothing but braces", token(b'{"a":' * 2000)),
        "control": ("a raw line break in a text", token(body[:-1] + b',"note":"a\nb"}')),
    }
    return _list_cases("MALFORMED", table, "malformed-")


def _malformed_members() -> list[Case]:
    hexless = "sha256:" + "g" * 64
    table: dict[str, tuple[str, dict[str, object]]] = {
        "no-iss": ("no iss", payload(iss=None)),
        "iss-list": ("iss is a list", payload(iss=[ARCHIVE])),
        "no-sub": ("no sub", payload(sub=None)),
        "sub-number": ("sub is a number", payload(sub=1)),
        "no-iat": ("no iat", payload(iat=None)),
        "iat-text": ("iat is text", payload(iat=str(AT))),
        "iat-float": ("iat is a float", payload(iat=float(AT))),
        "iat-true": ("iat is true", payload(iat=True)),
        "iat-huge": ("iat has 31 digits, which few readers keep exact", payload(iat=10**30)),
        "exp-null": ("exp is null", {**payload(), "exp": None}),
        "no-class": ("no source_class", payload(source_class=None)),
        "class-word": ("a class that is not one of the three", payload(source_class="human")),
        "no-depth": ("no depth", payload(synthetic_generation_depth=None)),
        "depth-text": ("depth is text", payload(synthetic_generation_depth="0")),
        "depth-float": ("depth is 0.0", payload(synthetic_generation_depth=0.0)),
        "depth-false": ("depth is false", payload(synthetic_generation_depth=False)),
        "depth-negative": ("depth is negative", model_payload(-1)),
        "content-hex": ("a digest that is not hex", payload(content=hexless)),
        "content-short": ("a digest that is too short", payload(content=TEXT_DIGEST[:-1])),
        "content-bare": ("a digest without the name of its hash", payload(content=TEXT_DIGEST[7:])),
        "anchor-form": ("an anchor that is no digest", model_payload(human_source_anchor_hash=[TEXT_DIGEST, "doc-1"])),
        "65-anchors": ("65 anchors", model_payload(human_source_anchor_hash=[TEXT_DIGEST] * 65)),
        "65-parents": ("65 parents", model_payload(derived_from=["doc-0"] * 65)),
        "parents-text": ("derived_from is a text", model_payload(derived_from="doc-0")),
        "parents-number": ("a parent that is a number", model_payload(derived_from=[0])),
        "type-number": ("digitalSourceType is a number", payload(digitalSourceType=1)),
        "jti-number": ("jti is a number", payload(jti=7)),
    }
    return _list_cases(
        "MALFORMED", {name: (reason, token(body)) for name, (reason, body) in table.items()}, "malformed-"
    )


def _keys() -> list[Case]:
    not_allowed = {
        "alg-none": ("alg none, unsigned", f"{encode(encode_part(header(alg='none')))}.{_BODY}."),
        "alg-hs256": ("a symmetric algorithm", token(payload(), head=header(alg="HS256"))),
        "alg-rs256": ("an algorithm outside the list", token(payload(), head=header(alg="RS256"))),
        "alg-case": ("names are exact", token(payload(), head=header(alg="ed25519"))),
        "alg-other-key": ("ES256 with an Ed25519 key", token(payload(), head=header(alg="ES256"))),
        "alg-p256-key": ("EdDSA with a P-256 key", token(payload(), kid=P256, head=header(P256, alg="EdDSA"))),
    }
    small = replace_segment(token(payload(), head=header(kid="TEST-KEY-small-order")), 2, encode(b"\1" + bytes(63)))
    unknown = {
        "kid-unknown": ("a kid that nobody has", token(payload(), kid="TEST-KEY-nobody")),
        "kid-path": ("a kid is no path", token(payload(), head=header(kid="../../trust_store.json"))),
        "kid-encryption": ("a key for encryption was skipped", token(payload(), kid="TEST-KEY-encryption-p256")),
        "kid-operations": ("a key that may only sign was skipped", token(payload(), kid="TEST-KEY-operations")),
        "kid-small-order": ("a key of small order was skipped, or one signature would fit many texts", small),
    }
    return (
        _list_cases("ALG_NOT_ALLOWED", not_allowed)
        + _list_cases("UNKNOWN_KEY", unknown)
        + _list_cases("BAD_SIGNATURE", _signatures())
    )


def _signatures() -> dict[str, tuple[str, str]]:
    flipped = encode(bytes([_RAW[0] ^ 1]) + _RAW[1:])
    der = encode(b"\x30\x44\x02\x20" + _RAW[:32] + b"\x02\x20" + _RAW[32:])
    p256, other = token(payload(), kid=P256), token(payload(), kid="TEST-KEY-bureau", head=header(KEY))
    head, body = encode(encode_part(header(alg="EdDSA"))), encode(encode_part(payload(jti="1")))
    return {
        "signature-empty": ("no signature", f"{_HEAD}.{_BODY}."),
        "signature-flipped": ("one bit of the signature changed", replace_segment(_GOOD, 2, flipped)),
        "signature-short": ("63 bytes", replace_segment(_GOOD, 2, encode(_RAW[:63]))),
        "signature-long": ("65 bytes", replace_segment(_GOOD, 2, encode(_RAW + b"\0"))),
        "signature-der": ("DER in place of 64 bytes", replace_segment(p256, 2, der)),
        "signature-zero": ("r and s are 0", replace_segment(p256, 2, encode(bytes(64)))),
        "payload-edited": ("the payload changed", replace_segment(_GOOD, 1, body)),
        "header-edited": ("the header changed, to another name of the same algorithm", replace_segment(_GOOD, 0, head)),
        "other-key": ("signed by another key", other),
        "mac": ("not a signature at all", replace_segment(_GOOD, 2, encode(b64encode(bytes(48))))),
    }


def _originators() -> list[Case]:
    vendor, sleeper = "TEST-KEY-vendor", token(payload(iss=SLEEPER, exp=AT - DAY), kid="TEST-KEY-sleeper")
    untrusted = {
        "issuer-borrowed": ("the bureau's key speaks for the archive", token(payload(), kid="TEST-KEY-bureau")),
        "issuer-unknown": ("an originator that owns no key", token(payload(iss="https://nobody.example"))),
        "issuer-suspended": ("its originator is suspended; it has also expired", sleeper),
    }
    deep = token(model_payload(3, iss=VENDOR), kid=vendor)
    not_permitted = {
        "not-permitted-class": ("a vendor attests human text", token(payload(iss=VENDOR), kid=vendor)),
        "not-permitted-depth": ("depth 3 by an originator that may attest 2", deep),
    }
    return _list_cases("UNTRUSTED_ISSUER", untrusted) + _list_cases("NOT_PERMITTED", not_permitted)


def _times() -> list[Case]:
    old, new = AT - 100 * DAY, AT - 50 * DAY
    window, superseded, stolen = "TEST-KEY-window", "TEST-KEY-superseded", "TEST-KEY-stolen"
    not_valid = {
        "key-before": ("issued before its key was in force", token(payload(iat=old - 1), kid=window)),
        "key-after": ("issued when its key had retired", token(payload(iat=new), kid=window)),
    }
    revoked = {
        "revoked-after": ("issued when its key was superseded", token(payload(iat=new), kid=superseded)),
        "revoked-stolen": ("a stolen key, which can date as it likes", token(payload(iat=old), kid=stolen)),
    }
    ahead = {
        "ahead-iat": ("issued 61 s ahead", token(payload(iat=AT + 61))),
        "ahead-nbf": ("holds 61 s from now; it has expired as well", token(payload(nbf=AT + 61, exp=AT - DAY))),
    }
    expired = {"expired": ("expired 61 s ago", token(payload(exp=AT - 61)))}
    return [
        *_list_cases("KEY_NOT_VALID", not_valid),
        *_list_cases("REVOKED", revoked),
        *_list_cases("NOT_YET_VALID", ahead),
        *_list_cases("EXPIRED", expired),
    ]


def _contradictions() -> list[Case]:
    def term(text: str, **members: object) -> str:
        return token(payload(digitalSourceType=text, **members))

    iptc = "http://cv.iptc.org/newscodes/digitalsourcetype/"
    table = {
        "human-depth": ("human-authored at depth 1", token(payload(synthetic_generation_depth=1))),
        "model-depth": ("model-generated at depth 0", token(model_payload(0))),
        "hybrid-depth": ("hybrid at depth 0", token(payload(source_class="hybrid"))),
        "iptc-model": ("human-authored, made by a trained model", term(iptc + "trainedAlgorithmicMedia")),
        "iptc-hybrid": ("human-authored, composite with a model", term(iptc + "compositeWithTrainedAlgorithmicMedia")),
        "iptc-human": (
            "model-generated, captured by a device",
            term(iptc + "digitalCapture", source_class="model-generated", synthetic_generation_depth=1),
        ),
        "iptc-unknown": ("a term outside the table never backs human-authored", term("https://example.org/handmade")),
    }
    return _list_cases("INCONSISTENT", table, "inconsistent-")


def _transplants() -> list[Case]:
    composed, other = token(payload(sub="caf\u00e9")), token(payload(content=OTHER_DIGEST))
    bureau = token(payload(iss=BUREAU, content=OTHER_DIGEST), kid="TEST-KEY-bureau")
    subjects = [
        ("subject-other", "a claim on doc-1, copied onto doc-2", _GOOD, "doc-2", TEXT),
        ("subject-case", "ids are compared byte for byte", _GOOD, "DOC-1", TEXT),
        ("subject-form", "also where two ids differ only in Unicode form", composed, "cafe\u0301", TEXT),
        ("subject-and-text", "another document and another text", _GOOD, "doc-2", "other"),
    ]
    texts = [
        ("content-other", "the digest of another text", other, TEXT),
        ("content-newline", "a newline more than was signed", _GOOD, TEXT + "\n"),
        ("content-line-endings", "other line endings than were signed", _GOOD, TEXT.replace("\n", "\r\n")),
        ("content-empty", "an empty text is another text", _GOOD, ""),
        ("content-bureau", "also by another originator", bureau, TEXT),
    ]
    return [
        *(Case(name, "SUBJECT_MISMATCH", *rest) for name, *rest in subjects),
        *(Case(name, "CONTENT_MISMATCH", reason, claim, "doc-1", text) for name, reason, claim, text in texts),
    ]
