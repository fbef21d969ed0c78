"""Describe each format of logs: its names, how it is recognised, and what reads it.  The table is ``table.py``."""
