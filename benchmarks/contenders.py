"""Measure one way from a file to verdicts, in a process of its own.

    python benchmarks/contenders.py source-guard|duckdb|duckdb-materialized|plain FILE

Prints a JSON object: seconds from opening the file to the verdict shares (imports not counted), peak resident memory
of the process in MB, and the verdict shares, which every way must agree on.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

VERDICTS = ("HUMAN_GROUNDED", "SYNTHETIC_DEPTH_1_ACCEPTABLE", "SYNTHETIC_DEPTH_EXCESSIVE", "UNVERIFIED_SOURCES")

SQL = """
WITH results AS {how} (
    SELECT query_id, authenticity AS class, synthetic_generation_depth AS depth, human_source_anchor_hash AS anchor,
           coalesce(source_authenticity_signature, '') <> '' AS signed
    FROM {source}
),
counts AS (
    SELECT query_id, count(*) AS total, count(*) FILTER (class = 'human') AS human, bool_and(signed) AS signed,
           count(*) FILTER (class IN ('model', 'hybrid') AND (depth IS NULL OR depth <> 1)) AS deep, max(depth) AS
           deepest
    FROM results GROUP BY query_id
),
masses AS (SELECT query_id, anchor, count(*) AS m FROM results WHERE anchor IS NOT NULL GROUP BY query_id, anchor),
anchors AS (
    SELECT query_id, exp(ln(sum(m)) - sum(m * ln(m)) / sum(m)) AS effective, max(m) AS top FROM masses GROUP BY query_id
),
judged AS (
    SELECT CASE WHEN NOT signed THEN 'UNVERIFIED_SOURCES' WHEN human / total >= 0.5 THEN 'HUMAN_GROUNDED'
                WHEN deep = 0 THEN 'SYNTHETIC_DEPTH_1_ACCEPTABLE' ELSE 'SYNTHETIC_DEPTH_EXCESSIVE' END AS verdict,
           deepest, effective, top / total AS top_share
    FROM counts LEFT JOIN anchors USING (query_id)
)
SELECT verdict, count(*), max(deepest), avg(effective), avg(top_share) FROM judged GROUP BY verdict
"""

JSON_COLUMNS = (
    "{query_id: 'VARCHAR', authenticity: 'VARCHAR', synthetic_generation_depth: 'INTEGER',"
    " human_source_anchor_hash: 'VARCHAR', source_authenticity_signature: 'VARCHAR'}"
)


def source_guard(path: str) -> dict[str, int]:
    """Run the product: every reading rule, evidence, statistics, judgement under the reference preset."""
    import pandas as pd  # noqa: F401  # pyarrow imports it at its first conversion; imports are not counted

    from guard_core.ingest import read_log
    from guard_core.judging.judge import judge
    from guard_core.judging.policy import PRESETS
    from guard_core.judging.statistics import Statistics
    from guard_core.provenance.evidence import build_evidence

    def measured() -> dict[str, int]:
        log = read_log([path])
        statistics = Statistics.from_evidence(build_evidence(log))
        return judge(statistics, PRESETS["reference"]).summary().verdicts

    return timed(measured)


def duckdb(path: str, how: str = "") -> dict[str, int]:
    """Run DuckDB in two threads, all in SQL; ``how`` may say MATERIALIZED, so that no step is merged."""
    import duckdb as engine

    connection = engine.connect(config={"threads": 2})
    reader = f"read_json('{path}', format='newline_delimited', columns={JSON_COLUMNS})"
    source = f"'{path}'" if path.endswith(".parquet") else reader

    def measured() -> dict[str, int]:
        rows = connection.execute(SQL.format(source=source, how=how)).fetchall()
        found = {row[0]: row[1] for row in rows}
        return {v: int(found.get(v, 0)) for v in VERDICTS}

    return timed(measured)


def plain(path: str) -> dict[str, int]:
    """Run a plain Python program: the standard json module line by line, the specification's rule per retrieval."""
    from guard_core import AuthenticityClass, SearchResult, SynthesisPolicy

    def class_of(row: dict[str, object]) -> AuthenticityClass:
        match row["authenticity"], row["synthetic_generation_depth"]:
            case "human", _:
                return AuthenticityClass.HUMAN_AUTHORED
            case "model" | "hybrid", 1:
                return AuthenticityClass.SYNTHETIC_DEPTH_1
            case "model" | "hybrid", _:
                return AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS
            case _:
                return AuthenticityClass.UNKNOWN

    def verdict(results: list[SearchResult], policy: SynthesisPolicy) -> str:
        if any(not r.source_signature for r in results):
            return "UNVERIFIED_SOURCES"
        human = sum(r.authenticity is AuthenticityClass.HUMAN_AUTHORED for r in results)
        deep = sum(r.authenticity is AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS for r in results)
        if human / len(results) >= policy.min_human_grounding_ratio:
            return "HUMAN_GROUNDED"
        return (
            "SYNTHETIC_DEPTH_1_ACCEPTABLE"
            if policy.allow_depth_1_synthetic and not deep
            else "SYNTHETIC_DEPTH_EXCESSIVE"
        )

    def measured() -> dict[str, int]:
        retrievals: dict[str, list[SearchResult]] = {}
        with Path(path).open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                retrievals.setdefault(row["query_id"], []).append(
                    SearchResult(
                        row["result_id"],
                        class_of(row),
                        row["human_source_anchor_hash"],
                        row["source_authenticity_signature"],
                    )
                )
        shares = dict.fromkeys(VERDICTS, 0)
        for results in retrievals.values():
            shares[verdict(results, SynthesisPolicy(0.5, True))] += 1
        return shares

    return timed(measured)


_measured: list[float] = []


def timed(work: Callable[[], dict[str, int]]) -> dict[str, int]:
    """Run ``work`` once and note how long it took."""
    start = time.perf_counter()
    result = work()
    _measured.append(time.perf_counter() - start)
    return result


def main() -> None:
    """Measure once and print."""
    ways: dict[str, Callable[[str], dict[str, int]]] = {
        "source-guard": source_guard,
        "duckdb": duckdb,
        "duckdb-materialized": lambda path: duckdb(path, "MATERIALIZED"),
        "plain": plain,
    }
    shares = ways[sys.argv[1]](sys.argv[2])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": _measured[0], "peak_mb": round(peak), "verdicts": shares}))


if __name__ == "__main__":
    main()
