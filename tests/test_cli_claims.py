"""The command line where claims are concerned: a trust store for ``evaluate``, ``keygen``, ``attest``, ``verify``.

Flows in: arguments and files.  Flows out: statuses, exit states, files and their permissions.
Not here: what a status means (``claims/``), the acceptance cases (``test_cases.py``), the conformance claims
(``conformance/``).
"""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from guard_core import cli
from guard_core.claims import read_trust_store
from guard_core.recompute import verify as verify_object
from tests.claims.workbench import ARCHIVE, AT, DAY, KEY, TEXT, payload, store_document, store_text, token

TIME = "2026-11-30T12:00:00Z"
LIBRARY = "https://library.example"
GOOD = token(payload())
OTHER = token(payload(sub="doc-2", content=None))
EXPIRED = token(payload(exp=AT - DAY))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a trust store, a log of four results and a bare catalogue, to run in."""
    monkeypatch.chdir(tmp_path)
    Path("trust.json").write_text(store_text())
    rows = [
        {"query_id": "q1", "doc_id": "doc-1", "text": TEXT, "origin": "model", "claim": GOOD},
        {"query_id": "q1", "doc_id": "doc-2", "text": "another", "claim": OTHER},
        {"query_id": "q2", "doc_id": "doc-1", "text": TEXT, "claim": EXPIRED},
        {"query_id": "q2", "doc_id": "doc-3", "origin": "human"},
    ]
    Path("log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path("catalogue.csv").write_text("doc_id,origin,depth\ndoc-1,human,0\ndoc-2,model,1\ndoc-3,human,\ndoc-4,,\n")
    return tmp_path


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs one command: exit status, standard output, standard error."""

    def one(*arguments: str) -> tuple[int, str, str]:
        status = cli.main(arguments)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return one


def evaluated(run: Run, *options: str) -> dict[str, object]:
    status, out, err = run("evaluate", "log.jsonl", "--json", *options)
    assert (status, err) == (0, "")
    assert verify_object(out.encode()) == json.loads(out)["digest"]
    whole: dict[str, object] = json.loads(out)
    return whole


def results(whole: dict[str, object]) -> list[dict[str, object]]:
    retrievals = whole["retrievals"]
    assert isinstance(retrievals, list)
    return [result for retrieval in retrievals for result in retrieval["results"]]


# -- evaluate ----------------------------------------------------------------------------------------------------------


def test_claims_that_hold_decide_and_say_who(run: Run) -> None:
    whole = evaluated(run, "--trust", "trust.json", "--at", TIME)
    found = [(r["signature"], r["basis"], r["authenticity"], r["originator"]) for r in results(whole)]
    assert found == [
        ("VALID", "signed", "HUMAN_AUTHORED", ARCHIVE),
        ("VALID", "signed", "HUMAN_AUTHORED", ARCHIVE),
        ("EXPIRED", "none", "UNKNOWN", None),
        ("MISSING", "declared", "UNKNOWN", None),
    ]
    assert whole["trust"] == {
        "keys": 9,
        "skipped": [
            {"kid": each.kid, "reason": each.reason}
            for each in sorted(read_trust_store("trust.json").skipped, key=lambda key: key.kid or "")
        ],
        "digest": read_trust_store("trust.json").digest,
    }
    policy, summary = whole["policy"], whole["summary"]
    assert isinstance(policy, dict)
    assert isinstance(summary, dict)
    assert (policy["preset"], policy["signatures"], summary["evaluated_at"]) == ("strict", "verified", TIME)


def test_the_preset_follows_the_trust_store_only_where_nothing_names_one(run: Run) -> None:
    Path("bare.toml").write_text("top_k = 3\n")
    Path("named.toml").write_text('preset = "reference"\n')

    def preset(*options: str) -> object:
        policy = evaluated(run, "--at", TIME, *options)["policy"]
        assert isinstance(policy, dict)
        return policy["preset"]

    trust = ("--trust", "trust.json")
    assert preset() == preset("--policy", "bare.toml") == "reference"
    assert preset(*trust) == preset(*trust, "--policy", "bare.toml") == "strict"
    assert preset(*trust, "--policy", "named.toml") == preset(*trust, "--preset", "reference") == "reference"
    assert preset(*trust, "--policy", "named.toml", "--preset", "strict") == "strict"


def test_time_is_now_unless_it_is_given_and_enters_the_digest(run: Run) -> None:
    before = int(time.time())
    summary = evaluated(run, "--trust", "trust.json")["summary"]
    assert isinstance(summary, dict)
    stated = summary["evaluated_at"]
    assert before <= time.mktime(time.strptime(stated, "%Y-%m-%dT%H:%M:%SZ")) - time.timezone <= time.time()
    assert evaluated(run)["summary"]["evaluated_at"] is None  # type: ignore[index]  # an object
    digests = [evaluated(run, "--trust", "trust.json", "--at", at)["digest"] for at in (TIME, TIME, "1796040001")]
    assert digests[0] == digests[1] != digests[2]


def test_the_digest_covers_the_trust_store_and_not_its_spelling(run: Run) -> None:
    first = evaluated(run, "--trust", "trust.json", "--at", TIME)
    document = store_document()
    keys = document["keys"]
    assert isinstance(keys, list)
    Path("turned.json").write_text(json.dumps({**document, "keys": keys[::-1]}))
    assert evaluated(run, "--trust", "turned.json", "--at", TIME) == first
    Path("fewer.json").write_text(json.dumps({**document, "keys": keys[:-5]}))
    fewer = evaluated(run, "--trust", "fewer.json", "--at", TIME)
    assert results(fewer) == results(first)
    assert fewer["digest"] != first["digest"]


def test_the_table_shows_keys_and_claims(run: Run) -> None:
    status, out, _ = run("evaluate", "log.jsonl", "--trust", "trust.json", "--at", TIME)
    assert status == 0
    assert re.search(r"^Trust +9 usable keys, 4 skipped; claims judged at 2026-11-30T12:00:00Z$", out, re.MULTILINE)
    assert re.search(r"^Claims +MISSING 1 \(25\.0 %\), EXPIRED 1 \(25\.0 %\), VALID 2 \(50\.0 %\)$", out, re.MULTILINE)
    assert "skipped TEST-KEY-operations: its key_ops do not hold verify" in out
    assert "source-guard verify" in out
    assert "Trust" not in run("evaluate", "log.jsonl")[1]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be opened"),
        (b"{", "is not JSON"),
        (b"{}", "has no list of keys"),
        (b'{"keys":[{"kty":"OKP","kid":"a","d":"AAAA"}]}', "keys entry 1: holds private or symmetric key material"),
        (b'{"keys":[{"kid":"a"},{"kid":"a"}]}', "keys entry 2: has the kid of entry 1"),
        (b'{"keys":[],"issuers":{"o":{"max_depth":-1}}}', "max_depth"),
        (b"-----BEGIN PRIVATE KEY-----\n", "PEM"),
        (b"[" * 100_000, "nested deeper"),
    ],
    ids=["missing", "cut", "empty", "private", "repeated", "limit", "pem", "deep"],
)
def test_a_broken_trust_store_costs_one_line(run: Run, content: bytes | None, told: str) -> None:
    if content is not None:
        Path("broken.json").write_bytes(content)
    for command in (["evaluate", "log.jsonl"], ["verify", "log.jsonl"], ["serve", "log.jsonl"]):
        status, out, err = run(*command, "--trust", "broken.json")
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert err.startswith("source-guard: broken.json")
        assert told in err


def test_the_dashboard_gets_trust_store_and_time(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []

    def become(program: str, arguments: list[str]) -> None:
        started.append(arguments)
        raise SystemExit(0)

    monkeypatch.setattr("guard_core.cli.os.execv", become)
    with pytest.raises(SystemExit):
        run("serve", "log.jsonl", "--trust", "trust.json", "--at", "2026-11-30T13:00:00+01:00")
    assert started.pop()[1:] == ["-m", "dashboard", "--log", "log.jsonl", "--trust", "trust.json", "--at", TIME]


# -- keygen ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["Ed25519", "ES256"])
def test_keygen_writes_a_private_key_and_a_trust_store(run: Run, algorithm: str) -> None:
    status, out, err = run("keygen", "--originator", LIBRARY, "--alg", algorithm, "--out", "keys/library")
    assert status == 0
    private, public = Path("keys/library.pem"), Path("keys/library.trust.json")
    assert private.stat().st_mode & 0o777 == 0o600
    assert Path("keys").stat().st_mode & 0o077 == 0
    store = read_trust_store(public)
    assert [(key.iss, key.key.algorithm, key.kid) for key in store.keys.values()] == [(LIBRARY, algorithm, out.strip())]
    assert (store.skipped, store.notices) == ((), ())
    secret = private.read_text().splitlines()[1]
    assert secret not in public.read_text() + out + err
    assert "keys/library.pem" in err


def test_keygen_writes_over_nothing(run: Run) -> None:
    assert run("keygen", "--originator", LIBRARY, "--out", "a")[0] == 0
    before = Path("a.pem").read_bytes(), Path("a.trust.json").read_bytes()
    for spare in ("a.pem", "a.trust.json"):
        status, out, err = run("keygen", "--originator", LIBRARY, "--out", "a")
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert "exists already" in err
        Path(spare).rename("b")
        assert run("keygen", "--originator", LIBRARY, "--out", "a")[0] == 2
        Path("b").rename(spare)
    assert (Path("a.pem").read_bytes(), Path("a.trust.json").read_bytes()) == before
    assert sorted(path.name for path in Path().glob("a*")) == ["a.pem", "a.trust.json"]


@pytest.mark.parametrize(
    "options",
    [
        ["--originator", "", "--out", "k"],
        ["--originator", "a\x1b[2J", "--out", "k"],
        ["--originator", LIBRARY, "--out", "keys/"],
        ["--originator", LIBRARY, "--out", "log.jsonl/k"],
        ["--originator", LIBRARY, "--out", "k", "--alg", "RS256"],
        ["--originator", LIBRARY],
    ],
    ids=["nobody", "hostile", "folder", "no-folder", "algorithm", "nowhere"],
)
def test_keygen_that_cannot_be_done_costs_one_line(run: Run, options: list[str]) -> None:
    status, out, err = run("keygen", *options)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "\x1b" not in err
    assert not list(Path().glob("k*"))


# -- attest ------------------------------------------------------------------------------------------------------------


def signed(run: Run, out: str, *options: str) -> tuple[int, str, str]:
    if not Path("k.pem").exists():
        assert run("keygen", "--originator", LIBRARY, "--out", "k")[0] == 0
    return run("attest", "catalogue.csv", "--key", "k.pem", "--originator", LIBRARY, "--out", out, *options)


def test_three_commands_from_a_bare_catalogue_to_a_verified_log(run: Run) -> None:
    rows = [{"query_id": "q", "doc_id": f"doc-{n}", "origin": "model"} for n in (1, 2, 3)]
    Path("log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    status, out, _ = signed(run, "signed.csv")
    assert status == 0
    assert out.splitlines() == [
        f"4 documents: 3 attested by {LIBRARY}, 1 without a new claim",
        "  1 have no class",
        "  3 claims name no content: their documents state none, or several",
    ]
    whole = evaluated(run, "--catalogue", "signed.csv", "--trust", "k.trust.json")
    assert [(r["signature"], r["basis"], r["authenticity"], r["originator"]) for r in results(whole)] == [
        ("VALID", "signed", "HUMAN_AUTHORED", LIBRARY),
        ("VALID", "signed", "SYNTHETIC_DEPTH_1", LIBRARY),
        ("VALID", "signed", "HUMAN_AUTHORED", LIBRARY),
    ]
    assert whole["summary"]["verdicts"]["HUMAN_GROUNDED"] == 1  # type: ignore[index]  # an object
    unsigned = evaluated(run, "--catalogue", "catalogue.csv", "--trust", "k.trust.json")
    assert {r["signature"] for r in results(unsigned)} == {"MISSING"}
    assert unsigned["summary"]["verdicts"]["UNVERIFIED_SOURCES"] == 1  # type: ignore[index]  # an object


def test_a_result_keeps_its_own_claim(run: Run) -> None:
    signed(run, "signed.jsonl")
    store = json.loads(Path("k.trust.json").read_text())
    store["keys"] += [key for key in json.loads(Path("trust.json").read_text())["keys"] if key["kid"] == KEY]
    Path("both.json").write_text(json.dumps(store))
    whole = evaluated(run, "--catalogue", "signed.jsonl", "--trust", "both.json", "--at", "2026-12-30")
    assert [(r["signature"], r["originator"]) for r in results(whole)] == [
        ("VALID", ARCHIVE), ("VALID", ARCHIVE), ("EXPIRED", None), ("VALID", LIBRARY),
    ]  # fmt: skip


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_attest_writes_the_same_bytes_at_the_same_time(run: Run, suffix: str) -> None:
    written = []
    for at in (TIME, "1796040000", "2026-12-01"):
        assert signed(run, f"signed{suffix}", "--at", at)[0] == 0
        written.append(Path(f"signed{suffix}").read_bytes())
    assert written[0] == written[1] != written[2]
    if suffix == ".parquet":
        assert pq.read_table("signed.parquet").num_rows == 4


def test_attest_warns_of_a_key_that_others_can_read(run: Run) -> None:
    signed(run, "signed.csv")
    Path("k.pem").chmod(0o640)
    assert "chmod 600" in signed(run, "signed.csv")[2]


def test_attest_counts_what_it_left_out(run: Run) -> None:
    Path("catalogue.csv").write_text("doc_id,origin\na,human\n,human\n")
    status, out, err = signed(run, "signed.csv")
    assert status == 0
    assert "1 documents: 1 attested" in out
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


# -- verify ------------------------------------------------------------------------------------------------------------


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
    signed(run, "signed.csv", "--at", TIME)
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
    assert listed == [r["signature"] for r in results(evaluated(run, "--trust", "trust.json", "--at", TIME))]


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
