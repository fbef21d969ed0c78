"""Tell claims, files of claims and logs apart, and read what ``verify`` is given.

Flows in: arguments, files, standard input.  Flows out: claims as texts, paths of logs.
Rules kept here: a line that is longer than any claim costs no memory beyond the greatest length of one; what is neither
claims nor a log is an error that says what it is.
Not here: checking claims (``verify.py``), reading logs (``guard_core.ingest``).
"""

from __future__ import annotations

import base64
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from guard_core.claims.claim import MAX_TOKEN
from guard_core.errors import InputError, LogError, OutputError
from guard_core.files.input_file import InputFile, escape_file_name, open_input
from guard_core.ingest.detect import detect_format
from guard_core.ingest.formats.recognise import is_parquet
from guard_core.ingest.records.fields import SPELLINGS
from guard_core.ingest.tables.header import find_delimiter

STDIN_NAME = "standard input"
_BLOCK = 64 * 1024

_COLUMNS = frozenset(name for field, others in SPELLINGS.items() for name in (field, *others))
"""Names by which the header of a table is told from a claim."""


def read_lines(source: InputFile) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, with their numbers; of one that is longer than any claim only the beginning."""
    number, held = 1, b""
    for chunk in source.chunks(_BLOCK):
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            line, held = held + part, b""
            if line.strip():
                yield number, _decode_token(line)
            number += 1
        held = (held + rest)[: MAX_TOKEN + 2]
    if held.strip():
        yield number, _decode_token(held)


def _decode_token(line: bytes) -> str:
    # A byte that is not UTF-8 becomes half of a surrogate pair, which no claim holds.
    return line.removesuffix(b"\r").decode("utf-8", "surrogateescape")


def is_claim(argument: str) -> bool:
    """Return whether an argument is itself a claim: its first segment spells the beginning of a JSON object."""
    try:
        return base64.urlsafe_b64decode(argument.partition(".")[0] + "===").lstrip().startswith(b"{")
    except ValueError:
        return False


def is_table(head: bytes, name: str) -> bool:
    """Return whether a file is a log, rather than claims, one a line.  Raises ``LogError`` for what is neither."""
    start = head.lstrip(b" \t\r\n")
    if is_parquet(head) or start.startswith((b"{", b"[")):
        return True
    if b"\0" in head:
        detect_format(head, name)  # says what it is
    header = start.partition(b"\n")[0].decode("utf-8", "replace")
    mark = find_delimiter(header)
    return mark is not None and any(name.strip().strip('"') in _COLUMNS for name in header.split(mark))


def read_text(path: str) -> str:
    with open_input(path) as source:
        data = b"".join(source.chunks())
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise LogError(escape_file_name(path), "is not UTF-8", "give the text in UTF-8") from None


@contextmanager
def spool_standard_input() -> Iterator[Path]:
    """Standard input as a file, since a log is read from one."""
    with tempfile.TemporaryDirectory(prefix="source-guard-") as folder:
        path = Path(folder) / STDIN_NAME
        try:
            with path.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
        except OSError as error:
            raise OutputError(f"{STDIN_NAME}: cannot be kept ({error.strerror})") from None
        yield path


@contextmanager
def name_errors(path: Path, name: str) -> Iterator[None]:
    """Errors about a file under the name that people know it by."""
    try:
        yield
    except InputError as error:
        if error.file != escape_file_name(path):
            raise
        raise type(error)(name, error.fault, error.advice, error.place) from None
