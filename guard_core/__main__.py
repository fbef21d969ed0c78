"""Run the command line: ``python -m guard_core`` is ``source-guard``."""

import sys

from guard_core.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
