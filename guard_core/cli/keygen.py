"""Make a key to sign a catalogue with, and the trust store that goes with it: ``source-guard keygen``.

Flows in: parsed arguments.  Flows out: two files, the thumbprint on standard output.
Rules kept here: a key file is for its owner only and is never written over, and neither is a trust store; a private key
is in no message.
Not here: keys (``guard_core.claims``).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from guard_core.claims import (
    Originator,
    SigningKey,
    format_trust_store,
    generate_key,
    make_jwks_entry,
    write_key_file,
)
from guard_core.cli.command import DONE, Command, UsageError
from guard_core.cli.progress import say
from guard_core.errors import OutputError
from guard_core.visible import visible

KEY_SUFFIX = ".pem"
TRUST_SUFFIX = ".trust.json"


_HELP = """Writes the private key for its owner only (mode 0600), and a trust store that holds its public half.
Prints the thumbprint, which is the name of the key (kid) in every claim. Nothing is written over.

examples:
  source-guard keygen --originator https://library.example --out keys/library
      keys/library.pem stays with you; keys/library.trust.json goes to whoever checks your claims
  source-guard keygen --originator https://library.example --alg ES256 --out keys/library-p256

exit status:
  0  done
  2  nothing was written; one line on standard error says why"""


def _add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--originator", required=True, metavar="NAME", help="who signs: a name of yours alone, best an https address"
    )
    command.add_argument("--alg", choices=("Ed25519", "ES256"), default="Ed25519", help="algorithm (default: Ed25519)")
    command.add_argument(
        "--out", required=True, metavar="DIR/NAME", help="makes DIR/NAME.pem (private) and DIR/NAME.trust.json (public)"
    )


def run_keygen(parsed: argparse.Namespace) -> int:
    """Make a key pair: the private key in one file, a trust store with the public half in another."""
    originator = read_originator(parsed.originator)
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
        raise describe_write_error(base.parent, error) from None
    key = generate_key(parsed.alg)
    write_key_file(private, key)
    try:
        _write_trust(public, key, originator)
    except OSError as error:
        private.unlink(missing_ok=True)  # a key whose public half nobody has is of no use to anybody
        raise describe_write_error(public, error) from None
    print(key.kid)
    say(f"private key: {private}; keep it, it signs in the name of {originator}")
    say(f"trust store: {public}; hand it to whoever checks the claims (--trust)")
    return DONE


def read_originator(name: str) -> str:
    """Return the originator, if a claim can name it.  Raises ``UsageError``."""
    if not name.strip() or not name.isprintable():
        raise UsageError("--originator: takes a name of printable characters, best an https address of yours")
    return name


def _write_trust(path: Path, key: SigningKey, originator: str) -> None:
    with path.open("x", encoding="utf-8") as file:
        file.write(format_trust_store([make_jwks_entry(key.public, originator)], [Originator(originator)]))


def describe_write_error(path: Path, error: OSError) -> OutputError:
    return OutputError(f"{visible(str(path))}: cannot be written ({error.strerror}); choose another place")


COMMAND = Command("keygen", "make a key to sign a catalogue with", _HELP, _add_options, run_keygen)
