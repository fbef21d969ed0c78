"""Find the human sources that each result rests on."""
