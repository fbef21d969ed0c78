"""Read retrieval logs: files of any accepted format to one immutable ``Log``.

Flows in: paths, a column mapping, limits.  Flows out: ``Log`` (``log.py``).

Begin with :func:`read_log`.  The way of a row: ``guard_core.files`` opens the file and unpacks it; ``detect`` finds
its format in the table of ``formats``; the reader of that format makes ``RowBatch`` objects with canonical names and
types (``records``, ``tables``); ``assembly`` groups them into retrievals, merges repeats and keeps the account: rows
read = accepted + rejected + ignored.
"""

from guard_core.files.limits import Limits, Progress
from guard_core.ingest.log import Log, Notice, Problem
from guard_core.ingest.preview import Preview, preview_file
from guard_core.ingest.reading import read_log

__all__ = ["Limits", "Log", "Notice", "Preview", "Problem", "Progress", "preview_file", "read_log"]
