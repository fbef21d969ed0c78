"""Test against a JOSE library, on generated and mutated tokens.

Flows in: a seed.  Flows out: every token that is valid for us and not for the library, and every mutation that is
valid.  The other direction does not hold and is not meant to: the library reads repeated members and other types.
"""

from __future__ import annotations

import random
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.claims import Claim, SourceClass, make_jwks_entry, sign_claim, verify_claim
from guard_core.claims.base64url import encode
from guard_core.claims.keys import ALGORITHMS
from guard_core.model import SignatureStatus
from tests.support.claim_tokens import (
    ARCHIVE,
    AT,
    DAY,
    KEY,
    OTHER_DIGEST,
    P256,
    TEXT_DIGEST,
    encode_part,
    header,
    make_key,
    payload,
    replace_segment,
    store,
    token,
)

jose = pytest.importorskip("joserfc", reason="the JOSE library of the test extra is not installed")

VALID = SignatureStatus.VALID
GENERATED, MUTATED = 5_000, 15_000
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def _texts(entry: dict[str, str | int]) -> dict[str, str | list[str]]:
    # Without alg: the library takes Ed25519 and EdDSA for two algorithms, where a key is bound to one of the names.
    return {name: str(value) for name, value in entry.items() if name != "alg"}


class Oracle:
    """The library with our keys and algorithms, and room for long tokens."""

    def __init__(self) -> None:
        from joserfc import jws
        from joserfc.jwk import import_key

        self._registry = jws.JWSRegistry(algorithms=list(ALGORITHMS))
        self._registry.max_payload_length = self._registry.max_header_length = 1 << 16
        self._keys = {kid: import_key(_texts(make_jwks_entry(make_key(kid).public, ARCHIVE))) for kid in (KEY, P256)}
        self._verify = jws.deserialize_compact

    def accepts(self, text: str, kid: str) -> bool:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._verify(text, self._keys[kid], registry=self._registry)
        except Exception:  # noqa: BLE001  # whatever the library raises means no
            return False
        return True


def claim(source: random.Random) -> Claim:
    source_class = source.choice(list(SourceClass))
    human = source_class is SourceClass.HUMAN_AUTHORED
    return Claim(
        iss=ARCHIVE,
        sub="".join(source.choices("abcæ/-😀 01", k=source.randint(0, 30))),
        iat=AT - source.randint(0, 900 * DAY),
        source_class=source_class,
        depth=0 if human else source.randint(1, 9),
        exp=source.choice([None, AT + DAY]),
        nbf=source.choice([None, AT - DAY]),
        jti=source.choice([None, str(source.random())]),
        anchors=tuple(source.choices([TEXT_DIGEST, OTHER_DIGEST], k=source.choice([0, 1, 3]))),
        content=source.choice([None, TEXT_DIGEST]),
        derived_from=tuple(source.choices(["doc-0", "doc-1"], k=source.choice([0, 0, 2]))),
    )


def mutation(text: str, source: random.Random, other: str) -> str:
    """A token that differs from ``text`` in one of the ways in which tokens get spoilt or forged."""
    place = source.randrange(len(text))
    part = source.randrange(3)
    segments, others = text.split("."), other.split(".")
    padding = dict(zip(("", "=", "=="), ("=", "==", "==="), strict=True))
    ways = [
        lambda: text[:place] + source.choice(LETTERS) + text[place + 1 :],
        lambda: text[:place] + source.choice(LETTERS + ".=+/ \n\0é") + text[place:],
        lambda: text[:place] + text[place + 1 :],
        lambda: text[:place] + text[place].swapcase() + text[place + 1 :],
        lambda: text[:place],
        lambda: text + source.choice(["=", ".", " ", "\n", "A", ".A"]),
        lambda: replace_segment(text, part, others[part]),
        lambda: ".".join(source.sample(segments, 3)),
        lambda: replace_segment(text, part, segments[part] + source.choice(list(padding.values()))),
        lambda: replace_segment(
            text, 0, encode(encode_part(header(alg=source.choice(["none", "HS256", "EdDSA", "ES256", "Ed25519"]))))
        ),
        lambda: replace_segment(text, 1, encode(encode_part(payload(jti=str(source.random()))))),
        lambda: replace_segment(text, 2, encode(source.randbytes(source.choice([0, 32, 63, 64, 65])))),
        lambda: text.replace("-", "+").replace("_", "/") + source.choice(["", "="]),
    ]
    return source.choice(ways)()


def odd(source: random.Random, kid: str) -> str:
    """A token that a trusted key really signed, over bytes that no careful signer writes."""
    head, body = encode_part(header(kid)), encode_part(payload(jti=str(source.random())))
    ways = [
        (head.replace(b",", b" ,\n"), body),
        (head, body.replace(b":", b" : ") + b"\r\n"),
        (head, body[:-1] + b',"other":{"a":[1.5,null]}}'),
        (head, body[:-1] + b',"sub":"doc-2"}'),
        (head[:-1] + b',"alg":"none"}', body),
        (head[:-1] + b',"crit":[]}', body),
        (head.replace(b"source-authenticity+jwt", b"JWT"), body),
        (head.replace(b'"Ed25519"', b'"EdDSA"'), body),
        (head.replace(b'"Ed25519"', b'"ES256"'), body),
        (head, body.replace(b"doc-1", b"\\u0064oc-1")),
        (head, body.replace(b"doc-1", b"\\ud800")),
        (head, body[:-1] + b',"score":NaN}'),
        (head, body[:-1]),
    ]
    chosen_head, chosen_body = source.choice(ways)
    return token(chosen_body, kid=kid, head=chosen_head)


def test_every_token_that_is_valid_for_us_is_valid_for_the_library() -> None:
    oracle, source, trust = Oracle(), random.Random(7), store()
    pool: list[tuple[str, str]] = []
    for number in range(GENERATED):
        kid = source.choice([KEY, P256])
        plain = number % 3 > 0
        text = sign_claim(claim(source), make_key(kid), kid) if plain else odd(source, kid)
        if verify_claim(text, trust, AT).status is VALID:
            assert oracle.accepts(text, kid), text
            pool.append((text, kid))
        else:
            assert not plain, text
    assert GENERATED * 2 // 3 < len(pool) < GENERATED
    known = {text for text, _ in pool}
    for _ in range(MUTATED):
        (text, kid), (other, _) = source.choice(pool), source.choice(pool)
        spoilt = mutation(text, source, other)
        if spoilt in known:
            continue
        outcome = verify_claim(spoilt, trust, AT)
        assert outcome.status is not VALID, spoilt
        assert outcome.claim is None, spoilt


def test_the_oracle_can_say_no_and_is_looser_than_we_are() -> None:
    oracle, good = Oracle(), token(payload())
    assert oracle.accepts(good, KEY)
    assert not oracle.accepts(replace_segment(good, 2, encode(bytes(64))), KEY)
    assert not oracle.accepts(good, P256)
    repeated = token(encode_part(payload())[:-1] + b',"source_class":"hybrid"}')
    assert oracle.accepts(repeated, KEY)
    assert verify_claim(repeated, store(), AT).status is SignatureStatus.MALFORMED


GOOD = {kid: token(payload(), kid=kid) for kid in (KEY, P256)}


@given(st.sampled_from([KEY, P256]), st.integers(0, 10_000), st.integers(0, 3), st.text(LETTERS + ".=", max_size=3))
def test_no_edit_of_a_valid_claim_is_valid(kid: str, place: int, cut: int, put: str) -> None:
    good = GOOD[kid]
    place %= len(good) + 1
    changed = good[:place] + put + good[place + cut :]
    assert (verify_claim(changed, store(), AT).status is VALID) == (changed == good)


@given(st.sampled_from([KEY, P256]), st.integers(0, 10_000))
def test_no_flipped_bit_leaves_a_claim_valid(kid: str, place: int) -> None:
    raw = bytearray(GOOD[kid].encode())
    place %= len(raw) * 7
    raw[place // 7] ^= 1 << place % 7
    assert verify_claim(raw.decode(), store(), AT).status is not VALID
