"""Make what commands print and write: tables for people, JSON and CSV about the corpus, signed catalogues."""
