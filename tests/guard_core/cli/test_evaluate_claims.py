"""Test ``source-guard evaluate`` with a trust store: what claims do to the evaluation, its digest and its table.

Flows in: arguments and files.  Flows out: statuses, exit states.
Not here: what a status means (``claims/``), the acceptance cases (``test_cases.py``).
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from guard_core.claims import read_trust_store
from tests.support.claim_tokens import ARCHIVE, store_document
from tests.support.claims_folder import TIME, evaluate_log, list_results
from tests.support.command_runs import Run

pytestmark = pytest.mark.usefixtures("claims_folder")


def test_claims_that_hold_decide_and_say_who(run: Run) -> None:
    whole = evaluate_log(run, "--trust", "trust.json", "--at", TIME)
    found = [(r["signature"], r["basis"], r["authenticity"], r["originator"]) for r in list_results(whole)]
    assert found == [
        ("VALID", "signed", "HUMAN_AUTHORED", ARCHIVE),
        ("VALID", "signed", "HUMAN_AUTHORED", ARCHIVE),
        ("EXPIRED", "none", "UNKNOWN", None),
        ("MISSING", "declared", "UNKNOWN", None),
    ]
    assert whole["trust"] == {
        "keys": 9,
        "skipped": [
            {"kid": each.kid, "reason": each.reason}
            for each in sorted(read_trust_store("trust.json").skipped, key=lambda key: key.kid or "")
        ],
        "digest": read_trust_store("trust.json").digest,
    }
    policy, summary = whole["policy"], whole["summary"]
    assert isinstance(policy, dict)
    assert isinstance(summary, dict)
    assert (policy["preset"], policy["signatures"], summary["evaluated_at"]) == ("strict", "verified", TIME)


def test_the_preset_follows_the_trust_store_only_where_nothing_names_one(run: Run) -> None:
    Path("bare.toml").write_text("top_k = 3\n")
    Path("named.toml").write_text('preset = "reference"\n')

    def preset(*options: str) -> object:
        policy = evaluate_log(run, "--at", TIME, *options)["policy"]
        assert isinstance(policy, dict)
        return policy["preset"]

    trust = ("--trust", "trust.json")
    assert preset() == preset("--policy", "bare.toml") == "reference"
    assert preset(*trust) == preset(*trust, "--policy", "bare.toml") == "strict"
    assert preset(*trust, "--policy", "named.toml") == preset(*trust, "--preset", "reference") == "reference"
    assert preset(*trust, "--policy", "named.toml", "--preset", "strict") == "strict"


def test_time_is_now_unless_it_is_given_and_enters_the_digest(run: Run) -> None:
    before = int(time.time())
    summary = evaluate_log(run, "--trust", "trust.json")["summary"]
    assert isinstance(summary, dict)
    stated = summary["evaluated_at"]
    assert before <= time.mktime(time.strptime(stated, "%Y-%m-%dT%H:%M:%SZ")) - time.timezone <= time.time()
    assert evaluate_log(run)["summary"]["evaluated_at"] is None  # type: ignore[index]  # an object
    digests = [evaluate_log(run, "--trust", "trust.json", "--at", at)["digest"] for at in (TIME, TIME, "1796040001")]
    assert digests[0] == digests[1] != digests[2]


def test_the_digest_covers_the_trust_store_and_not_its_spelling(run: Run) -> None:
    first = evaluate_log(run, "--trust", "trust.json", "--at", TIME)
    document = store_document()
    keys = document["keys"]
    assert isinstance(keys, list)
    Path("turned.json").write_text(json.dumps({**document, "keys": keys[::-1]}))
    assert evaluate_log(run, "--trust", "turned.json", "--at", TIME) == first
    Path("fewer.json").write_text(json.dumps({**document, "keys": keys[:-5]}))
    fewer = evaluate_log(run, "--trust", "fewer.json", "--at", TIME)
    assert list_results(fewer) == list_results(first)
    assert fewer["digest"] != first["digest"]


def test_the_table_shows_keys_and_claims(run: Run) -> None:
    status, out, _ = run("evaluate", "log.jsonl", "--trust", "trust.json", "--at", TIME)
    assert status == 0
    assert re.search(r"^Trust +9 usable keys, 4 skipped; claims judged at 2026-11-30T12:00:00Z$", out, re.MULTILINE)
    assert re.search(r"^Claims +MISSING 1 \(25\.0 %\), EXPIRED 1 \(25\.0 %\), VALID 2 \(50\.0 %\)$", out, re.MULTILINE)
    assert "skipped TEST-KEY-operations: its key_ops do not hold verify" in out
    assert "source-guard verify" in out
    assert "Trust" not in run("evaluate", "log.jsonl")[1]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be opened"),
        (b"{", "is not JSON"),
        (b"{}", "has no list of keys"),
        (b'{"keys":[{"kty":"OKP","kid":"a","d":"AAAA"}]}', "keys entry 1: holds private or symmetric key material"),
        (b'{"keys":[{"kid":"a"},{"kid":"a"}]}', "keys entry 2: has the kid of entry 1"),
        (b'{"keys":[],"issuers":{"o":{"max_depth":-1}}}', "max_depth"),
        (b"-----BEGIN PRIVATE KEY-----\n", "PEM"),
        (b"[" * 100_000, "nested deeper"),
    ],
    ids=["missing", "cut", "empty", "private", "repeated", "limit", "pem", "deep"],
)
def test_a_broken_trust_store_costs_one_line(run: Run, content: bytes | None, told: str) -> None:
    if content is not None:
        Path("broken.json").write_bytes(content)
    for command in (["evaluate", "log.jsonl"], ["verify", "log.jsonl"], ["serve", "log.jsonl"]):
        status, out, err = run(*command, "--trust", "broken.json")
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert err.startswith("source-guard: broken.json")
        assert told in err
