"""Open the dashboard on a log or on the sample: ``source-guard serve`` and ``demo``.

Flows in: parsed arguments.  Flows out: this process becomes the dashboard.
Rules kept here: inputs are checked before; the dashboard, which is another process, is not imported, and takes the
options that ``add_dashboard_options`` writes down once for both.
Not here: the server (``dashboard.launch``).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from guard_core.claims import read_trust_store
from guard_core.cli.command import Command, UsageError, add_inputs
from guard_core.cli.inputs import read_evaluation_time, read_port
from guard_core.errors import MappingError
from guard_core.ingest.mapping import parse_mapping, parse_pair
from guard_core.ingest.records.values import read_time
from guard_core.judging.policy import PRESETS, find_preset, load_policy
from guard_core.visible import visible

_SERVE_HELP = """examples:
  source-guard serve                                       open the dashboard and load a log there
  source-guard serve log.jsonl --catalogue documents.csv   open it on a log
  source-guard serve log.jsonl --trust trust.json          check its claims
  source-guard serve log.jsonl --port 9000 --no-browser    on a port of your choice, without opening a browser"""

_DEMO_HELP = """The sample is invented: a few hundred documents and about 400 retrievals over three months.

examples:
  source-guard demo
  source-guard demo --port 9000 --no-browser"""


def _add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("logs", nargs="*", metavar="LOG", help="log files, together one log; left out, load one there")
    add_inputs(command)
    _add_server(command)


def _add_server(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("dashboard")
    group.add_argument("--port", metavar="N", help="port on this machine (default: the first free one from 8501)")
    group.add_argument("--no-browser", action="store_true", help="do not open a browser")


def run_dashboard(parsed: argparse.Namespace) -> int:
    """Check the inputs, then become the dashboard."""
    command = [sys.executable, "-m", "dashboard"]
    values: dict[str, object] = {"port": read_port(parsed.port), "no_browser": parsed.no_browser}
    if parsed.command == "demo":
        values["demo"] = True
    else:
        for path in (*parsed.logs, *filter(None, (parsed.catalogue,))):
            if not Path(path).is_file():
                raise UsageError(f"{visible(path)}: no such file; give the path of a file that is there")
        parse_mapping(parsed.map)
        if parsed.policy is not None:
            load_policy(parsed.policy, parsed.preset)
        elif parsed.preset is not None:
            find_preset(parsed.preset)
        if parsed.trust is not None:
            read_trust_store(parsed.trust)
        values |= vars(parsed) | {"log": parsed.logs, "at": read_evaluation_time(parsed.at), **values}
    command += _write_arguments(values)
    if find_spec("dashboard") is None:
        raise UsageError("the dashboard is not installed; install the whole of source-guard")
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(command[0], command)  # noqa: S606  # no shell: the arguments go as they are; guard_core imports no screen


def _write_arguments(values: Mapping[str, object]) -> list[str]:
    """Return the arguments from which the dashboard's parser reads these values back."""
    parser = argparse.ArgumentParser(add_help=False)
    add_dashboard_options(parser)
    arguments: list[str] = []
    for action in parser._actions:  # noqa: SLF001  # there is no other list of a parser's options
        value, option = values.get(action.dest), action.option_strings[0]
        if value is True:
            arguments.append(option)
        elif isinstance(value, list):
            arguments += [part for entry in value for part in (option, entry)]
        elif isinstance(value, str):
            arguments += [option, value]
    return arguments


def add_dashboard_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``python -m dashboard``, each read to its type."""
    parser.add_argument("--demo", action="store_true", help="open on the invented sample")
    parser.add_argument("--log", action="append", metavar="PATH", help="a retrieval log; may be given several times")
    parser.add_argument("--catalogue", metavar="F", help="a provenance catalogue")
    parser.add_argument("--trust", metavar="F", help="a trust store, to check signed claims with")
    parser.add_argument("--at", type=_parse_seconds, metavar="TIME", help="time to judge claims at (default: now)")
    parser.add_argument("--policy", metavar="F", help="a policy file, TOML or JSON")
    parser.add_argument("--preset", choices=list(PRESETS), help="a named policy; overrules the file's preset")
    parser.add_argument("--input-format", metavar="NAME", help="read the log as this format")
    parser.add_argument(
        "--map", action="append", type=_parse_pair, metavar="FIELD=COLUMN", help="which column feeds a field"
    )
    parser.add_argument("--port", type=_parse_port, metavar="N", help="default: 8501, or the next free one")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser window")


def _parse_pair(text: str) -> tuple[str, str]:
    try:
        return parse_pair(text)
    except MappingError as error:
        raise argparse.ArgumentTypeError(f"{error.fault}; {error.advice}") from None


def _parse_seconds(text: str) -> int:
    moment, _ = read_time(text)
    if moment is None:
        raise argparse.ArgumentTypeError("takes ISO 8601, such as 2026-11-30T12:00:00Z, or seconds since 1970")
    return moment // 1_000_000


def _parse_port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 65536):
        raise argparse.ArgumentTypeError("takes a port number from 1 to 65535")
    return int(text)


SERVE = Command("serve", "open the dashboard on a log", _SERVE_HELP, _add_options, run_dashboard)
DEMO = Command("demo", "open the dashboard on the sample", _DEMO_HELP, _add_server, run_dashboard)
