"""Provenance: what curators, originators and their own ancestry say of documents, and which human sources they rest on.

======================================  ===========================================================================
``catalogue``, ``merge``                a catalogue file -> ``Catalogue``, one entry a document
``classes``                             a class word and a depth -> class, depth, conflict
``join``                                log x catalogue -> the entry that counts for each result
``signed``, ``known``                   valid claims as entries, above the catalogue's
``standing``, ``twins``                 which basis counts for each result, and where two disagree
``references``, ``lineage``             who is whose parent, and what that proves of class and depth
``graph``, ``chains``                   a graph in layers; depths along chains
``anchors``, ``declared``               human sources, by catalogue and claims and by the log's own word
``grounding``, ``descent``              the sources of each result, without chains and along them
``inheritance``                         sources handed down, with their shares
``labels``                              originator, generator, collection, title, url
``columns``, ``digest``                 columns and what the others do with them; digests of content
======================================  ===========================================================================

Rules kept here: R25 to R34, R64, R66, R67 and R70.  ``guard_core.provenance.evidence`` puts the parts together.
"""
