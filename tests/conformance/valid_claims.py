"""Make the claims that a verifier must accept, each with what it would be wrong to refuse it for.

Flows in: test keys.  Flows out: cases of status VALID.
"""

from __future__ import annotations

from tests.support.claim_tokens import (
    AT,
    DAY,
    OTHER_DIGEST,
    P256,
    TEXT,
    TEXT_DIGEST,
    UNLISTED,
    VENDOR,
    Case,
    encode_part,
    header,
    model_payload,
    payload,
    token,
)

_IPTC = "http://cv.iptc.org/newscodes/digitalsourcetype/"


def list_valid_claims() -> list[Case]:
    """List all claims that must be accepted."""
    return [*_tokens(), *_members(), *_times(), *_vocabulary()]


def _case(name: str, reason: str, text: str, document: str = "doc-1", logged: str | None = TEXT) -> Case:
    return Case(f"valid-{name}", "VALID", reason, text, document, logged)


def make_longest_token() -> str:
    """Make a token of exactly 16 KiB."""
    for spaces in range(4):  # some lengths do not occur in base64url
        for size in range(11_700, 12_200):
            candidate = token(payload(note="x" * size), head=encode_part(header()) + b" " * spaces)
            if len(candidate) == 16 * 1024:
                return candidate
    raise AssertionError("no payload fills the token")


def _tokens() -> list[Case]:
    spaced = b' {\n "sub" : "doc-1", "iat": %d,\t"iss":"https:\\/\\/archive.test-keys.example",' % (AT - DAY)
    spaced += b' "synthetic_generation_depth":0 , "source_class": "human-authored" }\r\n'
    return [
        _case("plain", "an Ed25519 claim by a key in force", token(payload())),
        _case("eddsa-name", "EdDSA is the older name of Ed25519", token(payload(), head=header(alg="EdDSA"))),
        _case("es256", "ES256 by a P-256 key", token(payload(), kid=P256)),
        _case("spacing", "spacing, order and escapes are the signer's business", token(spaced)),
        _case(
            "header-spacing",
            "so they are in the header",
            token(payload(), head=encode_part(header()).replace(b",", b" ,\n")),
        ),
        _case("full", "a token of exactly 16 KiB", make_longest_token()),
    ]


def _members() -> list[Case]:
    digests = [TEXT_DIGEST, OTHER_DIGEST] * 32
    return [
        _case("unknown-member", "a member without a meaning is ignored", token(payload(note="kept"))),
        _case("unknown-float", "also one that is a float", token(payload(confidence=0.25))),
        _case("unknown-nested", "also one that holds an object", token(payload(extra={"a": [1, {"b": None}]}))),
        _case("one-anchor", "an anchor may be a text", token(model_payload(human_source_anchor_hash=TEXT_DIGEST))),
        _case("64-anchors", "64 anchors are allowed", token(model_payload(human_source_anchor_hash=digests))),
        _case("no-anchors", "so is an empty list", token(model_payload(human_source_anchor_hash=[]))),
        _case(
            "64-parents", "64 parents are allowed", token(model_payload(derived_from=[f"doc-{i}" for i in range(64)]))
        ),
        _case("no-content", "content is optional", token(payload(content=None))),
        _case(
            "no-text", "without the text, content is not checked", token(payload(content=OTHER_DIGEST)), "doc-1", None
        ),
        _case(
            "empty-text",
            "an empty text is a text",
            token(payload(content="sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")),
            "doc-1",
            "",
        ),
        _case("unicode-sub", "a document id may be any text", token(payload(sub="Ærø/😀")), "Ærø/😀"),
        _case("escaped-pair", "two escapes may spell one character", token(payload(sub="😀")), "😀"),
        _case("model", "a vendor may attest its own text", token(model_payload(2, iss=VENDOR), kid="TEST-KEY-vendor")),
        _case(
            "unlisted",
            "an originator without an entry in issuers is not limited",
            token(model_payload(50, iss=UNLISTED), kid="TEST-KEY-unlisted"),
        ),
    ]


def _times() -> list[Case]:
    old, new = AT - 100 * DAY, AT - 50 * DAY
    return [
        _case("times", "exp, nbf and jti are optional", token(payload(exp=AT + DAY, nbf=AT - DAY, jti="c-1"))),
        _case("iat-60-ahead", "clocks may differ by 60 s", token(payload(iat=AT + 60))),
        _case("nbf-60-ahead", "for nbf too", token(payload(nbf=AT + 60))),
        _case("exp-60-ago", "for exp too", token(payload(exp=AT - 60))),
        _case(
            "window-first",
            "issued in the first second of a key that has retired",
            token(payload(iat=old), kid="TEST-KEY-window"),
        ),
        _case("window-last", "issued in its last second", token(payload(iat=new - 1), kid="TEST-KEY-window")),
        _case(
            "superseded", "issued before its key was superseded", token(payload(iat=new - 1), kid="TEST-KEY-superseded")
        ),
    ]


def _vocabulary() -> list[Case]:
    def term(text: str, **members: object) -> str:
        return token(payload(digitalSourceType=text, **members))

    return [
        _case("iptc-human", "digitalCapture is human", term(_IPTC + "digitalCapture")),
        _case("iptc-https", "https is the same vocabulary", term(_IPTC.replace("http:", "https:") + "digitalCreation")),
        _case(
            "iptc-untrimmed", "white space around the term is known from real files", term(f" {_IPTC}digitalCapture ")
        ),
        _case("iptc-schema-org", "schema.org spells it so", term("https://schema.org/DigitalCaptureDigitalSource")),
        _case("iptc-silent", "composite says nothing of the author", term(_IPTC + "composite")),
        _case(
            "iptc-edit",
            "a human edit of synthetic text is hybrid",
            term(_IPTC + "humanEdits", source_class="hybrid", synthetic_generation_depth=1, derived_from=["doc-0"]),
        ),
    ]
