"""A dashboard in a process of its own, and a Chromium that looks at it.

Flows in: options of the dashboard.  Flows out: fixtures ``dashboard`` (starts one, gives its address) and ``browser``.
Rules kept here: the browser makes no request of its own accord, so that any request a test sees comes from the page.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.error import URLError

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
)

Start = Callable[..., str]

_SHOWN = 3000
"""Characters of a page that a failure repeats."""


@pytest.fixture(scope="session")
def browser(require_browser: Path) -> Iterator[Browser]:
    """A headless Chromium."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        reason = "the Python package playwright is not installed"
        if os.environ.get("SOURCE_GUARD_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=str(require_browser), args=list(QUIET))
        yield opened
        opened.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure says what the open pages show, since nobody was there to look."""
    report = yield
    opened = cast("Browser | None", item.funcargs.get("browser"))
    if call.when == "call" and report.failed and opened is not None:
        for page in (page for context in opened.contexts for page in context.pages):
            report.sections.append((f"shown at {page.url}", page.inner_text("body")[:_SHOWN]))
    return report


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(300):
        if process.poll() is not None:
            pytest.fail(f"the dashboard ended: {log.read_text(errors='replace')[-2000:]}")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:  # noqa: S310  # always http
                if answer.status == 200:
                    return
        except (URLError, OSError):
            time.sleep(0.1)
    pytest.fail("the dashboard did not answer within 30 seconds")


@pytest.fixture(scope="session")
def dashboard(require_browser: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Starts a dashboard with the given options and gives its address; one process for each set of options.

    ``upload_limit`` is in MB; left out, it is the one that the dashboard comes with.
    """
    del require_browser  # asked for so that no server is started for tests that are skipped
    started: dict[tuple[int | None, tuple[str, ...]], tuple[subprocess.Popen[bytes], str]] = {}

    def start(*options: str, upload_limit: int | None = None) -> str:
        asked = (upload_limit, options)
        if asked not in started:
            port = _free_port()
            log = tmp_path_factory.mktemp("dashboard") / "server.log"
            with log.open("wb") as out:
                process = subprocess.Popen(
                    [sys.executable, "-m", "dashboard", *options, "--no-browser", "--port", str(port)],
                    cwd=ROOT,
                    env=os.environ | ({"STREAMLIT_SERVER_MAX_UPLOAD_SIZE": str(upload_limit)} if upload_limit else {}),
                    stdout=out,
                    stderr=subprocess.STDOUT,
                )
            address = f"http://127.0.0.1:{port}"
            started[asked] = process, address
            _wait(address, process, log)
        return started[asked][1]

    yield start
    for process, _ in started.values():
        process.terminate()
    for process, _ in started.values():
        process.wait(timeout=20)
