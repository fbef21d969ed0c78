"""Build evidence: for each result its class, depth and anchors, and how they are known, as compact columns.

Flows in: a ``Log`` and, optionally, a ``Catalogue`` and a trust store.  Flows out: ``Evidence``, built once and
immutable; a policy never changes it.
Rules kept here: nothing inside a log raises the basis of its evidence; the stronger basis counts and the disagreement
is listed; between equals the less trusted value counts; what counts under either ``Belief`` is kept side by side, so
that a change of ``signatures`` only judges again; signatures are verified once, so that a change of trust only decides
again.
Not here: the steps of the work (``guard_core.provenance``), counting and judging (``guard_core.judging``).
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from guard_core.claims import ClaimOutcome, DecidedLog, KeptChecks, TrustStore, check_log, decide_log
from guard_core.codes import BASES, CLASSES, CONFLICTS, STATUSES, UNKNOWN, UNKNOWN_DEPTH
from guard_core.columns import Ragged, Strings, TextColumn
from guard_core.errors import OtherKeysError
from guard_core.files.limits import Progress
from guard_core.ingest.assembly.identifiers import count_suspicious_ids
from guard_core.ingest.log import Log, Notice
from guard_core.model import Anchor, Belief, Conflict, SearchResult, SignatureStatus
from guard_core.provenance.anchors import MOST_SOURCES
from guard_core.provenance.catalogue import Catalogue
from guard_core.provenance.classes import StatedClasses, derive_classes
from guard_core.provenance.content_conflicts import find_content_conflicts
from guard_core.provenance.corpus_classes import CorpusClasses, classify_corpus
from guard_core.provenance.digest import digest_log
from guard_core.provenance.entry_index import EntryIndex, index_entries, index_no_entries
from guard_core.provenance.join import CatalogueJoin, join_catalogue
from guard_core.provenance.labels import choose_label
from guard_core.provenance.parents.parent_graph import ParentGraph, build_parent_graph, has_parents
from guard_core.provenance.precedence import apply_precedence
from guard_core.provenance.signed_entries import (
    ClaimTable,
    assign_claims,
    build_signed_entries,
    find_originators,
    tabulate_claims,
)
from guard_core.provenance.sources.by_anchor import ResultSources, find_sources_by_anchor
from guard_core.provenance.sources.by_parent import find_sources_by_parent


@dataclass(frozen=True, slots=True, eq=False)
class DocumentKnowledge:
    """Hold what catalogue and claims say of documents, and their parents (``None`` where nobody names any)."""

    index: EntryIndex
    graph: ParentGraph | None


@dataclass(frozen=True, slots=True, eq=False)
class ResultEvidence:
    """What counts for each of ``m`` results under one belief: rows as in the log.

    ``anchors`` are the human sources of each result that are resolved: codes into ``Evidence.sources``, with weights
    that sum to 1 a row.
    """

    classes: NDArray[np.uint8]
    depths: NDArray[np.int32]
    """-1 where the depth is not known."""
    anchors: Ragged


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Per-result evidence of a log of ``m`` results, rows as in the log.

    Class codes are those of ``guard_core.provenance.classes`` (exported here), basis codes index ``tuple(Basis)``,
    signature codes ``tuple(SignatureStatus)``, conflict bit ``1 << i`` is the i-th of ``tuple(Conflict)``.
    """

    log: Log
    beliefs: tuple[ResultEvidence, ResultEvidence]
    """What counts under each ``Belief``, in its order; the same object twice where the log's word changes nothing."""
    declared_classes: NDArray[np.uint8]
    """The log's own class, shown beside the others; UNKNOWN where it gives none."""
    bases: NDArray[np.uint8]
    depth_at_least: NDArray[np.int32]
    """The greatest depth that known parents prove where the depth is unknown; -1 none."""
    catalogued: NDArray[np.bool_]
    """The catalogue gives this document a class that counts for this result."""
    signature_statuses: NDArray[np.uint8]
    conflicts: NDArray[np.uint8]
    sources: Strings
    """Document ids of human sources."""
    declared_anchors: Ragged
    """Anchor hashes that claim, catalogue and log name (R66), strongest basis first: codes into ``hashes``."""
    hashes: Strings
    originators: TextColumn
    generators: TextColumn
    collections: TextColumn
    catalogue_documents: int
    matched_results: int
    """Results for which an entry of the catalogue is used."""
    catalogue_digest: str | None
    notices: tuple[Notice, ...] = ()
    """What a reader should know of the catalogue; the log's own notices are in the log."""
    catalogue: Catalogue | None = None
    entries: NDArray[np.int32] | None = None
    """The catalogue entry used for each result, -1 none; ``None`` without a catalogue."""
    claims: TextColumn | None = None
    """The claim that stands for each result: its own, else the catalogue's on its document; ``None``: as in the log."""
    cases: NDArray[np.int32] | None = None
    """The case of each result among the claims that were decided, -1 without one; ``None`` without a trust store."""
    decided: DecidedLog | None = None
    """What became of the claims, with trust store and time; ``None`` without a trust store."""
    corpus: CorpusClasses | None = None
    """Class and depth of every document of the catalogue, parents followed; ``None`` without a catalogue."""
    documents: DocumentKnowledge | None = None
    """The entries and parents of documents, for ``guard_core.corpus.derivation``; ``None`` in an excerpt, and where
    there is neither a catalogue, nor a valid claim, nor a parent."""
    _source: _Source | None = field(default=None, repr=False)
    _lists: ClaimTable | None = field(default=None, repr=False)
    _kept: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    def under(self, belief: Belief) -> ResultEvidence:
        """Return what counts for each result under a belief."""
        return self.beliefs[belief]

    @property
    def log_digest(self) -> str:
        """``sha256:<hex>`` of the accepted rows (R58); worked out when first asked for."""
        if "log" not in self._kept:
            self._kept["log"] = digest_log(self.log)
        return self._kept["log"]

    @property
    def digest(self) -> str:
        """``sha256:<hex>``: the identity of this evidence, from the accepted rows, the catalogue and, where claims
        were judged, the trust store and the time (R68)."""
        parts = ["source-guard/evidence/1", self.log_digest, self.catalogue_digest or "no catalogue"]
        if self.decided is not None:
            parts += [self.decided.store.digest, str(self.decided.at)]
        return "sha256:" + hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @property
    def at(self) -> int | None:
        """The time that claims were judged at, in seconds since 1970; ``None`` without a trust store."""
        return None if self.decided is None else self.decided.at

    def outcome(self, row: int) -> ClaimOutcome | None:
        """Return the outcome of the claim of one result, in words; ``None`` without a trust store."""
        if self.decided is None or self.cases is None:
            return None
        return self.decided.decide_case(int(self.cases[row]))

    def with_trust(self, store: TrustStore, at: int) -> Evidence:
        """Return the evidence as it would be under that trust store at that time; verifies nothing again.

        ``store`` must have the keys of the one in force, whatever it says of them and of originators.  Raises
        ``OtherKeysError`` if it has others, if no trust store is in force, or if this is an excerpt of a log.
        """
        if self.decided is None or self._source is None or self._source.log is not self.log:
            raise OtherKeysError("its claims were not checked here: build the evidence with a trust store first")
        other = _assemble_evidence(self._source, decide_log(self.decided.checked, store, at), self._lists)
        other._kept.update(self._kept)  # noqa: SLF001  # the rows are the same, and so is their digest
        return other

    def label(self, name: str) -> TextColumn:
        """Return a label of each result by its canonical name (``title``, ``url`` ...).

        A valid claim counts first, then the catalogue, then the log (R70).
        """
        if name == "originator":
            return self.originators
        return choose_label(name, self.log, self.catalogue, self.entries)

    def results(self, retrieval: int, top_k: int | None = None) -> tuple[SearchResult, ...]:
        """Return the results of one retrieval, the first ``top_k`` of them, as the scalar rule takes them."""
        start, stop = int(self.log.offsets[retrieval]), int(self.log.offsets[retrieval + 1])
        if top_k is not None:
            stop = min(stop, start + top_k)
        return tuple(self.result(row) for row in range(start, stop))

    def result(self, row: int) -> SearchResult:
        """Return one result as the scalar rule takes it."""
        log = self.log
        named = self.declared_anchors.offsets
        declared, upheld = self.beliefs
        depth = int(declared.depths[row])
        bits = int(self.conflicts[row])
        first = int(named[row])
        return SearchResult(
            result_id=log.result_ids.text(row) or "",
            authenticity=CLASSES.member(declared.classes[row]),
            human_anchor_hash=None
            if first == named[row + 1]
            else self.hashes[self.declared_anchors.codes[first]].as_py(),
            source_signature=(log.signatures if self.claims is None else self.claims).text(row),
            document_id=log.document_ids.text(row),
            rank=int(log.ranks[row]) if log.ranks_given[row] else None,
            depth=None if depth < 0 else depth,
            basis=BASES.member(self.bases[row]),
            signature=STATUSES.member(self.signature_statuses[row]),
            catalogued=bool(self.catalogued[row]),
            anchors=self._anchors(declared.anchors, row),
            upheld_anchors=self._anchors(upheld.anchors, row),
            conflicts=CONFLICTS.flagged(bits),
        )

    def _anchors(self, anchors: Ragged, row: int) -> tuple[Anchor, ...]:
        start, stop = int(anchors.offsets[row]), int(anchors.offsets[row + 1])
        return tuple(
            Anchor(
                self.sources[anchors.codes[i]].as_py(),
                1.0 / (stop - start) if anchors.weights is None else float(anchors.weights[i]),
            )
            for i in range(start, stop)
        )


def build_evidence(
    log: Log,
    catalogue: Catalogue | None = None,
    trust: TrustStore | None = None,
    *,
    at: int | None = None,
    progress: Progress | None = None,
    kept: KeptChecks | None = None,
) -> Evidence:
    """Build the evidence of every result of ``log``, with what ``catalogue`` and ``trust`` know of them.

    A result's class is that of its claim where this is VALID, else the catalogue's where it gives one, else the log's
    own, else UNKNOWN.  ``at`` is the time to judge claims at, in seconds since 1970, now if left out; ``progress`` is
    called with distinct claims checked and in all; ``kept`` remembers checked signatures from one call to the next.
    Without a trust store no claim is checked: one that is there is UNCHECKED (R34).
    """
    joined = None if catalogue is None else join_catalogue(log, catalogue)
    claims = assign_claims(log, catalogue, joined)
    notices = () if catalogue is None else (*catalogue.notices, *_notice_lookalikes(log, catalogue))
    source = _Source(log, catalogue, joined, derive_classes(log.class_words, log.depths), claims, notices)
    if trust is None:
        return _assemble_evidence(source, None, None)
    checked = check_log(claims, log.document_ids, log.text_digests, trust, kept=kept, progress=progress)
    decided = decide_log(checked, trust, int(time.time()) if at is None else at)
    return _assemble_evidence(source, decided, tabulate_claims(checked, log))


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """What stays the same whoever is trusted."""

    log: Log
    catalogue: Catalogue | None
    joined: CatalogueJoin | None
    declared: StatedClasses
    claims: TextColumn
    notices: tuple[Notice, ...]


def _assemble_evidence(source: _Source, decided: DecidedLog | None, lists: ClaimTable | None) -> Evidence:
    """Assemble the evidence, with the claims as ``decided`` has them."""
    log, catalogue, joined = source.log, source.catalogue, source.joined
    signed = None if decided is None or lists is None else build_signed_entries(decided, lists, log)
    results = apply_precedence(log, source.declared, catalogue, joined, signed)
    index = index_entries(log, catalogue, joined, signed)
    at_least = np.full(log.result_count, UNKNOWN_DEPTH, np.int32)
    notices, graph = source.notices, None
    if has_parents(log, index):
        index = index or index_no_entries(log)
        followed = build_parent_graph(log, index, results, source.declared)
        graph, results, at_least = followed.graph, followed.results, followed.at_least
        found = find_sources_by_parent(log, results.classes, followed.upheld, index, results.entries, graph)
        notices, entry_classes = (*notices, *graph.notices), graph.stated
    else:
        entry_classes = np.zeros(0, np.uint8) if index is None else index.entries.stated
        is_upheld = results.upheld_classes != UNKNOWN
        found = find_sources_by_anchor(log, results.classes, is_upheld, index, results.entries)
    contrary = find_content_conflicts(log, index, results.entries, results.stated, entry_classes)
    conflicts = results.conflicts | contrary * CONFLICTS.bit(Conflict.CLASS_CONFLICT)
    conflicts |= found.unresolved * CONFLICTS.bit(Conflict.ANCHOR_UNRESOLVED)
    declared = upheld = ResultEvidence(results.classes, results.depths, found.anchors)
    if results.upheld_classes is not results.classes or found.upheld_anchors is not found.anchors:
        upheld = ResultEvidence(results.upheld_classes, results.upheld_depths, found.upheld_anchors)
    entries = None if joined is None else joined.entries
    originators = choose_label("originator", log, catalogue, entries)
    return Evidence(
        log=log,
        beliefs=(declared, upheld),
        declared_classes=source.declared.classes,
        bases=results.bases,
        depth_at_least=at_least,
        catalogued=results.catalogued,
        signature_statuses=_mark_unchecked(source.claims) if decided is None else decided.list_row_statuses(),
        conflicts=conflicts,
        sources=found.sources,
        declared_anchors=found.declared_anchors,
        hashes=found.hashes,
        originators=originators if decided is None else find_originators(decided, signed, originators),
        generators=choose_label("generator", log, catalogue, entries),
        collections=choose_label("collection", log, catalogue, entries),
        catalogue_documents=0 if catalogue is None else catalogue.documents,
        matched_results=0 if entries is None else int(np.count_nonzero(entries >= 0)),
        catalogue_digest=None if catalogue is None else catalogue.digest,
        notices=(*notices, *_notice_truncated(found)),
        catalogue=catalogue,
        entries=entries,
        claims=source.claims,
        cases=None if decided is None else decided.checked.case_of,
        decided=decided,
        corpus=None if catalogue is None or index is None else classify_corpus(catalogue, index, graph),
        documents=None if index is None else DocumentKnowledge(index, graph),
        _source=source,
        _lists=lists,
    )


def _mark_unchecked(claims: TextColumn) -> NDArray[np.uint8]:
    """Return the status of results whose claims nobody checks; an empty claim never comes this far (R34)."""
    return np.where(claims.codes >= 0, STATUSES.code(SignatureStatus.UNCHECKED), STATUSES.code(SignatureStatus.MISSING))


def _notice_truncated(found: ResultSources) -> tuple[Notice, ...]:
    """Return a notice if more human sources were found than count."""
    cut = 0 if found.truncated is None else int(np.count_nonzero(found.truncated))
    words = f"results that descend from more than {MOST_SOURCES} human sources; those with the greatest shares count"
    return (Notice("sources_not_listed", cut, words),) if cut else ()


def _notice_lookalikes(log: Log, catalogue: Catalogue) -> tuple[Notice, ...]:
    """Return a notice if ids of log and catalogue differ only in Unicode form: they are not joined (R20)."""
    ours, theirs = log.document_ids.values, catalogue.entries.document_ids
    both, in_log, in_catalogue = (count_suspicious_ids(ids)[0] for ids in ([ours, theirs], [ours], [theirs]))
    across = both - in_log - in_catalogue
    if across <= 0:
        return ()
    words = "ids of log and catalogue that differ from each other only in their Unicode form; not joined"
    return (Notice("catalogue_id_unicode_form", across, words),)
