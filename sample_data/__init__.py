"""Hold an invented retrieval log with its catalogue, trust store, policy and expected numbers, and generate them.

Flows in: a fixed seed.  Flows out: ``log.jsonl``, ``catalogue.csv``, ``trust_store.json``, ``policy.toml`` and
``expected.json`` in this folder.
Nothing here is real: the country of Harrowmere, its ferries, herons and cheese, its press and its archive are made up.
The keys are test keys that anybody can sign with.  ``README.md`` tells the story that the log tells.  Standard library
only, but for the signatures (``signing.py``).
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent
LOG = FOLDER / "log.jsonl"
CATALOGUE = FOLDER / "catalogue.csv"
TRUST_STORE = FOLDER / "trust_store.json"
POLICY = FOLDER / "policy.toml"
EXPECTED = FOLDER / "expected.json"

AT = "2026-10-01T00:00:00Z"
"""The time to judge the claims of the sample at: the day after its log ends, whatever the day is today."""

AT_SECONDS = 1_790_812_800
"""The same, in seconds since 1970."""
