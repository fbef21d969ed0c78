"""``source-guard verify``: a claim, a file of claims, a log, a signed catalogue, standard input.

Flows in: arguments and files.  Flows out: a status a line, a summary, exit states.
Not here: which status a claim gets (``claims/``), the conformance claims (``conformance/``).
"""

from __future__ import annotations

import gzip
import io
import json
import random
import sys
from pathlib import Path

import pytest

from tests.support.claim_tokens import ARCHIVE, KEY, TEXT, payload, token
from tests.support.claims_folder import (
    EXPIRED,
    GOOD,
    OTHER,
    TIME,
    evaluate_log,
    list_results,
    sign_catalogue,
)
from tests.support.command_runs import Run

pytestmark = pytest.mark.usefixtures("claims_folder")


def verified(run: Run, *arguments: str) -> tuple[int, list[list[str]], str]:
    status, out, err = run("verify", *arguments, "--trust", "trust.json", "--at", TIME)
    return status, [line.split("\t") for line in out.splitlines()], err


def test_one_claim(run: Run) -> None:
    status, lines, err = verified(run, GOOD)
    assert (status, [line[:3] for line in lines]) == (0, [["VALID", "claim", "doc-1"]])
    assert (
        lines[0][3] == f"attested by {ARCHIVE} on 2026-11-29, key {KEY}, content not checked: the text is not at hand"
    )
    assert "1 checked: 1 VALID; judged at 2026-11-30T12:00:00Z with 9 usable keys, 4 skipped" in err
    Path("text.txt").write_text(TEXT + "\n")
    assert verified(run, GOOD, "--document", "doc-9")[1][0][0] == "SUBJECT_MISMATCH"
    status, lines, err = verified(run, GOOD, "--document", "doc-1", "--text", "text.txt")
    assert (status, lines[0][0]) == (1, "CONTENT_MISMATCH")
    assert "only in a trailing newline" in lines[0][3]
    Path("text.txt").write_text(TEXT)
    assert verified(run, GOOD, "--text", "text.txt")[1][0][3].endswith("content checked")


def test_a_file_of_claims(run: Run) -> None:
    long = random.Random(0).randbytes(5_000_000).hex()
    lines_of_file = [GOOD, "", f"{EXPIRED}\r", f" {GOOD}", "nonsense", long, "{}", "é" * 9, GOOD[:-4], OTHER]
    data = "\n".join(lines_of_file).encode() + b"\n\xff\xfe\n"
    for name, content in (("claims.txt", data), ("claims.gz", gzip.compress(data))):
        Path(name).write_bytes(content)
        status, lines, err = verified(run, name)
        assert status == 1
        assert [line[:2] for line in lines] == [
            ["VALID", "1"], ["EXPIRED", "3"], ["MALFORMED", "4"], ["MALFORMED", "5"], ["MALFORMED", "6"],
            ["MALFORMED", "7"], ["MALFORMED", "8"], ["MALFORMED", "9"], ["VALID", "10"], ["MALFORMED", "11"],
        ]  # fmt: skip
        assert "10 checked: 7 MALFORMED, 1 EXPIRED, 2 VALID" in err
        assert "EXPIRED: The claim has run out. Ask the originator" in err
        assert "skipped key TEST-KEY-operations" in err


def test_a_log_row_by_row(run: Run) -> None:
    status, lines, _ = verified(run, "log.jsonl")
    assert status == 1
    assert [line[:3] for line in lines] == [
        ["VALID", "q1", "doc-1"], ["VALID", "q1", "doc-2"], ["EXPIRED", "q2", "doc-1"], ["MISSING", "q2", "doc-3"],
    ]  # fmt: skip
    assert "content checked" in lines[0][3]
    assert "names none" in lines[1][3]


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_text_that_differs_only_in_spelling_is_told(run: Run, form: str) -> None:
    if form == "jsonl":
        row = {"query_id": "q", "doc_id": "doc-1", "text": TEXT.replace("\n", "\r\n"), "claim": GOOD}
        Path("log.jsonl").write_text(json.dumps(row))
    else:
        Path("log.csv").write_bytes(f'qid,doc_id,text,claim\r\nq,doc-1,"{TEXT}\n",{GOOD}\r\n'.encode())
    lines = verified(run, f"log.{form}")[1]
    assert lines[0][0] == "CONTENT_MISMATCH"
    assert lines[0][3].endswith("only in line endings" if form == "jsonl" else "only in a trailing newline")


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def told(data: bytes) -> tuple[int, list[list[str]], str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return verified(run, "-")

    status, lines, _ = told(GOOD.encode())
    assert (status, [line[:3] for line in lines]) == (0, [["VALID", "1", "doc-1"]])
    assert [line[0] for line in told(Path("log.jsonl").read_bytes())[1]] == ["VALID", "VALID", "EXPIRED", "MISSING"]
    for data, fault in ((b"", "standard input: holds no claim"), (b'{"a":1}', "standard input: no retrieval found")):
        status, lines, err = told(data)
        assert (status, lines, err.count("\n")) == (2, [], 1)
        assert fault in err


def test_a_signed_catalogue(run: Run) -> None:
    sign_catalogue(run, "signed.csv", "--at", TIME)
    trust = ("--trust", "k.trust.json", "--at", TIME)
    status, out, _ = run("verify", "--catalogue", "signed.csv", *trust)
    assert status == 1
    assert [line.split("\t")[:3] for line in out.splitlines()] == [
        ["VALID", "catalogue", "doc-1"], ["VALID", "catalogue", "doc-2"], ["VALID", "catalogue", "doc-3"],
        ["MISSING", "catalogue", "doc-4"],
    ]  # fmt: skip
    status, out, _ = run("verify", "log.jsonl", "--catalogue", "signed.csv", *trust)
    assert [line.split("\t")[0] for line in out.splitlines()] == ["UNKNOWN_KEY", "UNKNOWN_KEY", "UNKNOWN_KEY", "VALID"]


def test_rows_that_could_not_be_read_fail(run: Run) -> None:
    row = {"query_id": "q", "doc_id": "doc-1", "text": TEXT, "claim": GOOD}
    Path("log.jsonl").write_text(f"{json.dumps(row)}\n{json.dumps({**row, 'rank': 'x'})}\n")
    status, lines, err = verified(run, "log.jsonl")
    assert (status, [line[0] for line in lines]) == (1, ["VALID"])
    assert "1 of 2 rows could not be read; nobody looked at their claims" in err
    assert "log.jsonl:2: rank" in err


def test_verify_and_evaluate_say_the_same(run: Run) -> None:
    listed = [line[0] for line in verified(run, "log.jsonl")[1]]
    assert listed == [r["signature"] for r in list_results(evaluate_log(run, "--trust", "trust.json", "--at", TIME))]


def test_hostile_text_is_shown_and_not_obeyed(run: Run) -> None:
    hostile = "\x1b[2J\u202e\tq"
    iss = token(payload(iss=hostile, sub=hostile), kid="TEST-KEY-unlisted")
    Path("log.jsonl").write_text(json.dumps({"query_id": hostile, "doc_id": hostile, "claim": iss}))
    for source in ("log.jsonl", iss, "nowhere\x1b[2J"):
        out = run("verify", source, "--trust", "trust.json")[1:]
        assert not set("".join(out)) & set("\x1b\u202e")
    assert [len(line) for line in verified(run, "log.jsonl")[1]] == [4]


def test_a_day_that_no_calendar_has(run: Run) -> None:
    status, lines, _ = verified(run, token(payload(iat=-(2**53) + 1)))
    assert (status, lines[0][0]) == (0, "VALID")
    assert "on second -9007199254740991" in lines[0][3]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.txt"], "nowhere.txt: there is no such file"),
        (["eyJ.jsonl"], "--trust"),
        ([], "nothing to check"),
        (["empty.txt"], "holds no claim"),
        (["log.jsonl", "--document", "x"], "go with one claim"),
        ([GOOD, GOOD, "--document", "x"], "go with one claim"),
        ([GOOD, "--text", "nowhere.txt"], "nowhere.txt"),
        (["archive.zip"], "ZIP"),
        ([GOOD, "--at", "soon"], "--at"),
    ],
    ids=["nowhere", "no-trust", "nothing", "empty", "log", "two", "no-text", "zip", "time"],
)
def test_verify_that_cannot_be_done_costs_one_line(run: Run, arguments: list[str], told: str) -> None:
    Path("empty.txt").write_text("\n \n")
    Path("archive.zip").write_bytes(b"PK\x03\x04" + bytes(30))
    trust = [] if told == "--trust" else ["--trust", "trust.json"]
    status, out, err = run("verify", *arguments, *trust)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert told in err


def test_a_log_without_a_row_is_not_a_success(run: Run) -> None:
    Path("log.jsonl").write_text('{"query_id": "q", "results": []}\n')
    status, out, err = run("verify", "log.jsonl", "--trust", "trust.json")
    assert (status, out) == (2, "")
    assert "nothing was checked" in err
