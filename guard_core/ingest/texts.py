"""Read again the texts of a few results from the files of a log, which keeps only their digests.

Flows in: paths, and the SHA-256 digests of the texts that are wanted.  Flows out: the texts that were found.
Rules kept here: a text is recognised by its digest alone, so that what is shown is, to the byte, what was read when the
log was loaded, even if the file has changed since; reading stops once every text is found; only the wanted texts are
held.
Not here: digests of texts (``values.py``), the records of a format (its reader), when texts are wanted (the dashboard).
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from guard_core.files.input_file import open_input
from guard_core.files.limits import Limits
from guard_core.ingest.batch import TableKind
from guard_core.ingest.detect import choose_format
from guard_core.ingest.read_options import RecordOptions
from guard_core.ingest.records import values
from guard_core.ingest.records.spellings import Spellings, choose_spellings

_NO_MAPPING: Mapping[str, str] = {}
_PLAIN = re.compile(r"[A-Za-z0-9_.:#@ -]+")
"""An id that every writer of JSON spells the same way."""


def find_texts(
    paths: Sequence[str | os.PathLike[str]],
    digests: Collection[str],
    *,
    ids: Collection[str] = (),
    mapping: Mapping[str, str] = _NO_MAPPING,
    input_format: str | None = None,
    limits: Limits | None = None,
) -> dict[str, str]:
    """Return the texts with these digests (``sha256:<hex>``), as far as the files hold them.

    ``ids`` are the document or result ids to which the texts belong; with them most lines need not be parsed.  Raises
    ``LogError`` for a file that cannot be opened or is of no format that is read.
    """
    wanted, found = set(digests), dict[str, str]()
    hints = tuple(text.encode() for text in ids if _PLAIN.fullmatch(text))
    passes = [hints, ()] if ids and len(hints) == len(ids) else [()]
    for chosen in passes:
        options = RecordOptions(limits or Limits(), hints=chosen)
        for path in paths:
            for text in _read_texts(path, mapping, input_format, options):
                digest = values.compute_text_digest(text)
                if digest in wanted:
                    wanted.discard(digest)
                    found[digest] = text
                if not wanted:
                    return found
    return found


def _read_texts(
    path: str | os.PathLike[str], mapping: Mapping[str, str], input_format: str | None, options: RecordOptions
) -> Iterator[str]:
    with open_input(path, options.limits) as file:
        form = choose_format(file.head(), file.name, input_format)
        names = choose_spellings(TableKind.LOG, mapping, form.own_names)
        only_text = dataclasses.replace(names, result={"text": names.result["text"]}, retrieval={}, metadata=())
        options = dataclasses.replace(options, names=only_text)
        yield from _pick_texts(form.read_records(file, file.chunks(), options).records, only_text)


def _pick_texts(records: Iterable[Mapping[str, object]], names: Spellings) -> Iterator[str]:
    """Yield the texts of flat records, and of the results of nested ones."""
    for record in records:
        listed = record.get(names.results)
        for item in listed if isinstance(listed, list) else [record]:
            if isinstance(item, dict):
                given = next((item[name] for name in names.result["text"] if item.get(name) is not None), None)
                text, _ = values.read_text(given)
                if text is not None:
                    yield text
