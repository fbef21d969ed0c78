"""Encode and decode base64url as signed formats need it, with one spelling for each byte string.

Flows in: bytes, or text of a token or a key.  Flows out: text, or bytes, or ``ValueError``.
Rules kept here (R35): the URL-safe alphabet only, no padding, no white space, and no bits left over in the last
character; what is read must come out the same when it is written again.
Not here: what the bytes mean.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode


def encode(data: bytes) -> str:
    """Return the only spelling of ``data``."""
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decode(text: bytes) -> bytes:
    """Return the bytes that ``text`` spells.  Raises ``ValueError`` unless it is their only spelling."""
    # Python's decoder skips characters that are not in the alphabet; writing again and comparing leaves nothing to
    # skip.
    data = urlsafe_b64decode(text + b"==")
    if urlsafe_b64encode(data).rstrip(b"=") != text:
        raise ValueError("not canonical base64url")
    return data
