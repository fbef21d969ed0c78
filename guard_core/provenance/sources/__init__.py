"""Find the human sources of each result, with their shares."""
