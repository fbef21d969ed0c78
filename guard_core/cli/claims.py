"""``source-guard keygen`` and ``attest``: making a key, and signing a catalogue with it.

Flows in: parsed arguments.  Flows out: files, and what a curator should know of them on standard output and error.
Rules kept here: a key file is for its owner only and is never written over, and neither is a trust store; a private key
is in no message; whatever the catalogue has that is not in the signed file is counted.
Not here: keys and claims themselves (``guard_core.claims``), who gets a claim (``attestation.py``).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from guard_core.claims import (
    Originator,
    SigningKey,
    format_trust_store,
    generate_key,
    make_jwks_entry,
    read_key_file,
    read_trust_store,
    write_key_file,
)
from guard_core.cli.inputs import seconds_of
from guard_core.cli.options import UsageError
from guard_core.cli.progress import ProgressBar, counted, say
from guard_core.corpus.attestation import SignedCatalogue, sign_catalogue
from guard_core.errors import OutputError, TrustStoreError
from guard_core.ingest.batch import TableKind
from guard_core.ingest.preview import preview_file
from guard_core.ingest.records.fields import SPELLINGS
from guard_core.ingest.tables.export_columns import SIGNED_COLUMNS
from guard_core.output.signed_catalogue import write_signed, writer_for
from guard_core.output.whole_file import refuse_input
from guard_core.provenance.catalogue import read_catalogue_file
from guard_core.visible import visible

KEY_SUFFIX = ".pem"
TRUST_SUFFIX = ".trust.json"

_OTHERS = 0o077
"""The permissions that a private key gives to nobody."""

_PROBLEMS = 10
"""Rows that could not be read and are listed."""


def make_key(parsed: argparse.Namespace) -> None:
    """Make a key pair: the private key in one file, a trust store with the public half in another."""
    originator = _originator_of(parsed.originator)
    base = Path(parsed.out)
    if not base.name or parsed.out.endswith("/"):
        raise UsageError("--out: takes DIR/NAME, the beginning of the names of two files")
    private, public = (base.with_name(base.name + suffix) for suffix in (KEY_SUFFIX, TRUST_SUFFIX))
    for path in (private, public):
        if path.exists() or path.is_symlink():
            raise OutputError(f"{visible(str(path))}: exists already; choose another --out: nothing is written over")
    try:
        base.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_write(base.parent, error) from None
    key = generate_key(parsed.alg)
    write_key_file(private, key)
    try:
        _write_trust(public, key, originator)
    except OSError as error:
        private.unlink(missing_ok=True)  # a key whose public half nobody has is of no use to anybody
        raise _cannot_write(public, error) from None
    print(key.kid)
    say(f"private key: {private}; keep it, it signs in the name of {originator}")
    say(f"trust store: {public}; hand it to whoever checks the claims (--trust)")


def attest_catalogue(parsed: argparse.Namespace) -> None:
    """Sign a catalogue and say which documents got no claim."""
    originator, issued = _originator_of(parsed.originator), seconds_of(parsed.at)
    writer_for(parsed.out)
    refuse_input(parsed.out, (parsed.catalogue, parsed.key))
    key = read_key_file(parsed.key)
    if Path(parsed.key).stat().st_mode & _OTHERS:
        say(f"{parsed.key}: others on this machine can read this key; chmod 600 keeps it to you")
    _warn_of_other_originator(Path(parsed.key), key, originator)
    with ProgressBar("reading") as bar:
        entries = read_catalogue_file(parsed.catalogue, progress=bar)
    with ProgressBar("signing") as bar:
        attested = sign_catalogue(entries, key, originator, issued, bar)
    write_signed(attested, parsed.out)
    _report(attested, originator, parsed.out)
    _say_columns_left_out(parsed.catalogue, parsed.out)


def _warn_of_other_originator(path: Path, key: SigningKey, originator: str) -> None:
    """Say so if the trust store that was made with the key names another owner: each claim would be refused (R39)."""
    public = path.with_name(path.name.removesuffix(KEY_SUFFIX) + TRUST_SUFFIX)
    if not path.name.endswith(KEY_SUFFIX) or not public.is_file():
        return
    try:
        owner = read_trust_store(public).keys.get(key.kid)
    except TrustStoreError:  # not needed for signing; whoever checks the claims is told what is wrong with it
        return
    if owner is not None and owner.iss != originator:
        say(
            f"{visible(str(public))} says that this key belongs to {visible(owner.iss)}, not to {visible(originator)}: "
            "with it no claim will be valid"
        )


def _say_columns_left_out(catalogue: str, out: str) -> None:
    seen = preview_file(catalogue, kind=TableKind.CATALOGUE)
    if {"query_id", *SPELLINGS["query_id"]}.intersection(seen.unmapped):
        say(f"{visible(catalogue)} has query ids, like a log: attest takes a catalogue, one document a row")
    left = [*seen.unmapped, *(name for column, name in seen.mapping if column not in SIGNED_COLUMNS)]
    if left:
        say(f"{visible(out)} holds what a catalogue says; other columns are not in it: {', '.join(map(visible, left))}")


def _report(attested: SignedCatalogue, originator: str, out: str) -> None:
    catalogue = attested.catalogue
    rest = catalogue.documents - attested.attested
    print(
        f"{counted(catalogue.documents, 'document')}: {attested.attested:,} attested by {visible(originator)}, "
        f"{rest:,} without a new claim"
    )
    for reason, count in sorted(attested.unsigned.items(), key=lambda pair: (-pair[1], pair[0].name)):
        print(f"  {count:,} {reason.value}")
    if attested.without_content:
        print(f"  {counted(attested.without_content, 'claim')} without content: the catalogue states none, or several")
    sys.stdout.flush()
    if catalogue.rows_rejected or catalogue.rows_ignored:
        say(
            f"{catalogue.rows_read:,} rows read = {catalogue.rows_accepted:,} accepted + "
            f"{catalogue.rows_rejected:,} rejected + {catalogue.rows_ignored:,} ignored; {out} holds the accepted ones"
        )
    for problem in catalogue.problems[:_PROBLEMS]:
        say(f"{problem.file}:{problem.line}: {problem.field}: {problem.reason}")
    if catalogue.incomplete:
        say(f"{catalogue.file.name} ends early; what is whole was signed")


def _originator_of(name: str) -> str:
    """The originator, if a claim can name it.  Raises ``UsageError``."""
    if not name.strip() or not name.isprintable():
        raise UsageError("--originator: takes a name of printable characters, best an https address of yours")
    return name


def _write_trust(path: Path, key: SigningKey, originator: str) -> None:
    with path.open("x", encoding="utf-8") as file:
        file.write(format_trust_store([make_jwks_entry(key.public, originator)], [Originator(originator)]))


def _cannot_write(path: Path, error: OSError) -> OutputError:
    return OutputError(f"{visible(str(path))}: cannot be written ({error.strerror}); choose another place")
