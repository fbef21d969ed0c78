"""Chains of parents and the sources at their ends, once more, document by document: an oracle for ``Lineage``.

Flows in: what bases say of documents (``Known``) and the rows of a log.  Flows out: class, depth and sources.
Nodes are ("S", document) for a claim's entry, ("C", document) for the catalogue's, ("L", document) for what the log
says of a document.  Everything is asked again from the start, by plain recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from guard_core.class_words import ClassWord
from guard_core.model import Anchor, Conflict
from tests.support.basis_oracle import HUMAN, SYNTHETIC, UNKNOWN, Known, Reading, form, read, trust
from tests.support.documents import Row, digest

DEPTH_1, DEPTH_2_PLUS = SYNTHETIC
Node = tuple[str, str]
Sets = dict[str, float]
NOWHERE = ("", "")


@dataclass(frozen=True)
class Found:
    """Class and depth once chains are followed."""

    reading: Reading
    at_least: int | None = None
    conflicts: frozenset[Conflict] = field(default_factory=frozenset)


def smallest(documents: Sequence[str]) -> str:
    return min(documents, key=str.encode)


class Lineage:
    """The graph of parents."""

    def __init__(
        self, rows: Sequence[Row], catalogue: dict[str, Known], signed: dict[str, Known], speakers: list[Known | None]
    ) -> None:
        self.rows, self.catalogue, self.signed, self.speakers = rows, catalogue, signed, speakers
        self.documents = {row.document for row in rows}

    # -- nodes and parents -----------------------------------------------------------------------------------------

    def entries(self) -> list[Known]:
        return [*self.signed.values(), *self.catalogue.values()]

    def node(self, known: Known) -> Node:
        return ("S" if known.signed else "C", known.document)

    def known(self, node: Node) -> Known:
        return (self.signed if node[0] == "S" else self.catalogue)[node[1]]

    def strongest(self, document: str) -> Known | None:
        return self.signed.get(document) or self.catalogue.get(document)

    def contents(self, known: Known) -> frozenset[str]:
        """Contents that count as an entry's: not those that a claim on its document states too."""
        above = None if known.signed else self.signed.get(known.document)
        return known.contents - (above.contents if above else frozenset())

    def holders(self, content: str) -> list[Known]:
        return [known for known in self.entries() if content in self.contents(known)]

    def proved(self, reference: str) -> Node:
        known = self.strongest(reference)
        if known is None:
            holders = self.holders(form(reference))
            if not holders:
                return NOWHERE
            worst = max(trust(k.reading) for k in holders)
            named = smallest([k.document for k in holders if trust(k.reading) == worst])
            known = next(k for k in holders if k.document == named)
        return self.node(known)

    def believed(self, reference: str) -> Node:
        node = self.proved(reference)
        if node != NOWHERE and not (self.known(node).reading.authenticity is UNKNOWN and reference in self.documents):
            return node
        if reference in self.documents:
            return ("L", reference)
        texts = {row.document for row in self.rows if row.text is not None and digest(row.text) == form(reference)}
        if not texts:
            return NOWHERE
        worst = max(trust(self.stated_of_document(d)[1]) for d in texts)
        return ("L", smallest([d for d in texts if trust(self.stated_of_document(d)[1]) == worst]))

    def links(self, document: str) -> set[Node]:
        entry = self.strongest(document)
        if entry is not None and entry.reading.authenticity is UNKNOWN and entry.parents:
            return {self.believed(p) for p in entry.parents}
        return {self.believed(p) for row in self.rows if row.document == document for p in row.parents}

    def parents(self, node: Node, believed: bool) -> set[Node]:
        if node[0] == "L":
            return self.links(node[1])
        names = self.known(node).parents
        return {self.believed(p) if believed else self.proved(p) for p in names}

    def derived(self, node: Node) -> bool:
        return bool(self.parents(node, True))

    def ancestors(self, node: Node, believed: bool) -> set[Node]:
        found: set[Node] = set()
        waiting = [node]
        while waiting:
            for parent in self.parents(waiting.pop(), believed) - {NOWHERE}:
                if parent not in found:
                    found.add(parent)
                    waiting.append(parent)
        return found

    def on_cycle(self, node: Node) -> bool:
        return node in self.ancestors(node, node[0] == "L")

    def looped(self, node: Node) -> bool:
        believed = node[0] == "L"
        return any(n in self.ancestors(n, believed) for n in self.ancestors(node, believed) | {node})

    def members(self) -> set[str]:
        nodes = [self.node(k) for k in self.entries()] + [("L", d) for d in self.documents]
        return {node[1] for node in nodes if self.on_cycle(node)}

    # -- what is stated, and what parents prove --------------------------------------------------------------------

    def stated_of_document(self, document: str, settled: bool = False) -> tuple[ClassWord, Reading]:
        said = []
        for row, speaker in zip(self.rows, self.speakers, strict=True):
            if row.document == document and speaker is not None:
                said.append((speaker.word, self.settled(speaker) if settled else speaker.reading))
            elif row.document == document:
                said.append((row.word, self.of_word(row)))
        return max(
            said,
            key=lambda s: (trust(s[1]), not s[1].open_depth, s[0] not in (ClassWord.HUMAN, ClassWord.NONE)),
        )

    def of_word(self, row: Row) -> Reading:
        return read(row.word, None if row.depth < 0 else row.depth)

    def stated(self, node: Node) -> tuple[ClassWord, Reading]:
        if node[0] == "L":
            return self.stated_of_document(node[1], settled=True)
        return self.known(node).word, self.known(node).reading

    def bound(self, node: Node) -> int | None:
        """The depth that a descendant can build on."""
        found = self.settle(node, *self.stated(node))
        if found.reading.depth is not None:
            return found.reading.depth
        floor = None
        if found.reading.authenticity in SYNTHETIC:
            floor = 1 if found.reading.open_depth else 2
        _, stated = self.stated(node)
        if stated.authenticity is HUMAN:
            floor = None
        return max([b for b in (floor, found.at_least) if b is not None], default=None)

    def settle(self, node: Node, word: ClassWord, stated: Reading) -> Found:
        """What a document is that states this and has the parents of ``node``."""
        parents = self.parents(node, False)
        human, synthetic = stated.authenticity is HUMAN, stated.authenticity in SYNTHETIC
        if self.looped(node):
            above = self.ancestors(node, node[0] == "L")
            machine = synthetic or (human and any(self.stated(a)[1].authenticity in SYNTHETIC for a in above))
            firm = stated.authenticity is DEPTH_2_PLUS and not stated.open_depth
            reading = Reading(DEPTH_2_PLUS, None, open_depth=not firm) if machine else Reading(UNKNOWN, None)
            return Found(reading)
        step = 0 if word in (ClassWord.HUMAN, ClassWord.NONE) else 1
        depths = [None if p == NOWHERE else self.settle(p, *self.stated(p)).reading.depth for p in parents]
        bounds = [b for p in parents if p != NOWHERE and (b := self.bound(p)) is not None]
        known = max((d + step for d in depths if d is not None), default=None)
        least = max(bounds) + step if bounds else None
        firm = stated.authenticity is DEPTH_2_PLUS and not stated.open_depth
        if stated.depth is not None:
            depth: int | None = max(stated.depth, known or 0)
        else:
            depth = known if synthetic and None not in depths else None
            if firm and depth is not None and depth < 2:
                depth = None
        if depth is not None and least is not None and depth < least:
            depth = None
        at_least = least if depth is None else None
        firm = firm or (at_least is not None and at_least >= 2)
        if stated.authenticity is UNKNOWN:
            return Found(stated, at_least)
        if human and depth == 0:
            return Found(Reading(HUMAN, 0))
        reading = Reading(DEPTH_1 if depth == 1 else DEPTH_2_PLUS, depth, open_depth=depth is None and not firm)
        return Found(reading, at_least)

    def settled(self, known: Known) -> Reading:
        return self.settle(self.node(known), known.word, known.reading).reading

    def of_row(self, i: int) -> Found:
        """Class, depth and conflicts of a result."""
        row, speaker = self.rows[i], self.speakers[i]
        node = ("L", row.document) if speaker is None else self.node(speaker)
        word, stated = (row.word, self.of_word(row)) if speaker is None else (speaker.word, speaker.reading)
        given = (None if row.depth < 0 else row.depth) if speaker is None else speaker.stated
        found = self.settle(node, word, stated)
        conflicts = set()
        if self.looped(node):
            conflicts.add(Conflict.DERIVATION_CYCLE)
        elif stated.authenticity is not UNKNOWN:
            step = 0 if word is ClassWord.HUMAN else 1
            bounds = [b for p in self.parents(node, False) if p != NOWHERE and (b := self.bound(p)) is not None]
            given = given if stated.authenticity is HUMAN else stated.depth
            if bounds and given is not None and given < max(bounds) + step:
                conflicts.add(Conflict.DEPTH_CONFLICT)
        if NOWHERE in self.parents(node, True):
            conflicts.add(Conflict.PARENT_UNKNOWN)
        return Found(found.reading, found.at_least, frozenset(conflicts))


class Sources:
    """Human sources; ``readings`` are the classes of results, chains followed."""

    def __init__(self, lineage: Lineage, readings: Sequence[Reading]) -> None:
        self.lineage, self.readings, self.rows = lineage, readings, lineage.rows

    # -- who is a source -------------------------------------------------------------------------------------------

    def independent(self, known: Known) -> bool:
        return self.lineage.settled(known).authenticity is HUMAN and not known.parents

    def name(self, known: Known) -> str:
        """The source that an independent entry is."""
        if len(known.contents) == 1:
            holders = [k for k in self.lineage.holders(next(iter(known.contents))) if self.independent(k)]
            if holders:
                return smallest([k.document for k in holders])
        return known.document

    def row_node(self, i: int) -> Node:
        speaker = self.lineage.speakers[i]
        return ("L", self.rows[i].document) if speaker is None else self.lineage.node(speaker)

    def has_synthetic(self, document: str) -> bool:
        return any(self.readings[i].authenticity in SYNTHETIC for i in self.of(document))

    def of(self, document: str) -> list[int]:
        return [i for i, row in enumerate(self.rows) if row.document == document]

    def declared(self, document: str) -> bool:
        """An independent human document as the log has it."""
        mine = self.of(document)
        return (
            any(self.readings[i].authenticity is HUMAN for i in mine)
            and not self.has_synthetic(document)
            and not any(self.lineage.derived(self.row_node(i)) for i in mine)
        )

    def known_name(self, document: str) -> str:
        entry = self.lineage.strongest(document)
        return self.name(entry) if entry is not None and self.independent(entry) else document

    def declared_name(self, document: str) -> str:
        """The source that a document of the log is, one with those of the same single content."""
        if not self.declared(document):
            return self.known_name(document)

        def contents(d: str) -> set[str]:
            mine = [self.rows[i] for i in self.of(d) if self.readings[i].authenticity is HUMAN]
            return {c for r in mine if (c := r.text if r.text is not None else r.stated) is not None}

        same = [document]
        if len(contents(document)) == 1:
            others = {r.document for r in self.rows}
            same += [d for d in others if self.declared(d) and contents(d) == contents(document)]
        return self.known_name(smallest(same))

    def target(self, anchor: str, believed: bool) -> Node | None:
        """The human document that a hash stands for."""
        content = form(anchor)
        holders = self.lineage.holders(content)
        human = [k for k in holders if self.lineage.settled(k).authenticity is HUMAN]
        if human and not any(self.lineage.settled(k).authenticity in SYNTHETIC for k in holders):
            human = [k for k in human if self.independent(k)] or human
            first = smallest([k.document for k in human])
            return self.lineage.node(next(k for k in human if k.document == first))
        if not believed or any(k.reading.authenticity is not UNKNOWN for k in holders):
            return None
        rows = [i for i, row in enumerate(self.rows) if row.text is not None and digest(row.text) == content]
        if any(self.readings[i].authenticity in SYNTHETIC for i in rows):
            return None
        documents = [self.rows[i].document for i in rows if self.readings[i].authenticity is HUMAN]
        documents = [d for d in documents if self.declared(d)] or [d for d in documents if not self.has_synthetic(d)]
        if not documents:
            return None
        entry = self.lineage.strongest(smallest(documents))
        if entry is not None and entry.reading.authenticity is not UNKNOWN:
            return self.lineage.node(entry)
        return ("L", smallest(documents))

    # -- what a node rests on --------------------------------------------------------------------------------------

    def stated_targets(self, pairs: Sequence[tuple[str, float]], believed: bool) -> list[tuple[Node, float]]:
        found = [(node, weight) for h, weight in pairs if (node := self.target(h, believed)) is not None]
        equal = len({weight for _, weight in found}) <= 1
        return [(n, 1.0 if equal else sum(w for m, w in found if m == n)) for n in dict.fromkeys(n for n, _ in found)]

    def inherits(self, node: Node, believed: bool) -> list[tuple[Node, float]]:
        """From whom a node inherits, with weights."""
        lineage = self.lineage
        if node[0] == "L":
            weights: dict[str, float] = {}
            for i in self.of(node[1]):
                for anchor, weight in self.rows[i].anchors:
                    weights[anchor] = max(weights.get(anchor, 0.0), weight)
            stated = self.stated_targets(list(weights.items()), believed)
        else:
            stated = self.stated_targets(lineage.known(node).anchors, believed)
        if stated:
            return stated
        parents = [(parent, 1.0) for parent in lineage.parents(node, believed) if parent != NOWHERE]
        if believed and node[0] != "L":
            known = lineage.known(node)
            bare = lineage.settled(known).authenticity is not HUMAN and not known.parents and not known.anchors
            if bare and lineage.strongest(node[1]) is known and node[1] in lineage.documents:
                return [(("L", node[1]), 1.0)]
        return parents

    def source(self, node: Node) -> str | None:
        if node[0] == "L":
            return self.declared_name(node[1]) if self.declared(node[1]) else None
        known = self.lineage.known(node)
        return self.name(known) if self.independent(known) else None

    def ends(self, node: Node, believed: bool, above: tuple[Node, ...] = ()) -> bool:
        """Whether every way up from a node comes to an end."""
        if node in above:
            return False
        if self.lineage.looped(node) or self.source(node) is not None:
            return True
        return all(self.ends(n, believed, (*above, node)) for n, _ in self.inherits(node, believed))

    def set_of(self, node: Node, believed: bool) -> Sets:
        name = self.source(node)
        if self.lineage.looped(node) or not self.ends(node, believed):
            return {}
        return {name: 1.0} if name is not None else self.mix(self.inherits(node, believed), believed)

    def mix(self, parts: Sequence[tuple[Node, float]], believed: bool) -> Sets:
        sets = [(self.set_of(node, believed), weight) for node, weight in parts]
        total = sum(weight for found, weight in sets if found)
        names = {name for found, _ in sets for name in found}
        return {name: sum(w * found.get(name, 0.0) for found, w in sets) / total for name in names}

    def of_row(self, i: int, entry: Known | None, speaker: Known | None, *, believed: bool) -> tuple[Anchor, ...]:
        """The anchors of a result."""
        found = self._of_row(i, entry, speaker) if believed else {}
        if not believed and speaker is not None:
            found = self.set_of(self.lineage.node(speaker), False)
        return tuple(Anchor(name, found[name]) for name in sorted(found, key=str.encode))

    def _of_row(self, i: int, entry: Known | None, speaker: Known | None) -> Sets:
        row, node = self.rows[i], self.row_node(i)
        if self.lineage.looped(node):
            return {}
        if self.readings[i].authenticity is HUMAN and speaker is None and not self.lineage.derived(node):
            return {self.declared_name(row.document): 1.0}
        if entry is not None and (self.independent(entry) or entry.parents or entry.anchors):
            return self.set_of(self.lineage.node(entry), True)
        found = self.mix(self.stated_targets(row.anchors, True), True)
        linked = self.lineage.derived(("L", row.document))
        return found or (self.set_of(("L", row.document), True) if linked else {})
