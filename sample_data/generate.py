"""Draw the retrievals of the sample and write its five files: ``python -m sample_data.generate [FOLDER]``.

Flows in: the documents, a fixed seed.  Flows out: ``log.jsonl`` (nested, one retrieval a line), ``catalogue.csv``,
``trust_store.json``, ``policy.toml``, ``expected.json``.
Rules: same seed, same bytes, on every platform and Python: only ``Random.random`` is drawn from, times are fixed dates,
lines end in a line feed.
The story: until the middle of August ten results rest on human pages.  Then rewrites of one popular book, and rewrites
of those, crowd in: the list stays ten long, the share of human pages falls, the depth rises, and one source stands
behind them all.
Not here: the claims (``signing.py``), what the numbers should be (``expectation.py``).
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import TypeVar

from sample_data import FOLDER
from sample_data.documents import Document, make_documents
from sample_data.expectation import compute_expected
from sample_data.signing import sign_document, write_trust_store
from sample_data.world import TOPICS

SEED = 20260701
FIRST_DAY = datetime(2026, 7, 1, tzinfo=UTC)
DAYS = 92
RETRIEVALS = 400
LENGTH = 10
FLOOD_DAY = 45  # the fifteenth of August

CREATIVE = frozenset((31, 96, 158, 222, 287, 351))
EMPTY = frozenset((74, 205, 333))
SHORT = {55: 2, 140: 1, 263: 2, 377: 2}
REPEATED = frozenset((12, 67, 119, 181, 240, 302, 345, 390))

SPOILED = {
    70: ("ferry-archive-02", "KEY_NOT_VALID"),
    92: ("ferry-archive-02", "KEY_NOT_VALID"),
    111: ("ferry-archive-02", "KEY_NOT_VALID"),
    150: ("human", "MALFORMED"),
    151: ("summary", "MALFORMED"),
    152: ("human", "MALFORMED"),
    245: ("retold_1", "SUBJECT_MISMATCH"),
    268: ("retold_1", "SUBJECT_MISMATCH"),
    311: ("retold_2", "SUBJECT_MISMATCH"),
    334: ("retold_3", "BAD_SIGNATURE"),
    361: ("retold_4", "BAD_SIGNATURE"),
    392: ("retold_2", "BAD_SIGNATURE"),
}
"""In these retrievals, the first result of this role, or this document, carries a claim with a fault, which it carries
nowhere else."""

POLICY = """\
# The policy for the sample: the strict preset.  The claims in this log are really signed, with test keys; check them
# with trust_store.json, as of 2026-10-01T00:00:00Z, the day after the log ends.
preset = "strict"
min_human_grounding_ratio = 0.5
allow_depth_1_synthetic = true
signatures = "verified"
"""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One search call of the story: what was asked, when, and which documents came back, best first."""

    query_id: str
    query: str
    time: datetime
    creative: bool
    found: tuple[Document, ...]


def draw_items(rng: Random, items: Sequence[T], count: int) -> list[T]:
    """Return ``count`` different items (or all there are), in random order."""
    return sorted(items, key=lambda _: rng.random())[:count]


def draw_rewrites(rng: Random, pool: dict[str, list[Document]], count: int, progress: float) -> list[Document]:
    """Return rewrites of the popular book; ``progress`` 0..1 moves them from the first depth to the fourth."""
    weight = {1: 0.70 - 0.62 * progress, 2: 0.30 - 0.04 * progress, 3: 0.36 * progress, 4: 0.30 * progress}
    ranked = [
        (rng.random() ** (1 / max(weight[depth], 1e-6)), document)
        for depth in weight
        for document in pool[f"retold_{depth}"]
    ]
    return [document for _, document in sorted(ranked, key=lambda pair: (-pair[0], pair[1].id))[:count]]


def draw_results(rng: Random, pool: dict[str, list[Document]], day: int, length: int) -> list[Document]:
    """Return the documents of one retrieval with ``length`` results, best first."""
    progress = (day - FLOOD_DAY) / (DAYS - FLOOD_DAY)
    found: list[Document] = []
    if progress >= 0:
        share = 0.30 + 0.55 * progress + 0.30 * (rng.random() - 0.5)
        found += draw_rewrites(rng, pool, min(max(round(share * length), 1), length - 1), progress)
        if rng.random() < 0.7:
            found += pool["almanac"]
    strays = (("unknown", 0.10), ("unsigned_human", 0.08), ("unanchored", 0.07), ("mislabelled", 0.05))
    for role, chance in strays:
        if rng.random() < chance:
            found += draw_items(rng, pool[role], 1)
    free = max(length - len(found), 0)
    thin = rng.random() < (0.20 if progress < 0 else 0.10)
    humans = round(free * (0.35 if thin else 0.62 + 0.38 * rng.random()))
    found += draw_items(rng, pool["human"] + pool["copy"], humans)
    found += draw_items(rng, pool["hybrid"] + pool["summary"], free - humans)
    return draw_items(rng, found[:length], length)


def draw_retrievals(documents: Sequence[Document]) -> tuple[Retrieval, ...]:
    """Return the retrievals of three months, in order of time."""
    rng = Random(SEED)
    pools: dict[str, dict[str, list[Document]]] = {topic.key: {} for topic in TOPICS}
    for document in documents:
        for key in pools if document.topic == "all" else (document.topic,):
            pools[key].setdefault(document.role, []).append(document)
    made = []
    for number in range(RETRIEVALS):
        day = number * DAYS // RETRIEVALS
        of_day = number - -(-day * RETRIEVALS // DAYS)
        minutes = 450 + 150 * of_day + int(rng.random() * 150)
        time = FIRST_DAY + timedelta(days=day, minutes=minutes, seconds=number % 60)
        topic = draw_items(rng, TOPICS, 1)[0]
        query = topic.creative if number in CREATIVE else draw_items(rng, topic.questions, 1)[0]
        found = draw_results(rng, pools[topic.key], day, SHORT.get(number, LENGTH))
        if number in REPEATED:
            found = [*found[:-1], found[1]]
        if number in EMPTY:
            query, found = f"{query} (printed in 1788?)", []
        found = set_status(found, *SPOILED[number]) if number in SPOILED else found
        made.append(Retrieval(f"q-{number + 1:04}", query, time, number in CREATIVE, tuple(found)))
    return tuple(made)


def set_status(found: Sequence[Document], role: str, status: str) -> list[Document]:
    """Return the results with another status on the first document of this role, or of this id."""
    first = next(place for place, document in enumerate(found) if role in (document.role, document.id))
    return [*found[:first], replace(found[first], status=status), *found[first + 1 :]]


def write_line(rng: Random, retrieval: Retrieval, almanac: Document) -> str:
    """Return one retrieval as a line of nested JSON, without empty members."""
    entries = []
    score = 0.91 + 0.06 * rng.random()
    for rank, document in enumerate(retrieval.found, start=1):
        score -= 0.01 + 0.04 * rng.random()
        posing = document.declared != document.origin
        entry: dict[str, object] = {
            "rank": rank,
            "document_id": document.id,
            "score": round(score, 4),
            "text": document.text,
            "authenticity": document.declared,
            "synthetic_generation_depth": 0 if posing else document.depth,
            "human_source_anchor_hash": list(() if posing else document.anchors) or None,
            "source_authenticity_signature": sign_document(document, almanac),
            "originator": document.originator,
        }
        entries.append({name: value for name, value in entry.items() if value is not None})
    line: dict[str, object] = {
        "query_id": retrieval.query_id,
        "query": retrieval.query,
        "timestamp": retrieval.time.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    if retrieval.creative:
        line["task"] = "creative"
    line["results"] = entries
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"


def write_catalogue(documents: Sequence[Document]) -> str:
    """Return the curators' catalogue as CSV, without the posts of unknown authors."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        (
            "document_id",
            "title",
            "authenticity",
            "synthetic_generation_depth",
            "human_source_anchor_hash",
            "derived_from",
            "content_sha256",
            "originator",
            "generator",
            "collection",
        )
    )
    for d in documents:
        if d.catalogued:
            writer.writerow(
                (
                    d.id,
                    d.title,
                    d.origin,
                    d.depth,
                    "|".join(d.anchors),
                    "|".join(d.parents),
                    d.digest,
                    d.originator,
                    d.generator,
                    d.collection,
                )
            )
    return text.getvalue()


def files() -> dict[str, str]:
    """Name and text of each file of the sample."""
    documents = make_documents()
    story = draw_retrievals(documents)
    rng = Random(SEED + 1)
    numbers = compute_expected([(r.creative, r.found) for r in story], documents)
    return {
        "log.jsonl": "".join(write_line(rng, retrieval, documents[0]) for retrieval in story),
        "catalogue.csv": write_catalogue(documents),
        "trust_store.json": write_trust_store(),
        "policy.toml": POLICY,
        "expected.json": json.dumps(numbers, indent=2) + "\n",
    }


def main(folder: Path = FOLDER) -> None:
    """Write the files into ``folder``."""
    for name, text in files().items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:2]))
