"""Write logs and catalogues as JSON lines.

Flows in: records.  Flows out: a file with one record a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path


def write_lines(path: Path, records: Iterable[Mapping[str, object]]) -> Path:
    """Write one record a line, and return the path."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path
