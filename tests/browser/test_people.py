"""Several people at once: nobody sees another's log, and an upload above the limit is refused while others work."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.browser_pages import wait_until_drawn

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FilePayload, Page

pytestmark = pytest.mark.browser

MB = 1024 * 1024


def log_of(who: str, rows: int) -> FilePayload:
    """A small log in which one name stands everywhere."""
    lines = [
        {
            "query_id": f"{who}-{n}",
            "query": f"asked by {who}",
            "rank": 1,
            "doc_id": f"page of {who} {n}",
            "origin": "human",
        }
        for n in range(rows)
    ]
    body = "".join(json.dumps(line) + "\n" for line in lines)
    return {"name": f"{who}.jsonl", "mimeType": "application/json", "buffer": body.encode()}


def arrive(browser: Browser, address: str) -> Page:
    """Somebody in a browser of their own, on the page Load."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(address + "/load")
    page.get_by_role("heading", name="Load a log").wait_for()
    wait_until_drawn(page)
    return page


def offer(page: Page, file: FilePayload) -> None:
    page.locator(".st-key-load-logs input[type=file]").set_input_files([file])


def take(page: Page, file: FilePayload, rows: int) -> None:
    """Upload a log and wait for its account."""
    offer(page, file)
    page.get_by_role("button", name="Load the upload").click()
    page.get_by_text(f"{rows} retrievals with {rows} results").wait_for()


def test_two_people_never_see_each_others_log(dashboard: Callable[..., str], browser: Browser) -> None:
    address = dashboard()
    people = {"Quill": (arrive(browser, address), 5), "Rowan": (arrive(browser, address), 7)}
    for who, (page, rows) in people.items():
        take(page, log_of(who, rows), rows)
    for _ in range(2):
        for name in ("Anchors", "Retrievals", "What-if", "Overview"):
            for page, _rows in people.values():  # both at once: neither waits for the other
                page.get_by_role("link", name=name, exact=True).click()
            for who, (page, rows) in people.items():
                page.get_by_text(f"Showing {rows} of {rows} retrievals").first.wait_for()
                wait_until_drawn(page)
                other = next(name for name in people if name != who)
                assert other not in page.content()
                assert f"{who}.jsonl" in page.content()
    for page, _rows in people.values():
        page.context.close()


def memory_of(address: str) -> int:
    """Bytes that the server at this address holds, at their highest; 0 where the system does not say."""
    port = address.rpartition(":")[2].encode()
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            if port in (status.parent / "cmdline").read_bytes().split(b"\0"):
                return int(re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())[0]) * 1024
        except (OSError, IndexError):
            continue
    return 0


def test_three_uploads_of_330_megabytes_cost_the_server_nothing(
    dashboard: Callable[..., str], browser: Browser, tmp_path: Path
) -> None:
    line = b'{"query_id":"q","rank":1,"doc_id":"d","score":1}\n'
    big = tmp_path / "big.jsonl"
    with big.open("wb") as out:
        for _ in range(60):
            out.write(line * 115_000)
    assert big.stat().st_size > 330e6
    address = dashboard()
    crowd = [arrive(browser, address) for _ in range(3)]
    worker = arrive(browser, address)
    before = memory_of(address)
    assert before or not Path("/proc/self/status").exists()
    for page in crowd:
        page.locator(".st-key-load-logs input[type=file]").set_input_files(big)
    take(worker, log_of("Fennel", 6), 6)
    for page in crowd:
        page.get_by_text("File must be 100.0MB or smaller").first.wait_for(timeout=60_000)
        assert page.get_by_text("At most 100 MB a file. For a larger one use the command line").is_visible()
        assert page.get_by_role("button", name="Load the upload").is_disabled()
    for name in ("Retrievals", "Overview"):
        worker.get_by_role("link", name=name, exact=True).click()
        worker.get_by_text("Showing 6 of 6 retrievals").first.wait_for()
    assert memory_of(address) - before < 200 * MB
    for page in (*crowd, worker):
        page.context.close()


def test_an_upload_above_the_limit_is_refused_while_others_work(
    dashboard: Callable[..., str], browser: Browser
) -> None:
    address = dashboard(upload_limit=2)
    line = b'{"query_id":"q","rank":1,"doc_id":"d","score":1}\n'
    big: FilePayload = {"name": "big.jsonl", "mimeType": "application/json", "buffer": line * (6 * MB // len(line))}
    crowd = [arrive(browser, address) for _ in range(3)]
    worker = arrive(browser, address)
    for page in crowd:
        offer(page, big)
    take(worker, log_of("Sorrel", 6), 6)
    worker.get_by_role("link", name="Overview").click()
    worker.get_by_text("Showing 6 of 6 retrievals").first.wait_for()
    for page in crowd:
        refused = page.locator(".st-key-load-logs [data-testid=stFileUploaderFileErrorMessage]").or_(
            page.get_by_text("File must be 2.0MB or smaller")
        )
        refused.first.wait_for()
        assert "2.0MB" in refused.first.inner_text()
        assert page.get_by_text("At most 2 MB a file. For a larger one use the command line").is_visible()
        assert page.get_by_role("button", name="Load the upload").is_disabled()
        assert page.get_by_role("heading", name="Load a log").is_visible()  # the page is still there, and works:
        page.get_by_role("button", name="Open the invented sample").click()
        page.get_by_text("400 retrievals with").first.wait_for()
    for page in (*crowd, worker):
        page.context.close()
