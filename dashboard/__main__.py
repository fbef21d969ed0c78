"""Run ``python -m dashboard``, which does the same as ``source-guard serve``."""

from __future__ import annotations

import sys

from dashboard.launch import main

if __name__ == "__main__":
    sys.exit(main())
