"""IPTC digital source types as class words: a closed table.

Flows in: a term or URI as written.  Flows out: a ``ClassWord``, or ``None`` where the term is not in the table.
Rules kept here: compare the last path segment (http and https alike, schema.org's spelling too, surrounding
white space ignored); a term that says nothing certain about the author is NONE; anything else is not understood and
never human.
Source: IPTC NewsCodes scheme *digitalsourcetype*, dated 2024-10-23 (20 terms), and the two terms that C2PA adds.
"""

from __future__ import annotations

from guard_core.ingest.log import ClassWord

DIGITAL_SOURCE_TYPES: dict[str, ClassWord] = {
    "digitalCapture": ClassWord.HUMAN,
    "computationalCapture": ClassWord.HUMAN,
    "negativeFilm": ClassWord.HUMAN,
    "positiveFilm": ClassWord.HUMAN,
    "print": ClassWord.HUMAN,
    "minorHumanEdits": ClassWord.HUMAN,
    "humanEdits": ClassWord.HUMAN,
    "algorithmicallyEnhanced": ClassWord.HUMAN,
    "softwareImage": ClassWord.NONE,
    "digitalArt": ClassWord.HUMAN,
    "digitalCreation": ClassWord.HUMAN,
    "dataDrivenMedia": ClassWord.HUMAN,
    "trainedAlgorithmicMedia": ClassWord.MODEL,
    "algorithmicMedia": ClassWord.MODEL,
    "screenCapture": ClassWord.NONE,
    "virtualRecording": ClassWord.HYBRID,
    "composite": ClassWord.NONE,
    "compositeCapture": ClassWord.HUMAN,
    "compositeSynthetic": ClassWord.HYBRID,
    "compositeWithTrainedAlgorithmicMedia": ClassWord.HYBRID,
    "trainedAlgorithmicData": ClassWord.MODEL,
    "empty": ClassWord.NONE,
}
"""Term -> class word.  The last two are C2PA's."""

_BY_LOWER_CASE = {term.lower(): term for term in DIGITAL_SOURCE_TYPES}
_SCHEMA_ORG_SUFFIX = "digitalsource"


def term_of(text: str) -> str | None:
    """The term of the table that a term or URI spells, ``None`` if it is not in the table."""
    segment = text.strip().rstrip("/").rsplit("/", 1)[-1].lower()
    return _BY_LOWER_CASE.get(segment.removesuffix(_SCHEMA_ORG_SUFFIX))


def digital_source_type(text: str) -> ClassWord | None:
    """The class word of a digital source type, ``None`` if the term is not in the table."""
    term = term_of(text)
    return None if term is None else DIGITAL_SOURCE_TYPES[term]
