"""Test ``source-guard keygen``: the files that it writes, who may read them, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from guard_core.claims import read_trust_store
from tests.support.claims_folder import LIBRARY
from tests.support.command_runs import Run

pytestmark = pytest.mark.usefixtures("claims_folder")


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
