"""Read a log, a catalogue and a trust store, and work out the evidence: the one way in from files or tables.

Flows in: paths (or tables in memory), the time to judge claims at.  Flows out: ``Evidence``.
Rules kept here: the trust store is read first and the log last, so that what is small and wrong is told before what is
large is read; claims are judged at one instant, which is an input.
Not here: reading (``guard_core.ingest``, ``catalogue.py``, ``guard_core.claims``), what evidence is (``evidence.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from guard_core.claims import KeptChecks, TrustStore, read_trust_store
from guard_core.files.limits import Limits, Progress
from guard_core.ingest import read_log
from guard_core.ingest.reading import TableSource
from guard_core.provenance.catalogue import read_catalogue
from guard_core.provenance.evidence import Evidence, build_evidence


def load_inputs(
    sources: Sequence[TableSource],
    *,
    catalogue: TableSource | None = None,
    trust: str | Path | TrustStore | None = None,
    at: int | None = None,
    mapping: Mapping[str, str] | None = None,
    input_format: str | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
    checking: Callable[[int, int], None] | None = None,
    kept: KeptChecks | None = None,
) -> Evidence:
    """Read a log and, if given, a catalogue and a trust store, and work out the evidence.  Raises ``InputError``.

    ``at`` is the time to judge claims at, in seconds since 1970: now, if left out.  ``progress`` is called while files
    are read, ``checking`` with claims checked and in all.
    """
    bounds = limits or Limits()
    store = trust if trust is None or isinstance(trust, TrustStore) else read_trust_store(trust)
    known = None if catalogue is None else read_catalogue(catalogue, limits=bounds, progress=progress)
    log = read_log(sources, mapping=mapping or {}, input_format=input_format, limits=bounds, progress=progress)
    return build_evidence(log, known, store, at=at, progress=checking, kept=kept)
