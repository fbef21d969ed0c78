"""Run all measurements: ``python -m benchmarks [--rows N] [--pairs K] [--folder DIR]``.

Flows in: logs made by ``make_log``.  Flows out: a table on standard output.
Rules kept here: a ratio is measured side by side, A B A B ..., each run in a process of its own, after one warm-up of
each; what is printed is the median of the ratios pair by pair, never a ratio of medians from different hours; every
way must give the same verdict shares, or nothing is printed for it. Not here: what is measured (``contenders``,
``judging``, ``corpus``).
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.make_log import write_jsonl, write_parquet

CONTENDERS = Path(__file__).with_name("contenders.py")


@dataclass(frozen=True)
class Run:
    """One process: seconds from file to verdicts, peak memory in MB, verdict shares."""

    seconds: float
    peak_mb: int
    verdicts: dict[str, int]


def run(way: str, path: Path) -> Run:
    """Measure one way once."""
    done = subprocess.run([sys.executable, str(CONTENDERS), way, str(path)], capture_output=True, text=True, check=True)
    return Run(**json.loads(done.stdout))


def compare(path: Path, other: str, pairs: int) -> str:
    """Compare Source Guard with another way on one file, as a row of a table."""
    run("source-guard", path), run(other, path)
    measured = [(run("source-guard", path), run(other, path)) for _ in range(pairs)]
    if any(a.verdicts != b.verdicts for a, b in measured):
        raise SystemExit(f"{path.name}: {other} gives other verdicts; no figure is worth anything")
    ours = statistics.median(a.seconds for a, _ in measured)
    theirs = statistics.median(b.seconds for _, b in measured)
    ratio = statistics.median(a.seconds / b.seconds for a, b in measured)
    peak = max(a.peak_mb for a, _ in measured), max(b.peak_mb for _, b in measured)
    return f"| {path.name} | {other} | {ours:.2f} | {theirs:.2f} | {ratio:.2f} | {peak[0]} | {peak[1]} |"


def main() -> None:
    """Make the files, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="keep the logs here and use them again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch)
        flat, text, table = folder / "flat.jsonl", folder / "text.jsonl", folder / "flat.parquet"
        if not flat.exists():
            write_jsonl(flat, options.rows)
        if not text.exists():
            write_jsonl(text, options.rows, text=True)
        if not table.exists():
            write_parquet(table, options.rows)
        print(f"{options.rows:,} rows, medians of {options.pairs} pairs; seconds from file to verdicts, peak MB\n")
        print("| file | against | ours, s | theirs, s | ratio | our MB | their MB |")
        print("|---|---|---|---|---|---|---|")
        for path, other in (
            (flat, "duckdb"),
            (flat, "duckdb-materialized"),
            (flat, "plain"),
            (text, "duckdb"),
            (table, "duckdb"),
            (table, "duckdb-materialized"),
        ):
            print(compare(path, other, options.pairs if other != "plain" else min(options.pairs, 3)), flush=True)
    print()
    subprocess.run([sys.executable, str(CONTENDERS.with_name("judging.py"))], check=True)
    print()
    subprocess.run([sys.executable, "-m", "benchmarks.corpus"], check=False)


if __name__ == "__main__":
    main()
