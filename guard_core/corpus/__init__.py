"""Answer questions about the documents behind a log: coverage, exposure, derivation, quarantine, what to check."""
