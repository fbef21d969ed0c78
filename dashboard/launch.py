"""Start the dashboard: ``python -m dashboard [options]``, also behind ``source-guard demo`` and ``serve``.

Flows in: command line arguments.  Flows out: a running Streamlit server on this machine, or one line on stderr and
status 2.
Rules kept here: the server runs through Streamlit's own command so that ``dashboard/.streamlit/config.toml`` is
found wherever it is started from; the same options are read again by the pages, from the script's arguments
(:func:`parse_options`).
Not here: reading logs (``logs.py``).
"""

from __future__ import annotations

import argparse
import os
import socket
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from guard_core.claims import read_trust_store
from guard_core.cli.serve import add_dashboard_options
from guard_core.errors import PolicyError, TrustStoreError
from guard_core.judging.policy import load_policy

APP = Path(__file__).with_name("app.py")

_HERE, _PORT, _PORTS = "127.0.0.1", 8501, 100
"""Where the server listens (as in ``.streamlit/config.toml``), and the ports that are tried where none is named."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the dashboard was started with.

    ``mapping`` holds pairs (canonical field, column); ``at`` is the time to judge claims at, in seconds since 1970, now
    if it is ``None``.
    """

    logs: tuple[str, ...] = ()
    catalogue: str | None = None
    policy: str | None = None
    preset: str | None = None
    mapping: tuple[tuple[str, str], ...] = ()
    input_format: str | None = None
    demo: bool = False
    trust: str | None = None
    at: int | None = None


def main(argv: Sequence[str] | None = None) -> int:
    """Check the options, start the server, wait until it is stopped, and return the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    parsed = _make_parser().parse_args(arguments)
    fault = _find_fault(parsed)
    if fault:
        print(f"dashboard: {fault}", file=sys.stderr)  # noqa: T201  # the one line that a user of the command line gets
        return 2
    port = parsed.port or next(filter(_is_free, range(_PORT, _PORT + _PORTS)), None)
    if port is None or not _is_free(port):
        taken = f"{_PORT} to {_PORT + _PORTS - 1}" if port is None else f"{port}"
        print(f"dashboard: port {taken} is in use; name a free one with --port", file=sys.stderr)  # noqa: T201  # as above
        return 2
    flags = [f"--server.port={port}", f"--server.headless={'true' if parsed.no_browser else 'false'}"]
    # Streamlit takes half a second to import, which --help and a fault need not wait for.
    from streamlit.web import cli  # noqa: PLC0415

    ended = threading.Event()
    threading.Thread(target=_announce_address, args=(port, ended), daemon=True).start()
    try:
        cli.main_run([str(APP), *flags, "--", *arguments])
    except SystemExit as stop:
        return int(stop.code or 0)
    finally:
        ended.set()
    return 0


def _is_free(port: int) -> bool:
    """Return whether a server can listen at a port."""
    with socket.socket() as probe:
        if os.name != "nt":  # there it would take a port that another server has
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HERE, port))
        except OSError:
            return False
    return True


def _announce_address(port: int, ended: threading.Event) -> None:
    """Print the address once the server answers there."""
    while not ended.wait(0.1):
        try:
            socket.create_connection((_HERE, port), timeout=1).close()
        except OSError:
            continue
        print(f"Source Guard: http://{_HERE}:{port} (on this machine only; Ctrl+C stops it)", flush=True)  # noqa: T201  # where to look
        return


def parse_options(argv: Sequence[str]) -> Options:
    """Parse the options among the arguments of the script; those of Streamlit are ignored."""
    parsed, _ = _make_parser().parse_known_args(list(argv))
    return Options(
        logs=tuple(parsed.log or ()),
        catalogue=parsed.catalogue,
        policy=parsed.policy,
        preset=parsed.preset,
        mapping=tuple(parsed.map or ()),
        input_format=parsed.input_format,
        demo=parsed.demo,
        trust=parsed.trust,
        at=parsed.at,
    )


def _find_fault(parsed: argparse.Namespace) -> str | None:
    for path in [*(parsed.log or ()), *filter(None, (parsed.catalogue, parsed.trust))]:
        if not Path(path).is_file():
            return f"{ascii(path)[1:-1]}: not a file that can be read; give the path of a file that is there"
    if parsed.policy:
        try:
            load_policy(parsed.policy)
        except PolicyError as error:
            return str(error)
    if parsed.trust:
        try:
            read_trust_store(parsed.trust)
        except TrustStoreError as error:
            return str(error)
    return None


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dashboard", description="Open the Source Guard dashboard on this machine.", allow_abbrev=False
    )
    add_dashboard_options(parser)
    return parser
