"""Test ``source-guard evaluate``: what goes to which stream, which status comes out, and what a person is told.

Flows in: arguments and files.  Flows out: output, sentences, exit status.
Not here: what the numbers are (``output/``, ``test_cases.py``), trust stores (``test_evaluate_claims.py``).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from guard_core.output.recompute import verify
from tests.support.command_runs import Run
from tests.support.log_files import write_lines

LOG: list[dict[str, object]] = [
    {"query_id": "q1", "doc_id": "h", "rank": 1, "origin": "human", "claim": "c"},
    {"query_id": "q1", "doc_id": "s", "rank": 2, "origin": "model", "depth": 2, "claim": "c"},
    {"query_id": "q2", "doc_id": "s", "rank": 1, "origin": "model", "depth": 2, "claim": "c"},
    {"query_id": "q3", "results": []},
]


BAD_ROW = {"doc_id": "x", "rank": 3}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of three retrievals: one grounded, one that halts, one without results."""
    return write_lines(tmp_path / "log.jsonl", LOG)


def test_the_table_is_the_default(log: Path, run: Run) -> None:
    status, out, err = run("evaluate", "log.jsonl")
    assert (status, err) == (0, "")
    assert "Halted retrievals (1 of 1)" in out
    assert "q2" in out


def test_json_is_one_object_that_holds(log: Path, run: Run) -> None:
    status, out, err = run("evaluate", "log.jsonl", "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["digest"] == verify(out.encode())
    assert list(json.loads(out)) == [
        "schema", "log", "catalogue", "trust", "policy", "summary", "retrievals", "digest",
    ]  # fmt: skip


def test_the_members_stand_in_their_order(log: Path, run: Run) -> None:
    whole = json.loads(run("evaluate", "log.jsonl", "--json")[1])
    assert list(whole["summary"]) == [
        "retrievals", "with_results", "no_results", "creative", "evaluated_at", "macro_ratio", "micro_ratio",
        "verdicts_if_signatures_waived", "verdicts", "proceed", "halt", "findings",
    ]  # fmt: skip
    assert list(whole["retrievals"][0]) == [
        "retrieval_id", "query_id", "query", "verdict", "verdict_if_signatures_waived", "decision", "applicability",
        "directive", "manifest_digest", "total", "human", "authenticity_diversity_metric", "anchored_ratio",
        "effective_anchors", "max_depth", "margin", "findings", "results",
    ]  # fmt: skip
    assert list(whole["retrievals"][0]["results"][0]) == [
        "rank", "result_id", "document_id", "score", "authenticity", "declared_authenticity", "basis", "depth",
        "depth_at_least", "anchors", "declared_anchors", "signature", "originator", "conflicts",
    ]  # fmt: skip
    assert whole["trust"] == {"keys": 0, "skipped": [], "digest": None}
    assert whole["summary"]["evaluated_at"] is None
    assert whole["policy"]["preset"] == "reference"


def test_jsonl_holds_the_records_of_the_object(log: Path, run: Run) -> None:
    whole = json.loads(run("evaluate", "log.jsonl", "--json")[1])
    status, out, err = run("evaluate", "log.jsonl", "--jsonl")
    assert status == 0
    assert [json.loads(line) for line in out.splitlines()] == whole["retrievals"]
    assert "4 rows read = 4 accepted + 0 rejected + 0 ignored" in err
    assert "policy reference: min_human_grounding_ratio 0.5" in err


def test_csv_says_which_retrievals_have_no_row(log: Path, run: Run) -> None:
    status, out, err = run("evaluate", "log.jsonl", "--csv")
    assert (status, len(out.splitlines())) == (0, 4)
    assert "retrievals without results, which have no row: 1;" in err


def test_parquet_goes_beside_any_form(log: Path, run: Run, tmp_path: Path) -> None:
    status, out, _ = run("evaluate", "log.jsonl", "--json", "--parquet", "out.parquet")
    assert status == 0
    assert json.loads(out)["summary"]["halt"] == 1
    status, out, err = run("evaluate", "out.parquet", "--json")
    assert (status, err) == (0, "")
    assert [r["query_id"] for r in json.loads(out)["retrievals"]] == ["q1", "q2"]


def test_strict_minds_the_catalogue_too(log: Path, run: Run) -> None:
    Path("catalogue.csv").write_text("doc_id,origin\nh,human\n,human\n")
    status, out, err = run("evaluate", "log.jsonl", "--catalogue", "catalogue.csv", "--strict")
    assert status == 3
    assert "1 of 2 rows of the catalogue were rejected" in err
    assert "catalogue.csv:3: doc_id" in out


def test_forms_exclude_each_other(log: Path, run: Run) -> None:
    status, out, err = run("evaluate", "log.jsonl", "--json", "--csv")
    assert (status, out) == (2, "")
    assert "not allowed with" in err


@pytest.mark.parametrize(
    ("gates", "status", "told"),
    [
        (["--gate"], 1, "--gate: 1 of 2 counted retrievals halt: fails"),
        (["--gate", "--min-human-ratio", "0"], 0, "--gate: 0 of 2 counted retrievals halt: passes"),
        (["--max-halt-share", "0.5"], 0, "1 of 2 counted retrievals halt (50.0 %): passes"),
        (["--max-halt-share", "0.4999"], 1, "1 of 2 counted retrievals halt (50.0 %): fails"),
        (["--max-halt-share", "1"], 0, "passes"),
        (["--gate", "--max-halt-share", "1"], 1, "--gate: 1 of 2"),
        (["--strict"], 0, "--strict: all was read: passes"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_gates(log: Path, run: Run, gates: list[str], status: int, told: str) -> None:
    got, _, err = run("evaluate", "log.jsonl", "--json", *gates)
    assert got == status
    assert told in err


def test_nothing_counted_passes_every_gate(log: Path, run: Run) -> None:
    log.write_text(json.dumps(LOG[3]))
    status, _, err = run("evaluate", "log.jsonl", "--gate", "--max-halt-share", "0", "--json")
    assert status == 0
    assert "0 of 0 counted retrievals halt (not applicable): passes" in err


def test_strict_goes_before_the_gate(log: Path, run: Run) -> None:
    log.write_text(log.read_text() + json.dumps(BAD_ROW) + "\n")
    status, _, err = run("evaluate", "log.jsonl", "--strict", "--gate", "--json")
    assert status == 3
    assert "--gate: 1 of 2" in err
    assert "--strict: 1 of 5 rows of the log were rejected: fails" in err
    log.write_text(json.dumps(LOG[0]) + '\n{"query_id":')
    status, _, err = run("evaluate", "log.jsonl", "--strict", "--json")
    assert status == 3
    assert "the log is incomplete" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.jsonl"], "nowhere.jsonl"),
        (["."], "."),
        (["log.jsonl", "--catalogue", "nowhere.csv"], "nowhere.csv"),
        (["log.jsonl", "--policy", "nowhere.toml"], "nowhere.toml"),
        (["log.jsonl", "--min-human-ratio", "nan"], "min_human_grounding_ratio"),
        (["log.jsonl", "--min-human-ratio", "-0.1"], "0 to 1"),
        (["log.jsonl", "--top-k", "1.5"], "top_k"),
        (["log.jsonl", "--preset", "lenient"], "reference, strict"),
        (["log.jsonl", "--at", "soon"], "--at"),
        (["log.jsonl", "--map", "result_id"], "FIELD=COLUMN"),
        (["log.jsonl", "--map", "colour=x"], "no field colour"),
        (["log.jsonl", "--map", "rank=a", "--map", "rank=b"], "twice"),
        (["log.jsonl", "--map", "rank=no_such_column"], "mapped to rank"),
        (["log.jsonl", "--max-halt-share", "2"], "0 to 1"),
        (["log.jsonl", "--max-halt-share", "nan"], "0 to 1"),
        (["log.jsonl", "--max-line-bytes", "0"], "--max-line-bytes"),
        (["log.jsonl", "--max-rows", "x"], "--max-rows"),
        (["log.jsonl", "--input-format", "xlsx"], "jsonl, json"),
        (["log.jsonl", "--parquet", "nowhere/out.parquet"], "out.parquet"),
        (["log.jsonl", "--jso"], "unrecognized arguments"),
        ([], "LOG"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_cannot_be_used_costs_one_line(log: Path, run: Run, arguments: list[str], told: str) -> None:
    status, out, err = run("evaluate", *arguments, *(["--json"] if arguments else []))
    assert (status, out) == (2, "")
    assert err.startswith("source-guard: ")
    assert err.count("\n") == 1
    assert told in err


def test_a_policy_file_and_the_options_that_overrule_it(log: Path, run: Run) -> None:
    Path("policy.toml").write_text('preset = "strict"\nmin_human_grounding_ratio = 0.25\ncount = "results"\n')

    def policy(*options: str) -> dict[str, object]:
        got: dict[str, object] = json.loads(run("evaluate", "log.jsonl", "--json", *options)[1])["policy"]
        return got

    assert policy()["signatures"] == "present"
    own = policy("--policy", "policy.toml")
    assert (own["preset"], own["signatures"], own["min_human_grounding_ratio"]) == ("strict", "verified", 0.25)
    over = policy("--policy", "policy.toml", "--preset", "reference", "--min-human-ratio", "0.75", "--top-k", "3")
    assert (over["preset"], over["signatures"], over["min_human_grounding_ratio"]) == ("reference", "present", 0.75)
    assert (over["top_k"], over["allow_depth_1_synthetic"]) == (3, True)
    assert policy("--no-allow-depth-1")["allow_depth_1_synthetic"] is False


def test_columns_of_other_names(log: Path, run: Run) -> None:
    Path("other.csv").write_text("session,chunk,place\nq,a,2\nq,b,1\n")
    names = ["--map", "query_id=session", "--map", "result_id=chunk", "--map", "rank=place"]
    status, out, _ = run("evaluate", "other.csv", *names, "--json")
    assert status == 0
    assert [r["result_id"] for r in json.loads(out)["retrievals"][0]["results"]] == ["b", "a"]


def test_the_evaluation_time_is_utc(log: Path, run: Run) -> None:
    digests = set()
    for text in ("2026-11-30T12:00:00Z", "2026-11-30T13:00:00+01:00", "1796040000"):
        whole = json.loads(run("evaluate", "log.jsonl", "--json", "--at", text)[1])
        assert whole["summary"]["evaluated_at"] == "2026-11-30T12:00:00Z"
        digests.add(whole["digest"])
    assert len(digests) == 1


def test_nothing_is_written_over_an_input(log: Path, run: Run) -> None:
    before = log.read_bytes()
    status, _, err = run("evaluate", "log.jsonl", "--parquet", str(log))
    assert status == 2
    assert "is an input" in err
    assert log.read_bytes() == before
