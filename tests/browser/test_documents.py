"""A document opened from an anchor family, its chain, what if it were taken out: each view stands in its link."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.support.browser_pages import choose_row, wait_until_drawn

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser


@pytest.fixture
def page(dashboard: Callable[..., str], browser: Browser) -> Iterator[Page]:
    """The sample's largest family, in a session of its own."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.goto(dashboard("--demo") + "/anchors?family=almanac")
    opened.get_by_role("heading", name="Its documents").wait_for()
    wait_until_drawn(opened)
    yield opened
    context.close()


def asked(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def in_a_fresh_browser(browser: Browser, link: str, text: str) -> None:
    """What a link shows to somebody who never was here."""
    context = browser.new_context()
    second = context.new_page()
    second.goto(link)
    second.get_by_text(text, exact=True).first.wait_for()
    wait_until_drawn(second)
    context.close()


def test_a_document_is_opened_from_a_family_and_its_link_shared(page: Page, browser: Browser) -> None:
    choose_row(page, "anchors.documents", 1)
    page.wait_for_url(re.compile(r"/document\?.*document=soap-retold-1-1"))
    page.get_by_role("heading", name="soap-retold-1-1").wait_for()
    chain = page.get_by_role("heading", name=re.compile("^It comes from 1 source; "))
    chain.wait_for()
    wait_until_drawn(page)
    assert page.locator(".st-key-document-chain-card [data-testid=stPlotlyChart]").count() == 1
    in_a_fresh_browser(browser, page.url, chain.inner_text())

    table = next(name for name in page.locator("[class*=st-key-document-kin]").all() if name.is_visible())
    key = re.search(r"st-key-(document-kin-\d+)", table.get_attribute("class") or "")
    assert key is not None
    choose_row(page, key.group(1), 0)  # its source stands above it
    page.wait_for_url(re.compile("document=almanac"))
    page.get_by_role("heading", name="almanac", exact=True).wait_for()
    wait_until_drawn(page)
    page.get_by_role("button", name="What if it were taken out?").click()
    page.get_by_text("Taken out: document almanac", exact=True).wait_for()
    page.wait_for_url(re.compile(r"/anchors\?.*out_document=almanac"))
    wait_until_drawn(page)
    changed = page.locator("[data-testid=stMetric]", has_text="Verdicts that change").inner_text()
    link = page.url
    page.reload()
    page.get_by_text("Taken out: document almanac", exact=True).wait_for()
    wait_until_drawn(page)
    assert page.locator("[data-testid=stMetric]", has_text="Verdicts that change").inner_text() == changed
    in_a_fresh_browser(browser, link, "Taken out: document almanac")


def test_a_family_is_taken_out_and_put_back(page: Page) -> None:
    page.get_by_role("button", name="Take this family out").click()
    page.get_by_text("Taken out: family almanac", exact=True).wait_for()
    wait_until_drawn(page)
    assert asked(page)["out_anchor"] == ["almanac"]
    page.get_by_role("radio", name="Generator").or_(
        page.get_by_role("button", name="Generator", exact=True)
    ).last.click()
    page.wait_for_url(re.compile("depths=generator"))
    wait_until_drawn(page)
    page.get_by_role("button", name="Take nothing out").click()
    page.get_by_text(re.compile("^Choose a family, documents")).wait_for()
    wait_until_drawn(page)
    assert "out_anchor" not in asked(page)
    assert asked(page)["depths"] == ["generator"]
    width = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
    assert width <= 1280
