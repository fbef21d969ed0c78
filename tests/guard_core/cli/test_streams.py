"""Test both ends of the streams: terminals, readers that go away, a full disk, encodings, hostile text.

Flows in: arguments and files.  Flows out: what reaches a screen.
Not here: exit states and forms of output (``test_evaluate.py``).
"""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest

from guard_core.cli import main as cli
from tests.support.command_runs import COMMAND
from tests.support.log_files import write_lines

ROW: dict[str, object] = {"query_id": "q1", "doc_id": "h", "rank": 1, "origin": "human", "claim": "c"}


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log of one retrieval, in the working directory."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(ROW) + "\n")
    return path


def test_hostile_text_reaches_no_terminal(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = "\x1b]0;owned\x07\x9b31m\u202e"
    name = "log\x1b[2J.jsonl"
    rows = [{"query_id": hostile, "query": hostile, "doc_id": f"{hostile}{i}", "claim": None} for i in range(3)]
    rows.append({"query_id": hostile, "query": hostile, "rank": hostile, "doc_id": "x"})
    write_lines(Path(name), rows)
    for form in ([], ["--json"], ["--jsonl"]):
        cli.main(["evaluate", name, "--gate", "--strict", *form])
        captured = capsys.readouterr()
        assert not set(captured.out + captured.err) & set("\x1b\x07\x9b\u202e")
    assert cli.main(["evaluate", "nowhere\x1b[2J.jsonl"]) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_fault(log: Path) -> None:
    write_lines(log, (ROW | {"query_id": f"q{i}"} for i in range(3000)))
    with subprocess.Popen([*COMMAND, "evaluate", "log.jsonl", "--jsonl"], stdout=subprocess.PIPE, stderr=-1) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        err = process.stderr.read().decode()
        assert process.wait(60) == 128 + signal.SIGPIPE
    assert "Traceback" not in err
    assert "Exception" not in err


def test_a_full_standard_output_is_told(log: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "evaluate", "log.jsonl", "--json"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr.decode().splitlines()[0].startswith("source-guard: standard output: cannot be written")
    assert b"Traceback" not in done.stderr


def test_an_encoding_that_lacks_a_character_costs_nothing(log: Path) -> None:
    log.write_text(json.dumps(ROW | {"query_id": "東京", "claim": None}))
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([*COMMAND, "evaluate", "log.jsonl"], capture_output=True, env=environment, check=True)
    assert rb"\u6771\u4eac" in done.stdout


def test_on_a_terminal_the_table_fits(log: Path) -> None:
    main, side = pty.openpty()
    environment = os.environ | {"COLUMNS": "80"}
    with subprocess.Popen([*COMMAND, "evaluate", "log.jsonl"], stdout=side, stderr=side, env=environment) as process:
        os.close(side)
        text = b""
        while True:
            try:
                part = os.read(main, 65_536)
            except OSError:  # the terminal is closed once the process has ended
                break
            text += part
        assert process.wait(60) == 0
    os.close(main)
    lines = text.decode().split("\r\n")
    assert "Verdicts" in text.decode()
    assert max(map(len, lines)) <= 80
