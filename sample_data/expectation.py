"""Compute what the numbers of the sample must be from who wrote what, in plain sums.

Flows in: the retrievals as lists of documents.  Flows out: ``expected``, the content of ``expected.json``.
Rules: the rule is written out here a second time, from its definition and without the library, so that a test which
compares the two compares two pieces of work.
Not here: anything that this sample does not hold (rejected rows, unresolved anchors, conflicts of depth).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sample_data.documents import Document

VERDICTS = ("HUMAN_GROUNDED", "SYNTHETIC_DEPTH_1_ACCEPTABLE", "SYNTHETIC_DEPTH_EXCESSIVE", "UNVERIFIED_SOURCES")


@dataclass(frozen=True, slots=True)
class Asked:
    """What one of the two policies asks for; both take half and allow depth 1.

    ``verified``: there is a trust store, and each result needs a claim that is valid; else each needs some claim.
    """

    verified: bool
    require_anchor: bool
    allow_unknown: bool
    distinct_documents: bool
    min_effective_anchors: float
    max_depth_in_grounded: int | None


REFERENCE = Asked(False, False, True, False, 0.0, None)
SAMPLE_POLICY = Asked(True, True, False, True, 3.0, 1)


def count_effective_anchors(found: Sequence[Document]) -> float:
    """Return the exponential of the Shannon entropy of anchor masses; equal texts are one anchor, no anchor is 0."""
    masses: defaultdict[str, Fraction] = defaultdict(Fraction)
    for document in found:
        anchors = (document.digest,) if document.origin == "human" else document.anchors
        for anchor in anchors:
            masses[anchor] += Fraction(1, len(anchors))
    total = sum(masses.values())
    shares = [float(mass / total) for mass in masses.values()]
    return math.exp(-sum(share * math.log(share) for share in shares)) if shares else 0.0


def count_human(found: Sequence[Document], asked: Asked) -> tuple[int, int]:
    """Return human and all items, counted by results or by distinct documents."""
    counted = list({document.id: document for document in found}.values()) if asked.distinct_documents else found
    return sum(document.origin == "human" for document in counted), len(counted)


def passes_gate(document: Document, asked: Asked) -> bool:
    """Return whether a result passes the signature gate."""
    return document.status == "VALID" if asked.verified else document.status != "MISSING"


def find_verdict(found: Sequence[Document], asked: Asked, *, waived: bool) -> str:
    """Return the verdict on a retrieval with results; ``waived`` leaves the signature gate out."""
    if not waived and not all(passes_gate(document, asked) for document in found):
        return VERDICTS[3]
    human, total = count_human(found, asked)
    if 2 * human >= total:
        return VERDICTS[0]
    deep = any((document.depth or 0) > 1 for document in found)
    unknown = any(document.origin is None for document in found)
    bare = any(document.depth == 1 and not document.anchors for document in found)
    closed = deep or (unknown and not asked.allow_unknown) or (bare and asked.require_anchor)
    return VERDICTS[2] if closed else VERDICTS[1]


def list_findings(found: Sequence[Document], asked: Asked) -> set[str]:
    """Return the codes of the findings of a retrieval with results."""
    deepest = max((document.depth or 0) for document in found)
    limit = asked.max_depth_in_grounded
    effective = count_effective_anchors(found)
    conflict = any(document.declared != document.origin for document in found)
    lost = any(document.origin is None or (document.origin != "human" and not document.anchors) for document in found)
    refused = asked.verified and any(document.status not in ("VALID", "MISSING") for document in found)
    named = {
        "hallucination_amplification": find_verdict(found, asked, waived=False) == VERDICTS[0]
        and limit is not None
        and deepest > limit,
        "source_attribution_loss": lost or conflict or refused,
        "coverage_illusion": effective < min(asked.min_effective_anchors, len(found)) - 1e-9,
        "duplicate_documents": len({document.id for document in found}) < len(found),
        "class_conflict": conflict,
        "depth_conflict": False,
        "rank_repeated": False,
        "few_results": len(found) < 3,
        "results_rejected": False,
    }
    return {code for code, holds in named.items() if holds}


def summarize(story: Sequence[tuple[bool, Sequence[Document]]], asked: Asked) -> dict[str, object]:
    """Summarise the log under one policy; creative and empty retrievals are not counted."""
    counted = [found for creative, found in story if found and not creative]
    shares = [count_human(found, asked) for found in counted]
    words = Counter(find_verdict(found, asked, waived=False) for found in counted)
    waived = Counter(find_verdict(found, asked, waived=True) for found in counted)
    codes = Counter(code for found in counted for code in list_findings(found, asked))
    proceed = sum(
        find_verdict(found, asked, waived=False) in VERDICTS[:2]
        or all(d.origin == "human" and d.catalogued for d in found)
        for found in counted
    )
    return {
        "verdicts": {word: words[word] for word in VERDICTS},
        "verdicts_if_signatures_waived": {word: waived[word] for word in VERDICTS},
        "proceed": proceed,
        "halt": len(counted) - proceed,
        "findings": dict(sorted(codes.items())),
        "macro_ratio": float(sum(Fraction(human, total) for human, total in shares) / len(shares)),
        "micro_ratio": float(Fraction(sum(human for human, _ in shares), sum(total for _, total in shares))),
    }


def compute_expected(
    story: Sequence[tuple[bool, Sequence[Document]]], documents: Sequence[Document]
) -> dict[str, object]:
    """Count the log, and summarise it under ``reference``, and under ``policy.toml`` with the trust store."""
    entries = [document for _, found in story for document in found]
    depths = Counter("unknown" if d.depth is None else "4+" if d.depth >= 4 else str(d.depth) for d in entries)
    return {
        "log": {
            "retrievals": len(story),
            "with_results": sum(bool(found) for _, found in story),
            "no_results": sum(not found for _, found in story),
            "creative": sum(creative for creative, _ in story),
            "results": len(entries),
            "documents_found": len({document.id for document in entries}),
        },
        "catalogue": {
            "documents": sum(document.catalogued for document in documents),
            "matched_results": sum(document.catalogued for document in entries),
            "unmatched_results": sum(not document.catalogued for document in entries),
        },
        "claims": dict(sorted(Counter(document.status for document in entries).items())),
        "depths": {name: depths[name] for name in ("0", "1", "2", "3", "4+", "unknown")},
        "reference": summarize(story, REFERENCE),
        "policy": summarize(story, SAMPLE_POLICY),
    }
