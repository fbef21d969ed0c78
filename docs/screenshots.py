"""Every page's picture for README and documents, in light and dark: ``make screenshots``.

Flows in: the sample, a dashboard of its own, Chromium.  Flows out: ``docs/images/*.png``.
Rules kept here: the same sample, the same width and the same wait give the same picture; a picture shows the top of a
page at 1,200 pixels of width, one more at the narrowest; colours are reduced, so that each stays small.
Not here: what the pictures show (``docs/dashboard.md``).
"""

from __future__ import annotations

import io
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
WIDTH = 1200
VIEWS = {
    "overview": ("/", None, 1060),
    "story": ("/?story=2", None, 720),
    "what-if": (
        "/what-if?preset=strict&baseline=strict&min_human_grounding_ratio=0.7",
        ".st-key-whatif-controls",
        1560,
    ),
    "anchors": ("/anchors", ".st-key-anchors-families-card", 800),
    "family": ("/anchors?family=almanac", None, 1060),
    "originators": ("/originators", None, 1060),
    "retrievals": ("/retrievals?sort=ratio", None, 900),
    "retrieval": ("/retrievals?retrieval=q-0324", ".st-key-opened-verdict", 900),
    "document": ("/document?document=soap-summary-8", None, 1060),
    "load": ("/load", None, 800),
}
"""Page and parameters, what is brought to the top of the picture (the page's own top if ``None``), and its height."""


@contextmanager
def _dashboard() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    process = subprocess.Popen(  # noqa: S603  # this interpreter, with options of our own
        [sys.executable, "-m", "dashboard", "--demo", "--no-browser", "--port", str(port)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()  # noqa: S310  # our own server
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait()


def _picture(browser: Browser, address: str, name: str, theme: str, width: int) -> None:
    path, top, height = VIEWS[name]
    page = browser.new_page(
        viewport={"width": width, "height": height}, color_scheme="dark" if theme == "dark" else "light"
    )
    page.goto(address + path)
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.evaluate("document.fonts.ready.then(() => true)")
    page.wait_for_timeout(2500)  # charts are drawn and fade in after the script has run
    if top is not None:
        page.locator(top).first.evaluate("element => element.scrollIntoView({block: 'start'})")
        page.evaluate("document.querySelector('[data-testid=stMain]').scrollBy(0, -76)")  # from under the header
        page.wait_for_timeout(800)
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled", caret="hide")))
    end = f"-{width}" if width != WIDTH else ""
    file = IMAGES / f"{name}-{theme}{end}.png"
    picture.convert("RGB").quantize(128, dither=Image.Dither.NONE).save(file, optimize=True)
    page.close()


def main() -> None:
    """Make every picture again."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with _dashboard() as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for theme in ("light", "dark"):
            for name in VIEWS:
                _picture(browser, address, name, theme, WIDTH)
        _picture(browser, address, "what-if", "dark", 800)
        browser.close()
    sys.stdout.write(f"{len(list(IMAGES.glob('*.png')))} pictures in {IMAGES.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
