"""Find the class and depth of each document of the catalogue, parents followed.

Flows in: a ``Catalogue``, the entries of every basis, and what parents prove.  Flows out: ``CorpusClasses``.
Rules kept here: a document has the class of its strongest entry, a valid claim before the catalogue's own; documents
that only claims or a log name are not in the corpus, because nobody says that they are in the pool.
Not here: how much of which class is retrieved (``guard_core.corpus.exposure``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.provenance.catalogue import Catalogue
from guard_core.provenance.entry_index import EntryIndex
from guard_core.provenance.parents.parent_graph import ParentGraph


@dataclass(frozen=True, slots=True, eq=False)
class CorpusClasses:
    """Hold class codes and depths (-1 unknown) of the documents of a catalogue, in the order of its entries."""

    classes: NDArray[np.uint8]
    depths: NDArray[np.int32]

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """The number of documents of each class, in the order of ``AuthenticityClass``."""
        human, first, deeper, unknown = np.bincount(self.classes, minlength=4).tolist()
        return human, first, deeper, unknown


def classify_corpus(catalogue: Catalogue, index: EntryIndex, graph: ParentGraph | None) -> CorpusClasses:
    """Return the class and depth of each document; ``graph`` is ``None`` where nobody names a parent."""
    strongest = np.arange(index.signed_count, index.signed_count + catalogue.documents)
    documents = index.entry_documents[: index.signed_count]
    listed = documents < catalogue.documents
    strongest[documents[listed]] = np.flatnonzero(listed)
    found = index.entries if graph is None else graph
    return CorpusClasses(found.classes[strongest], found.depths[strongest])
