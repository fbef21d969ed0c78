"""Fill a folder with claims, a log and a catalogue, for the commands that take them.

Flows in: a temporary folder.  Flows out: a trust store, a log of four results and a bare catalogue in it.
Not here: what is expected (``tests/guard_core/cli``).
"""

from __future__ import annotations

import json
from pathlib import Path

from guard_core.output.recompute import verify as verify_object
from tests.support.claim_tokens import AT, DAY, TEXT, payload, store_text, token
from tests.support.command_runs import Run
from tests.support.log_files import write_lines

TIME = "2026-11-30T12:00:00Z"
LIBRARY = "https://library.example"
GOOD = token(payload())
OTHER = token(payload(sub="doc-2", content=None))
EXPIRED = token(payload(exp=AT - DAY))


def fill_folder(folder: Path) -> None:
    """Write the files into ``folder``, which must be the working directory."""
    (folder / "trust.json").write_text(store_text())
    rows = [
        {"query_id": "q1", "doc_id": "doc-1", "text": TEXT, "origin": "model", "claim": GOOD},
        {"query_id": "q1", "doc_id": "doc-2", "text": "another", "claim": OTHER},
        {"query_id": "q2", "doc_id": "doc-1", "text": TEXT, "claim": EXPIRED},
        {"query_id": "q2", "doc_id": "doc-3", "origin": "human"},
    ]
    write_lines(folder / "log.jsonl", rows)
    (folder / "catalogue.csv").write_text("doc_id,origin,depth\ndoc-1,human,0\ndoc-2,model,1\ndoc-3,human,\ndoc-4,,\n")


def evaluate_log(run: Run, *options: str) -> dict[str, object]:
    """Evaluate the log, and check the evaluation against itself."""
    status, out, err = run("evaluate", "log.jsonl", "--json", *options)
    assert (status, err) == (0, "")
    assert verify_object(out.encode()) == json.loads(out)["digest"]
    whole: dict[str, object] = json.loads(out)
    return whole


def list_results(whole: dict[str, object]) -> list[dict[str, object]]:
    """List all results of an evaluation."""
    retrievals = whole["retrievals"]
    assert isinstance(retrievals, list)
    return [result for retrieval in retrievals for result in retrieval["results"]]


def sign_catalogue(run: Run, out: str, *options: str) -> tuple[int, str, str]:
    """Sign the catalogue, with a key that is made when it is first needed."""
    if not Path("k.pem").exists():
        assert run("keygen", "--originator", LIBRARY, "--out", "k")[0] == 0
    return run("attest", "catalogue.csv", "--key", "k.pem", "--originator", LIBRARY, "--out", out, *options)
