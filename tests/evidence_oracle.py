"""What evidence is, once more, one result at a time and without a single array: an oracle for the columns.

Flows in: ``Row`` and ``Entry`` of ``tests.documents``.  Flows out: the ``SearchResult`` of every row.
Written from the rules alone (docs/rules.md); slow, and meant to be read beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from guard_core.ingest.log import ClassWord
from guard_core.model import Anchor, AuthenticityClass, Basis, Conflict, SearchResult, SignatureStatus
from tests.documents import Entry, Row, digest

HUMAN, DEPTH_1, DEPTH_2_PLUS, UNKNOWN = AuthenticityClass
SYNTHETIC = (DEPTH_1, DEPTH_2_PLUS)


@dataclass(frozen=True)
class Reading:
    """What one basis says: class, depth, whether word and depth disagree, whether the depth was left open."""

    authenticity: AuthenticityClass
    depth: int | None
    conflict: bool = False
    open_depth: bool = False


def read(word: ClassWord, depth: int | None) -> Reading:
    """R16 and R30."""
    at = Reading(DEPTH_1, 1) if depth == 1 else Reading(DEPTH_2_PLUS, depth)
    match word:
        case ClassWord.NONE:
            return Reading(UNKNOWN, None)
        case ClassWord.HUMAN:
            return Reading(HUMAN, 0) if not depth else Reading(at.authenticity, at.depth, True)
        case ClassWord.MODEL | ClassWord.HYBRID:
            return at if depth else Reading(DEPTH_2_PLUS, None, depth == 0, True)
        case ClassWord.SYNTHETIC_DEPTH_1:
            return Reading(at.authenticity, at.depth, depth != 1) if depth else Reading(DEPTH_1, 1, depth == 0)
        case ClassWord.SYNTHETIC_DEPTH_2_PLUS:
            deep = depth is not None and depth >= 2
            return Reading(DEPTH_2_PLUS, depth if deep else None, depth is not None and not deep)


def trust(reading: Reading) -> tuple[int, float]:
    """Greater is less trusted (R27)."""
    return list(AuthenticityClass).index(reading.authenticity), float("inf") if reading.depth is None else reading.depth


@dataclass(frozen=True)
class Known:
    """What a catalogue says of one document."""

    document: str
    reading: Reading
    differs: bool
    contents: frozenset[str]
    anchors: tuple[tuple[str, float], ...]
    edited: bool

    @property
    def independent(self) -> bool:
        return self.reading.authenticity is HUMAN and not self.edited


def known_documents(entries: Sequence[Entry]) -> dict[str, Known]:
    """R27.  Between entries worth the same, the one that sorts first by what the product documents."""
    found: dict[str, Known] = {}
    for document in {e.document for e in entries}:
        mine = [(read(e.word, e.depth), e) for e in entries if e.document == document]
        worst = max(trust(reading) for reading, _ in mine)
        counting = [(reading, e) for reading, e in mine if trust(reading) == worst]
        reading, entry = min(counting, key=lambda pair: (not pair[1].parents, len(pair[1].anchors)))
        contents = frozenset(digest(e.content) for _, e in counting if e.content is not None)
        differs = len({trust(reading) for reading, _ in mine}) > 1
        found[document] = Known(document, reading, differs, contents, entry.anchors, bool(entry.parents))
    return found


def form(anchor: str) -> str:
    """R17."""
    anchor = anchor.strip().lower()
    return anchor if anchor.startswith("sha256:") else "sha256:" + anchor


def disagreements(log: Reading, catalogue: Reading) -> set[Conflict]:
    """Section "Where two disagree": what is not said never disagrees."""
    if UNKNOWN in (log.authenticity, catalogue.authenticity):
        return set()
    if (log.authenticity is HUMAN) != (catalogue.authenticity is HUMAN):
        return {Conflict.CLASS_CONFLICT}
    found = set()
    if log.authenticity is not catalogue.authenticity and not (log.open_depth or catalogue.open_depth):
        found.add(Conflict.CLASS_CONFLICT)
    if log.depth is not None and catalogue.depth is not None and log.depth != catalogue.depth:
        found.add(Conflict.DEPTH_CONFLICT)
    return found


class Oracle:
    """The evidence of a log with a catalogue."""

    def __init__(self, rows: Sequence[Row], entries: Sequence[Entry] | None) -> None:
        self.rows = rows
        self.known = {} if entries is None else known_documents(entries)
        self.joined = [self._join(row) for row in rows]
        self.readings = [self._believed(i) for i in range(len(rows))]
        self.catalogue_sources = self._catalogue_sources()
        self.log_sources = self._log_sources()

    # -- joining ---------------------------------------------------------------------------------------------------

    def _join(self, row: Row) -> tuple[Known | None, set[Conflict]]:
        entry = self.known.get(row.document)
        conflicts = set()
        if entry and row.text is not None and entry.contents and digest(row.text) not in entry.contents:
            entry, conflicts = None, {Conflict.CONTENT_MISMATCH}
        content = row.text if row.text is not None else row.stated
        if entry is None and content is not None:
            holders = [k for k in self.known.values() if digest(content) in k.contents]
            if holders:
                worst = max(trust(k.reading) for k in holders)
                entry = min((k for k in holders if trust(k.reading) == worst), key=lambda k: k.document.encode())
                if len({trust(k.reading) for k in holders}) > 1:
                    conflicts.add(Conflict.CLASS_CONFLICT)
        return entry, conflicts

    def _catalogued(self, i: int) -> bool:
        entry, _ = self.joined[i]
        return entry is not None and entry.reading.authenticity is not UNKNOWN

    def _declared(self, i: int) -> Reading:
        row = self.rows[i]
        return read(row.word, None if row.depth < 0 else row.depth)

    def _believed(self, i: int) -> Reading:
        entry, _ = self.joined[i]
        return entry.reading if entry is not None and self._catalogued(i) else self._declared(i)

    def _edited(self, i: int) -> bool:
        entry, _ = self.joined[i]
        return entry.edited if entry is not None and self._catalogued(i) else bool(self.rows[i].parents)

    # -- sources ---------------------------------------------------------------------------------------------------

    def _catalogue_sources(self) -> dict[str, str]:
        """Content digest -> human document of the catalogue, before synthetic documents are set aside."""
        found: dict[str, str] = {}
        for known in sorted(self.known.values(), key=lambda k: k.document.encode(), reverse=True):
            if known.independent:
                found.update(dict.fromkeys(known.contents, known.document))
        return found

    def _classes_of(self, content: str) -> set[AuthenticityClass]:
        return {k.reading.authenticity for k in self.known.values() if content in k.contents} - {UNKNOWN}

    def _name(self, document: str) -> str:
        """The source for which an independent document of the catalogue stands."""
        known = self.known.get(document)
        if known is not None and known.independent and len(known.contents) == 1:
            return self.catalogue_sources[next(iter(known.contents))]
        return document

    def _independent(self, document: str) -> bool:
        mine = [i for i, row in enumerate(self.rows) if row.document == document]
        return all(self.readings[i].authenticity not in SYNTHETIC and not self._edited(i) for i in mine) and any(
            self.readings[i].authenticity is HUMAN for i in mine
        )

    def _log_sources(self) -> dict[str, str]:
        """Digest of a text in the log -> document that the log calls human."""
        found: dict[str, str] = {}
        for i, row in enumerate(self.rows):
            if row.text is None or self.readings[i].authenticity is not HUMAN or not self._independent(row.document):
                continue
            text = digest(row.text)
            found[text] = min(found.get(text, row.document), row.document, key=str.encode)
        for i, row in enumerate(self.rows):
            if row.text is not None and self.readings[i].authenticity in SYNTHETIC:
                found.pop(digest(row.text), None)
        return {text: self._name(document) for text, document in found.items()}

    def resolve(self, anchor: str, believed: bool) -> str | None:
        content = form(anchor)
        classes = self._classes_of(content)
        if not classes & set(SYNTHETIC) and content in self.catalogue_sources:
            return self.catalogue_sources[content]
        return self.log_sources.get(content) if believed and not classes else None

    def _own(self, i: int) -> str:
        """The name of the source that a human result of the log is."""
        row = self.rows[i]
        if not self._independent(row.document):
            return self._name(row.document)

        def contents(document: str) -> set[str]:
            mine = [
                r for j, r in enumerate(self.rows) if r.document == document and self.readings[j].authenticity is HUMAN
            ]
            return {c for r in mine if (c := r.text if r.text is not None else r.stated) is not None}

        same = [row.document]
        if len(contents(row.document)) == 1:
            others = {r.document for r in self.rows}
            same += [d for d in others if self._independent(d) and contents(d) == contents(row.document)]
        return self._name(min(same, key=str.encode))

    def _anchors(self, pairs: Sequence[tuple[str, float]], believed: bool) -> tuple[Anchor, ...]:
        found = [(source, weight) for h, weight in pairs if (source := self.resolve(h, believed)) is not None]
        equal = len({weight for _, weight in found}) <= 1
        masses = {s: 1.0 if equal else sum(w for t, w in found if t == s) for s, _ in found}
        total = sum(masses.values())
        return tuple(Anchor(s, masses[s] / total) for s in sorted(masses, key=str.encode))

    def _entry_anchors(self, entry: Known, believed: bool) -> tuple[Anchor, ...]:
        return (Anchor(self._name(entry.document)),) if entry.independent else self._anchors(entry.anchors, believed)

    # -- results ---------------------------------------------------------------------------------------------------

    def result(self, i: int) -> SearchResult:
        row, reading, (entry, conflicts) = self.rows[i], self.readings[i], self.joined[i]
        declared, catalogued = self._declared(i), self._catalogued(i)
        conflicts = set(conflicts)
        if declared.conflict:
            conflicts.add(Conflict.DEPTH_CONFLICT)
        names = list(row.anchors)
        if entry is not None:
            names = [*entry.anchors, *(p for p in row.anchors if p[0] not in {h for h, _ in entry.anchors})]
            conflicts |= disagreements(declared, entry.reading)
            conflicts |= {Conflict.CLASS_CONFLICT} if entry.differs else set()
            conflicts |= {Conflict.DEPTH_CONFLICT} if entry.reading.conflict else set()

        if reading.authenticity is HUMAN and not self._edited(i) and not catalogued:
            anchors: tuple[Anchor, ...] = (Anchor(self._own(i)),)
        elif entry is not None and (entry.independent or entry.anchors):
            anchors = self._entry_anchors(entry, True)
        else:
            anchors = self._anchors(row.anchors, True)
        if self._unresolved(i):
            conflicts.add(Conflict.ANCHOR_UNRESOLVED)
        basis = Basis.DECLARED if declared.authenticity is not UNKNOWN else Basis.NONE
        return SearchResult(
            result_id=row.document,
            authenticity=reading.authenticity,
            human_anchor_hash=names[0][0] if names else None,
            source_signature=row.signature,
            document_id=row.document,
            depth=reading.depth,
            basis=Basis.CATALOGUE if catalogued else basis,
            signature=SignatureStatus.UNCHECKED if row.signature else SignatureStatus.MISSING,
            catalogued=catalogued,
            anchors=anchors,
            upheld_anchors=self._entry_anchors(entry, False) if entry is not None and catalogued else (),
            conflicts=tuple(c for c in Conflict if c in conflicts),
        )

    def _unresolved(self, i: int) -> bool:
        row, (entry, _) = self.rows[i], self.joined[i]
        content = row.text if row.text is not None else row.stated
        own = {digest(content)} if content is not None and self.readings[i].authenticity is HUMAN else set()
        lost = [h for h, _ in row.anchors if self.resolve(h, True) is None and form(h) not in own]
        if entry is not None:
            own = set(entry.contents) if entry.reading.authenticity is HUMAN else set()
            lost += [h for h, _ in entry.anchors if self.resolve(h, True) is None and form(h) not in own]
        return bool(lost)
