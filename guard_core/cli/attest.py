"""Sign a catalogue, one claim a document: ``source-guard attest``.

Flows in: parsed arguments, a catalogue, a key.  Flows out: a signed catalogue, and what a curator should know of it on
standard output and error.
Rules kept here: a private key is in no message; whatever the catalogue has that is not in the signed file is counted.
Not here: claims (``guard_core.claims``), who gets one (``guard_core.corpus.attestation``).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from guard_core.claims import (
    SigningKey,
    read_key_file,
    read_trust_store,
)
from guard_core.cli.command import DONE, Command
from guard_core.cli.forms.signed_catalogue import choose_writer, write_signed
from guard_core.cli.inputs import read_seconds
from guard_core.cli.keygen import KEY_SUFFIX, TRUST_SUFFIX, read_originator
from guard_core.cli.progress import ProgressBar, say
from guard_core.corpus.attestation import SignedCatalogue, sign_catalogue
from guard_core.errors import TrustStoreError
from guard_core.ingest.batch import TableKind
from guard_core.ingest.preview import preview_file
from guard_core.ingest.records.fields import SPELLINGS
from guard_core.ingest.tables.export_columns import SIGNED_COLUMNS
from guard_core.output.whole_file import refuse_input
from guard_core.provenance.catalogue import read_catalogue_file
from guard_core.visible import count_noun, visible

_OTHERS = 0o077
"""The permissions that a private key gives to nobody."""

_PROBLEMS = 10
"""Rows that could not be read and are listed."""

_HELP = """Each document whose class and depth the catalogue states gets a claim that says just that; a depth that only
follows from derived_from is not signed. Documents that get none are counted, with the reason. The same
catalogue, key and time give the same bytes.

examples:
  source-guard attest documents.csv --key keys/library.pem --originator https://library.example \\
      --out signed.csv
  source-guard attest documents.jsonl --key keys/library.pem --originator https://library.example \\
      --out signed.parquet --at 2026-11-30T12:00:00Z

exit status:
  0  done
  2  nothing was written; one line on standard error says why"""


def _add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("catalogue", metavar="CATALOGUE", help="documents known to curators: CSV, JSONL or Parquet")
    command.add_argument("--key", required=True, metavar="FILE", help="the private key that keygen wrote")
    command.add_argument("--originator", required=True, metavar="NAME", help="who signs, as given to keygen")
    command.add_argument(
        "--out", required=True, metavar="FILE", help="where to write the signed catalogue: .csv, .jsonl or .parquet"
    )
    command.add_argument(
        "--at", metavar="TIME", help="time of issue (iat): ISO 8601, or seconds since 1970 (default: now)"
    )


def run_attest(parsed: argparse.Namespace) -> int:
    """Sign a catalogue and say which documents got no claim."""
    originator, issued = read_originator(parsed.originator), read_seconds(parsed.at)
    choose_writer(parsed.out)
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
    return DONE


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
        f"{count_noun(catalogue.documents, 'document')}: {attested.attested:,} attested by {visible(originator)}, "
        f"{rest:,} without a new claim"
    )
    for reason, count in sorted(attested.unsigned.items(), key=lambda pair: (-pair[1], pair[0].name)):
        print(f"  {count:,} {reason.value}")
    if attested.without_content:
        print(
            f"  {count_noun(attested.without_content, 'claim')} without content: the catalogue states none, or several"
        )
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


COMMAND = Command("attest", "sign a catalogue: one claim a document", _HELP, _add_options, run_attest)
