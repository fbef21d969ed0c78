"""Write the evaluation as one JSON object, or as one retrieval a line.

Flows in: an ``Evaluation``.  Flows out: bytes on a binary stream, and the digest of the object.
Rules kept here: the bytes that are written are the bytes that the digest covers; nothing larger than one stretch of
retrievals is held in memory.
Not here: the form of a record (``evaluation.py``).
"""

from __future__ import annotations

from typing import BinaryIO

from guard_core.output.evaluation import Counted, Evaluation
from guard_core.output.head import RunningDigest
from guard_core.output.schema import encode


def write_json(evaluation: Evaluation, out: BinaryIO, progress: Counted | None = None) -> str:
    """Write the one object, ended by a line feed.  Returns its digest."""
    head = evaluation.head()
    running = RunningDigest(head)
    out.write(encode(head)[:-1] + b',"retrievals":[')
    between = b"\n"
    for stretch in evaluation.records(progress):
        lines = [encode(record) for record in stretch]
        running.add(lines)
        out.write(between + b",\n".join(lines))
        between = b",\n"
    digest = running.text()
    out.write(b'\n],"digest":' + encode(digest) + b"}\n")
    return digest


def write_json_lines(evaluation: Evaluation, out: BinaryIO, progress: Counted | None = None) -> None:
    """Write one line for each retrieval, the same record as in the object."""
    stretches = evaluation.records(progress)
    out.writelines(b"\n".join([encode(record) for record in stretch]) + b"\n" for stretch in stretches)
