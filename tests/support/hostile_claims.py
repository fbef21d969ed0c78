"""Write claims and a trust store in which every name tries to be something else; the signatures are good.

Flows in: a folder and the address of a canary.  Flows out: a log and a trust store on disk.
Rules kept here: keys are test keys (``tests/support/claim_tokens.py``); some claims are valid, some are by a suspended
originator, some are about another document.
Not here: hostile tokens (``tests/guard_core/claims``), hostile logs without claims (``tests/support/hostile_log.py``).
"""

from __future__ import annotations

import json
from pathlib import Path

from guard_core.claims import Claim, SourceClass, make_jwks_entry, sign_claim
from tests.support.claim_tokens import AT, DAY, make_key
from tests.support.hostile_log import list_attacks
from tests.support.log_files import write_lines


def write_hostile_claims(folder: Path, canary: str) -> tuple[Path, Path]:
    """Write the log and the trust store, and return their paths."""
    texts = list_attacks(canary)
    keys: list[dict[str, object]] = []
    issuers: dict[str, object] = {}
    lines = []
    for number, text in enumerate(texts):
        key, iss, kid = make_key(f"TEST-KEY-hostile-{number}"), f"iss {text}", f"kid {text}"
        revoked = {"at": AT - DAY, "reason": text}
        keys.append({**make_jwks_entry(key.public, iss, kid=kid), **({"revoked": revoked} if number % 5 == 4 else {})})
        keys.append({"kty": text, "kid": f"skipped {text}", "iss": text})
        issuers[iss] = {"name": text, "status": text if number % 4 == 1 else "active", text: text}
        document = f"{number} {texts[-1 - number]}"
        about = f"not {document}" if number % 4 == 3 else document
        claim = Claim(iss, about, AT - 2 * DAY, SourceClass.HUMAN_AUTHORED, 0, jti=text)
        lines += [
            {"query_id": text, "query": text, "doc_id": document, "text": text, "claim": sign_claim(claim, key, kid)},
            {"query_id": text, "query": text, "doc_id": text, "claim": text},
            {"query_id": text, "query": text, "doc_id": f"{text} 2"},
        ]
    log, trust = folder / "![x](claims) <b>.jsonl", folder / "![x](trust) <b>.json"
    write_lines(log, lines)
    trust.write_text(json.dumps({"keys": keys, "issuers": issuers, texts[0]: texts[1]}), encoding="utf-8")
    return log, trust
