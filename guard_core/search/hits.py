"""Read hits of a live search as results, by the same evidence as a log's: metadata, catalogue, signed claims.

Flows in: hits, a catalogue, a trust store.  Flows out: ``ReadHits`` for ``guarded_search``.
Rules kept here: a hit is read as one result of a nested log (docs/formats.md): the same column names, the same words,
the same reasons for rejecting it; its place in the list is its rank, whatever it says itself; its own labels are
only declarations, which a catalogue and a valid claim overrule (docs/rules.md).
Not here: the search (``requery.py``), what evidence is worth (``evidence.py``).

The catalogue is joined anew for every list, which takes time in proportion to its size: for a large one keep the
evidence in the index, signed, and give a trust store only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar, cast

from guard_core.claims import KeptChecks, TrustStore
from guard_core.files.limits import Limits
from guard_core.ingest.assembly.assemble import Assembly
from guard_core.ingest.log import Log, LogFile
from guard_core.ingest.read_options import ReadOptions
from guard_core.ingest.records.json_strict import parse_line
from guard_core.ingest.records.records import RecordReader
from guard_core.provenance.catalogue import Catalogue
from guard_core.provenance.evidence import build_evidence
from guard_core.search.requery import ReadHits

Hit = TypeVar("Hit")

Described = Mapping[str, object]
"""A hit as a result of a log: column names of docs/formats.md, or others that are accepted, and values as in JSON."""

_NAME = "search"


class HitReader(Generic[Hit]):
    """Read hits, with what a catalogue knows of their documents and a trust store of their claims.

    ``describe`` turns a hit into its columns; a hit that has one of ``result_id`` and ``document_id`` has both.  Where
    it gives the ``text``, the digests in catalogue and claim have to be those of this text: leave it out for parts of
    documents that were signed as a whole.  ``at`` is the time to judge claims at, in seconds since 1970: now, if left
    out.  Signatures that were checked are remembered from one list to the next.
    """

    def __init__(
        self,
        describe: Callable[[Hit], Described],
        *,
        catalogue: Catalogue | None = None,
        trust: TrustStore | None = None,
        at: int | None = None,
    ) -> None:
        self._describe = describe
        self._catalogue = catalogue
        self._trust = trust
        self._at = at
        self._kept = KeptChecks()

    def __call__(self, hits: Sequence[Hit]) -> ReadHits:
        """Return the results of ``hits``, in order; a hit that has no id, or that cannot be read, is rejected."""
        if not hits:
            return ReadHits((), ())
        log = _assemble_log([_read_columns(self._describe(hit), place) for place, hit in enumerate(hits)])
        evidence = build_evidence(log, self._catalogue, self._trust, at=self._at, kept=self._kept)
        results = evidence.results(0)
        places = tuple(int(rank) - 1 for rank in log.ranks)
        return ReadHits(results, places, int(log.rejected_results[0]))


def _read_columns(described: Described, place: int) -> dict[str, object] | None:
    """Return the columns of a hit as a file would give them; ``None`` if no file could."""
    try:
        text = json.dumps({**described, "rank": place + 1}, default=str)
        return parse_line(text.encode(), Limits().nesting)
    except (TypeError, ValueError, RecursionError):  # no JSON, or not strictly so (BadRecordError)
        return None


def _assemble_log(results: list[dict[str, object] | None]) -> Log:
    """Assemble a log of one retrieval."""
    limits = Limits()
    reader = RecordReader(ReadOptions(limits=limits), nested=True)
    reader.read({"query_id": _NAME, "results": cast("list[object]", results)}, 1)
    assembly = Assembly(limits)
    for batch in reader.take_batches():
        assembly.add(batch, _NAME)
    assembly.end_file(LogFile(_NAME, "hits", ""))
    return assembly.finish()
