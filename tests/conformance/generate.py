"""Write the conformance claims: ``python -m tests.conformance.generate``.

Flows in: nothing but this file.  Flows out: ``claims.json``, ``trust_store.json`` and ``log.jsonl`` beside it, the
same bytes at every run.
Rules kept here: every claim comes with the status that a verifier must give it, and one line that says why; every key
is a **test key**, made from its own published name, and says so in its kid and its originator: whoever trusts one of
them trusts everybody.
Not here: the verifier that is judged (``test_conformance.py`` judges ours).
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.conformance.refused_claims import list_refused_claims
from tests.conformance.valid_claims import list_valid_claims
from tests.support.claim_tokens import AT, Case, store_text

HERE = Path(__file__).resolve().parent


def list_claims() -> list[Case]:
    """List all claims, in the order of the statuses that they must get."""
    return [*list_valid_claims(), *list_refused_claims()]


def format_files() -> dict[str, str]:
    """Return the text of every file, by its name."""
    claims = [
        {
            "name": case.name,
            "status": case.status,
            "reason": case.reason,
            "document_id": case.document,
            **({} if case.text is None else {"text": case.text}),
            "claim": case.token,
        }
        for case in list_claims()
    ]
    top = {
        "schema": "source-guard/conformance/1",
        "keys": "All keys are test keys, made from their published names. Never trust them.",
        "at": "2026-11-30T12:00:00Z",
        "at_seconds": AT,
        "trust_store": "trust_store.json",
        "claims": claims,
    }
    rows = [
        {"query_id": each["name"], **{name: each[name] for name in ("document_id", "text", "claim") if name in each}}
        for each in claims
    ]
    return {
        "claims.json": json.dumps(top, indent=1) + "\n",
        "trust_store.json": store_text(),
        "log.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
    }


def main() -> None:
    """Write the files."""
    for name, text in format_files().items():
        (HERE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
