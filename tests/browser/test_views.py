"""Every view stands in its link: filter, search, opened retrieval, opened anchor, story; and nothing on it is stale."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

import sample_data
from guard_core.judging.judge import judge
from guard_core.judging.policy import load_policy, replace_fields
from guard_core.judging.statistics import Statistics
from guard_core.provenance.inputs import load_inputs
from tests.support.browser_pages import choose_row, wait_until_drawn

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FilePayload, Page

pytestmark = pytest.mark.browser

TITLES = {"What-if": "What if the policy were another one?"}
"""Of pages whose title is not their name."""

GROUNDED = ".st-key-tile-grounded [data-testid=stMetricValue]"


@pytest.fixture
def page(dashboard: Callable[..., str], browser: Browser) -> Iterator[Page]:
    """The sample's overview, in a session of its own."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.goto(dashboard("--demo"))
    opened.get_by_role("heading", name="Overview").wait_for()
    wait_until_drawn(opened)
    yield opened
    context.close()


def in_a_fresh_browser(browser: Browser, link: str, text: str) -> None:
    """What a link shows to somebody who never was here."""
    context = browser.new_context()
    second = context.new_page()
    second.goto(link)
    second.get_by_text(text, exact=True).first.wait_for()
    context.close()


def test_a_filter_holds_on_every_page_and_in_the_link(page: Page, browser: Browser) -> None:
    page.get_by_role("button", name="Originator").click()
    page.get_by_role("combobox", name=re.compile("Originator")).click()
    page.get_by_role("option", name="Saltrook Press").click()
    page.get_by_text(re.compile(r"Showing \d+ of 400 retrievals: originator Saltrook Press")).wait_for()
    said = page.get_by_text(re.compile(r"Showing \d+ of 400 retrievals")).inner_text()
    # the box stays open, so that a second value can be chosen
    assert page.get_by_role("combobox", name=re.compile("Originator")).is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    for name in ("Anchors", "Retrievals", "What-if", "Overview"):
        page.get_by_role("link", name=name).click()
        title = "What if the policy" if name == "What-if" else name
        page.get_by_role("heading", name=title, level=1).wait_for()  # the page before says and links the same
        page.get_by_text(said, exact=True).wait_for()
        wait_until_drawn(page)
        page.wait_for_url(re.compile(r"originator=Saltrook"))
    in_a_fresh_browser(browser, page.url, said)
    page.reload()
    page.get_by_text(said, exact=True).wait_for()
    page.get_by_role("button", name="Clear").click()
    page.get_by_text("Showing 400 of 400 retrievals", exact=True).wait_for()
    wait_until_drawn(page)
    assert "originator" not in parse_qs(urlsplit(page.url).query)


def test_a_retrieval_and_an_anchor_are_opened_and_linked(page: Page, browser: Browser) -> None:
    page.get_by_role("link", name="Retrievals").click()
    page.get_by_role("textbox", name=re.compile("Text of the query")).fill("ferry")
    page.keyboard.press("Enter")
    page.get_by_text(re.compile(r"^1 to 25 of \d+ retrievals")).wait_for()
    page.wait_for_url(re.compile("text=ferry"))
    wait_until_drawn(page)
    choose_row(page, "retrievals.table", 1)
    heading = page.get_by_role("heading", name=re.compile("^Retrieval q-"))
    heading.wait_for()
    page.wait_for_url(re.compile("retrieval=q-"))
    wait_until_drawn(page)
    in_a_fresh_browser(browser, page.url, heading.inner_text())
    page.reload()
    heading.wait_for()
    page.get_by_role("button", name="Back to the list").click()
    page.get_by_text(re.compile(r"^1 to 25 of \d+ retrievals")).wait_for()
    wait_until_drawn(page)
    box = page.get_by_role("textbox", name=re.compile("Text of the query"))
    page.wait_for_function("box => box.value === 'ferry'", arg=box.element_handle())

    page.get_by_role("link", name="Anchors").click()
    page.get_by_role("heading", name="Anchor families").wait_for()
    wait_until_drawn(page)
    choose_row(page, "anchors.table", 0)
    page.wait_for_url(re.compile("family=almanac"))
    page.get_by_role("button", name="Search its retrievals").wait_for()
    wait_until_drawn(page)
    in_a_fresh_browser(browser, page.url, "Search its retrievals")
    page.get_by_role("button", name="Search its retrievals").click()
    page.wait_for_url(re.compile("/retrievals.*anchor=almanac"))


def test_a_setting_survives_pages_reload_and_another_log(page: Page, browser: Browser) -> None:
    page.get_by_role("link", name="What-if").click()
    slider = page.get_by_role("slider", name="Minimum grounding ratio")
    slider.wait_for()
    wait_until_drawn(page)
    slider.focus()
    for _ in range(15):
        slider.press("ArrowLeft")
    page.wait_for_url(re.compile("min_human_grounding_ratio=0.35"))
    words = "reach the minimum grounding ratio of 0.35"
    page.get_by_role("link", name="Overview").click()
    page.get_by_text(re.compile(words)).first.wait_for()
    page.wait_for_url(re.compile("min_human_grounding_ratio=0.35"))
    wait_until_drawn(page)
    assert grounded(0.35) in page.locator(".st-key-tile-grounded").inner_text()
    link = page.url
    page.reload()
    page.get_by_text(re.compile(words)).first.wait_for()
    page.get_by_role("link", name="Load").click()
    rows = "".join(f'{{"query_id":"q{n}","doc_id":"d{n}","origin":"human"}}\n' for n in range(4))
    box = page.locator(".st-key-load-logs input[type=file]")
    second: FilePayload = {"name": "second.jsonl", "mimeType": "application/json", "buffer": rows.encode()}
    box.set_input_files([second])
    page.get_by_role("button", name="Load the upload").click()
    page.get_by_text("4 retrievals with 4 results").wait_for()
    page.get_by_role("link", name="What-if").click()
    page.wait_for_url(re.compile("min_human_grounding_ratio=0.35"))
    assert slider.get_attribute("aria-valuetext") == "0.35"
    wait_until_drawn(page)
    page.get_by_role("link", name="Overview").click()
    page.get_by_text(re.compile("0 retrievals of 4 " + words)).first.wait_for()
    wait_until_drawn(page)
    context = browser.new_context()
    fresh = context.new_page()
    fresh.goto(link)
    fresh.get_by_text(re.compile(words)).first.wait_for()
    fresh.goto(page.url)
    fresh.get_by_text("This link was made for a log that is not loaded").wait_for()
    context.close()


def test_the_story_is_told_with_the_arrow_keys(page: Page, browser: Browser) -> None:
    page.get_by_role("button", name="Show the story in five steps").click()
    seen = []
    for step in range(1, 6):
        page.get_by_text(re.compile(f"^Step {step} of 5")).wait_for()
        wait_until_drawn(page)
        seen.append(page.get_by_role("heading", level=1).inner_text())
        assert page.locator("[data-testid=stPlotlyChart]").count() == 1
        if step < 5:
            page.keyboard.press("ArrowRight")
    assert len(set(seen)) == 5
    page.keyboard.press("ArrowLeft")
    page.get_by_text(re.compile("^Step 4 of 5")).wait_for()
    page.wait_for_url(re.compile("story=4"))
    wait_until_drawn(page)
    in_a_fresh_browser(browser, page.url, seen[3])
    page.keyboard.press("Escape")
    page.get_by_role("heading", name="Overview").wait_for()


def grounded(minimum: float) -> str:
    """What the command line's functions say."""
    evidence = load_inputs(
        [sample_data.LOG], catalogue=sample_data.CATALOGUE, trust=sample_data.TRUST_STORE, at=sample_data.AT_SECONDS
    )
    named = replace_fields(load_policy(sample_data.POLICY), {"min_human_grounding_ratio": minimum})
    summary = judge(Statistics.from_evidence(evidence, named.policy.top_k), named.policy).summary()
    return f"{summary.verdicts['HUMAN_GROUNDED']:,} of {summary.counted:,} retrievals"


def test_fast_moves_and_page_switches_leave_no_stale_figure(page: Page) -> None:
    links = {name: page.get_by_role("link", name=name) for name in ("What-if", "Overview", "Anchors", "Retrievals")}
    links["What-if"].click()
    slider = page.get_by_role("slider", name="Minimum grounding ratio")
    slider.wait_for()
    wait_until_drawn(page)
    places = 50
    for move in range(20):
        slider.focus()
        step = 3 if move % 3 else -2
        for _ in range(abs(step)):
            slider.press("ArrowRight" if step > 0 else "ArrowLeft")
        places += step
        if move % 5 == 4:  # no waiting: what the last page had begun must not reach this one
            for name in ("Retrievals", "Anchors", "What-if"):
                links[name].click()
            slider.wait_for()
            wait_until_drawn(page)
            places = round(100 * float(slider.get_attribute("aria-valuetext") or "nan"))
    wait_until_drawn(page)
    page.wait_for_url(re.compile(f"min_human_grounding_ratio={places / 100:g}(&|$)"))
    links["Overview"].click()
    page.locator(GROUNDED).wait_for()
    page.get_by_text(re.compile(f"minimum grounding ratio of {places / 100:g}$")).first.wait_for()
    wait_until_drawn(page)
    tile = page.locator(".st-key-tile-grounded").inner_text()
    assert grounded(places / 100) in tile
    title = page.locator(".st-key-overview-ratios-card").inner_text()
    assert f"ratio of {places / 100:g}" in title


def test_nothing_jumps_when_the_slider_moves(page: Page) -> None:
    page.get_by_role("link", name="What-if").click()
    slider = page.get_by_role("slider", name="Minimum grounding ratio")
    slider.wait_for()
    wait_until_drawn(page)
    slider.focus()
    cards = ("whatif-controls", "whatif-headline", "whatif-shares-card", "whatif-flow-card", "whatif-sweep-card")
    tops = []
    for _ in range(3):
        wait_until_drawn(page)
        boxes = [page.locator(f".st-key-{card}").bounding_box() for card in cards]
        tops.append([round(box["y"]) for box in boxes if box is not None])
        for _ in range(7):
            slider.press("ArrowRight")
    assert len(tops[0]) == len(cards)
    assert tops[0] == tops[1] == tops[2]
