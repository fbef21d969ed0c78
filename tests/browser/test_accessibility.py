"""An accessibility checker (axe-core) finds nothing serious on any view, in both themes; and the keyboard reaches all.

The checker is fetched by ``npm ci --prefix tests/browser``; without it these tests are skipped, unless
``SOURCE_GUARD_REQUIRE_BROWSER=1`` asks for them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.browser_pages import wait_until_drawn

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

CHECKER = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
VIEWS = (
    "/", "/?story=3", "/what-if", "/anchors", "/anchors?family=almanac", "/retrievals", "/retrievals?retrieval=q-0324",
    "/originators", "/load", "/document", "/document?list=check", "/document?document=almanac", "/?depths=month",
    "/anchors?out_anchor=almanac",
)  # fmt: skip
FIND = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations
          .filter(v => ['serious', 'critical'].includes(v.impact))
          .map(v => `${v.id}: ${v.nodes.map(n => n.html.slice(0, 200)).join(' | ')}`)"""


@pytest.fixture(scope="module")
def checker() -> str:
    """The checker's source."""
    if not CHECKER.is_file():
        reason = "no axe-core: fetch it with npm ci --prefix tests/browser"
        if os.environ.get("SOURCE_GUARD_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return CHECKER.read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=["light", "dark"])
def page(request: pytest.FixtureRequest, dashboard: Callable[..., str], browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=request.param)
    opened = context.new_page()
    opened.goto(dashboard("--demo"))
    wait_until_drawn(opened)
    yield opened
    context.close()


def nameless_charts(page: Page) -> list[int]:
    charts = page.locator("[data-testid=stPlotlyChart]")
    return [i for i in range(charts.count()) if not charts.nth(i).get_by_role("img").count()]


@pytest.mark.parametrize("belief", VIEWS)
def test_nothing_serious_is_found(page: Page, dashboard: Callable[..., str], checker: str, belief: str) -> None:
    page.goto(dashboard("--demo") + belief)
    page.get_by_role("heading", level=1).wait_for()
    wait_until_drawn(page)
    page.wait_for_timeout(700)
    page.evaluate(checker)
    assert page.evaluate(FIND) == []
    for _ in range(100):  # a chart has its name once it is drawn, which takes a while on a busy machine
        nameless = nameless_charts(page)
        if not nameless:
            break
        page.wait_for_timeout(100)
    assert not nameless


def test_the_keyboard_reaches_every_control(dashboard: Callable[..., str], browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(dashboard("--demo") + "/retrievals")
    page.get_by_role("heading", level=1).wait_for()
    wait_until_drawn(page)
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "(document.activeElement.getAttribute('aria-label') || document.activeElement.innerText || '').trim()"
            )
        )
    text = "\n".join(reached)
    for control in (
        "Overview",
        "Anchors",
        "Terms",
        "Time",
        "Verdict",
        "Text of the query",
        "Document id",
        "Greatest first",
    ):
        assert control in text, control
    page.close()
