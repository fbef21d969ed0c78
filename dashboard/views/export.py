"""Write everything that matches as a file.

Flows in: ``Verdicts``, positions in the order of the list, the policy.  Flows out: bytes.
Rules kept here: the writers are those of the command line, with their formula guard (R60), their columns (R59) and
their digest; a file says that it is an excerpt; what is too large for a browser is refused with the limit and the
command that writes it.
Not here: which retrievals match.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from guard_core.judging.judge import Verdicts
from guard_core.judging.policy import NamedPolicy
from guard_core.output.delimited import write_csv
from guard_core.output.evaluation import evaluate
from guard_core.output.excerpt import take_excerpt
from guard_core.output.json_lines import write_json
from guard_core.output.parquet import write_parquet
from guard_core.visible import count_noun

LIMIT = 500_000
"""Results in one download: some hundred megabytes of CSV, which a browser and this server hold in memory."""

FORMS = {"csv": "text/csv", "json": "application/json", "parquet": "application/vnd.apache.parquet"}
"""Suffix and media type of each form."""


def write_download(form: str, verdicts: Verdicts, positions: NDArray[np.int64], named: NamedPolicy) -> bytes:
    """Return the retrievals at these positions in one of ``FORMS``."""
    statistics = verdicts.statistics
    part = evaluate(take_excerpt(statistics.evidence, statistics.retrievals[positions]), named)
    if form == "parquet":
        with tempfile.TemporaryDirectory(prefix="source-guard-") as folder:
            path = Path(folder) / "excerpt.parquet"
            write_parquet(part, path)
            return path.read_bytes()
    out = io.BytesIO()
    if form == "csv":
        write_csv(part, out)
    else:
        write_json(part, out)
    return out.getvalue()


def explain_limit(verdicts: Verdicts) -> str | None:
    """Return why what matches is too large to download; ``None`` if it is not."""
    statistics = verdicts.statistics
    results = int(np.diff(statistics.evidence.log.offsets)[statistics.retrievals].sum())
    if results <= LIMIT:
        return None
    return (
        f"{count_noun(results, 'result')} match; a browser takes at most {LIMIT:,}. Narrow the search, or write the "
        "whole log on the command line: source-guard evaluate LOG --csv"
    )
