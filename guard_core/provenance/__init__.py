"""Work out what is known of each result: class and depth, the basis that they rest on, and its human sources.

Documents have parents, a graph of parents proves their class and depth, and shares of human sources are handed down
along it.  What is said of a document has a basis: a valid claim (signed), the catalogue, or the log itself (declared).

==========================================  ==========================================================================
``catalogue``, ``entries``                  a catalogue file -> ``Catalogue``, one entry a document
``entry_choice``                            which of several entries for one document counts
``join``                                    log x catalogue -> the entry of each result
``signed_entries``, ``entry_index``         valid claims as entries, and the entries of all bases together
``classes``, ``precedence``                 a class word and a depth -> a class; which basis counts for each result
``content_conflicts``                       the same bytes under two classes
``parents/``                                references to parents, the graph of them, class and depth along it
``anchors``, ``sources/``                   anchor hashes -> human sources; sources with shares, by anchors and parents
``labels``, ``corpus_classes``, ``digest``  grouping columns; classes of the catalogue's documents; digests of content
``evidence``, ``inputs``                    the parts put together; from files to evidence
==========================================  ==========================================================================

Rules kept here: R25 to R34, R64, R66, R67 and R70.
"""
