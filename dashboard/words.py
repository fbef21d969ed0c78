"""Hold the words on screen for the codes in the data: one label and one sentence for each, the same everywhere.

Flows in: codes of ``guard_core.model``.  Flows out: labels and explanations, plain text of our own.
Rules kept here: a label is the code in plain letters, so that screen, command line and JSON say the same; verdicts are
always listed in the specification's order, ``NO_RESULTS`` last; a code without its words fails a test.
Not here: colours (``charts/style.py``), what each claim status means (``guard_core.claims``).
"""

from __future__ import annotations

from guard_core.claims import ContentCheck
from guard_core.class_words import ClassWord
from guard_core.corpus.derivation import Bases
from guard_core.model import NO_RESULTS, Basis, Conflict, CountUnit, Decision, Finding, SignatureGate, SynthesisVerdict


def label_code(code: str) -> str:
    """Return a code in plain letters: ``HUMAN_GROUNDED`` is "Human grounded"."""
    return code.replace("_", " ").capitalize()


def format_share(part: float, whole: float) -> str:
    """Return a share in per cent, "not applicable" over nothing; never 0% or 100% when it is neither (R57)."""
    if not whole:
        return "not applicable"
    percent = 100.0 * part / whole
    if 0.0 < percent < 1.0:
        return "<1%"
    if 99.0 < percent < 100.0:
        return ">99%"
    return f"{percent:.0f}%"


VERDICTS = (*(verdict.name for verdict in SynthesisVerdict), NO_RESULTS)
"""Codes of verdicts; the position is the code in arrays of ``Verdicts``, ``NO_RESULTS`` is 4."""

JUDGED = VERDICTS[:4]
"""Codes of the verdicts on retrievals that have results."""

VERDICT_LABEL = tuple(map(label_code, VERDICTS))
"""Labels of ``VERDICTS``, at the same positions."""

UNIT_NOUN = {CountUnit.RESULTS: "result", CountUnit.DOCUMENTS: "document"}
"""What a policy counts."""

DECISIONS = (*(decision.name for decision in Decision), "")

BASIS_LABEL = {basis.value: label_code(basis.value) for basis in Basis}

BASIS_MEANING = {
    Basis.SIGNED.value: "a claim that verifies against the trust store",
    Basis.CATALOGUE.value: "the curators' provenance catalogue",
    Basis.DECLARED.value: "the log's own label only",
    Basis.NONE.value: "nothing says who wrote it",
}

KNOWN_BY = {
    Basis.SIGNED.value: "by a signed claim",
    Basis.CATALOGUE.value: "by the catalogue",
    Basis.DECLARED.value: "by the log's own word",
    Basis.NONE.value: "nobody says",
}
"""How a class is known, behind the class."""

SPEAKER = {Bases.SIGNED: "A valid claim", Bases.CATALOGUE: "The catalogue", Bases.DECLARED: "The log"}
"""Who states something about a document."""

SPEAKER_NOUN = {Bases.SIGNED: "claim", Bases.CATALOGUE: "catalogue", Bases.DECLARED: "log"}
"""The same as a noun, the strongest first."""

LINK_NAMED_BY = {Bases.SIGNED: "a valid claim", Bases.CATALOGUE: "the catalogue", Bases.DECLARED: "the log only"}
"""The strongest basis that names a link."""

CLASS_WORD = {
    ClassWord.NONE: "no class",
    ClassWord.HUMAN: "human",
    ClassWord.MODEL: "model",
    ClassWord.HYBRID: "hybrid",
    ClassWord.SYNTHETIC_DEPTH_1: "synthetic, depth 1",
    ClassWord.SYNTHETIC_DEPTH_2_PLUS: "synthetic, deeper",
}
"""The class that a basis states."""

CONTENT_CHECK = {
    ContentCheck.CHECKED: "checked",
    ContentCheck.UNCHECKED: "not checked: no text",
    ContentCheck.NOT_STATED: "not checked: the claim names no text",
    ContentCheck.MISMATCH: "differs",
}
"""Whether the text of a claim was checked."""

CONFLICT_MEANING = {
    Conflict.CLASS_CONFLICT: "Log, catalogue and claims state different classes; the stronger basis counts, and "
    "between equal ones the less trusted class.",
    Conflict.DEPTH_CONFLICT: "A stated depth disagrees with the class, or with the depth that follows from the "
    "parents; the deeper one counts.",
    Conflict.CONTENT_MISMATCH: "The text in the log is not the text of the catalogue entry, so the entry does not "
    "count there.",
    Conflict.DERIVATION_CYCLE: "It descends from itself, or from a document that does, so it has no depth and no human "
    "source.",
    Conflict.ANCHOR_UNRESOLVED: "An anchor that is named for it leads to no document known as human.",
    Conflict.PARENT_UNKNOWN: "One of its parents is not known: bring it into the catalogue.",
}

FINDING_MEANING = {
    Finding.HALLUCINATION_AMPLIFICATION: (
        "Retrievals that pass as grounded and still hold machine text built on machine text."
    ),
    Finding.SOURCE_ATTRIBUTION_LOSS: "Retrievals with a result that cannot be traced to who wrote it.",
    Finding.COVERAGE_ILLUSION: "Retrievals whose many results rest on too few independent human sources.",
    Finding.DUPLICATE_DOCUMENTS: "Retrievals that list one document more than once.",
    Finding.CLASS_CONFLICT: "Retrievals with a result whose class differs between log, catalogue and claim.",
    Finding.DEPTH_CONFLICT: "Retrievals with a result whose stated depth disagrees with its class or sources.",
    Finding.RANK_REPEATED: "Retrievals in which two results share a rank.",
    Finding.FEW_RESULTS: "Retrievals with fewer than three judged results.",
    Finding.RESULTS_REJECTED: "Retrievals of which a result could not be read.",
}

FAMILY_STATE = {True: "Resolved", False: "Unresolved: only declared"}
"""Whether an anchor leads to a document known as human."""

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

SIGNATURES_LABEL = {gate.value: label_code(gate.value) for gate in SignatureGate}


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
    "start": "Retrievals from this minute on. One without a time is in no range.",
    "end": "Retrievals up to this minute, the minute included.",
    "collections": "Keeps retrievals with at least one result from one of these collections.",
    "originators": "Keeps retrievals with at least one result from one of these originators.",
    "generators": "Keeps retrievals with at least one result made by one of these generators.",
    "verdicts": "Keeps retrievals with one of these verdicts under the policy in force (on What-if: the baseline).",
    "findings": "Keeps retrievals with at least one of these findings under the policy in force (on What-if: the "
    "baseline).",
    "waived": "The verdict with the signature gate left out.",
    "text": "Taken literally, in any case of letters.",
    "document": "The whole id, byte for byte. Keeps retrievals that list it.",
    "anchor": "The document id of a human source, or an anchor hash as the log or catalogue gives it. Keeps retrievals "
    "with a result that rests on it.",
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
    "Result": "One entry of such a list. It comes from one document.",
    "Grounding ratio": "Human results / all results of a retrieval; by documents where the policy counts documents.",
    "Minimum grounding ratio": "The lowest ratio at which a retrieval counts as human grounded.",
    "Originator": "Who publishes or signs a document.",
    "Generator": "The model or program that made a document.",
    "Catalogue": "The list of documents with provenance that curators keep.",
    "Claim": "A statement about a document, signed by its originator.",
    "Evidence": "What is known about a result: class, depth, anchors, and on which basis.",
    "Basis": "How a class is known: signed, from the catalogue, declared by the log, or not at all.",
    "Depth": "Steps of generation between a document and its human author: 0 is human, unknown is never 0.",
    "Anchor": "The human source that a document descends from. It is resolved when it leads to a document known as "
    "human, else only declared.",
    "Anchor family": "All results that rest on one anchor.",
    "Derivation": "Which document is made from which: from its parents, they from theirs, up to a human source.",
    "Amplification": "The share of synthetic results against the share of synthetic documents in the catalogue.",
    "Independent human sources": "The effective number of anchors: ten results from one source count as 1, from ten "
    "equally used sources as 10.",
    "Coverage illusion": "Many results that rest on few independent human sources.",
    "Policy": "What is asked of a retrieval; All fields lists every field.",
    "Verdict": "What the rule decides about a retrieval under a policy. There are four verdicts.",
    "Signature gate": "The first question of the rule: does each result carry the signature that the policy asks for?",
    "Finding": "A failure or notice about one retrieval. It changes a decision only where the policy says so.",
    "Margin": "How many results would have to change class for the verdict to change.",
    "Settled": "A retrieval whose verdict no check of its documents can change any more.",
    "Conflict": "Two statements about one result that disagree; the stronger basis counts.",
}
"""Each term of the screens in one sentence, in the order in which a reader meets them."""

OUT_LABEL = {
    "documents": "Documents",
    "anchors": "Anchor families",
    "originators": "Originators",
    "generators": "Generators",
    "collections": "Collections",
}
"""Labels of what a quarantine takes out."""

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
