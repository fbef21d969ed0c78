"""The signature cases of the acceptance set, claim by claim.

Flows in: the case folders.  Flows out: every result whose status is another than the case expects.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path

import pytest

from guard_core.claims import read_trust_store, verify_claim

CASES = ["051", "056", "058", "061", "062", "064", "068", "069", "113", "119"]
PATH = re.compile(r"retrievals\[query_id=(\w+)\]\.results\[result_id=(\w+)\]\.signature")


@pytest.mark.parametrize("number", CASES)
def test_statuses_of_a_case(shared: Path, number: str) -> None:
    (folder,) = (shared / "cases").glob(f"{number}-*")
    case = json.loads((folder / "case.json").read_text())
    at = int(datetime.fromisoformat(case["args"][case["args"].index("--at") + 1]).timestamp())
    store = read_trust_store(folder / case["args"][case["args"].index("--trust") + 1])
    statuses: dict[tuple[str, str], str] = {}
    for line in (folder / "input.jsonl").read_text().splitlines():
        row = json.loads(line)
        outcome = verify_claim(row.get("claim"), store, at, document_id=row["doc_id"], text=row.get("text"))
        statuses[row["query_id"], row["doc_id"]] = outcome.status.value
    expected = {
        (match[1], match[2]): check["equals"] for check in case["expect"] if (match := PATH.fullmatch(check["path"]))
    }
    assert {key: statuses[key] for key in expected} == expected
    if number == "119":
        assert set(statuses.values()) == {"VALID"}
    counts = {check["path"]: check for check in case["expect"] if check["path"].startswith("trust.")}
    assert len(store.keys) == counts.get("trust.keys", {"equals": len(store.keys)})["equals"]
    assert len(store.skipped) == counts.get("trust.skipped", {"length": len(store.skipped)}).get("length")
    named = {match[1] for path in counts if (match := re.fullmatch(r"trust\.skipped\[kid=(\w+)\]", path))}
    assert named <= {each.kid for each in store.skipped}


def test_without_a_trust_store(shared: Path) -> None:
    (folder,) = (shared / "cases").glob("113-*")
    rows = [json.loads(line) for line in (folder / "input.jsonl").read_text().splitlines()]
    statuses = {row["doc_id"]: verify_claim(row.get("claim"), None, 0).status.value for row in rows}
    assert statuses.pop("k") == "MISSING"
    assert set(statuses.values()) == {"UNCHECKED"}
