"""Hostile names of originators, keys and documents are shown literally, although the signatures hold."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from tests.browser.test_hostile_log import Canary
from tests.support import hostile_claims
from tests.support.claim_tokens import AT
from tests.support.hostile_log import list_attacks

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


@pytest.fixture
def listener() -> Iterator[Canary]:
    made = Canary()
    thread = threading.Thread(target=made.server.serve_forever)
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def test_nothing_is_fetched_and_nothing_runs(
    dashboard: Callable[..., str], browser: Browser, listener: Canary, tmp_path: Path
) -> None:
    log, trust = hostile_claims.write_hostile_claims(tmp_path, listener.address)
    address = dashboard("--log", str(log), "--trust", str(trust), "--at", str(AT))
    texts = list_attacks(listener.address)
    less = urlencode({"distrust": f"iss {texts[0]}", "compromised": f"kid {texts[2]}"})
    opened = urlencode({"retrieval": texts[0]})
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in ("/originators", f"/originators?{less}", f"/what-if?{less}", f"/retrievals?{opened}", "/load"):
        page.goto(address + path)
        page.get_by_role("heading", level=1).wait_for()
        page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
        for summary in page.locator("[data-testid=stMain] summary").all():
            summary.click()
        page.wait_for_timeout(800)
        page.mouse.wheel(0, 4000)
        page.wait_for_timeout(400)
        assert page.evaluate("window.__xss === undefined")
        assert page.locator("svg a").count() == 0
        assert page.locator("[data-testid=stMain] a[href*='127.0.0.1']:not([href^='" + address + "'])").count() == 0
        assert page.locator("[data-testid=stMain] img").count() == 0
        assert page.locator("[data-testid=stException]").count() == 0
    page.close()
    assert listener.heard == []
    strangers = [url for url in asked if not url.startswith((address, "data:", "blob:", address.replace("http", "ws")))]
    assert strangers == []
