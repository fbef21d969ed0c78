"""Our verifier against the conformance claims, as they stand in the files.

Flows in: ``claims.json``, ``trust_store.json``, ``log.jsonl``.  Flows out: one failure that names each claim judged
otherwise.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from guard_core.claims import read_trust_store, verify_claim
from guard_core.model import SignatureStatus
from tests.conformance.generate import format_files

HERE = Path(__file__).resolve().parent
DOCUMENT = json.loads((HERE / "claims.json").read_text())


@pytest.mark.parametrize("each", DOCUMENT["claims"], ids=lambda each: str(each["name"]))
def test_status(each: dict[str, str]) -> None:
    store = read_trust_store(HERE / "trust_store.json")
    outcome = verify_claim(
        each["claim"], store, DOCUMENT["at_seconds"], document_id=each["document_id"], text=each.get("text")
    )
    assert outcome.status.value == each["status"], (each["reason"], outcome.reason)


def test_there_are_enough_and_two_thirds_are_refused() -> None:
    statuses = [each["status"] for each in DOCUMENT["claims"]]
    assert len(statuses) >= 70
    assert sum(status != "VALID" for status in statuses) >= 2 * len(statuses) / 3
    assert set(statuses) == {status.value for status in SignatureStatus} - {"UNCHECKED"}
    assert all("\n" not in each["reason"] for each in DOCUMENT["claims"])
    assert DOCUMENT["at_seconds"] == datetime.fromisoformat(DOCUMENT["at"]).timestamp()


def test_files_are_what_the_generator_writes() -> None:
    for name, text in format_files().items():
        assert (HERE / name).read_text() == text, name


def test_keys_say_that_they_are_test_keys() -> None:
    entries = json.loads((HERE / "trust_store.json").read_text())["keys"]
    assert all(entry["kid"].startswith("TEST-KEY") for entry in entries)
