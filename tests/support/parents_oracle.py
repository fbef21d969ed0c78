"""Derive class, depth and sources document by document: an oracle for ``ParentGraph`` and ``SourceShares``.

Flows in: the entries of every basis (``BasisEntry``) and the rows of a log.  Flows out: class, depth and sources.
Written from the rules alone (docs/rules.md).  Nodes are ("S", document) for a claim's entry, ("C", document) for the
catalogue's, ("L", document) for what the log says of a document.  Everything is asked again from the start, by plain
recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from guard_core.class_words import ClassWord
from guard_core.model import Anchor, Conflict
from tests.support.basis_oracle import (
    HUMAN,
    SYNTHETIC,
    UNKNOWN,
    BasisClass,
    BasisEntry,
    interpret,
    normalise,
    rank_distrust,
)
from tests.support.catalogues_and_logs import Row, digest

DEPTH_1, DEPTH_2_PLUS = SYNTHETIC
Node = tuple[str, str]
Shares = dict[str, float]
NOWHERE = ("", "")


@dataclass(frozen=True)
class DerivedClass:
    """Hold class and depth after parents are followed."""

    reading: BasisClass
    at_least: int | None = None
    conflicts: frozenset[Conflict] = field(default_factory=frozenset)


def choose_smallest(documents: Sequence[str]) -> str:
    return min(documents, key=str.encode)


class ParentsOracle:
    """Follow the parents of documents."""

    def __init__(
        self,
        rows: Sequence[Row],
        catalogue: dict[str, BasisEntry],
        signed: dict[str, BasisEntry],
        speakers: list[BasisEntry | None],
    ) -> None:
        self.rows, self.catalogue, self.signed, self.speakers = rows, catalogue, signed, speakers
        self.documents = {row.document for row in rows}

    # -- nodes and parents -----------------------------------------------------------------------------------------

    def list_entries(self) -> list[BasisEntry]:
        return [*self.signed.values(), *self.catalogue.values()]

    def find_node(self, known: BasisEntry) -> Node:
        return ("S" if known.signed else "C", known.document)

    def find_entry(self, node: Node) -> BasisEntry:
        return (self.signed if node[0] == "S" else self.catalogue)[node[1]]

    def find_strongest(self, document: str) -> BasisEntry | None:
        return self.signed.get(document) or self.catalogue.get(document)

    def list_contents(self, known: BasisEntry) -> frozenset[str]:
        """Return the contents that count as an entry's: not those that a claim on its document gives too."""
        above = None if known.signed else self.signed.get(known.document)
        return known.contents - (above.contents if above else frozenset())

    def find_holders(self, content: str) -> list[BasisEntry]:
        return [known for known in self.list_entries() if content in self.list_contents(known)]

    def resolve_upheld(self, reference: str) -> Node:
        known = self.find_strongest(reference)
        if known is None:
            holders = self.find_holders(normalise(reference))
            if not holders:
                return NOWHERE
            worst = max(rank_distrust(k.reading) for k in holders)
            named = choose_smallest([k.document for k in holders if rank_distrust(k.reading) == worst])
            known = next(k for k in holders if k.document == named)
        return self.find_node(known)

    def resolve_declared(self, reference: str) -> Node:
        node = self.resolve_upheld(reference)
        if node != NOWHERE and not (
            self.find_entry(node).reading.authenticity is UNKNOWN and reference in self.documents
        ):
            return node
        if reference in self.documents:
            return ("L", reference)
        texts = {row.document for row in self.rows if row.text is not None and digest(row.text) == normalise(reference)}
        if not texts:
            return NOWHERE
        worst = max(rank_distrust(self.classify_document(d)[1]) for d in texts)
        return ("L", choose_smallest([d for d in texts if rank_distrust(self.classify_document(d)[1]) == worst]))

    def find_links(self, document: str) -> set[Node]:
        entry = self.find_strongest(document)
        if entry is not None and entry.reading.authenticity is UNKNOWN and entry.parents:
            return {self.resolve_declared(p) for p in entry.parents}
        return {self.resolve_declared(p) for row in self.rows if row.document == document for p in row.parents}

    def find_parents(self, node: Node, believed: bool) -> set[Node]:
        if node[0] == "L":
            return self.find_links(node[1])
        names = self.find_entry(node).parents
        return {self.resolve_declared(p) if believed else self.resolve_upheld(p) for p in names}

    def has_parents(self, node: Node) -> bool:
        return bool(self.find_parents(node, True))

    def find_ancestors(self, node: Node, believed: bool) -> set[Node]:
        found: set[Node] = set()
        waiting = [node]
        while waiting:
            for parent in self.find_parents(waiting.pop(), believed) - {NOWHERE}:
                if parent not in found:
                    found.add(parent)
                    waiting.append(parent)
        return found

    def is_on_cycle(self, node: Node) -> bool:
        return node in self.find_ancestors(node, node[0] == "L")

    def is_cyclic(self, node: Node) -> bool:
        believed = node[0] == "L"
        return any(n in self.find_ancestors(n, believed) for n in self.find_ancestors(node, believed) | {node})

    def find_members(self) -> set[str]:
        nodes = [self.find_node(k) for k in self.list_entries()] + [("L", d) for d in self.documents]
        return {node[1] for node in nodes if self.is_on_cycle(node)}

    # -- what is given, and what parents prove   --------------------------------------------------------------------

    def classify_document(self, document: str, settled: bool = False) -> tuple[ClassWord, BasisClass]:
        classes_of_rows = []
        for row, speaker in zip(self.rows, self.speakers, strict=True):
            if row.document == document and speaker is not None:
                classes_of_rows.append((speaker.word, self.derive_entry(speaker) if settled else speaker.reading))
            elif row.document == document:
                classes_of_rows.append((row.word, self.interpret_row(row)))
        return max(
            classes_of_rows,
            key=lambda s: (rank_distrust(s[1]), not s[1].open_depth, s[0] not in (ClassWord.HUMAN, ClassWord.NONE)),
        )

    def interpret_row(self, row: Row) -> BasisClass:
        return interpret(row.word, None if row.depth < 0 else row.depth)

    def find_given(self, node: Node) -> tuple[ClassWord, BasisClass]:
        if node[0] == "L":
            return self.classify_document(node[1], settled=True)
        return self.find_entry(node).word, self.find_entry(node).reading

    def find_bound(self, node: Node) -> int | None:
        """Return the depth that a descendant can build on."""
        found = self.derive(node, *self.find_given(node))
        if found.reading.depth is not None:
            return found.reading.depth
        floor = None
        if found.reading.authenticity in SYNTHETIC:
            floor = 1 if found.reading.open_depth else 2
        _, given = self.find_given(node)
        if given.authenticity is HUMAN:
            floor = None
        return max([b for b in (floor, found.at_least) if b is not None], default=None)

    def derive(self, node: Node, word: ClassWord, given: BasisClass) -> DerivedClass:
        """Derive the class and depth of a document with this word and class, and the parents of ``node``."""
        parents = self.find_parents(node, False)
        human, synthetic = given.authenticity is HUMAN, given.authenticity in SYNTHETIC
        if self.is_cyclic(node):
            above = self.find_ancestors(node, node[0] == "L")
            machine = synthetic or (human and any(self.find_given(a)[1].authenticity in SYNTHETIC for a in above))
            firm = given.authenticity is DEPTH_2_PLUS and not given.open_depth
            reading = BasisClass(DEPTH_2_PLUS, None, open_depth=not firm) if machine else BasisClass(UNKNOWN, None)
            return DerivedClass(reading)
        step = 0 if word in (ClassWord.HUMAN, ClassWord.NONE) else 1
        depths = [None if p == NOWHERE else self.derive(p, *self.find_given(p)).reading.depth for p in parents]
        bounds = [b for p in parents if p != NOWHERE and (b := self.find_bound(p)) is not None]
        known = max((d + step for d in depths if d is not None), default=None)
        least = max(bounds) + step if bounds else None
        firm = given.authenticity is DEPTH_2_PLUS and not given.open_depth
        if given.depth is not None:
            depth: int | None = max(given.depth, known or 0)
        else:
            depth = known if synthetic and None not in depths else None
            if firm and depth is not None and depth < 2:
                depth = None
        if depth is not None and least is not None and depth < least:
            depth = None
        at_least = least if depth is None else None
        firm = firm or (at_least is not None and at_least >= 2)
        if given.authenticity is UNKNOWN:
            return DerivedClass(given, at_least)
        if human and depth == 0:
            return DerivedClass(BasisClass(HUMAN, 0))
        reading = BasisClass(DEPTH_1 if depth == 1 else DEPTH_2_PLUS, depth, open_depth=depth is None and not firm)
        return DerivedClass(reading, at_least)

    def derive_entry(self, known: BasisEntry) -> BasisClass:
        return self.derive(self.find_node(known), known.word, known.reading).reading

    def derive_row(self, i: int) -> DerivedClass:
        """Derive class, depth and conflicts of a result."""
        row, speaker = self.rows[i], self.speakers[i]
        node = ("L", row.document) if speaker is None else self.find_node(speaker)
        word, own = (row.word, self.interpret_row(row)) if speaker is None else (speaker.word, speaker.reading)
        given = (None if row.depth < 0 else row.depth) if speaker is None else speaker.given_depth
        found = self.derive(node, word, own)
        conflicts = set()
        if self.is_cyclic(node):
            conflicts.add(Conflict.DERIVATION_CYCLE)
        elif own.authenticity is not UNKNOWN:
            step = 0 if word is ClassWord.HUMAN else 1
            bounds = [
                b for p in self.find_parents(node, False) if p != NOWHERE and (b := self.find_bound(p)) is not None
            ]
            given = given if own.authenticity is HUMAN else own.depth
            if bounds and given is not None and given < max(bounds) + step:
                conflicts.add(Conflict.DEPTH_CONFLICT)
        if NOWHERE in self.find_parents(node, True):
            conflicts.add(Conflict.PARENT_UNKNOWN)
        return DerivedClass(found.reading, found.at_least, frozenset(conflicts))


class SourcesOracle:
    """Find human sources; ``classes`` are those of results, parents followed."""

    def __init__(self, parents: ParentsOracle, classes: Sequence[BasisClass]) -> None:
        self.parents, self.classes, self.rows = parents, classes, parents.rows

    # -- who is a source -------------------------------------------------------------------------------------------

    def is_independent(self, known: BasisEntry) -> bool:
        return self.parents.derive_entry(known).authenticity is HUMAN and not known.parents

    def find_name(self, known: BasisEntry) -> str:
        """Return the source that an independent entry is."""
        if len(known.contents) == 1:
            holders = [k for k in self.parents.find_holders(next(iter(known.contents))) if self.is_independent(k)]
            if holders:
                return choose_smallest([k.document for k in holders])
        return known.document

    def find_row_node(self, i: int) -> Node:
        speaker = self.parents.speakers[i]
        return ("L", self.rows[i].document) if speaker is None else self.parents.find_node(speaker)

    def has_synthetic(self, document: str) -> bool:
        return any(self.classes[i].authenticity in SYNTHETIC for i in self.list_rows(document))

    def list_rows(self, document: str) -> list[int]:
        return [i for i, row in enumerate(self.rows) if row.document == document]

    def is_declared(self, document: str) -> bool:
        """Return whether the log declares a document human and independent."""
        mine = self.list_rows(document)
        return (
            any(self.classes[i].authenticity is HUMAN for i in mine)
            and not self.has_synthetic(document)
            and not any(self.parents.has_parents(self.find_row_node(i)) for i in mine)
        )

    def name_by_entry(self, document: str) -> str:
        entry = self.parents.find_strongest(document)
        return self.find_name(entry) if entry is not None and self.is_independent(entry) else document

    def name_by_log(self, document: str) -> str:
        """Return the source that a document of the log is: one with those of the same single content."""
        if not self.is_declared(document):
            return self.name_by_entry(document)

        def contents(d: str) -> set[str]:
            mine = [self.rows[i] for i in self.list_rows(d) if self.classes[i].authenticity is HUMAN]
            return {c for r in mine if (c := r.text if r.text is not None else r.given) is not None}

        same = [document]
        if len(contents(document)) == 1:
            others = {r.document for r in self.rows}
            same += [d for d in others if self.is_declared(d) and contents(d) == contents(document)]
        return self.name_by_entry(choose_smallest(same))

    def find_target(self, anchor: str, believed: bool) -> Node | None:
        """Return the human document that a hash stands for."""
        content = normalise(anchor)
        holders = self.parents.find_holders(content)
        human = [k for k in holders if self.parents.derive_entry(k).authenticity is HUMAN]
        if human and not any(self.parents.derive_entry(k).authenticity in SYNTHETIC for k in holders):
            human = [k for k in human if self.is_independent(k)] or human
            first = choose_smallest([k.document for k in human])
            return self.parents.find_node(next(k for k in human if k.document == first))
        if not believed or any(k.reading.authenticity is not UNKNOWN for k in holders):
            return None
        rows = [i for i, row in enumerate(self.rows) if row.text is not None and digest(row.text) == content]
        if any(self.classes[i].authenticity in SYNTHETIC for i in rows):
            return None
        documents = [self.rows[i].document for i in rows if self.classes[i].authenticity is HUMAN]
        documents = [d for d in documents if self.is_declared(d)] or [d for d in documents if not self.has_synthetic(d)]
        if not documents:
            return None
        entry = self.parents.find_strongest(choose_smallest(documents))
        if entry is not None and entry.reading.authenticity is not UNKNOWN:
            return self.parents.find_node(entry)
        return ("L", choose_smallest(documents))

    # -- the shares of a node  --------------------------------------------------------------------------------------

    def find_targets(self, pairs: Sequence[tuple[str, float]], believed: bool) -> list[tuple[Node, float]]:
        found = [(node, weight) for h, weight in pairs if (node := self.find_target(h, believed)) is not None]
        equal = len({weight for _, weight in found}) <= 1
        return [(n, 1.0 if equal else sum(w for m, w in found if m == n)) for n in dict.fromkeys(n for n, _ in found)]

    def list_links(self, node: Node, believed: bool) -> list[tuple[Node, float]]:
        """Return the nodes that a node inherits from, with weights."""
        graph = self.parents
        if node[0] == "L":
            weights: dict[str, float] = {}
            for i in self.list_rows(node[1]):
                for anchor, weight in self.rows[i].anchors:
                    weights[anchor] = max(weights.get(anchor, 0.0), weight)
            given = self.find_targets(list(weights.items()), believed)
        else:
            given = self.find_targets(graph.find_entry(node).anchors, believed)
        if given:
            return given
        parents = [(parent, 1.0) for parent in graph.find_parents(node, believed) if parent != NOWHERE]
        if believed and node[0] != "L":
            known = graph.find_entry(node)
            bare = graph.derive_entry(known).authenticity is not HUMAN and not known.parents and not known.anchors
            if bare and graph.find_strongest(node[1]) is known and node[1] in graph.documents:
                return [(("L", node[1]), 1.0)]
        return parents

    def find_source(self, node: Node) -> str | None:
        if node[0] == "L":
            return self.name_by_log(node[1]) if self.is_declared(node[1]) else None
        known = self.parents.find_entry(node)
        return self.find_name(known) if self.is_independent(known) else None

    def has_end(self, node: Node, believed: bool, above: tuple[Node, ...] = ()) -> bool:
        """Return whether every path up from a node has an end."""
        if node in above:
            return False
        if self.parents.is_cyclic(node) or self.find_source(node) is not None:
            return True
        return all(self.has_end(n, believed, (*above, node)) for n, _ in self.list_links(node, believed))

    def find_shares(self, node: Node, believed: bool) -> Shares:
        name = self.find_source(node)
        if self.parents.is_cyclic(node) or not self.has_end(node, believed):
            return {}
        return {name: 1.0} if name is not None else self.mix_shares(self.list_links(node, believed), believed)

    def mix_shares(self, parts: Sequence[tuple[Node, float]], believed: bool) -> Shares:
        sets = [(self.find_shares(node, believed), weight) for node, weight in parts]
        total = sum(weight for found, weight in sets if found)
        names = {name for found, _ in sets for name in found}
        return {name: sum(w * found.get(name, 0.0) for found, w in sets) / total for name in names}

    def find_anchors(
        self, i: int, entry: BasisEntry | None, speaker: BasisEntry | None, *, believed: bool
    ) -> tuple[Anchor, ...]:
        """Return the anchors of a result."""
        found = self._find_shares_of_row(i, entry, speaker) if believed else {}
        if not believed and speaker is not None:
            found = self.find_shares(self.parents.find_node(speaker), False)
        return tuple(Anchor(name, found[name]) for name in sorted(found, key=str.encode))

    def _find_shares_of_row(self, i: int, entry: BasisEntry | None, speaker: BasisEntry | None) -> Shares:
        row, node = self.rows[i], self.find_row_node(i)
        if self.parents.is_cyclic(node):
            return {}
        if self.classes[i].authenticity is HUMAN and speaker is None and not self.parents.has_parents(node):
            return {self.name_by_log(row.document): 1.0}
        if entry is not None and (self.is_independent(entry) or entry.parents or entry.anchors):
            return self.find_shares(self.parents.find_node(entry), True)
        found = self.mix_shares(self.find_targets(row.anchors, True), True)
        linked = self.parents.has_parents(("L", row.document))
        return found or (self.find_shares(("L", row.document), True) if linked else {})
