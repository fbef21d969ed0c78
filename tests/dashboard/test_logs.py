"""A dashboard that is started with a trust store judges by checked claims."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dashboard import launch
from dashboard.logs import UnusableError, load_log, request_options
from guard_core.claims import read_trust_store
from tests.support.claim_tokens import ARCHIVE, AT, TEXT, payload, store_text, token


def test_the_log_of_the_command_line_is_checked(tmp_path: Path) -> None:
    log, trust = tmp_path / "log.jsonl", tmp_path / "trust.json"
    log.write_text(json.dumps({"query_id": "q", "doc_id": "doc-1", "text": TEXT, "claim": token(payload())}))
    trust.write_text(store_text())
    plain = request_options(launch.parse_options(["--log", str(log)]))
    signed = request_options(launch.parse_options(["--log", str(log), "--trust", str(trust), "--at", str(AT)]))
    assert plain is not None
    assert signed is not None
    assert plain.digest != signed.digest
    evidence = load_log(signed).evidence
    assert evidence.decided is not None
    assert (evidence.at, evidence.decided.store.digest) == (AT, read_trust_store(trust).digest)
    assert evidence.originators.text(0) == ARCHIVE
    assert load_log(plain).evidence.at is None


def test_a_trust_store_that_breaks_later_is_a_sentence(tmp_path: Path) -> None:
    log, trust = tmp_path / "log.jsonl", tmp_path / "trust.json"
    log.write_text(json.dumps({"query_id": "q", "doc_id": "doc-1"}))
    trust.write_text("{")
    request = request_options(launch.parse_options(["--log", str(log), "--trust", str(trust)]))
    assert request is not None
    with pytest.raises(UnusableError, match="not JSON"):
        load_log(request)
