"""What every test may rely on, and what no test may do.

Flows in: the environment.  Flows out: fixtures ``shared`` (acceptance vectors) and ``require_browser`` (Chromium),
hypothesis profiles, and a guard that fails a test that leaves this machine.

Environment:

=================================  =====================================================================================
``SOURCE_GUARD_VECTORS``           folder of third-party acceptance vectors; left out, ``../shared`` beside the checkout
``SOURCE_GUARD_REQUIRE_VECTORS``   ``1``: a missing folder fails the tests that need it, it does not skip them
``SOURCE_GUARD_BROWSER``           path of a Chromium; left out, it is looked for on the path
``SOURCE_GUARD_REQUIRE_BROWSER``   ``1``: a missing browser fails the tests that need it, it does not skip them
``SOURCE_GUARD_HYPOTHESIS``        ``ci`` (200 fixed examples a law, the default) or ``nightly`` (10,000 fresh ones)
=================================  =====================================================================================
"""

from __future__ import annotations

import ipaddress
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

settings.register_profile("ci", max_examples=200, deadline=None, derandomize=True, database=None)
settings.register_profile(
    "nightly", max_examples=10_000, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("SOURCE_GUARD_HYPOTHESIS", "ci"))

_strangers: list[str] = []
"""Addresses outside this machine that the running test tried to reach."""


def _is_here(host: object) -> bool:
    """True for an address of this machine; a name is one only if it is ``localhost``."""
    if host in (None, "", "localhost", b"localhost"):
        return True
    text = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse connections that leave this machine, below every library (an audit hook sees them all)."""
    if not event.startswith("socket."):
        return
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        # a name of a Unix socket is no tuple; None is a socket that is connected already
        if not isinstance(address, tuple) or _is_here(address[0]):
            return
        stranger = str(address[0])
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        if _is_here(arguments[0]):
            return
        stranger = str(arguments[0])
    else:
        return
    _strangers.append(stranger)
    raise PermissionError(f"a test tried to reach {stranger!r}: tests stay on this machine")


sys.addaudithook(_watch)


@pytest.fixture(autouse=True)
def strangers() -> Iterator[list[str]]:
    """Fail the test also where the code under test swallowed the refusal; gives the addresses it tried to reach."""
    _strangers.clear()
    yield _strangers
    reached = list(_strangers)
    _strangers.clear()
    assert not reached, f"tried to reach {reached}"


def _absent(reason: str, required: bool) -> None:
    if required:
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of acceptance vectors."""
    folder = Path(os.environ.get("SOURCE_GUARD_VECTORS") or ROOT.parent / "shared")
    if not folder.is_dir():
        _absent(
            "no acceptance vectors: name their folder with SOURCE_GUARD_VECTORS",
            os.environ.get("SOURCE_GUARD_REQUIRE_VECTORS") == "1",
        )
    return folder


@pytest.fixture(scope="session")
def require_browser() -> Path:
    """The path of a Chromium that tests may drive."""
    named = os.environ.get("SOURCE_GUARD_BROWSER")
    names = (named,) if named else ("chromium", "chromium-browser", "google-chrome")
    for name in names:
        found = shutil.which(name)
        if found:
            return Path(found)
    _absent(
        "no Chromium on the path: install it or name it with SOURCE_GUARD_BROWSER",
        os.environ.get("SOURCE_GUARD_REQUIRE_BROWSER") == "1",
    )
    raise AssertionError("unreachable")
