"""``quarantine`` and ``leverage`` from the command line: forms, exit states, and the library's numbers in all of them.

Flows in: arguments and files.  Flows out: output, sentences, exit status.
Not here: what the numbers are (``test_quarantine.py``, ``test_leverage.py``).
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import sample_data
from guard_core.cli import main as cli
from guard_core.cli.forms.corpus_table import DROPPED, MOST_FLIPPED
from guard_core.codes import VERDICT_WORDS
from guard_core.corpus.leverage import find_leverage
from guard_core.corpus.quarantine import Quarantine, apply_quarantine
from guard_core.judging.judge import judge
from guard_core.judging.policy import PRESETS
from guard_core.judging.statistics import Statistics
from guard_core.model import SynthesisPolicy
from guard_core.provenance.inputs import load_inputs

LOG: list[dict[str, object]] = [
    {"query_id": "q1", "doc_id": "page", "rank": 1, "origin": "human", "claim": "c", "collection": "news"},
    {"query_id": "q1", "doc_id": "sum", "rank": 2, "origin": "model", "depth": 2, "claim": "c", "model": "m1"},
    {"query_id": "q1", "doc_id": "=x", "rank": 3, "claim": "c"},
    {"query_id": "q2", "doc_id": "sum", "rank": 1, "origin": "model", "depth": 2, "claim": "c", "model": "m1"},
    {"query_id": "q3", "doc_id": "page", "rank": 1, "origin": "human", "claim": "c", "collection": "news"},
    {"query_id": "q4", "results": []},
]
BAD_ROW = {"doc_id": "x", "rank": 3}
SAMPLE = (str(sample_data.LOG), "--catalogue", str(sample_data.CATALOGUE))
CATALOGUED = Quarantine(anchors=("almanac",))


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log of four retrievals: two that are grounded, one that halts, one without results."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in LOG))
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.main(arguments)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_before_and_after(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "quarantine", "log.jsonl", "--document", "sum", "--document", "nobody", "--json")
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


def test_the_table_says_that_nothing_fills_the_places(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "quarantine", "log.jsonl", "--generator", "m1", "--generator", "m2")
    assert (status, err) == (0, "")
    assert DROPPED in out
    assert "generator m2: no result has it" in out
    assert "SYNTHETIC_DEPTH_EXCESSIVE to NO_RESULTS: 1" in out
    assert "2 (66.7 %) of 3 counted retrievals lose a judged result" in out
    assert "q1  SYNTHETIC_DEPTH_EXCESSIVE to HUMAN_GROUNDED: 1/3 human to 1/2" in out
    status, out, _ = run(capsys, "quarantine", "log.jsonl", "--collection", "none", "--top-k", "2")
    assert status == 0
    assert "no verdict changes" in out
    assert "The first 2 of what is left are judged" in out


def test_rows_of_retrievals(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "quarantine", "log.jsonl", "--collection", "news", "--originator", "x", "--csv")
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


def test_a_file_of_documents_is_the_same_as_naming_them(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("ids.txt").write_bytes("\ufeffsum\r\n\n=x\n".encode())
    listed = run(capsys, "quarantine", "log.jsonl", "--documents", "ids.txt", "--json")
    named = run(capsys, "quarantine", "log.jsonl", "--document", "sum", "--document", "=x", "--json")
    assert listed == named
    assert json.loads(listed[1])["quarantine"]["documents"] == ["sum", "=x"]


def test_the_library_gives_the_same_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    evidence = load_inputs([sample_data.LOG], catalogue=sample_data.CATALOGUE)
    policy: SynthesisPolicy = PRESETS["reference"]
    found = apply_quarantine(judge(Statistics.of(evidence), policy), CATALOGUED)
    whole = json.loads(run(capsys, "quarantine", *SAMPLE, "--anchor", "almanac", "--json")[1])
    table = run(capsys, "quarantine", *SAMPLE, "--anchor", "almanac")[1]
    judged = json.loads(run(capsys, "evaluate", *SAMPLE, "--json")[1])
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

    ranked = find_leverage(Statistics.of(evidence), policy)
    whole = json.loads(run(capsys, "leverage", *SAMPLE, "--json")[1])
    assert (whole["unsettled"], whole["documents_that_matter"]) == (ranked.unsettled_retrievals, len(ranked.documents))
    assert [d["settles"] for d in whole["documents"]] == ranked.settles.tolist()
    assert [d["open_in"] for d in whole["documents"]] == ranked.unsettled.tolist()


def test_the_ranking_in_every_form(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "leverage", "log.jsonl", "--json")
    assert (status, err) == (0, "")
    whole = json.loads(out)
    assert list(whole) == [
        "schema", "log", "catalogue", "trust", "policy", "signatures_waived", "counted", "unsettled",
        "open_documents", "documents_that_matter", "documents",
    ]  # fmt: skip
    only = {"settles": 1, "if_human": 1, "if_synthetic": 1, "open_in": 1, "unknown": True, "unverified": False}
    assert whole["documents"] == [{"document_id": "=x"} | only]
    assert (whole["counted"], whole["unsettled"]) == (3, 1)
    status, out, err = run(capsys, "leverage", "log.jsonl", "--csv")
    assert out.splitlines() == [
        "document_id,settles,if_human,if_synthetic,open_in,unknown,unverified",
        "'=x,1,1,1,1,true,false",
    ]
    assert "policy reference" in err
    status, out, err = run(capsys, "leverage", "log.jsonl")
    assert (status, err) == (0, "")
    assert "Documents most worth checking (1 of 1)" in out
    assert "=x (unknown)" in out
    assert "1 (33.3 %) of 3 counted retrievals" in out


def test_a_gate_that_nothing_passes_is_told(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log.write_text("".join(json.dumps({"query_id": f"q{i // 2}", "doc_id": f"d{i}"}) + "\n" for i in range(6)))
    status, out, _ = run(capsys, "leverage", "log.jsonl", "--limit", "2")
    assert status == 0
    assert "Documents most worth checking (2 of 6)" in out
    assert "--waive-signatures" in out
    out = run(capsys, "leverage", "log.jsonl", "--waive-signatures")[1]
    assert "The signature gate is left out" in out
    assert "--waive-signatures" not in out
    log.write_text(json.dumps(LOG[0]) + "\n")
    assert "No check of a document would change a verdict." in run(capsys, "leverage", "log.jsonl")[1]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["quarantine", "log.jsonl"], "nothing to take out"),
        (["quarantine", "--document", "x"], "LOG"),
        (["quarantine", "nowhere.jsonl", "--document", "x"], "nowhere.jsonl"),
        (["quarantine", "log.jsonl", "--document", "x", "--json", "--csv"], "not allowed with"),
        (["quarantine", "log.jsonl", "--documents", "nowhere.txt"], "nowhere.txt"),
        (["quarantine", "log.jsonl", "--documents", "latin.txt"], "not UTF-8"),
        (["quarantine", "log.jsonl", "--document", "x", "--min-human-ratio", "2"], "0 to 1"),
        (["quarantine", "log.jsonl", "--document", "x", "--catalogue", "nowhere.csv"], "nowhere.csv"),
        (["leverage", "log.jsonl", "--limit", "0"], "--limit"),
        (["leverage", "log.jsonl", "--gate"], "unrecognized"),
        (["leverage", "log.jsonl", "--preset", "lenient"], "reference, strict"),
        (["leverage"], "LOG"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_cannot_be_used_costs_one_line(
    log: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    Path("latin.txt").write_bytes(b"caf\xe9\n")
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("source-guard: ")
    assert err.count("\n") == 1
    assert told in err


@pytest.mark.parametrize("command", [["quarantine", "--document", "sum"], ["leverage"]], ids=lambda c: str(c[0]))
def test_strict_minds_what_was_not_read(log: Path, capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    status, _, err = run(capsys, *command, "log.jsonl", "--strict", "--json")
    assert (status, err) == (0, "source-guard: --strict: all was read: passes\n")
    log.write_text(log.read_text() + json.dumps(BAD_ROW) + "\n")
    status, out, err = run(capsys, *command, "log.jsonl", "--strict")
    assert status == 3
    assert "1 of 7 rows of the log were rejected: fails" in err
    assert "7 read = 6 accepted + 1 rejected" in out
    assert run(capsys, *command, "log.jsonl")[0] == 0


@pytest.mark.parametrize("command", ["quarantine", "leverage"])
def test_hostile_text_reaches_no_terminal(log: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    hostile = "\x1b]0;owned\x07\x9b31m\u202e"
    rows = [{"query_id": hostile, "query": hostile, "doc_id": f"{hostile}{i % 2}", "claim": "c"} for i in range(2)]
    rows.append({"query_id": hostile + "2", "query": hostile, "doc_id": "h", "claim": "c"})
    log.write_text("".join(json.dumps(row | {"rank": i + 1}) + "\n" for i, row in enumerate(rows)))
    names = ["--document", hostile + "0", "--anchor", hostile] if command == "quarantine" else []
    for form in ([], ["--json"]):
        assert run(capsys, command, "log.jsonl", *names, *form)[0] == 0
    status, out, err = run(capsys, command, "log.jsonl", *names)
    assert status == 0
    assert not set(out + err) & set("\x1b\x07\x9b\u202e")
    assert "\\x1b" in out


def test_two_runs_give_the_same_bytes(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["quarantine", *SAMPLE, "--anchor", "almanac", "--json"], ["leverage", *SAMPLE, "--csv"]):
        assert run(capsys, *arguments) == run(capsys, *arguments)
