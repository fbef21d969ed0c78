"""Test ``source-guard attest``: signed catalogues, what is left out of them, and what a person is told.

Flows in: arguments and files.  Flows out: catalogues, sentences, exit states.
Not here: what gets a claim (``corpus/test_attestation.py``).
"""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.support.claim_tokens import ARCHIVE, KEY
from tests.support.claims_folder import LIBRARY, TIME, evaluate_log, list_results, sign_catalogue
from tests.support.command_runs import Run
from tests.support.log_files import write_lines

pytestmark = pytest.mark.usefixtures("claims_folder")


def test_three_commands_from_a_bare_catalogue_to_a_verified_log(run: Run) -> None:
    rows = [{"query_id": "q", "doc_id": f"doc-{n}", "origin": "model"} for n in (1, 2, 3)]
    write_lines(Path("log.jsonl"), rows)
    status, out, _ = sign_catalogue(run, "signed.csv")
    assert status == 0
    assert out.splitlines() == [
        f"4 documents: 3 attested by {LIBRARY}, 1 without a new claim",
        "  1 without a class",
        "  3 claims without content: the catalogue states none, or several",
    ]
    whole = evaluate_log(run, "--catalogue", "signed.csv", "--trust", "k.trust.json")
    assert [(r["signature"], r["basis"], r["authenticity"], r["originator"]) for r in list_results(whole)] == [
        ("VALID", "signed", "HUMAN_AUTHORED", LIBRARY),
        ("VALID", "signed", "SYNTHETIC_DEPTH_1", LIBRARY),
        ("VALID", "signed", "HUMAN_AUTHORED", LIBRARY),
    ]
    assert whole["summary"]["verdicts"]["HUMAN_GROUNDED"] == 1  # type: ignore[index]  # an object
    unsigned = evaluate_log(run, "--catalogue", "catalogue.csv", "--trust", "k.trust.json")
    assert {r["signature"] for r in list_results(unsigned)} == {"MISSING"}
    assert unsigned["summary"]["verdicts"]["UNVERIFIED_SOURCES"] == 1  # type: ignore[index]  # an object


def test_a_result_keeps_its_own_claim(run: Run) -> None:
    sign_catalogue(run, "signed.jsonl")
    store = json.loads(Path("k.trust.json").read_text())
    store["keys"] += [key for key in json.loads(Path("trust.json").read_text())["keys"] if key["kid"] == KEY]
    Path("both.json").write_text(json.dumps(store))
    whole = evaluate_log(run, "--catalogue", "signed.jsonl", "--trust", "both.json", "--at", "2026-12-30")
    assert [(r["signature"], r["originator"]) for r in list_results(whole)] == [
        ("VALID", ARCHIVE), ("VALID", ARCHIVE), ("EXPIRED", None), ("VALID", LIBRARY),
    ]  # fmt: skip


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_attest_writes_the_same_bytes_at_the_same_time(run: Run, suffix: str) -> None:
    written = []
    for at in (TIME, "1796040000", "2026-12-01"):
        assert sign_catalogue(run, f"signed{suffix}", "--at", at)[0] == 0
        written.append(Path(f"signed{suffix}").read_bytes())
    assert written[0] == written[1] != written[2]
    if suffix == ".parquet":
        assert pq.read_table("signed.parquet").num_rows == 4


def test_attest_warns_of_a_key_that_others_can_read(run: Run) -> None:
    sign_catalogue(run, "signed.csv")
    Path("k.pem").chmod(0o640)
    assert "chmod 600" in sign_catalogue(run, "signed.csv")[2]


def test_attest_warns_of_a_key_that_belongs_to_another(run: Run) -> None:
    run("keygen", "--originator", "https://a.example", "--out", "own")
    arguments = ["attest", "catalogue.csv", "--key", "own.pem", "--out"]
    assert "belongs to" not in run(*arguments, "s.csv", "--originator", "https://a.example")[2]
    status, _, err = run(*arguments, "t.csv", "--originator", "https://b.example")
    assert status == 0
    assert "own.trust.json says that this key belongs to https://a.example, not to https://b.example" in err
    Path("own.trust.json").write_text("{")  # of no use, and not needed
    assert "belongs to" not in run(*arguments, "u.csv", "--originator", "https://b.example")[2]


def test_attest_names_the_columns_that_it_leaves_out(run: Run) -> None:
    Path("catalogue.csv").write_text("doc_id,origin,shelf,title,score\na,human,3,A,1\n")
    assert "other columns are not in it: shelf, score" in sign_catalogue(run, "signed.csv")[2]


def test_attest_says_so_of_a_log(run: Run) -> None:
    sign_catalogue(run, "signed.csv")  # makes the key
    Path("catalogue.jsonl").write_text(
        '{"query_id": "q", "doc_id": "q", "results": [{"doc_id": "a", "origin": "human"}]}\n'
    )
    arguments = ["attest", "catalogue.jsonl", "--key", "k.pem", "--out", "s.jsonl", "--originator", "https://a.example"]
    _, out, err = run(*arguments)
    assert "0 attested" in out
    assert "catalogue.jsonl has query ids, like a log: attest takes a catalogue, one document a row" in err


def test_attest_counts_what_it_left_out(run: Run) -> None:
    Path("catalogue.csv").write_text("doc_id,origin\na,human\n,human\n")
    status, out, err = sign_catalogue(run, "signed.csv")
    assert status == 0
    assert "1 document: 1 attested" in out
    assert "2 rows read = 1 accepted + 1 rejected + 0 ignored" in err
    assert "catalogue.csv:3: doc_id: there is no id" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere.csv", "--key", "k.pem", "--out", "s.csv"], "nowhere.csv"),
        (["catalogue.csv", "--key", "nowhere.pem", "--out", "s.csv"], "nowhere.pem"),
        (["catalogue.csv", "--key", "trust.json", "--out", "s.csv"], "no private key"),
        (["catalogue.csv", "--key", "k.pem", "--out", "s.xlsx"], ".csv, .jsonl, .parquet"),
        (["catalogue.csv", "--key", "k.pem", "--out", "nowhere/s.csv"], "cannot be written"),
        (["catalogue.csv", "--key", "k.pem", "--out", "s.csv", "--at", "soon"], "--at"),
    ],
)
def test_attest_that_cannot_be_done_costs_one_line(run: Run, arguments: list[str], told: str) -> None:
    run("keygen", "--originator", LIBRARY, "--out", "k")
    status, out, err = run("attest", *arguments, "--originator", LIBRARY)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert told in err
    assert not list(Path().glob("s.*"))
