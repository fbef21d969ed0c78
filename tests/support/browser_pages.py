"""Wait until a page in a browser is drawn, and open a row of its tables.

Flows in: a page.  Flows out: nothing, or what stands on it.
Rules kept here: no test waits for longer than it must, and none looks at a page whose script still runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

_CHECKBOX, _HEADER, _ROW = 14, 35, 35


def wait_until_drawn(page: Page) -> None:
    """Wait until the script has run and what it sent is drawn."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_timeout(150)


def choose_row(page: Page, key: str, row: int) -> None:
    """Tick the box of a row (from 0) of the table with this key."""
    table = page.locator(f".st-key-{key.replace('.', '-')} [data-testid=stDataFrame]").first
    table.scroll_into_view_if_needed()
    table.click(position={"x": _CHECKBOX, "y": _HEADER + _ROW * row + _ROW // 2})
