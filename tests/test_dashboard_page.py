"""``docs/dashboard.md`` has a section and a picture for each page, and the limits that hold."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from dashboard.view import TEXT_LIMIT, VALUES_LIMIT
from dashboard.views.table import ROWS_ON_SCREEN
from dashboard.views.whatif import FLIPS_ON_SCREEN

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "dashboard.md").read_text(encoding="utf-8")
PAGES = re.findall(r'title="([\w-]+)"', (ROOT / "dashboard" / "app.py").read_text(encoding="utf-8"))


@pytest.mark.parametrize("title", PAGES)
def test_each_page_has_a_section_with_a_picture(title: str) -> None:
    sections = {part.partition("\n")[0]: part for part in PAGE.split("\n## ")[1:]}
    assert re.search(r"!\[[^\]]{10,}\]\(images/[\w-]+\.png\)", sections[title])


def test_every_picture_is_one_that_is_made_and_is_small() -> None:
    pictures = sorted((ROOT / "docs" / "images").glob("*.png"))
    made = set(re.findall(r'^    "([\w-]+)": \(', (ROOT / "docs" / "screenshots.py").read_text(), re.MULTILINE))
    assert len(made) > len(PAGES)
    assert {re.sub(r"-(light|dark)(-800)?$", "", picture.stem) for picture in pictures} == made
    assert not [picture.name for picture in pictures if picture.stat().st_size > 120_000]


def test_the_limits_are_those_that_hold() -> None:
    config = tomllib.loads((ROOT / "dashboard" / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert f"{config['server']['maxUploadSize']} MB a file" in PAGE
    assert f"| {ROWS_ON_SCREEN}, of flips {FLIPS_ON_SCREEN}," in PAGE
    assert f"| {VALUES_LIMIT}, of {TEXT_LIMIT} characters" in PAGE
