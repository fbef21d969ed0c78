"""Provenance: what the curator's catalogue says of documents, and which results and human sources it speaks of.

* ``catalogue.py``  a catalogue file -> ``Catalogue`` (one entry a document)
* ``classes.py``    a class word and a depth -> class, depth, conflict
* ``join.py``       log x catalogue -> the entry that counts for each result
* ``anchors.py``    declared hashes -> resolved human sources
* ``columns.py``    Arrow batches -> columns, and the few column operations that the others share
* ``digest.py``     columns -> digests that depend on content only

Derivation is one step here: depths and anchors count as they are stated.  ``derived_from`` is read, and a human
document that names parents is not its own source, but parents are not followed.
"""
