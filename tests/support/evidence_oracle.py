"""Build the evidence one result at a time and without a single array: an oracle for the columns.

Flows in: ``Row`` and ``Entry`` of ``catalogues_and_logs.py``, and a trust store.  Flows out: the ``SearchResult`` of
each row.
Written from the rules alone (docs/rules.md); slow, and meant to be read beside them.  Parents are followed in
``parents_oracle.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from guard_core.claims import TrustStore, verify_claim
from guard_core.model import Anchor, Basis, Conflict, SearchResult, SignatureStatus
from guard_core.provenance.evidence import Evidence
from tests.support.basis_oracle import (
    HUMAN,
    UNKNOWN,
    BasisEntry,
    build_signed_entries,
    choose_entries,
    find_disagreements,
    interpret,
    is_contrary,
    normalise,
    rank_distrust,
)
from tests.support.catalogues_and_logs import Entry, Row, digest
from tests.support.claim_tokens import AT
from tests.support.parents_oracle import ParentsOracle, SourcesOracle


def list_results(evidence: Evidence) -> list[SearchResult]:
    """Return the results of all retrievals, one after the other."""
    return [result for i in range(evidence.log.retrieval_count) for result in evidence.results(i)]


def round_weights(result: SearchResult) -> SearchResult:
    """Return a result with rounded shares, which an oracle sums up in another order."""

    def anchors(given: tuple[Anchor, ...] | None) -> tuple[Anchor, ...]:
        return tuple(Anchor(anchor.source, round(anchor.weight, 9)) for anchor in given or ())

    return replace(result, anchors=anchors(result.anchors), upheld_anchors=anchors(result.upheld_anchors))


class EvidenceOracle:
    """Build the evidence of a log with a catalogue and claims."""

    def __init__(self, rows: Sequence[Row], entries: Sequence[Entry] | None, store: TrustStore | None = None) -> None:
        self.rows = rows
        self.catalogue = {} if entries is None else choose_entries(entries)
        self.outcomes = [
            verify_claim(row.signature, store, AT, document_id=row.document, text=row.text) for row in rows
        ]
        valid = [o.claim for o in self.outcomes if o.status is SignatureStatus.VALID and o.claim is not None]
        self.signed = build_signed_entries(valid, self.catalogue)
        self.joined = [self._join_row(row) for row in rows]
        self.declared = [interpret(row.word, None if row.depth < 0 else row.depth) for row in rows]
        self.parents = ParentsOracle(
            rows, self.catalogue, self.signed, [self.find_class_entry(i) for i in range(len(rows))]
        )
        self.found = [self.parents.derive_row(i) for i in range(len(rows))]
        self.sources = SourcesOracle(self.parents, [found.reading for found in self.found])

    # -- the entry of a result -------------------------------------------------------------------------------------

    def _join_row(self, row: Row) -> tuple[BasisEntry | None, set[Conflict]]:
        entry = self.catalogue.get(row.document)
        conflicts = set()
        if entry and row.text is not None and entry.contents and digest(row.text) not in entry.contents:
            entry, conflicts = None, {Conflict.CONTENT_MISMATCH}
        content = row.text if row.text is not None else row.given
        if entry is None and content is not None:
            holders = [k for k in self.catalogue.values() if digest(content) in k.contents]
            if holders:
                worst = max(rank_distrust(k.reading) for k in holders)
                entry = min(
                    (k for k in holders if rank_distrust(k.reading) == worst), key=lambda k: k.document.encode()
                )
                if len({rank_distrust(k.reading) for k in holders}) > 1:
                    conflicts.add(Conflict.CLASS_CONFLICT)
        return entry, conflicts

    def carries_claim(self, i: int) -> bool:
        return self.outcomes[i].status is SignatureStatus.VALID

    def find_entry_of(self, i: int) -> BasisEntry | None:
        """Return the entry that counts for a result, whether or not it gives a class."""
        return self.signed[self.rows[i].document] if self.carries_claim(i) else self.joined[i][0]

    def find_class_entry(self, i: int) -> BasisEntry | None:
        """Return the entry whose class counts for a result."""
        entry = self.find_entry_of(i)
        return None if entry is None or entry.reading.authenticity is UNKNOWN else entry

    # -- results ---------------------------------------------------------------------------------------------------

    def build_result(self, i: int) -> SearchResult:
        row, found, entry, speaker = self.rows[i], self.found[i], self.find_entry_of(i), self.find_class_entry(i)
        catalogued = (k := self.joined[i][0]) is not None and k.reading.authenticity is not UNKNOWN
        named = [h for h, _ in row.anchors]
        if entry is not None:
            named = [*entry.named, *(h for h in named if h not in entry.named)]
        basis = Basis.DECLARED if self.declared[i].authenticity is not UNKNOWN else Basis.NONE
        if speaker is not None:
            basis = Basis.SIGNED if speaker.signed else Basis.CATALOGUE
        status = self.outcomes[i].status
        return SearchResult(
            result_id=row.document,
            authenticity=found.reading.authenticity,
            human_anchor_hash=named[0] if named else None,
            source_signature=row.signature,
            document_id=row.document,
            depth=found.reading.depth,
            basis=basis,
            signature=status,
            catalogued=catalogued,
            anchors=self.sources.find_anchors(i, entry, speaker, believed=True),
            upheld_anchors=self.sources.find_anchors(i, entry, speaker, believed=False),
            conflicts=tuple(c for c in Conflict if c in self.find_conflicts(i)),
        )

    def find_least(self, i: int) -> int:
        return -1 if (least := self.found[i].at_least) is None else least

    def find_conflicts(self, i: int) -> set[Conflict]:
        row, found, entry = self.rows[i], self.found[i], self.find_entry_of(i)
        declared, (catalogued, conflicts) = self.declared[i], self.joined[i]
        conflicts = conflicts | found.conflicts
        conflicts |= {Conflict.DEPTH_CONFLICT} if declared.conflict else set()
        bases = [known for known in (catalogued, self.signed.get(row.document)) if known is not None]
        for known in bases:
            conflicts |= find_disagreements(declared, known.reading)
            conflicts |= {Conflict.CLASS_CONFLICT} if known.differs else set()
            conflicts |= {Conflict.DEPTH_CONFLICT} if known.reading.conflict else set()
        if len(bases) == 2:
            conflicts |= find_disagreements(bases[0].reading, bases[1].reading)
        if self.find_class_entry(i) is not None:
            conflicts |= find_disagreements(declared, found.reading)
        if self._has_content_conflict(i, entry):
            conflicts.add(Conflict.CLASS_CONFLICT)
        if self._is_unresolved(i, entry):
            conflicts.add(Conflict.ANCHOR_UNRESOLVED)
        return conflicts

    def _has_content_conflict(self, i: int, entry: BasisEntry | None) -> bool:
        """Return whether the same bytes have different classes."""
        same_text = [
            self.found[j].reading
            for j, row in enumerate(self.rows)
            if row.text is not None and row.text == self.rows[i].text
        ]
        readings = [(self.found[i].reading, other) for other in same_text]
        if entry is not None:
            mine = self.parents.derive_entry(entry)
            for content in self.parents.list_contents(entry):
                readings += [(mine, self.parents.derive_entry(k)) for k in self.parents.find_holders(content)]
        return any(is_contrary(one, other) for one, other in readings)

    def _is_unresolved(self, i: int, entry: BasisEntry | None) -> bool:
        row = self.rows[i]
        content = row.text if row.text is not None else row.given
        own = {digest(content)} if content is not None and self.found[i].reading.authenticity is HUMAN else set()
        lost = [h for h, _ in row.anchors if self.sources.find_target(h, True) is None and normalise(h) not in own]
        if entry is not None:
            own = set(entry.contents) if self.parents.derive_entry(entry).authenticity is HUMAN else set()
            lost += [
                h for h, _ in entry.anchors if self.sources.find_target(h, True) is None and normalise(h) not in own
            ]
        return bool(lost)
