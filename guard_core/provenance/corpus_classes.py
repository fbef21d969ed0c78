"""The corpus as the catalogue gives it: class and depth of each of its documents, once chains are followed.

Flows in: a ``Catalogue``, what is known of documents, and what their chains prove.  Flows out: ``Corpus``.
Rules kept here: a document is of the class of its strongest entry, a valid claim before the catalogue's own; documents
that only claims or a log speak of are not in the corpus, because nobody says that they are in the pool.
Not here: how much of which class is retrieved (``guard_core.corpus.exposure``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guard_core.provenance.catalogue import Catalogue
from guard_core.provenance.entries import Known
from guard_core.provenance.parents.parent_graph import Lineage


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Class codes and depths (-1 unknown) of the documents of a catalogue, in the order of its ``document_ids``."""

    classes: NDArray[np.uint8]
    depths: NDArray[np.int32]

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Documents of each class, in the order of ``AuthenticityClass``."""
        human, first, deeper, unknown = np.bincount(self.classes, minlength=4).tolist()
        return human, first, deeper, unknown


def corpus_of(catalogue: Catalogue, known: Known, lineage: Lineage | None) -> Corpus:
    """The corpus; ``lineage`` is ``None`` where nobody names a parent."""
    strongest = np.arange(known.signed, known.signed + catalogue.documents)
    names = known.names[: known.signed]
    listed = names < catalogue.documents
    strongest[names[listed]] = np.flatnonzero(listed)
    if lineage is None:
        return Corpus(known.entries.classes[strongest], known.entries.depths[strongest])
    return Corpus(lineage.classes[strongest], lineage.depths[strongest])
