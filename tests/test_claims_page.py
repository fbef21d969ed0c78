"""The page on claims says what the code does: statuses in their words, examples that can be read and run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from guard_core.claims import STATUS_WORDS, parse_trust_store
from guard_core.claims.claim import TOKEN_TYPE
from guard_core.claims.token import read_token
from guard_core.model import SignatureStatus
from tests.support.claim_tokens import KEY, token
from tests.test_readme import run, sessions

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "claims.md").read_text(encoding="utf-8")
HEADER, PAYLOAD, STORE = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL))


def test_every_status_is_in_the_order_of_the_checks_with_its_words() -> None:
    rows = re.findall(r"^\* \*\*`([A-Z_]+)`\*\*: (.*)\n  (.*)$", PAGE, re.MULTILINE)
    assert {name for name, _, _ in rows} == {status.name for status in SignatureStatus}
    for name, meaning, advice in rows:
        words = STATUS_WORDS[SignatureStatus[name]]
        assert (meaning, advice) == (words.meaning, words.advice)
    steps = (Path(__file__).resolve().parents[1] / "guard_core" / "claims" / "verify.py").read_text()
    order = list(dict.fromkeys(re.findall(r"^\(\d+\) +``([A-Z_]+)``", steps, re.MULTILINE)))
    assert [name for name, _, _ in rows] == order


@pytest.mark.parametrize("section", sessions(PAGE))
def test_commands_print_what_is_shown(section: str, tmp_path: Path) -> None:
    run(sessions(PAGE)[section], tmp_path)


def test_the_example_of_a_trust_store_can_be_loaded() -> None:
    store = parse_trust_store(json.dumps(STORE).encode(), "example")
    assert (len(store.keys), store.skipped, store.notices) == (1, (), ())
    (key,) = store.keys.values()
    assert key.kid == key.key.thumbprint
    assert key.revoked is not None
    assert len(store.originators) == 1


def test_the_example_of_a_claim_can_be_read_and_signed() -> None:
    assert HEADER["typ"] == TOKEN_TYPE
    claim = read_token(token(PAYLOAD, kid=KEY)).claim
    assert (claim.sub, claim.depth, len(claim.anchors)) == ("summary-ferries", 1, 1)
    members = set(re.findall(r"^\| `(\w+)`(?:, `(\w+)`)? \| (?:required|optional)", PAGE, re.MULTILINE))
    named = {name for pair in members for name in pair if name}
    assert set(PAYLOAD) <= named
    assert {"exp", "nbf", "jti", "digitalSourceType"} <= named
