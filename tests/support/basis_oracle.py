"""Interpret what one basis says: classes, distrust, entries by document.

Flows in: class words, depths, entries and claims.  Flows out: ``BasisClass`` and ``BasisEntry``.
Written from the rules alone (docs/rules.md), for the oracles beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from guard_core.claims import Claim, SourceClass
from guard_core.class_words import ClassWord
from guard_core.model import AuthenticityClass, Conflict
from tests.support.catalogues_and_logs import Entry, digest

HUMAN, DEPTH_1, DEPTH_2_PLUS, UNKNOWN = AuthenticityClass
SYNTHETIC = (DEPTH_1, DEPTH_2_PLUS)


@dataclass(frozen=True)
class BasisClass:
    """Hold what one basis says: class, depth, whether word and depth disagree, whether the depth was left open."""

    authenticity: AuthenticityClass
    depth: int | None
    conflict: bool = False
    open_depth: bool = False


def interpret(word: ClassWord, depth: int | None) -> BasisClass:
    """Interpret a class word and a depth (R16, R30)."""
    at = BasisClass(DEPTH_1, 1) if depth == 1 else BasisClass(DEPTH_2_PLUS, depth)
    match word:
        case ClassWord.NONE:
            return BasisClass(UNKNOWN, None)
        case ClassWord.HUMAN:
            return BasisClass(HUMAN, 0) if not depth else BasisClass(at.authenticity, at.depth, True)
        case ClassWord.MODEL | ClassWord.HYBRID:
            return at if depth else BasisClass(DEPTH_2_PLUS, None, depth == 0, True)
        case ClassWord.SYNTHETIC_DEPTH_1:
            return BasisClass(at.authenticity, at.depth, depth != 1) if depth else BasisClass(DEPTH_1, 1, depth == 0)
        case ClassWord.SYNTHETIC_DEPTH_2_PLUS:
            deep = depth is not None and depth >= 2
            return BasisClass(DEPTH_2_PLUS, depth if deep else None, depth is not None and not deep)


def rank_distrust(reading: BasisClass) -> tuple[int, float]:
    """Return a rank that is greater the less a class is trusted (R27)."""
    return list(AuthenticityClass).index(reading.authenticity), float("inf") if reading.depth is None else reading.depth


Anchors = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class BasisEntry:
    """Hold what one basis says of one document; ``named`` are the hashes that it or a weaker basis declares."""

    document: str
    word: ClassWord
    given_depth: int | None
    reading: BasisClass
    differs: bool
    contents: frozenset[str]
    anchors: Anchors
    parents: tuple[str, ...]
    named: tuple[str, ...] = ()
    signed: bool = False


def choose_entries(entries: Sequence[Entry]) -> dict[str, BasisEntry]:
    """Choose the entry of each document (R27); between equal ones, that which sorts first by what is documented."""
    found: dict[str, BasisEntry] = {}
    for document in {e.document for e in entries}:
        mine = [(interpret(e.word, e.depth), e) for e in entries if e.document == document]
        worst = max(rank_distrust(reading) for reading, _ in mine)
        counting = [(reading, e) for reading, e in mine if rank_distrust(reading) == worst]
        reading, entry = min(counting, key=lambda pair: (not pair[1].parents, len(pair[1].anchors)))
        contents = frozenset(digest(e.content) for _, e in counting if e.content is not None)
        differs = len({rank_distrust(reading) for reading, _ in mine}) > 1
        found[document] = BasisEntry(
            document,
            entry.word,
            entry.depth,
            reading,
            differs,
            contents,
            entry.anchors,
            entry.parents,
            tuple(h for h, _ in entry.anchors),
        )
    return found


_WORDS = {
    SourceClass.HUMAN_AUTHORED: ClassWord.HUMAN,
    SourceClass.MODEL_GENERATED: ClassWord.MODEL,
    SourceClass.HYBRID: ClassWord.HYBRID,
}


def build_signed_entries(claims: Sequence[Claim], catalogue: dict[str, BasisEntry]) -> dict[str, BasisEntry]:
    """Return valid claims by document; what a claim leaves out is the catalogue's, unless their texts differ."""
    entries = [
        Entry(c.sub, _WORDS[c.source_class], c.depth, tuple((a, 1.0) for a in c.anchors), c.content, c.derived_from)
        for c in claims
    ]
    found = {}
    for document, known in choose_entries(entries).items():
        mine = [c for c in claims if c.sub == document]
        worst = [
            c for c in mine if rank_distrust(interpret(_WORDS[c.source_class], c.depth)) == rank_distrust(known.reading)
        ]
        contents = frozenset(c.content for c in worst if c.content is not None)
        below = catalogue.get(document)
        if below is not None and below.contents and contents and not below.contents & contents:
            below = None
        named = [h for h, _ in known.anchors]
        anchors, parents = known.anchors, known.parents
        if below is not None:
            named += [h for h in below.named if h not in named]
            anchors = anchors if anchors or parents else below.anchors
            parents = parents or below.parents
            contents = contents or below.contents
        found[document] = replace(
            known, contents=contents, anchors=anchors, parents=parents, named=tuple(named), signed=True
        )
    return found


def normalise(anchor: str) -> str:
    """Return a hash in the form of a digest (R17)."""
    anchor = anchor.strip().lower()
    return anchor if anchor.startswith("sha256:") else "sha256:" + anchor


def is_contrary(one: BasisClass, other: BasisClass) -> bool:
    """Return whether two classes cannot both be right; an unknown one disagrees with nothing."""
    if UNKNOWN in (one.authenticity, other.authenticity):
        return False
    if HUMAN in (one.authenticity, other.authenticity):
        return one.authenticity is not other.authenticity
    return one.authenticity is not other.authenticity and not (one.open_depth or other.open_depth)


def find_disagreements(one: BasisClass, other: BasisClass) -> set[Conflict]:
    """Return the conflicts between two bases (section "Where two disagree")."""
    found = {Conflict.CLASS_CONFLICT} if is_contrary(one, other) else set()
    synthetic = {one.authenticity, other.authenticity} <= set(SYNTHETIC)
    if synthetic and one.depth is not None and other.depth is not None and one.depth != other.depth:
        found.add(Conflict.DEPTH_CONFLICT)
    return found
