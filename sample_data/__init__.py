"""An invented retrieval log with its catalogue, policy and expected numbers, and the generator that made them.

Flows in: a fixed seed.  Flows out: ``log.jsonl``, ``catalogue.csv``, ``policy.toml``, ``expected.json`` in this folder.
Nothing here is real: the country of Harrowmere, its ferries, herons and cheese, its press and its archive are made up.
``README.md`` tells the story that the log tells.  Standard library only, so that anybody can run it anywhere.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent
LOG = FOLDER / "log.jsonl"
CATALOGUE = FOLDER / "catalogue.csv"
POLICY = FOLDER / "policy.toml"
EXPECTED = FOLDER / "expected.json"
