"""Measure how long verdicts and flips take when an originator is switched off, or a key compromised.

    python -m benchmarks.trust [RESULTS]

Flows in: a log of 1,000,000 results (ten a retrieval) over 50,000 documents, each with a claim by one of four
originators, made here (seeded).  Flows out: milliseconds of the first what-if and the median of others that were not
asked before, and where they go; exit status 1 if either is beyond 500 ms.
Rules kept here: each what-if is one that was not asked before, and runs as the dashboard runs it: evidence,
statistics, judgement, flips against the trust in force.
Not here: checking signatures (``claims.py``).
"""

from __future__ import annotations

import dataclasses
import statistics as stats
import sys
import time

import pyarrow as pa

from benchmarks import judging
from guard_core.claims import (
    SUSPENDED,
    Claim,
    Originator,
    Revocation,
    SourceClass,
    TrustStore,
    format_trust_store,
    generate_key,
    make_jwks_entry,
    parse_trust_store,
    sign_claim,
)
from guard_core.claims.trust_store import KEY_COMPROMISE
from guard_core.columns import TextColumn
from guard_core.judging.judge import Verdicts, judge
from guard_core.judging.policy import find_preset
from guard_core.judging.statistics import Statistics
from guard_core.judging.whatif import count_flips
from guard_core.provenance.evidence import Evidence, build_evidence

AT = 1_796_040_000
LIMIT = 500.0
ORIGINATORS = tuple(f"https://originator-{i}.example" for i in range(4))
DEPTHS = (0, 0, 0, 1, 1, 2, 3)


def signed(results: int) -> tuple[Evidence, TrustStore, list[str]]:
    """Make a log whose claims were checked once; return its trust store and the names of the keys too."""
    made = judging.evidence(results // judging.RESULTS).log
    keys = [generate_key() for _ in ORIGINATORS]
    limits = [Originator(iss, iss, frozenset(SourceClass), 9) for iss in ORIGINATORS]
    entries = [make_jwks_entry(key.public, iss) for key, iss in zip(keys, ORIGINATORS, strict=True)]
    store = parse_trust_store(format_trust_store(entries, limits).encode(), "trust.json")
    tokens = []
    for number, name in enumerate(made.document_ids.values.to_pylist()):
        depth, who = DEPTHS[number % len(DEPTHS)], number % len(keys)
        kind = SourceClass.MODEL_GENERATED if depth else SourceClass.HUMAN_AUTHORED
        tokens.append(sign_claim(Claim(ORIGINATORS[who], name, AT - 86_400, kind, depth), keys[who]))
    log = dataclasses.replace(made, signatures=TextColumn(made.document_ids.codes, pa.array(tokens)))
    return build_evidence(log, None, store, at=AT), store, [key.kid for key in keys]


def main() -> int:
    """Measure and print; 1 if the limit is broken."""
    evidence, store, kids = signed(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
    policy = find_preset("strict").policy
    before = judge(Statistics.from_evidence(evidence), policy)
    wishes = [store.with_status(iss, SUSPENDED) for iss in ORIGINATORS]
    wishes += [store.with_revocation(kid, Revocation(AT, KEY_COMPROMISE)) for kid in kids]
    took = [_asked(evidence, other, before) for other in wishes]
    whole = [sum(parts) for parts in took]
    middle = [stats.median(parts) for parts in zip(*took[1:], strict=True)]
    rows, retrievals = evidence.log.rows_accepted, evidence.log.retrieval_count
    print(f"{rows:,} results, {retrievals:,} retrievals, {len(evidence.log.document_ids.values):,} documents")
    print(f"the first what-if over trust   {whole[0]:7.0f} ms, limit {LIMIT:.0f}")
    print(f"the others, median             {stats.median(whole[1:]):7.0f} ms, limit {LIMIT:.0f}")
    names = ("evidence", "statistics", "judgement and flips")
    print("where it goes                 ", ", ".join(f"{n} {ms:.0f} ms" for n, ms in zip(names, middle, strict=True)))
    return 0 if whole[0] <= LIMIT and stats.median(whole[1:]) <= LIMIT else 1


def _asked(evidence: Evidence, store: TrustStore, before: Verdicts) -> tuple[float, float, float]:
    """Measure one what-if: milliseconds of its three parts."""
    begun = time.perf_counter()
    other = evidence.with_trust(store, AT)
    made = time.perf_counter()
    counted = Statistics.from_evidence(other)
    summed = time.perf_counter()
    matrix = count_flips(before, judge(counted, before.policy))
    ended = time.perf_counter()
    if matrix.trace() == matrix.sum():
        raise RuntimeError("the what-if changes nothing, so it measures nothing")
    return 1000 * (made - begun), 1000 * (summed - made), 1000 * (ended - summed)


if __name__ == "__main__":
    sys.exit(main())
