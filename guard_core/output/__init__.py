"""Ways to hand out an evaluation: JSON, JSON lines, CSV, Parquet, a table for people.

Flows in: ``output.evaluation.Evaluation``.  Flows out: bytes or text, written a stretch of retrievals at a time.
Rules kept here: every form shows the same numbers, because every form is made from the same records.
Not here: what the numbers are (``manifest.py``), options and exit states (``cli.py``).
"""
