"""The words on screen for the codes in the data: one label and one sentence for each, in one order everywhere.

Flows in: codes of ``guard_core.model``.  Flows out: labels and explanations, plain text of our own.
Rules kept here: a label is the code in plain letters, so that screen, command line and JSON speak of the same thing;
verdicts are always listed in the specification's order, ``NO_RESULTS`` last.
Not here: colours (``charts/look.py``).
"""

from __future__ import annotations

from guard_core.model import NO_RESULTS, Basis, Decision, Finding, SynthesisVerdict

VERDICTS = (*(verdict.name for verdict in SynthesisVerdict), NO_RESULTS)
"""Codes of verdicts; the position is the code in ``Verdicts`` arrays, ``NO_RESULTS`` is 4."""

DECISIONS = (*(decision.name for decision in Decision), "")

VERDICT_MEANING = {
    "HUMAN_GROUNDED": "The share of human results reaches the minimum.",
    "SYNTHETIC_DEPTH_1_ACCEPTABLE": "Too few human results, but nothing deeper than content made from human sources.",
    "SYNTHETIC_DEPTH_EXCESSIVE": "Too few human results, and machine text made from machine text among them.",
    "UNVERIFIED_SOURCES": "At least one result lacks the signature that the policy asks for.",
    NO_RESULTS: "The search returned nothing; counted apart.",
}

BASIS_MEANING = {
    Basis.SIGNED.value: "a claim that verifies against the trust store",
    Basis.CATALOGUE.value: "the curators' provenance catalogue",
    Basis.DECLARED.value: "the log's own label only",
    Basis.NONE.value: "nothing says who wrote it",
}

FINDING_MEANING = {
    Finding.HALLUCINATION_AMPLIFICATION.value: (
        "Retrievals that pass as grounded and still hold machine text built on machine text."
    ),
    Finding.SOURCE_ATTRIBUTION_LOSS.value: "Retrievals with a result that cannot be traced to who wrote it.",
    Finding.COVERAGE_ILLUSION.value: "Retrievals whose many results rest on too few independent human sources.",
    Finding.DUPLICATE_DOCUMENTS.value: "Retrievals that list one document more than once.",
    Finding.CLASS_CONFLICT.value: "Retrievals with a result whose class differs between log, catalogue and claim.",
    Finding.DEPTH_CONFLICT.value: "Retrievals with a result whose stated depth disagrees with its class or sources.",
    Finding.RANK_REPEATED.value: "Retrievals in which two results share a rank.",
    Finding.FEW_RESULTS.value: "Retrievals with fewer than three judged results.",
    Finding.RESULTS_REJECTED.value: "Retrievals of which a result could not be read.",
}

FIELD_LABEL = {
    "min_human_grounding_ratio": "Minimum grounding ratio",
    "allow_depth_1_synthetic": "Allow depth 1",
    "signatures": "Signature gate",
    "require_anchor": "Depth 1 needs a resolved anchor",
    "allow_unknown": "Allow unknown through the depth-1 route",
    "count": "Count",
    "top_k": "Judge the first k results",
    "min_effective_anchors": "Minimum independent human sources",
    "max_depth_in_grounded": "Deepest result in a grounded set",
    "halt_on": "Halt on",
}

SIGNATURES_LABEL = {
    "present": "Present",
    "verified": "Verified",
    "catalogued": "Catalogued",
    "ignored": "Ignored",
}


def label(code: str) -> str:
    """A code in plain letters: ``HUMAN_GROUNDED`` is "Human grounded"."""
    return code.replace("_", " ").capitalize()


def count(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, thousands set apart: "1 retrieval", "1,200 retrievals"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def share(part: float, whole: float) -> str:
    """A share in per cent, "not applicable" over nothing; never rounded to 0% or 100% when it is neither (R57)."""
    if not whole:
        return "not applicable"
    percent = 100.0 * part / whole
    if 0.0 < percent < 1.0:
        return "<1%"
    if 99.0 < percent < 100.0:
        return ">99%"
    return f"{percent:.0f}%"
