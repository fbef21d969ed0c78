"""Judge an implementation by the conformance claims: ``python -m tests.conformance.judge [COMMAND ...]``.

Flows in: a command, ``source-guard verify`` if none is given.  Flows out: one line for each claim that gets a wrong
status, and exit status 1 if there is any.
The protocol, which is that of ``source-guard verify``::

    COMMAND log.jsonl --trust trust_store.json --at 2026-11-30T12:00:00Z

must write one line for each row of ``log.jsonl`` to standard output, in any order: the status, a tab, the row's
``query_id``, and whatever it likes after another tab.  It must exit with 1, because some claims are not valid.  What it
writes to standard error is its own business.
Rules kept here: the command sees the files and nothing else; what is expected is read from ``claims.json`` only after
it has ended.
Not here: the claims (``generate.py``), our own verifier as a library (``test_conformance.py``).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
OURS = (sys.executable, "-c", "import sys; from guard_core.cli.main import main; sys.exit(main())", "verify")
LIMIT_SECONDS = 120
SOME_ARE_REFUSED = 1


def judge_command(command: Sequence[str]) -> list[str]:
    """Run a command on the claims and list what it does wrong, one line each."""
    document = json.loads((HERE / "claims.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        for name in ("log.jsonl", document["trust_store"]):
            shutil.copy(HERE / name, folder)
        done = subprocess.run(
            [*command, "log.jsonl", "--trust", document["trust_store"], "--at", document["at"]],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
    given: dict[str, str] = {}
    faults = []
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        status, _, rest = line.partition("\t")
        name = rest.partition("\t")[0]
        if name in given:
            faults.append(f"{name}: listed twice")
        given[name] = status
    for each in document["claims"]:
        status = given.pop(each["name"], "nothing")
        if status != each["status"]:
            faults.append(f"{each['name']}: gave {status}, must give {each['status']}: {each['reason']}")
    faults += [f"{name}: there is no such claim" for name in given]
    if done.returncode != SOME_ARE_REFUSED:
        faults.append(f"exit status {done.returncode}, must be {SOME_ARE_REFUSED}")
    return faults


def main(arguments: Sequence[str]) -> int:
    """Judge a command, print its faults, and return the exit status."""
    faults = judge_command(arguments or OURS)
    for fault in faults:
        print(fault)
    print(f"{len(faults)} faults" if faults else "conforms")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
