"""The signature cases of the acceptance set at the level of the library: evidence, verdicts, findings.

Flows in: the case folders.  Flows out: every assertion of a case on retrievals and summary that does not hold.
Not here: exit status, the members ``trust`` and ``policy.preset``, which the command line adds.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import msgspec
import pytest

from guard_core.claims import read_trust_store
from guard_core.ingest import read_log
from guard_core.judging.policy import preset
from guard_core.output.evaluation import evaluate
from guard_core.provenance.catalogue import read_catalogue
from guard_core.provenance.evidence import Evidence, build_evidence
from tests.support.case_paths import Output, failure

CASES = ["051", "056", "058", "061", "062", "064", "068", "069", "113", "119"]


def flag(args: list[str], name: str) -> str | None:
    """The value of a flag, ``None`` without it."""
    return args[args.index(name) + 1] if name in args else None


def evidence_of(folder: Path, args: list[str]) -> Evidence:
    """What the flags of a case ask for."""
    trust, at, catalogue = (flag(args, name) for name in ("--trust", "--at", "--catalogue"))
    return build_evidence(
        read_log([folder / args[0]]),
        None if catalogue is None else read_catalogue(folder / catalogue),
        None if trust is None else read_trust_store(folder / trust),
        at=None if at is None else int(datetime.fromisoformat(at).timestamp()),
    )


def output_of(folder: Path, args: list[str]) -> Output:
    """The evaluation of a case as the command line would print it."""
    wanted = flag(args, "--preset") or ("strict" if "--trust" in args else "reference")
    evaluation = evaluate(evidence_of(folder, args), preset(wanted))
    records = [record for stretch in evaluation.records() for record in stretch]
    whole = {**msgspec.to_builtins(evaluation.head()), "retrievals": msgspec.to_builtins(records)}
    return Output(0, json.dumps(whole), "")


@pytest.mark.parametrize("number", CASES)
def test_case(shared: Path, number: str) -> None:
    (folder,) = (shared / "cases").glob(f"{number}-*")
    case = json.loads((folder / "case.json").read_text())
    for run in [case, *case.get("then", [])]:
        output = output_of(folder, run["args"])
        expected = [
            check
            for check in run.get("expect", [])
            if check["path"].startswith(("retrievals", "summary")) and check["path"] != "summary.evaluated_at"
        ]
        assert [why for check in expected if (why := failure(check, output))] == []
        never = [check for check in run.get("never", []) if check["path"].startswith("retrievals")]
        assert [check for check in never if failure(check, output) is None] == []
