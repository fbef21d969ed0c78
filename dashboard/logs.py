"""Load logs, each once, and read their texts again.

Flows in: the sample, paths from the command line, uploads.  Flows out: ``LoadedLog``, shared between sessions by
content only.
Rules kept here: caches are keyed by digests of the content and of the policy, never by a frame or an object; what
one session uploads is reached by another only by uploading the very same bytes; an upload is written under its
content hash, parsed once and deleted; evidence is immutable, so it is shared by reference.
Not here: what is computed from a log (``filtered_log.py``), widgets and URL (``controls``), what is shown (``views``).
"""

from __future__ import annotations

import gc
import hashlib
import itertools
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import BinaryIO

import streamlit as st

import sample_data
from dashboard.launch import Options
from dashboard.views import filters
from guard_core.claims import KeptChecks, TrustStore
from guard_core.errors import SourceGuardError
from guard_core.files.unpack import SUFFIXES
from guard_core.ingest import Preview, preview_file
from guard_core.ingest.formats.table import FORMATS
from guard_core.ingest.texts import find_texts
from guard_core.provenance.evidence import Evidence, build_evidence
from guard_core.provenance.inputs import load_inputs

PREVIEW_ROWS = 20
READ_AT_ONCE = 64 * 1024 * 1024
"""Bytes of a log whose texts are read again as soon as a retrieval is opened; more only when asked for."""

SAMPLE_POLICY = sample_data.POLICY
"""The policy that the sample is meant to be judged under."""

KEPT_CHECKS = KeptChecks()
"""Signatures that were checked, for the next log that carries the same claims."""

_CHUNK = 1 << 20
_READINGS = itertools.count(1)
_KNOWN_SUFFIXES = {*SUFFIXES, *(suffix for form in FORMATS for suffix in form.suffixes)}


class LogOrigin(Enum):
    """Where a log came from."""

    SAMPLE = "sample"
    COMMAND_LINE = "command line"
    UPLOAD = "upload"


@dataclass(frozen=True, slots=True)
class Input:
    """One file: ``name`` for people, ``path`` to read, ``mark`` that changes when the content does."""

    name: str
    path: Path
    mark: str

    @staticmethod
    def find(path: str | Path) -> Input:
        """Describe a file on this machine; its mark comes from the file system, since reading it all would double the
        wait.
        """
        place = Path(path)
        try:
            known = place.stat()
        except OSError:
            return Input(place.name, place, "absent")
        return Input(place.name, place, f"{place.resolve()}|{known.st_ino}|{known.st_size}|{known.st_mtime_ns}")


@dataclass(frozen=True, slots=True)
class UploadedTrustStore:
    """A trust store that was uploaded; it is small, so the session keeps it, read.  ``name`` is for people."""

    name: str
    store: TrustStore

    @property
    def mark(self) -> str:
        """What changes when the trust store does."""
        return f"{self.store.digest}|{self.store.key_digest}|{self.name}"


@dataclass(frozen=True, slots=True)
class Request:
    """What to load, and how to read it."""

    origin: LogOrigin
    logs: tuple[Input, ...]
    catalogue: Input | None = None
    mapping: tuple[tuple[str, str], ...] = ()
    input_format: str | None = None
    trust: Input | UploadedTrustStore | None = None
    at: int | None = None
    """The time to judge claims at, in seconds since 1970; ``None``: when the log is loaded."""

    @property
    def digest(self) -> str:
        """A digest over everything that the result depends on."""
        marks = [self.origin.value, *(f"{i.mark}|{i.name}" for i in self.logs), "catalogue"]
        marks += [self.catalogue.mark if self.catalogue else "", repr(self.mapping), repr(self.input_format)]
        if self.trust is not None:
            marks += ["trust", self.trust.mark, repr(self.at)]
        return hashlib.sha256("\n".join(ascii(mark) for mark in marks).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class LoadedLog:
    """A log that was read.  ``names`` gives the names that people know for the names that were read."""

    request: Request
    digest: str
    """Everything that the log depends on, the request and the trust in force, and which time it was read: statistics of
    one reading are not compared with those of another."""
    evidence: Evidence
    preview: Preview
    names: Mapping[str, str]
    offers: tuple[bool, Mapping[str, tuple[tuple[str, ...], int]]]
    """What its filter offers: whether it has times, and values of labels (``views.filters.offered``)."""

    @property
    def name(self) -> str:
        """The log's name for people and links."""
        return ", ".join(item.name for item in self.request.logs)


class UnusableError(Exception):
    """A file cannot be used; ``str`` is one line for people, with the names that they know.  It may hold log text."""


def request_sample() -> Request:
    """Return the request of the invented sample; its claims are always judged at the same day."""
    return Request(
        LogOrigin.SAMPLE,
        (Input.find(sample_data.LOG),),
        Input.find(sample_data.CATALOGUE),
        trust=Input.find(sample_data.TRUST_STORE),
        at=sample_data.AT_SECONDS,
    )


def request_options(options: Options) -> Request | None:
    """Return the request of the options that the dashboard was started with, ``None`` without a log."""
    if options.demo and not options.logs:
        return request_sample()
    if not options.logs:
        return None
    catalogue = Input.find(options.catalogue) if options.catalogue else None
    logs = tuple(Input.find(path) for path in options.logs)
    trust = Input.find(options.trust) if options.trust else None
    return Request(LogOrigin.COMMAND_LINE, logs, catalogue, options.mapping, options.input_format, trust, options.at)


def load_log(request: Request) -> LoadedLog:
    """Read what is asked for, or take it from the cache.  Raises ``UnusableError``."""
    try:
        return _read_log(request.digest, request)
    except SourceGuardError as error:
        raise UnusableError(str(error)) from None


def load_uploads(
    logs: Sequence[BinaryIO],
    catalogue: BinaryIO | None,
    like: Request | None = None,
) -> LoadedLog:
    """Read uploaded files; each is written under its content hash, parsed, and deleted.  Raises ``UnusableError``.

    ``like`` says how to read them: its mapping, format, trust store and time.
    """
    with tempfile.TemporaryDirectory(prefix="source-guard-") as folder:
        inputs = tuple(_store_upload(file, Path(folder)) for file in logs)
        known = None if catalogue is None else _store_upload(catalogue, Path(folder))
        request = replace(like or Request(LogOrigin.UPLOAD, ()), logs=inputs, catalogue=known)
        try:
            return load_log(request)
        except UnusableError as error:
            line = str(error)
            for read, name in _map_names(request).items():
                line = line.replace(read, name)
            raise UnusableError(line) from None


@st.cache_resource(max_entries=4, show_spinner="Reading the log", show_time=True)
def _read_log(digest: str, _request: Request) -> LoadedLog:
    paths = [item.path for item in _request.logs]
    mapping, trust = dict(_request.mapping), _request.trust
    evidence = load_inputs(
        paths,
        catalogue=_request.catalogue.path if _request.catalogue else None,
        trust=trust.path if isinstance(trust, Input) else None,
        at=_request.at,
        kept=KEPT_CHECKS,
        mapping=mapping,
        input_format=_request.input_format,
    )
    if isinstance(trust, UploadedTrustStore):
        evidence = build_evidence(evidence.log, evidence.catalogue, trust.store, at=_request.at, kept=KEPT_CHECKS)
    first = preview_file(paths[0], mapping=mapping, input_format=_request.input_format, rows=PREVIEW_ROWS)
    # Streamlit collects garbage after every rerun; what was just loaded stays, so the collector need not walk it again.
    gc.collect()
    gc.freeze()
    offers = filters.has_times(evidence), filters.list_filter_values(evidence)
    return LoadedLog(_request, f"{digest}.{next(_READINGS)}", evidence, first, _map_names(_request), offers)


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts by their digests, as far as they were found, and why some were not (``None``: all were)."""

    found: Mapping[str, str]
    fault: str | None = None


def reads_texts_at_once(loaded: LoadedLog) -> bool:
    """Return whether the files are small enough to read their texts again without being asked."""
    try:
        return sum(item.path.stat().st_size for item in loaded.request.logs) <= READ_AT_ONCE
    except OSError:
        return True  # reading them says why it cannot be done


def read_texts(loaded: LoadedLog, digests: frozenset[str], ids: frozenset[str]) -> Texts:
    """Read the texts with these digests again from the files of the log.

    ``fault`` may hold file names; it is a sentence for people.
    """
    request = loaded.request
    if request.origin is LogOrigin.UPLOAD:
        return Texts({}, "An uploaded file is not kept, so its texts are gone. Start on the file to see them.")
    try:
        found = _read_texts(loaded.digest, digests, request, ids)
    except SourceGuardError as error:
        return Texts({}, f"The texts cannot be read again. {error}")
    if len(found) == len(digests):
        return Texts(found)
    changed = [item.name for item in request.logs if Input.find(item.path).mark != item.mark]
    if changed:
        words = "has changed since it was loaded; texts that are no longer in it are left out."
        return Texts(found, f"{', '.join(changed)} {words}")
    return Texts(found, "The file no longer holds every text.")


@st.cache_resource(max_entries=64, show_spinner="Reading the texts again", show_time=True)
def _read_texts(digest: str, digests: frozenset[str], _request: Request, _ids: frozenset[str]) -> Mapping[str, str]:
    paths, mapping = [item.path for item in _request.logs], dict(_request.mapping)
    return find_texts(paths, digests, ids=_ids, mapping=mapping, input_format=_request.input_format)


def _map_names(request: Request) -> dict[str, str]:
    """Return the names that people know by the names that were read, the longest first."""
    inputs = (*request.logs, *([request.catalogue] if request.catalogue else []))
    return {str(item.path): item.name for item in inputs} | {item.path.name: item.name for item in inputs}


def _store_upload(file: BinaryIO, folder: Path) -> Input:
    """Copy an upload to ``folder`` under the hash of its content; its own name is only ever shown."""
    digest = hashlib.sha256()
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as copy:
        file.seek(0)
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            copy.write(chunk)
    name = str(getattr(file, "name", "upload"))
    suffixes = "".join(s for s in Path(name.replace("\\", "/")).suffixes[-2:] if s.lower() in _KNOWN_SUFFIXES)
    path = folder / (digest.hexdigest() + suffixes)
    Path(copy.name).replace(path)
    return Input(name, path, digest.hexdigest())
