"""Test when class, depth and IPTC digital source type agree: the closed table, term by term."""

from __future__ import annotations

import pytest

from guard_core.claims import Claim, SourceClass
from guard_core.claims.contradictions import find_contradiction, find_possible_classes
from guard_core.class_words import DIGITAL_SOURCE_TYPES

H, M, Y = SourceClass.HUMAN_AUTHORED, SourceClass.MODEL_GENERATED, SourceClass.HYBRID
ANY = {H, M, Y}

EXPECTED = {
    "digitalCapture": {H},
    "computationalCapture": {H},
    "negativeFilm": {H},
    "positiveFilm": {H},
    "print": {H},
    "minorHumanEdits": {H},
    "humanEdits": {H},
    "algorithmicallyEnhanced": {H},
    "softwareImage": ANY,
    "digitalArt": {H},
    "digitalCreation": {H},
    "dataDrivenMedia": {H},
    "trainedAlgorithmicMedia": {M},
    "algorithmicMedia": {M},
    "screenCapture": ANY,
    "virtualRecording": {Y},
    "composite": ANY,
    "compositeCapture": {H},
    "compositeSynthetic": {Y},
    "compositeWithTrainedAlgorithmicMedia": {Y},
    "trainedAlgorithmicData": {M},
    "empty": ANY,
}
EDITS = {"minorHumanEdits": {H, Y}, "humanEdits": {H, Y}, "algorithmicallyEnhanced": ANY}


@pytest.mark.parametrize("term", EXPECTED)
def test_every_term_in_every_spelling(term: str) -> None:
    capital = term[0].upper() + term[1:]
    for spelling in (
        term,
        f"http://cv.iptc.org/newscodes/digitalsourcetype/{term}",
        f"https://cv.iptc.org/newscodes/digitalsourcetype/{term}",
        f"  http://cv.iptc.org/newscodes/digitalsourcetype/{term}/\n",
        f"https://schema.org/{capital}DigitalSource",
        f"http://c2pa.org/digitalsourcetype/{term}",
    ):
        assert find_possible_classes(spelling, has_parents=False) == EXPECTED[term], spelling
        assert find_possible_classes(spelling, has_parents=True) == EDITS.get(term, EXPECTED[term]), spelling


def test_the_table_is_closed_and_whole() -> None:
    assert set(EXPECTED) == set(DIGITAL_SOURCE_TYPES)
    assert len(EXPECTED) == 22


@pytest.mark.parametrize(
    "term", ["", " ", "/", "handmade", "digitalCapture2", "http://x/digitalCapture#a", "humаnEdits", "DigitalSource"]
)
def test_any_other_term_never_backs_human(term: str) -> None:
    assert find_possible_classes(term, has_parents=True) == {M, Y}


@pytest.mark.parametrize("depth", [0, 1, 2, 9])
@pytest.mark.parametrize("source_class", list(SourceClass))
def test_depth_0_if_and_only_if_human(source_class: SourceClass, depth: int) -> None:
    claim = Claim("iss", "sub", 0, source_class, depth)
    assert (find_contradiction(claim) is None) == ((source_class is H) == (depth == 0))
