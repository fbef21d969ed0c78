"""Define the specification's words and those that Source Guard adds: enums and frozen dataclasses, no verbs.

Flows in: nothing of ours.  Flows out: the nouns that every other module uses.
Rules kept here: the specification's four types keep their names, members, order, field order and positional
construction; every field that Source Guard adds comes after them and defaults to the reference's meaning.
Not here: the decision (``judging/guard.py``), validation and presets (``judging/policy.py``), columns for whole logs
(``ingest/log.py``, ``provenance/evidence.py``).

Enum members whose value is text use that text in JSON, CSV, policy files and URLs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum, auto


class AuthenticityClass(Enum):
    """Who wrote a source (specification, recorded elements 1 and 2).  Members in the specification's order."""

    HUMAN_AUTHORED = auto()
    SYNTHETIC_DEPTH_1 = auto()
    SYNTHETIC_DEPTH_2_PLUS = auto()
    UNKNOWN = auto()


class SynthesisVerdict(Enum):
    """What the rule says of one retrieval (specification, decision boundary).  There are no other verdicts."""

    HUMAN_GROUNDED = auto()
    SYNTHETIC_DEPTH_1_ACCEPTABLE = auto()
    SYNTHETIC_DEPTH_EXCESSIVE = auto()
    UNVERIFIED_SOURCES = auto()


NO_RESULTS = "NO_RESULTS"
"""The word that stands in a verdict's place for a retrieval with zero results; it is not a verdict."""


class Basis(Enum):
    """How a result's class is known, strongest first."""

    SIGNED = "signed"
    CATALOGUE = "catalogue"
    DECLARED = "declared"
    NONE = "none"


class SignatureStatus(Enum):
    """What is known of a result's claim.  The first two are all there is while no trust store is loaded."""

    MISSING = "MISSING"
    UNCHECKED = "UNCHECKED"
    MALFORMED = "MALFORMED"
    ALG_NOT_ALLOWED = "ALG_NOT_ALLOWED"
    UNKNOWN_KEY = "UNKNOWN_KEY"
    BAD_SIGNATURE = "BAD_SIGNATURE"
    UNTRUSTED_ISSUER = "UNTRUSTED_ISSUER"
    NOT_PERMITTED = "NOT_PERMITTED"
    KEY_NOT_VALID = "KEY_NOT_VALID"
    REVOKED = "REVOKED"
    NOT_YET_VALID = "NOT_YET_VALID"
    EXPIRED = "EXPIRED"
    INCONSISTENT = "INCONSISTENT"
    SUBJECT_MISMATCH = "SUBJECT_MISMATCH"
    CONTENT_MISMATCH = "CONTENT_MISMATCH"
    VALID = "VALID"


class SignatureGate(Enum):
    """What gate 1 asks of every result (policy field ``signatures``)."""

    PRESENT = "present"
    VERIFIED = "verified"
    CATALOGUED = "catalogued"
    IGNORED = "ignored"

    @property
    def belief(self) -> Belief:
        """What counts under this gate (R33, R64)."""
        return Belief.DECLARED if self in (SignatureGate.PRESENT, SignatureGate.IGNORED) else Belief.UPHELD


class Belief(IntEnum):
    """Whether a class that only the log declares counts as that class.  The value is the index into arrays of both."""

    DECLARED = 0
    UPHELD = 1


class CountUnit(Enum):
    """What the ratio counts (policy field ``count``): list entries, or distinct documents."""

    RESULTS = "results"
    DOCUMENTS = "documents"


class Finding(Enum):
    """Failures and plain notices of one retrieval, in the order in which they are listed."""

    HALLUCINATION_AMPLIFICATION = "hallucination_amplification"
    SOURCE_ATTRIBUTION_LOSS = "source_attribution_loss"
    COVERAGE_ILLUSION = "coverage_illusion"
    DUPLICATE_DOCUMENTS = "duplicate_documents"
    CLASS_CONFLICT = "class_conflict"
    DEPTH_CONFLICT = "depth_conflict"
    RANK_REPEATED = "rank_repeated"
    FEW_RESULTS = "few_results"
    RESULTS_REJECTED = "results_rejected"


FAILURE_MODES = (
    Finding.HALLUCINATION_AMPLIFICATION,
    Finding.SOURCE_ATTRIBUTION_LOSS,
    Finding.COVERAGE_ILLUSION,
)
"""The specification's three failure modes; the other findings are plain notices."""


class Conflict(Enum):
    """Disagreements about one result, in the order in which they are listed (R56)."""

    CLASS_CONFLICT = "class_conflict"
    DEPTH_CONFLICT = "depth_conflict"
    CONTENT_MISMATCH = "content_mismatch"
    DERIVATION_CYCLE = "derivation_cycle"
    ANCHOR_UNRESOLVED = "anchor_unresolved"
    PARENT_UNKNOWN = "parent_unknown"


class Applicability(Enum):
    """Whether the specification's condition of validity holds for a retrieval."""

    APPLIES = "APPLIES"
    HUMAN_ONLY = "HUMAN_ONLY"
    CREATIVE_TASK = "CREATIVE_TASK"


class Decision(Enum):
    """What a caller does with a retrieval."""

    PROCEED = "PROCEED"
    HALT = "HALT"


@dataclass(frozen=True, slots=True)
class Anchor:
    """A resolved human source of a result.

    ``source`` is the document id of the human source; ``weight`` is its share of the result, the weights of one
    result sum to 1.
    """

    source: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One entry of a result list, with its evidence.

    The first four fields are the specification's.  ``document_id`` defaults to the result id (R62).  ``rank`` is the
    rank as given (``None``: the order of listing).  ``depth`` is the generation depth, ``None`` if unknown; a human
    result is at 0 and a depth-1 result at 1 whatever is given.  ``basis`` says how the class is known; left out it is
    ``DECLARED``, or ``NONE`` for an UNKNOWN class.  ``signature`` left out is UNCHECKED or MISSING, from
    ``source_signature``.  ``catalogued`` says that the catalogue gives the document a class.  ``anchors`` are the human
    sources that resolve when the log's own labels are believed, ``upheld_anchors`` those that resolve without
    them; ``None`` means: a human result is its own anchor, any other has none.
    """

    result_id: str
    authenticity: AuthenticityClass
    human_anchor_hash: str | None
    source_signature: str | None
    document_id: str | None = None
    rank: int | None = None
    depth: int | None = None
    basis: Basis | None = None
    signature: SignatureStatus | None = None
    catalogued: bool = False
    anchors: tuple[Anchor, ...] | None = None
    upheld_anchors: tuple[Anchor, ...] | None = None
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True)
class SynthesisPolicy:
    """What is asked of a retrieval (docs/policy.md gives every field with its reasons).

    Built directly it is as free as the specification's: any number may stand for the ratio.  Policies from files,
    flags and screens go through ``guard_core.judging.policy``, which validates them.  ``top_k`` and
    ``max_depth_in_grounded`` are ``None`` for no limit; ``halt_on`` holds findings, in the order of :class:`Finding`.
    """

    min_human_grounding_ratio: float
    allow_depth_1_synthetic: bool
    signatures: SignatureGate = SignatureGate.PRESENT
    require_anchor: bool = False
    allow_unknown: bool = True
    count: CountUnit = CountUnit.RESULTS
    top_k: int | None = None
    min_effective_anchors: float = 0.0
    max_depth_in_grounded: int | None = None
    halt_on: tuple[Finding, ...] = ()

    @property
    def belief(self) -> Belief:
        """What counts under this policy."""
        return self.signatures.belief


@dataclass(frozen=True, slots=True)
class SynthesisManifest:
    """The judgement of one retrieval.

    The first three fields are the specification's, to the byte for inputs that give only its fields.  Ratios are in
    0..1; ``anchored_ratio`` is the share of judged items with a resolved human source; ``effective_anchors`` is the
    exponential of the Shannon entropy of the anchor masses, ``None`` if no result is anchored; ``max_depth`` the
    greatest known depth, ``None`` if none is known; ``margin`` the least number of judged items whose class would have
    to change for the verdict to change, ``None`` if no number would do (R53).
    """

    verdict: SynthesisVerdict
    directive: str
    manifest_digest: str
    verdict_if_signatures_waived: SynthesisVerdict | None = None
    decision: Decision | None = None
    applicability: Applicability | None = None
    findings: tuple[Finding, ...] = ()
    margin: int | None = None
    total: int = 0
    human: int = 0
    authenticity_diversity_metric: float | None = None
    anchored_ratio: float | None = None
    effective_anchors: float | None = None
    max_depth: int | None = None
