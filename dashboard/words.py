"""The words on screen for the codes in the data: one label and one sentence for each, in one order everywhere.

Flows in: codes of ``guard_core.model``.  Flows out: labels and explanations, plain text of our own.
Rules kept here: a label is the code in plain letters, so that screen, command line and JSON speak of the same thing;
verdicts are always listed in the specification's order, ``NO_RESULTS`` last.
Not here: colours (``charts/style.py``).
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


def label_code(code: str) -> str:
    """A code in plain letters: ``HUMAN_GROUNDED`` is "Human grounded"."""
    return code.replace("_", " ").capitalize()


def count_noun(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, thousands set apart: "1 retrieval", "1,200 retrievals"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def format_share(part: float, whole: float) -> str:
    """A share in per cent, "not applicable" over nothing; never rounded to 0% or 100% when it is neither (R57)."""
    if not whole:
        return "not applicable"
    percent = 100.0 * part / whole
    if 0.0 < percent < 1.0:
        return "<1%"
    if 99.0 < percent < 100.0:
        return ">99%"
    return f"{percent:.0f}%"


PICK_LABEL = {
    "start": "From (UTC)",
    "end": "To (UTC)",
    "collections": "Collection",
    "originators": "Originator",
    "generators": "Generator",
    "verdicts": "Verdict",
    "findings": "Finding",
    "waived": "Verdict with signatures waived",
    "text": "Text of the query, or query id",
    "document": "Document id",
    "anchor": "Anchor",
}
"""Labels of the filter and of the search."""

PICK_HELP = {
    "start": "Retrievals from this minute on. One without a time lies in no range.",
    "end": "Retrievals up to this minute, the minute included.",
    "collections": "Keeps retrievals with at least one result from one of these collections.",
    "originators": "Keeps retrievals with at least one result from one of these originators.",
    "generators": "Keeps retrievals with at least one result made by one of these generators.",
    "verdicts": "Keeps retrievals with one of these verdicts under the policy in force (on What-if: the baseline).",
    "findings": "Keeps retrievals with at least one of these findings under the policy in force (on What-if: the "
    "baseline).",
    "waived": "What the verdict would be with the signature gate left out.",
    "text": "Taken literally, in any case of letters.",
    "document": "The whole id, byte for byte. Keeps retrievals that list it.",
    "anchor": "The document id of a human source, or an anchor hash as it is named. Keeps retrievals with a result "
    "that rests on it.",
}

SORT_LABEL = {
    "log": "Order of the log",
    "time": "Time",
    "ratio": "Grounding ratio",
    "sources": "Independent human sources",
    "entries": "Number of results",
    "margin": "Margin",
    "depth": "Deepest result",
}

TERMS = {
    "Retrieval": "One search call and the list of results that it returned.",
    "Result": "One entry of such a list. It comes from a document.",
    "Grounding ratio": "Human results / all results of a retrieval; by documents where the policy counts documents.",
    "Minimum grounding ratio": "The ratio from which on a retrieval counts as human grounded.",
    "Originator": "Who publishes or signs a document.",
    "Generator": "The model or program that made a document.",
    "Catalogue": "The list of documents with provenance that curators keep.",
    "Claim": "A statement about a document, signed by its originator.",
    "Evidence": "What is known of a result: class, depth, anchors, and on which basis.",
    "Basis": "How a class is known: signed, from the catalogue, declared by the log, or not at all.",
    "Depth": "Steps of generation between a document and its human author: 0 is human, unknown is never 0.",
    "Anchor": "The human source that a document descends from. It is resolved when it leads to a document known as "
    "human, else only declared.",
    "Anchor family": "All results that rest on one anchor.",
    "Derivation": "Who comes from whom: a document is made from its parents, they from theirs, up to a human source.",
    "Amplification": "The share of synthetic results against the share of synthetic documents in the catalogue.",
    "Independent human sources": "The effective number of anchors: ten results from one source count as 1, from ten "
    "equally used sources as 10.",
    "Coverage illusion": "Many results that rest on few independent human sources.",
    "Policy": "What is asked of a retrieval; every field stands under All fields.",
    "Verdict": "What the rule says of a retrieval under a policy. There are four.",
    "Signature gate": "The first question of the rule: does each result carry the signature that the policy asks for?",
    "Finding": "A failure or notice about one retrieval. It changes a decision only where the policy says so.",
    "Margin": "How many results would have to change class for the verdict to change.",
    "Settled": "A retrieval whose verdict no check of its documents can change any more.",
    "Conflict": "Two statements about one result that disagree; the stronger basis counts.",
}
"""Each term of the screens in a sentence, in the order in which a reader meets them."""

OUT_LABEL = {
    "documents": "Documents",
    "anchors": "Anchor families",
    "originators": "Originators",
    "generators": "Generators",
    "collections": "Collections",
}
"""Labels of what is taken out."""

OUT_HELP = {
    "documents": "Document ids, byte for byte.",
    "anchors": "The document id of a human source takes out every result that rests on it, itself included; an anchor "
    "hash every result for which it is named.",
    "originators": "Every result of these originators.",
    "generators": "Every result made by these generators.",
    "collections": "Every result from these collections.",
}

LISTING_LABEL = {"retrieved": "Retrieved most often", "check": "Check these first"}
"""Lists of documents."""
