"""One person's way through the dashboard, and another's who follows the link."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest

import sample_data
from guard_core.judging.judge import judge
from guard_core.judging.policy import load_policy, replace_fields
from guard_core.judging.statistics import Statistics
from guard_core.judging.whatif import count_flips
from guard_core.provenance.inputs import load_inputs
from tests.support.browser_pages import wait_until_drawn

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

HEADLINE = ".st-key-whatif-headline [data-testid=stMetricValue]"


def flipped_in_the_library(minimum: float) -> int:
    """What the command line's functions say of the same move."""
    evidence = load_inputs(
        [sample_data.LOG],
        catalogue=sample_data.CATALOGUE,
        trust=sample_data.TRUST_STORE,
        at=sample_data.AT_SECONDS,
    )
    start = load_policy(sample_data.POLICY)
    moved = replace_fields(start, {"min_human_grounding_ratio": minimum})
    statistics = Statistics.from_evidence(evidence, start.policy.top_k)
    matrix = count_flips(judge(statistics, start.policy), judge(statistics, moved.policy))
    return int(matrix.sum() - matrix.trace())


def test_move_the_slider_and_share_the_link(dashboard: Callable[..., str], browser: Browser) -> None:
    address = dashboard("--demo")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(address)
    page.get_by_role("heading", name="Overview").wait_for()
    page.get_by_role("link", name="What-if").click()
    page.locator(HEADLINE).wait_for()
    wait_until_drawn(page)
    assert page.locator(HEADLINE).inner_text() == "0"

    slider = page.get_by_role("slider", name="Minimum grounding ratio")
    slider.focus()
    for _ in range(20):
        slider.press("ArrowRight")
    expected = flipped_in_the_library(0.7)
    assert expected > 0
    page.locator(HEADLINE, has_text=re.compile(f"^{expected}$")).wait_for()
    page.wait_for_url(re.compile("min_human_grounding_ratio=0.7"))
    wait_until_drawn(page)
    assert page.get_by_text("Retrievals that flip").is_visible()

    page.get_by_role("link", name="Overview").click()
    page.get_by_role("heading", name="Overview").wait_for()
    page.get_by_text(re.compile("reach the minimum grounding ratio of 0.7")).first.wait_for()
    page.get_by_role("link", name="What-if").click()
    page.locator(HEADLINE, has_text=re.compile(f"^{expected}$")).wait_for()
    page.wait_for_url(re.compile("min_human_grounding_ratio=0.7"))
    link = page.url
    asked = parse_qs(urlsplit(link).query)
    assert urlsplit(link).path == "/what-if"
    assert asked["file"] == ["log.jsonl"]
    assert re.fullmatch("[0-9a-f]{16}", asked["log"][0])

    other = browser.new_context()
    second = other.new_page()
    second.goto(link)
    second.locator(HEADLINE, has_text=re.compile(f"^{expected}$")).wait_for()
    assert second.get_by_role("slider", name="Minimum grounding ratio").get_attribute("aria-valuetext") == "0.70"
    other.close()
    page.close()


def test_the_very_first_visit_may_be_a_link(dashboard: Callable[..., str], browser: Browser) -> None:
    page = browser.new_page()
    page.goto(dashboard("--demo", "--preset", "strict") + "/what-if?preset=reference")
    page.locator(HEADLINE).wait_for()
    wait_until_drawn(page)
    assert page.get_by_role("dialog").count() == 0
    page.close()


def test_a_finding_leads_to_its_retrievals(dashboard: Callable[..., str], browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(dashboard("--demo"))
    page.get_by_role("button", name="Show these retrievals").first.click()
    page.get_by_role("heading", name=re.compile("Hallucination amplification: [0-9]+ retrievals")).wait_for()
    page.close()


def test_a_link_without_its_log_names_the_file(dashboard: Callable[..., str], browser: Browser) -> None:
    name = "![x](http://127.0.0.1:9/x.png) <b>log</b>.jsonl"
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(dashboard() + "/what-if?log=0123456789abcdef&min_human_grounding_ratio=nan&file=" + name)
    page.get_by_text("This link was made for a log that is not loaded").wait_for()
    assert page.get_by_test_id("stCode").inner_text() == name
    assert page.get_by_text(re.compile("policy field min_human_grounding_ratio")).count()
    assert not [url for url in asked if url.startswith("http://127.0.0.1:9/")]
    page.close()


@pytest.mark.parametrize("width", [1280, 800])
@pytest.mark.parametrize(
    "path",
    ["/", "/what-if", "/anchors", "/anchors?family=almanac", "/retrievals", "/retrievals?retrieval=q-0324", "/load"],
)
def test_no_page_scrolls_sideways(dashboard: Callable[..., str], browser: Browser, path: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(dashboard("--demo") + path)
    page.get_by_role("heading", level=1).wait_for()
    wait_until_drawn(page)
    page.wait_for_timeout(500)
    too_wide = page.evaluate(
        """() => [...document.querySelectorAll('[data-testid=stMain], [data-testid=stMainBlockContainer], body')]
                 .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.outerHTML.slice(0, 80))"""
    )
    assert not too_wide
    page.close()
