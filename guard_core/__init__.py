"""Source Guard: who wrote what a retrieval returned, how that is known, and whether it is grounded in human sources.

Where to start:

* one result set: ``SyntheticSourceGuard.evaluate_results(results, policy)``
* a whole log: ``read_log`` -> ``build_evidence`` -> ``Statistics.of`` -> ``judge``
* the command line: ``source-guard --help``; the dashboard: ``source-guard demo``

The data flows one way: files -> ``ingest`` and ``provenance`` -> ``evidence`` -> ``statistics`` -> ``judge`` -> ``manifest``.
"""
