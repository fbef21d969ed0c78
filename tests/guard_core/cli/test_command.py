"""Test what ``quarantine`` and ``leverage`` share: exit states, faults in one line, hostile text, the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sample_data
from tests.support.command_runs import Run
from tests.support.log_files import write_lines

BAD_ROW = {"doc_id": "x", "rank": 3}


SAMPLE = (str(sample_data.LOG), "--catalogue", str(sample_data.CATALOGUE))


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
def test_what_cannot_be_used_costs_one_line(corpus_log: Path, run: Run, arguments: list[str], told: str) -> None:
    Path("latin.txt").write_bytes(b"caf\xe9\n")
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith("source-guard: ")
    assert err.count("\n") == 1
    assert told in err


@pytest.mark.parametrize("command", [["quarantine", "--document", "sum"], ["leverage"]], ids=lambda c: str(c[0]))
def test_strict_minds_what_was_not_read(corpus_log: Path, run: Run, command: list[str]) -> None:
    status, _, err = run(*command, "log.jsonl", "--strict", "--json")
    assert (status, err) == (0, "source-guard: --strict: all was read: passes\n")
    corpus_log.write_text(corpus_log.read_text() + json.dumps(BAD_ROW) + "\n")
    status, out, err = run(*command, "log.jsonl", "--strict")
    assert status == 3
    assert "1 of 7 rows of the log were rejected: fails" in err
    assert "7 read = 6 accepted + 1 rejected" in out
    assert run(*command, "log.jsonl")[0] == 0


@pytest.mark.parametrize("command", ["quarantine", "leverage"])
def test_hostile_text_reaches_no_terminal(corpus_log: Path, run: Run, command: str) -> None:
    hostile = "\x1b]0;owned\x07\x9b31m\u202e"
    rows = [{"query_id": hostile, "query": hostile, "doc_id": f"{hostile}{i % 2}", "claim": "c"} for i in range(2)]
    rows.append({"query_id": hostile + "2", "query": hostile, "doc_id": "h", "claim": "c"})
    write_lines(corpus_log, (row | {"rank": i + 1} for i, row in enumerate(rows)))
    names = ["--document", hostile + "0", "--anchor", hostile] if command == "quarantine" else []
    for form in ([], ["--json"]):
        assert run(command, "log.jsonl", *names, *form)[0] == 0
    status, out, err = run(command, "log.jsonl", *names)
    assert status == 0
    assert not set(out + err) & set("\x1b\x07\x9b\u202e")
    assert "\\x1b" in out


def test_two_runs_give_the_same_bytes(corpus_log: Path, run: Run) -> None:
    for arguments in (["quarantine", *SAMPLE, "--anchor", "almanac", "--json"], ["leverage", *SAMPLE, "--csv"]):
        assert run(*arguments) == run(*arguments)
