"""A hostile log is shown literally on every page, and no request leaves the page."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from tests.support import hostile_log

if TYPE_CHECKING:
    from playwright.sync_api import Browser


pytestmark = pytest.mark.browser


class Canary:
    """A server that should hear nothing."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        heard = self.heard

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                heard.append(self.path)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def canary() -> Iterator[Canary]:
    made = Canary()
    thread = threading.Thread(target=made.server.serve_forever)
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def test_nothing_is_fetched_and_nothing_runs(
    dashboard: Callable[..., str], browser: Browser, canary: Canary, tmp_path: Path
) -> None:
    log = hostile_log.write_hostile_log(tmp_path / "![x](log) <b>.jsonl", canary.address)
    address = dashboard("--log", str(log))
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    text = hostile_log.list_attacks(canary.address)[0]
    views = (
        "/", "/what-if", "/anchors", "/retrievals", "/load", "/?story=3",
        f"/retrievals?{urlencode({'retrieval': '0 ' + text})}",
        f"/retrievals?{urlencode({'text': text, 'collection': text, 'sort': '-ratio'})}",
        f"/anchors?{urlencode({'family': hostile_log.list_attacks(canary.address)[1]})}",
        f"/anchors?{urlencode({'unresolved': text})}",
        "/document", "/document?list=check", "/?depths=originator", f"/document?{urlencode({'document': text})}",
        f"/anchors?{urlencode({'out_document': text, 'out_originator': hostile_log.list_attacks(canary.address)[1]})}",
    )  # fmt: skip
    for path in views:
        page.goto(address + path)
        page.get_by_role("heading", level=1).wait_for()
        page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
        for button in page.get_by_role("button", name="Show these retrievals").all():
            if button.is_enabled():
                button.click()
                page.wait_for_timeout(400)
        folded = page.locator("[data-testid=stExpander] summary")
        for place in range(folded.count()):  # what is folded away is not on the page before
            folded.nth(place).click()
            page.wait_for_timeout(200)
        for name in ("Collection", "Originator", "Generator"):
            for button in page.locator("[data-testid=stPopover]").get_by_role("button", name=name).all():
                button.click()
                page.locator("[data-testid=stPopoverBody]").get_by_role("combobox").first.click()
                page.wait_for_timeout(300)
                page.keyboard.press("Escape")
                page.keyboard.press("Escape")
        page.wait_for_timeout(800)
        page.mouse.wheel(0, 4000)
        page.wait_for_timeout(400)
        assert page.evaluate("window.__xss === undefined")
        assert page.locator("svg a").count() == 0
        assert page.locator("[data-testid=stMain] a[href*='127.0.0.1']").count() == 0
        assert page.locator("[data-testid=stMain] img").count() == 0
        assert page.locator("[data-testid=stException]").count() == 0
        if "retrieval=" in path:
            shown = page.get_by_test_id("stCode").all_inner_texts()
            assert text in shown  # the query, and the texts of the results
            assert len(shown) == 4
    page.get_by_text("![x](log) <b>.jsonl").first.wait_for()
    page.close()
    assert canary.heard == []
    strangers = [url for url in asked if not url.startswith((address, "data:", "blob:", address.replace("http", "ws")))]
    assert strangers == []
