"""Print an evaluation for people: tables, and the sentences in them."""
