"""The command line where claims are concerned: a trust store for ``evaluate``, ``keygen``, ``attest``.

Flows in: arguments and files.  Flows out: statuses, exit states, files and their permissions.
Not here: ``verify`` (``test_cli_verify.py``), what a status means (``claims/``), the acceptance cases
(``test_cases.py``).
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from guard_core.claims import read_trust_store
from tests.support.claim_tokens import ARCHIVE, KEY, store_document
from tests.support.claims_folder import LIBRARY, TIME, Run, evaluate_log, fill_folder, list_results, sign_catalogue


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    return fill_folder(tmp_path, capsys)


# -- evaluate ----------------------------------------------------------------------------------------------------------


def test_claims_that_hold_decide_and_say_who(run: Run) -> None:
    whole = evaluate_log(run, "--trust", "trust.json", "--at", TIME)
    found = [(r["signature"], r["basis"], r["authenticity"], r["originator"]) for r in list_results(whole)]
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
        policy = evaluate_log(run, "--at", TIME, *options)["policy"]
        assert isinstance(policy, dict)
        return policy["preset"]

    trust = ("--trust", "trust.json")
    assert preset() == preset("--policy", "bare.toml") == "reference"
    assert preset(*trust) == preset(*trust, "--policy", "bare.toml") == "strict"
    assert preset(*trust, "--policy", "named.toml") == preset(*trust, "--preset", "reference") == "reference"
    assert preset(*trust, "--policy", "named.toml", "--preset", "strict") == "strict"


def test_time_is_now_unless_it_is_given_and_enters_the_digest(run: Run) -> None:
    before = int(time.time())
    summary = evaluate_log(run, "--trust", "trust.json")["summary"]
    assert isinstance(summary, dict)
    stated = summary["evaluated_at"]
    assert before <= time.mktime(time.strptime(stated, "%Y-%m-%dT%H:%M:%SZ")) - time.timezone <= time.time()
    assert evaluate_log(run)["summary"]["evaluated_at"] is None  # type: ignore[index]  # an object
    digests = [evaluate_log(run, "--trust", "trust.json", "--at", at)["digest"] for at in (TIME, TIME, "1796040001")]
    assert digests[0] == digests[1] != digests[2]


def test_the_digest_covers_the_trust_store_and_not_its_spelling(run: Run) -> None:
    first = evaluate_log(run, "--trust", "trust.json", "--at", TIME)
    document = store_document()
    keys = document["keys"]
    assert isinstance(keys, list)
    Path("turned.json").write_text(json.dumps({**document, "keys": keys[::-1]}))
    assert evaluate_log(run, "--trust", "turned.json", "--at", TIME) == first
    Path("fewer.json").write_text(json.dumps({**document, "keys": keys[:-5]}))
    fewer = evaluate_log(run, "--trust", "fewer.json", "--at", TIME)
    assert list_results(fewer) == list_results(first)
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

    monkeypatch.setattr("guard_core.cli.main.os.execv", become)
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


def test_three_commands_from_a_bare_catalogue_to_a_verified_log(run: Run) -> None:
    rows = [{"query_id": "q", "doc_id": f"doc-{n}", "origin": "model"} for n in (1, 2, 3)]
    Path("log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
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
