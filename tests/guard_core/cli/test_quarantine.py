"""Test ``source-guard quarantine``: its forms, and the library's numbers in all of them.

Flows in: arguments and files.  Flows out: output, sentences, exit status.
Not here: what the numbers are (``corpus/test_quarantine.py``), faults (``test_command.py``).
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import sample_data
from guard_core.cli.forms.corpus_table import DROPPED, MOST_FLIPPED
from guard_core.codes import VERDICT_WORDS
from guard_core.corpus.leverage import find_leverage
from guard_core.corpus.quarantine import Quarantine, apply_quarantine
from guard_core.judging.judge import judge
from guard_core.judging.policy import PRESETS
from guard_core.judging.statistics import Statistics
from guard_core.model import SynthesisPolicy
from guard_core.provenance.inputs import load_inputs
from tests.support.command_runs import Run

SAMPLE = (str(sample_data.LOG), "--catalogue", str(sample_data.CATALOGUE))


CATALOGUED = Quarantine(anchors=("almanac",))


def test_before_and_after(corpus_log: Path, run: Run) -> None:
    status, out, err = run("quarantine", "log.jsonl", "--document", "sum", "--document", "nobody", "--json")
    assert (status, err) == (0, "")
    whole = json.loads(out)
    assert list(whole) == [
        "schema", "log", "catalogue", "trust", "policy", "quarantine", "unmatched", "dropped_results",
        "dropped_judged_results", "touched", "short", "empty", "before", "after", "flips", "retrievals",
    ]  # fmt: skip
    assert whole["quarantine"]["documents"] == ["sum", "nobody"]
    assert whole["unmatched"] == [{"kind": "document", "name": "nobody"}]
    assert [whole[name] for name in ("dropped_results", "dropped_judged_results", "touched", "short", "empty")] == [
        2, 2, 2, 2, 1,
    ]  # fmt: skip
    assert whole["before"]["verdicts"]["HUMAN_GROUNDED"] == 1
    assert (whole["before"]["counted"], whole["after"]["counted"]) == (3, 2)
    assert (whole["before"]["no_results"], whole["after"]["no_results"]) == (1, 2)
    assert whole["after"]["verdicts"]["HUMAN_GROUNDED"] == 2
    assert whole["flips"] == [
        {"before": "SYNTHETIC_DEPTH_EXCESSIVE", "after": "HUMAN_GROUNDED", "retrievals": 1},
        {"before": "SYNTHETIC_DEPTH_EXCESSIVE", "after": "NO_RESULTS", "retrievals": 1},
    ]
    first, second = whole["retrievals"]
    assert [first["retrieval_id"], first["human_before"], first["total_before"], first["total_after"]] == [
        "q1",
        1,
        3,
        2,
    ]
    assert (second["verdict_after"], second["decision_after"], second["effective_anchors_after"]) == (
        "NO_RESULTS", None, None,
    )  # fmt: skip


def test_the_table_says_that_nothing_fills_the_places(corpus_log: Path, run: Run) -> None:
    status, out, err = run("quarantine", "log.jsonl", "--generator", "m1", "--generator", "m2")
    assert (status, err) == (0, "")
    assert DROPPED in out
    assert "generator m2: no result has it" in out
    assert "SYNTHETIC_DEPTH_EXCESSIVE to NO_RESULTS: 1" in out
    assert "2 (66.7 %) of 3 counted retrievals lose a judged result" in out
    assert "q1  SYNTHETIC_DEPTH_EXCESSIVE to HUMAN_GROUNDED: 1/3 human to 1/2" in out
    status, out, _ = run("quarantine", "log.jsonl", "--collection", "none", "--top-k", "2")
    assert status == 0
    assert "no verdict changes" in out
    assert "The first 2 of what is left are judged" in out


def test_rows_of_retrievals(corpus_log: Path, run: Run) -> None:
    status, out, err = run("quarantine", "log.jsonl", "--collection", "news", "--originator", "x", "--csv")
    assert status == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(r["retrieval_id"], r["results_before"], r["results_after"]) for r in rows] == [
        ("q1", "3", "2"),
        ("q3", "1", "0"),
    ]
    assert rows[1]["effective_anchors_after"] == rows[1]["decision_after"] == ""
    assert DROPPED in err
    assert "no result has the originator x" in err
    assert "6 rows read" in err


def test_a_file_of_documents_is_the_same_as_naming_them(corpus_log: Path, run: Run) -> None:
    Path("ids.txt").write_bytes("\ufeffsum\r\n\n=x\n".encode())
    listed = run("quarantine", "log.jsonl", "--documents", "ids.txt", "--json")
    named = run("quarantine", "log.jsonl", "--document", "sum", "--document", "=x", "--json")
    assert listed == named
    assert json.loads(listed[1])["quarantine"]["documents"] == ["sum", "=x"]


def test_the_library_gives_the_same_numbers(run: Run) -> None:
    evidence = load_inputs([sample_data.LOG], catalogue=sample_data.CATALOGUE)
    policy: SynthesisPolicy = PRESETS["reference"]
    found = apply_quarantine(judge(Statistics.from_evidence(evidence), policy), CATALOGUED)
    whole = json.loads(run("quarantine", *SAMPLE, "--anchor", "almanac", "--json")[1])
    table = run("quarantine", *SAMPLE, "--anchor", "almanac")[1]
    judged = json.loads(run("evaluate", *SAMPLE, "--json")[1])
    assert whole["before"]["verdicts"] == judged["summary"]["verdicts"]
    assert whole["before"]["macro_ratio"] == judged["summary"]["macro_ratio"]
    assert whole["after"]["verdicts"] == found.after.summary().verdicts
    assert whole["after"]["effective_anchors"] == found.sources[1]
    assert len(whole["retrievals"]) == whole["touched"] == len(found.touched) > MOST_FLIPPED
    assert sum(f["retrievals"] for f in whole["flips"]) == len(found.flipped)
    for flip in whole["flips"]:
        before, after = VERDICT_WORDS.index(flip["before"]), VERDICT_WORDS.index(flip["after"])
        assert found.flips[before, after] == flip["retrievals"]
        assert f"{flip['before']} to {flip['after']}: {flip['retrievals']}" in table
    assert f"Retrievals whose verdict changes ({MOST_FLIPPED} of {len(found.flipped)})" in table

    ranked = find_leverage(Statistics.from_evidence(evidence), policy)
    whole = json.loads(run("leverage", *SAMPLE, "--json")[1])
    assert (whole["unsettled"], whole["documents_that_matter"]) == (ranked.unsettled_retrievals, len(ranked.documents))
    assert [d["settles"] for d in whole["documents"]] == ranked.settles.tolist()
    assert [d["open_in"] for d in whole["documents"]] == ranked.unsettled.tolist()
