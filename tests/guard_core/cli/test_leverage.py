"""Test ``source-guard leverage``: its forms, and what a gate that nothing passes does.

Flows in: arguments and files.  Flows out: output, sentences, exit status.
Not here: what the numbers are (``corpus/test_leverage.py``), faults (``test_command.py``).
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command_runs import Run
from tests.support.log_files import write_lines


def test_the_ranking_in_every_form(corpus_log: Path, run: Run) -> None:
    status, out, err = run("leverage", "log.jsonl", "--json")
    assert (status, err) == (0, "")
    whole = json.loads(out)
    assert list(whole) == [
        "schema", "log", "catalogue", "trust", "policy", "signatures_waived", "counted", "unsettled",
        "open_documents", "documents_that_matter", "documents",
    ]  # fmt: skip
    only = {"settles": 1, "if_human": 1, "if_synthetic": 1, "open_in": 1, "unknown": True, "unverified": False}
    assert whole["documents"] == [{"document_id": "=x"} | only]
    assert (whole["counted"], whole["unsettled"]) == (3, 1)
    status, out, err = run("leverage", "log.jsonl", "--csv")
    assert out.splitlines() == [
        "document_id,settles,if_human,if_synthetic,open_in,unknown,unverified",
        "'=x,1,1,1,1,true,false",
    ]
    assert "policy reference" in err
    status, out, err = run("leverage", "log.jsonl")
    assert (status, err) == (0, "")
    assert "Documents most worth checking (1 of 1)" in out
    assert "=x (unknown)" in out
    assert "1 (33.3 %) of 3 counted retrievals" in out


def test_a_gate_that_nothing_passes_is_told(corpus_log: Path, run: Run) -> None:
    grounded = corpus_log.read_text().splitlines()[0]
    write_lines(corpus_log, ({"query_id": f"q{i // 2}", "doc_id": f"d{i}"} for i in range(6)))
    status, out, _ = run("leverage", "log.jsonl", "--limit", "2")
    assert status == 0
    assert "Documents most worth checking (2 of 6)" in out
    assert "--waive-signatures" in out
    out = run("leverage", "log.jsonl", "--waive-signatures")[1]
    assert "The signature gate is left out" in out
    assert "--waive-signatures" not in out
    corpus_log.write_text(grounded)
    assert "No check of a document would change a verdict." in run("leverage", "log.jsonl")[1]
