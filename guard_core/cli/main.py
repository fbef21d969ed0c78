"""Run the command line ``source-guard``: judge a log, or open the dashboard on it.

Flows in: arguments and files.  Flows out: a table or an export on standard output, sentences on standard error, an
exit status.
Rules kept here: 0 done; 1 a gate fails; 2 nothing was judged, and one line on standard error says what to do; 3
``--strict`` and something was rejected or incomplete.  3 goes before 1, because a gate over a log that is not whole
decides nothing.  Never a traceback, unless ``--debug`` asks for it; never a character on a terminal that the
terminal would act on.
Not here: the commands (one module each), their list and options (``options.py``).
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from guard_core.cli.command import NOT_JUDGED, PROGRAM
from guard_core.cli.options import parse
from guard_core.cli.progress import say
from guard_core.errors import SourceGuardError

INTERRUPTED = 130
BROKEN_PIPE = 141
"""What a shell calls a program that SIGINT, or SIGPIPE, has ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.  Returns the exit status; ``--help`` and ``--version`` leave through ``SystemExit`` 0."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        parsed = parse(arguments)
        status: int = parsed.run(parsed)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_standard_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except SourceGuardError as error:
        say(str(error))
        return NOT_JUDGED
    except Exception as error:  # the last resort: a person gets one line, not a traceback
        if "--debug" in arguments:
            raise
        say(_describe_fault(error))
        return NOT_JUDGED
    return status


def _describe_fault(error: Exception) -> str:
    """Describe a fault of our own without quoting what was read."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}:{place.lineno}"
    return (
        f"internal error ({type(error).__name__} at {where}); this is a fault of {PROGRAM}, not of your files: "
        "run the command again with --debug and report what it prints"
    )


def _drop_standard_output() -> None:
    """Keep Python from complaining that nobody reads standard output any more, when it flushes it at exit."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    os.close(devnull)
