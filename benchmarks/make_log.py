"""Make the retrieval logs that the benchmarks read: seeded, and alike in every run.

    python benchmarks/make_log.py ROWS FILE.jsonl|FILE.parquet [--text]

Ten results a retrieval; one document in twenty takes four fifths of the hits; each row carries a 500 character
signature, ids, query, class, depth, anchor, time and labels, about 960 bytes as JSON (``--text`` adds the document's
text to each row).
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PER_RETRIEVAL = 10
CLASSES = ("human", "model", "hybrid", None)
COLUMNS = (
    "query_id",
    "query",
    "rank",
    "result_id",
    "document_id",
    "score",
    "authenticity",
    "synthetic_generation_depth",
    "human_source_anchor_hash",
    "source_authenticity_signature",
    "timestamp",
    "originator",
    "collection",
)


def documents(number: int, random: np.random.Generator, text: bool) -> list[dict[str, object]]:
    """Make what a document brings to each of its rows."""
    made: list[dict[str, object]] = []
    kinds = random.choice(4, number, p=(0.45, 0.4, 0.1, 0.05))
    deep = random.integers(1, 5, number)
    for i in range(number):
        kind = CLASSES[kinds[i]]
        seed = hashlib.sha256(f"document {i}".encode()).hexdigest()
        anchor = hashlib.sha256(f"source {i % (number // 4 + 1)}".encode()).hexdigest()
        document: dict[str, object] = {
            "result_id": f"doc-{i:07d}#c{i % 7}",
            "document_id": f"doc-{i:07d}",
            "authenticity": kind,
            "synthetic_generation_depth": None if kind is None else 0 if kind == "human" else int(deep[i]),
            "human_source_anchor_hash": None if kind is None else f"sha256:{anchor}",
            "source_authenticity_signature": (seed * 8)[:500],
            "originator": f"originator-{i % 12}",
            "collection": f"collection-{i % 5}",
        }
        if text:
            document["text"] = f"Passage {i}: " + " ".join(f"word{(i * 31 + j * j) % 997}" for j in range(45))
        made.append(document)
    return made


def hits(rows: int, number: int, random: np.random.Generator) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Choose the document of each row: one in twenty documents takes four fifths of the hits."""
    popular = max(1, number // 20)
    return np.where(random.random(rows) < 0.8, random.integers(0, popular, rows), random.integers(0, number, rows))


def write_jsonl(path: Path, rows: int, *, text: bool = False) -> None:
    """Write a flat JSON lines log."""
    random = np.random.default_rng(20261)
    number = max(20, rows // 20)
    tails = [json.dumps(d)[1:] for d in documents(number, random, text)]
    chosen = hits(rows, number, random).tolist()
    scores = np.round(1 - np.arange(PER_RETRIEVAL) / 13, 5).tolist()
    with path.open("w", encoding="utf-8") as out:
        for row, document in enumerate(chosen):
            retrieval, place = divmod(row, PER_RETRIEVAL)
            day, second = retrieval % 90, retrieval % 86_400
            date = f"2026-{7 + day // 30:02d}-{1 + day % 30:02d}"
            clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
            out.write(
                f'{{"query_id": "q{retrieval:07d}", "query": "what is known about topic {retrieval % 5000}'
                f' in region {retrieval % 37}", "rank": {place + 1}, "score": {scores[place]}, "timestamp":'
                f' "{date}T{clock}Z",'
                f" {tails[document]}\n"
            )


def write_parquet(path: Path, rows: int) -> None:
    """Write the same log as flat Parquet, a row group for each 250,000 rows."""
    source = path.with_suffix(".source.jsonl")
    write_jsonl(source, rows)
    types = {"rank": pa.int32(), "score": pa.float64(), "synthetic_generation_depth": pa.int32()}
    schema = pa.schema([(name, types.get(name, pa.string())) for name in COLUMNS])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer, source.open(encoding="utf-8") as lines:
        batch: list[dict[str, object]] = []
        for line in lines:
            batch.append(json.loads(line))
            if len(batch) == 250_000:
                writer.write_table(pa.Table.from_pylist(batch, schema))
                batch.clear()
        if batch:
            writer.write_table(pa.Table.from_pylist(batch, schema))
    source.unlink()


def main() -> None:
    """Run the command line of this file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rows", type=int)
    parser.add_argument("file", type=Path)
    parser.add_argument("--text", action="store_true")
    options = parser.parse_args()
    if options.file.suffix == ".parquet":
        write_parquet(options.file, options.rows)
    else:
        write_jsonl(options.file, options.rows, text=options.text)


if __name__ == "__main__":
    main()
