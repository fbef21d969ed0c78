"""Answer questions about the documents of a log: coverage, exposure, derivation, quarantine, what to check."""
