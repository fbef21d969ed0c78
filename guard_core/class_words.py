"""Read class words: what a log, a catalogue or a claim may call the author of a text (R16).

Flows in: a word, an IPTC term or the URI of one, as written.  Flows out: a ``ClassWord``, or ``None`` where the word is
not in the tables.
Rules kept here: the tables are closed, so a word outside them is not understood, never guessed and never human; case
and surrounding white space do not matter; a URI is compared by its last segment (http and https alike, schema.org's
spelling too); a term that says nothing certain about the author is ``NONE``.
Not here: what a class is worth (``guard_core.provenance.evidence``), in which column it stands
(``guard_core.ingest.records.fields``).

Source: IPTC NewsCodes scheme *digitalsourcetype*, dated 2024-10-23 (20 terms), and the two terms that C2PA adds.
"""

from __future__ import annotations

from enum import IntEnum


class ClassWord(IntEnum):
    """The class that a word states, before depth and conflicts are weighed (R30).  The value is the code in columns."""

    NONE = 0
    HUMAN = 1
    MODEL = 2
    HYBRID = 3
    SYNTHETIC_DEPTH_1 = 4
    SYNTHETIC_DEPTH_2_PLUS = 5


_WORDS: dict[str, ClassWord] = {
    "human": ClassWord.HUMAN,
    "human-authored": ClassWord.HUMAN,
    "human_authored": ClassWord.HUMAN,
    "model": ClassWord.MODEL,
    "model-generated": ClassWord.MODEL,
    "synthetic": ClassWord.MODEL,
    "hybrid": ClassWord.HYBRID,
    "synthetic_depth_1": ClassWord.SYNTHETIC_DEPTH_1,
    "synthetic_depth_2_plus": ClassWord.SYNTHETIC_DEPTH_2_PLUS,
    "unknown": ClassWord.NONE,
}

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


def find_class(text: str) -> ClassWord | None:
    """Return the class that a word or an IPTC term names, ``None`` if it is not understood."""
    known = _WORDS.get(text.strip().lower())
    return known if known is not None else find_class_of_term(text)


def find_term(text: str) -> str | None:
    """Return the IPTC term that a word or URI spells, ``None`` if it is not in the table."""
    segment = text.strip().rstrip("/").rsplit("/", 1)[-1].lower()
    return _BY_LOWER_CASE.get(segment.removesuffix(_SCHEMA_ORG_SUFFIX))


def find_class_of_term(text: str) -> ClassWord | None:
    """Return the class that an IPTC term names, ``None`` if the term is not in the table."""
    term = find_term(text)
    return None if term is None else DIGITAL_SOURCE_TYPES[term]
