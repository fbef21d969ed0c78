"""Compress bytes in each way that files are unpacked.

Flows in: bytes.  Flows out: a compressed stream of them.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable

import pyarrow as pa


def pack_zstd(data: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(data))


PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": pack_zstd,
}
"""The name of a compression, and what compresses."""

SUFFIX = {"gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst"}
