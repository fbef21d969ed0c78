"""Make random retrievals for the laws of judging, as tuples of ``SearchResult`` and as columns of ``Evidence``.

The columns are made from the tuples by plain loops, so that what is compared in the laws is the judging alone.
"""

from __future__ import annotations

import dataclasses
from itertools import permutations, product

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from numpy.typing import NDArray

from guard_core.codes import BASES, CONFLICTS, DEPTH_1, DEPTH_2_PLUS, HUMAN, STATUSES, UNKNOWN
from guard_core.columns import Ragged, TextColumn
from guard_core.ingest.log import MISSING_TIME, Log
from guard_core.judging.policy import NamedPolicy
from guard_core.model import (
    Anchor,
    AuthenticityClass,
    Basis,
    Conflict,
    CountUnit,
    Finding,
    SearchResult,
    SignatureGate,
    SignatureStatus,
    SynthesisPolicy,
)
from guard_core.output.evaluation import Evaluation, evaluate
from guard_core.provenance.evidence import Evidence, ResultEvidence


@dataclasses.dataclass(frozen=True)
class Retrieval:
    """Hold one random retrieval: what the scalar rule takes."""

    results: tuple[SearchResult, ...]
    creative: bool = False
    rejected: int = 0


CLASS_CODES = {
    AuthenticityClass.HUMAN_AUTHORED: HUMAN,
    AuthenticityClass.SYNTHETIC_DEPTH_1: DEPTH_1,
    AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS: DEPTH_2_PLUS,
    AuthenticityClass.UNKNOWN: UNKNOWN,
}
UPHELD = (Basis.SIGNED, Basis.CATALOGUE)
SOURCES = ("h0", "h1", "h2", "h3")


# What is drawn for each result is one choice of all that can be, prepared once: to draw the parts one by one takes most
# of the time of a law.
_CLASSES = st.sampled_from(AuthenticityClass)
_KNOWN_BASES = st.sampled_from((Basis.SIGNED, Basis.CATALOGUE, Basis.DECLARED))
_UNSIGNED = st.sampled_from((SignatureStatus.MISSING, SignatureStatus.UNCHECKED, SignatureStatus.EXPIRED))
_RANKS = st.sampled_from((None, 1, 2, 3, 4))
_DEPTHS = st.sampled_from((None, 2, 3, 4, 5, 6))
_BOOLEANS = st.booleans()
_CHOSEN_SOURCES = st.sampled_from([chosen for size in range(4) for chosen in permutations(SOURCES, size)])
_PARTS = [st.sampled_from(list(product(range(1, 6), repeat=size))) for size in range(4)]
_CONFLICTS = st.integers(0, 10 ** len(Conflict) - 1).map(
    lambda digits: tuple(conflict for place, conflict in enumerate(Conflict) if digits // 10**place % 10 == 9)
)
"""Each conflict at every tenth result."""


@st.composite
def anchor_lists(draw: st.DrawFn) -> tuple[Anchor, ...]:
    """Draw no, one or several human sources, with equal or odd weights that sum to 1."""
    chosen = draw(_CHOSEN_SOURCES)
    parts = draw(_PARTS[len(chosen)]) if chosen else ()
    return tuple(Anchor(source, part / sum(parts)) for source, part in zip(chosen, parts, strict=True))


_ANCHORS = anchor_lists()


@st.composite
def search_results(draw: st.DrawFn, number: int) -> SearchResult:
    """Draw a result whose parts are as evidence would make them, in every combination that judging can meet."""
    authenticity = draw(_CLASSES)
    known = authenticity is not AuthenticityClass.UNKNOWN
    basis = draw(_KNOWN_BASES) if known else Basis.NONE
    status = SignatureStatus.VALID if basis is Basis.SIGNED else draw(_UNSIGNED)
    document = draw(st.sampled_from(("a", "b", "c", f"d{number}")))
    human = authenticity is AuthenticityClass.HUMAN_AUTHORED
    anchors = (Anchor(document),) if human else draw(_ANCHORS)
    upheld = anchors if basis in UPHELD and (human or draw(_BOOLEANS)) else ()
    return SearchResult(
        result_id=f"r{number}",
        authenticity=authenticity,
        human_anchor_hash=None,
        source_signature=None if status is SignatureStatus.MISSING else "signature",
        document_id=document,
        rank=draw(_RANKS),
        depth=draw(_DEPTHS) if authenticity is AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS else None,
        basis=basis,
        signature=status,
        catalogued=basis is Basis.CATALOGUE or (basis is Basis.SIGNED and draw(_BOOLEANS)),
        anchors=anchors,
        upheld_anchors=upheld,
        conflicts=draw(_CONFLICTS),
    )


@st.composite
def retrievals(draw: st.DrawFn, max_results: int = 8) -> Retrieval:
    """Draw one retrieval; sometimes empty, creative, or with results that could not be read."""
    size = draw(st.integers(0, max_results))
    results = tuple(draw(search_results(i)) for i in range(size))
    return Retrieval(results, draw(st.integers(0, 9)) == 0, draw(st.sampled_from((0, 0, 0, 2))))


ratios = st.integers(0, 10_000).map(lambda points: points / 10_000) | st.sampled_from(
    (0.0, 1.0, 0.5, 0.25, 0.3333, 0.6666)
)

policies = st.builds(
    SynthesisPolicy,
    min_human_grounding_ratio=ratios,
    allow_depth_1_synthetic=st.booleans(),
    signatures=st.sampled_from(SignatureGate),
    require_anchor=st.booleans(),
    allow_unknown=st.booleans(),
    count=st.sampled_from(CountUnit),
    top_k=st.none() | st.integers(1, 9),
    min_effective_anchors=st.sampled_from((0.0, 1.0, 2.0, 2.5, 3.0, 10.0)),
    max_depth_in_grounded=st.none() | st.integers(0, 6),
    halt_on=st.sets(st.sampled_from(Finding), max_size=3).map(lambda found: tuple(f for f in Finding if f in found)),
)


def _text(values: list[str | None]) -> TextColumn:
    encoded = pa.array(values, pa.string()).dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy().astype(np.int32)
    return TextColumn(codes, encoded.dictionary)


def _ragged(lists: list[tuple[Anchor, ...]], names: list[str]) -> Ragged:
    offsets = np.cumsum([0, *(len(anchors) for anchors in lists)]).astype(np.int64)
    flat = [anchor for anchors in lists for anchor in anchors]
    codes = np.array([names.index(a.source) for a in flat], np.int32)
    return Ragged(offsets, codes, np.array([a.weight for a in flat], np.float64))


def make_evidence(log: list[Retrieval]) -> Evidence:
    """Return the same retrievals as columns."""
    rows = [result for retrieval in log for result in retrieval.results]
    n, m = len(log), len(rows)
    declared = np.array([CLASS_CODES[r.authenticity] for r in rows], np.uint8)
    upheld = [r.basis in UPHELD for r in rows]
    depths = np.array([_depth(r) for r in rows], np.int32)
    names = sorted({a.source for r in rows for a in (*(r.anchors or ()), *(r.upheld_anchors or ()))})
    return Evidence(
        log=Log(
            files=(),
            rows_read=m,
            rows_accepted=m,
            rows_rejected=0,
            rows_ignored=0,
            incomplete=False,
            problems=(),
            notices=(),
            offsets=np.cumsum([0, *(len(r.results) for r in log)]).astype(np.int64),
            query_ids=_text([f"q{i}" for i in range(n)]),
            occurrences=np.ones(n, np.int32),
            queries=TextColumn.missing(n),
            times=np.full(n, MISSING_TIME, np.int64),
            creative=np.array([r.creative for r in log], bool),
            rejected_results=np.array([r.rejected for r in log], np.int32),
            result_ids=_text([r.result_id for r in rows]),
            document_ids=_text([r.document_id for r in rows]),
            ranks=_positions(log, rows),
            ranks_given=np.array([r.rank is not None for r in rows], bool),
            scores=np.full(m, np.nan),
            class_words=np.zeros(m, np.int8),
            depths=np.full(m, -1, np.int32),
            anchors=Ragged.empty(m),
            anchor_hashes=pa.array([], pa.string()),
            signatures=_text([r.source_signature for r in rows]),
            text_digests=TextColumn.missing(m),
            content_digests=TextColumn.missing(m),
            parents=Ragged.empty(m),
            parent_ids=pa.array([], pa.string()),
        ),
        beliefs=(
            ResultEvidence(declared, depths, _ragged([r.anchors or () for r in rows], names)),
            ResultEvidence(
                np.where(upheld, declared, UNKNOWN).astype(np.uint8),
                np.where(upheld, depths, -1).astype(np.int32),
                _ragged([r.upheld_anchors or () for r in rows], names),
            ),
        ),
        declared_classes=declared,
        bases=np.array([BASES.code(r.basis or Basis.NONE) for r in rows], np.uint8),
        depth_at_least=np.full(m, -1, np.int32),
        catalogued=np.array([r.catalogued for r in rows], bool),
        signature_statuses=np.array([STATUSES.code(r.signature or SignatureStatus.MISSING) for r in rows], np.uint8),
        conflicts=np.array([CONFLICTS.bits(r.conflicts) for r in rows], np.uint8),
        sources=pa.array(names, pa.string()),
        declared_anchors=Ragged.empty(m),
        hashes=pa.array([], pa.string()),
        originators=TextColumn.missing(m),
        generators=TextColumn.missing(m),
        collections=TextColumn.missing(m),
        catalogue_documents=0,
        matched_results=0,
        catalogue_digest=None,
    )


def evaluate_retrievals(log: list[Retrieval], policy: SynthesisPolicy, at: str | None = None) -> Evaluation:
    """Evaluate retrievals under the name of the reference policy."""
    return evaluate(make_evidence(log), NamedPolicy("reference", policy), at)


HUMAN_RESULT = SearchResult(
    "a", AuthenticityClass.HUMAN_AUTHORED, None, "claim", document_id="a", basis=Basis.DECLARED,
    signature=SignatureStatus.UNCHECKED, anchors=(), upheld_anchors=(),
)  # fmt: skip


def _depth(result: SearchResult) -> int:
    match result.authenticity:
        case AuthenticityClass.HUMAN_AUTHORED:
            return 0
        case AuthenticityClass.SYNTHETIC_DEPTH_1:
            return 1
        case AuthenticityClass.SYNTHETIC_DEPTH_2_PLUS:
            return -1 if result.depth is None else result.depth
        case AuthenticityClass.UNKNOWN:
            return -1


def _positions(log: list[Retrieval], rows: list[SearchResult]) -> NDArray[np.int32]:
    listed = [i + 1 for retrieval in log for i in range(len(retrieval.results))]
    return np.array([r.rank or place for r, place in zip(rows, listed, strict=True)], np.int32)
