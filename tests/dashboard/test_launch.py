"""The launcher checks what it is given and hands it on unchanged."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import sample_data
from dashboard import launch


def test_options_read_back_in_the_script() -> None:
    found = launch.parse_options(
        ["--log", "a", "--log", "b", "--catalogue", "c", "--map", "result_id=x", "--preset", "strict", "--port", "9"]
    )
    assert found == launch.Options(("a", "b"), "c", None, "strict", (("result_id", "x"),), None)
    assert launch.parse_options(["--demo", "--something-else"]).demo
    signed = launch.parse_options(["--log", "a", "--trust", "t.json", "--at", "2026-11-30T12:00:00Z"])
    assert (signed.trust, signed.at) == ("t.json", 1796040000)


def test_the_server_is_started_with_our_script_and_options(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr("streamlit.web.cli.main_run", started.append)
    assert launch.main(["--log", str(sample_data.LOG), "--port", "8765", "--no-browser"]) == 0
    script, *rest = started[0]
    assert Path(script) == launch.APP
    flags, ours = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
    assert flags == ["--server.port=8765", "--server.headless=true"]
    assert launch.parse_options(ours).logs == (str(sample_data.LOG),)


@pytest.mark.parametrize(
    "arguments", [["--log", "/nowhere\x1b/log.jsonl"], ["--catalogue", "/nowhere.csv"], ["--trust", "/nowhere.json"]]
)
def test_a_missing_file_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert launch.main(arguments) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "not a file" in said
    assert "\x1b" not in said


def test_a_bad_policy_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "policy.toml"
    path.write_text("top_k = 0\n", encoding="utf-8")
    assert launch.main(["--policy", str(path)]) == 2
    assert "top_k" in capsys.readouterr().err


def test_a_broken_trust_store_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "trust.json"
    path.write_text("{}", encoding="utf-8")
    assert launch.main(["--trust", str(path)]) == 2
    assert "has no list of keys" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--at", "soon"],
        ["--port", "0"],
        ["--port", "x"],
        ["--map", "nonsense"],
        ["--map", "who=x"],
        ["--preset", "lenient"],
    ],
)
def test_bad_usage_ends_with_two(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        launch.main(arguments)
    assert stop.value.code == 2


def test_a_port_in_use_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert launch.main(["--demo", "--port", str(port), "--no-browser"]) == 2
    said = capsys.readouterr()
    assert not said.out
    assert said.err == f"dashboard: port {port} is in use; name a free one with --port\n"


def test_a_start_says_one_line_with_the_address() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "dashboard", "--demo", "--no-browser", "--port", str(port)]
    with subprocess.Popen(
        command, cwd=launch.APP.parents[1], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as started:
        assert started.stdout is not None
        first = started.stdout.readline()
        time.sleep(1)
        started.terminate()
        rest = started.stdout.read()
    assert first == f"Source Guard: http://127.0.0.1:{port} (on this machine only; Ctrl+C stops it)\n"
    assert rest.strip() in ("", "Stopping...")
