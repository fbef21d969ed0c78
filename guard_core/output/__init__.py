"""Hand out an evaluation: frames, JSON, JSON lines, CSV, Parquet, a table for people.

Flows in: ``output.evaluation.Evaluation``.  Flows out: bytes or text, written a stretch of retrievals at a time.
Rules kept here: every form shows the same numbers, because every form is made of the same columns (``columns.py``).
Not here: what the numbers are (``guard_core.judging``), options and exit states (``guard_core.cli``).
"""
