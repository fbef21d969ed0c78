"""Measure how long a slider takes: on the server, and in a browser until the page is redrawn.

    python benchmarks/slider.py [--retrievals 100000,1000000] [--moves 15] [--folder DIR]

Flows in: a Parquet log of ten results a retrieval, made here (seeded).  Flows out: a table on standard output: the
rerun of the script on the server, slider to redrawn page in Chromium, bytes sent to the browser for a move, and the
seconds from the command to the first page of the demo.
Rules kept here: the server is timed on the wire, from the message of a moved slider to the one that says that the
script has finished; times are medians over moves that each give a figure of their own; the page counts as redrawn
when the headline and the chart have both changed and the script is at rest.  Limits: server 25 ms at every size;
browser 500 ms at 100,000 and 700 ms at 1,000,000 retrievals; 300 kB a move; 6 s to the first page.
Not here: judging (``judging.py``), reading (``__main__.py``).
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from playwright.sync_api import Page

RESULTS = 10
ROOT = Path(__file__).resolve().parents[1]
HEADLINE = ".st-key-whatif-headline [data-testid=stMetricValue]"
SLIDER = "Minimum grounding ratio"
REDRAWN = """([before, chart]) => {
  const app = document.querySelector('[data-testid=stApp]');
  const head = document.querySelector('.st-key-whatif-headline [data-testid=stMetricValue]');
  const drawn = document.querySelector('.st-key-whatif-shares svg.main-svg');
  return app && head && drawn && app.dataset.testScriptState === 'notRunning'
      && head.innerText !== before && drawn.innerHTML !== chart;
}"""


def write(path: Path, retrievals: int) -> None:
    """Write a flat log with declared classes: each minimum ratio divides it at another place."""
    random = np.random.default_rng(20_262)
    rows, documents = retrievals * RESULTS, 50_000
    human = np.repeat(random.beta(2, 2, retrievals), RESULTS) > random.random(rows)
    document = random.integers(0, documents, rows) * 2 + human
    kinds = pa.array(["model", "human"])
    names = pa.array([f"doc-{i:06d}" for i in range(documents * 2)])
    queries = pa.array([f"what is known about topic {i}" for i in range(5000)])
    owner = np.repeat(np.arange(retrievals), RESULTS)
    columns = {
        "query_id": pa.array([f"q{i:07d}" for i in range(retrievals)]).take(pa.array(owner)),
        "query": pa.DictionaryArray.from_arrays(pa.array((owner % 5000).astype(np.int32)), queries),
        "rank": pa.array(np.tile(np.arange(1, RESULTS + 1, dtype=np.int32), retrievals)),
        "document_id": pa.DictionaryArray.from_arrays(pa.array(document.astype(np.int32)), names),
        "authenticity": pa.DictionaryArray.from_arrays(pa.array(human.astype(np.int32)), kinds),
        "synthetic_generation_depth": pa.array(np.where(human, 0, 1 + document % 3).astype(np.int32)),
        "source_authenticity_signature": pa.array(["label"]).take(pa.array(np.zeros(rows, np.int32))),
        "timestamp": pa.array(1_780_000_000 + owner * 60),
        "originator": pa.array([f"originator-{i}" for i in range(12)]).take(pa.array(document % 12)),
    }
    pq.write_table(pa.table(columns), path, row_group_size=250_000, compression="zstd")


@contextmanager
def serving(options: list[str]) -> Iterator[tuple[str, float]]:
    """Run a dashboard in a process of its own; yield its address and when it was started."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "dashboard", *options, "--no-browser", "--port", str(port)],
        cwd=ROOT,
        env=os.environ | {"STREAMLIT_LOGGER_LEVEL": "error"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        while process.poll() is None:
            try:
                with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):  # noqa: S310 - our own server
                    break
            except OSError:
                time.sleep(0.05)
        yield address, started
    finally:
        process.terminate()
        process.wait()


@dataclass(frozen=True)
class Moves:
    """Medians over moves: milliseconds of the server's run, milliseconds to the redrawn page, kilobytes sent; and the
    milliseconds to the redrawn page of the first move, which no median shows.
    """

    server: float
    redrawn: float
    sent: float
    first: float


def moves_of(log: Path, moves: int) -> Moves:
    """Move the slider in a browser, then without one."""
    with serving(["--log", str(log)]) as (address, _):
        redrawn = _in_a_browser(address, moves)
        took, sent = zip(*_on_the_wire(address, moves), strict=True)
    return Moves(statistics.median(took), statistics.median(redrawn[1:]), statistics.median(sent), redrawn[0])


def _in_a_browser(address: str, moves: int) -> list[float]:
    """Return the milliseconds from the release of the slider to the redrawn page, for each move."""
    from playwright.sync_api import sync_playwright

    took = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(args=["--no-sandbox", "--disable-gpu"], executable_path=_chromium())
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(address + "/what-if", timeout=600_000)
        page.locator(HEADLINE).wait_for(timeout=600_000)
        page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]", timeout=600_000)
        page.wait_for_timeout(2_000)
        for move in range(moves + 1):
            before = page.locator(HEADLINE).inner_text()
            chart = page.locator(".st-key-whatif-shares svg.main-svg").first.inner_html()
            _drag(page, place_of(move))
            start = time.perf_counter()
            page.mouse.up()
            page.wait_for_function(REDRAWN, arg=[before, chart], polling="raf", timeout=60_000)
            took.append(1000 * (time.perf_counter() - start))
            page.wait_for_timeout(300)
        browser.close()
    return took


def _on_the_wire(address: str, moves: int) -> list[tuple[float, float]]:
    """Return for each move the milliseconds of the server's run and the kilobytes that it sends, without a browser,
    which would take the time of a core and report late.
    """
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from websockets.sync.client import connect
    from websockets.typing import Origin, Subprotocol

    slider, took = "", []
    with connect(
        address.replace("http", "ws") + "/_stcore/stream",
        origin=Origin(address),
        subprotocols=[Subprotocol("streamlit")],
        max_size=None,
        compression=None,
    ) as wire:
        for move in range(-3, moves):  # the first runs open the page and warm up
            ask = BackMsg()
            ask.rerun_script.page_name = "what-if"
            if slider:
                state = ask.rerun_script.widget_states.widgets.add()
                state.id = slider
                state.string_array_value.data.append(f"{round(place_of(move), 2):.2f}")
            start, received, running = time.perf_counter(), 0, True
            wire.send(ask.SerializeToString())
            while running:
                frame = wire.recv()
                received += len(frame)
                told = ForwardMsg.FromString(frame if isinstance(frame, bytes) else frame.encode())
                if told.delta.new_element.slider.label == SLIDER:
                    slider = told.delta.new_element.slider.id
                running = told.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY or not told.HasField(
                    "script_finished"
                )
            if move >= 0:
                took.append((1000 * (time.perf_counter() - start), received / 1000))
            time.sleep(0.05)
    return took


def place_of(move: int) -> float:
    """Return where the slider is let go, as a part of its length: always another place, far from the last one."""
    return 0.07 + 0.1 * (move * 3 % 9) + 0.012 * (move // 9)


def _drag(page: Page, place: float) -> None:
    """Take the slider there, without letting it go."""
    thumb = page.get_by_role("slider", name=SLIDER)
    box, track = thumb.bounding_box(), page.locator(".st-key-widget-min_human_grounding_ratio").bounding_box()
    if box is None or track is None:
        raise RuntimeError("there is no slider on the page")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(track["x"] + track["width"] * place, box["y"] + box["height"] / 2, steps=4)


def first_page() -> float:
    """Return the seconds from the command to the first page of the demo, its charts drawn."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(args=["--no-sandbox", "--disable-gpu"], executable_path=_chromium())
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        with serving(["--demo"]) as (address, started):
            page.goto(address, timeout=60_000)
            page.locator(".st-key-overview-verdicts svg.main-svg").first.wait_for(timeout=60_000)
            page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]", timeout=60_000)
            took = time.perf_counter() - started
        browser.close()
    return took


def _chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if (found := shutil.which(name))), None)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--retrievals", default="100000,1000000")
    parser.add_argument("--moves", type=int, default=15)
    parser.add_argument("--folder", type=Path, help="keep the logs here and use them again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        print(
            "| retrievals | server rerun, ms | release to redrawn page, ms | the first move, ms | sent for a move, kB |"
        )
        print("|---|---|---|---|---|")
        for number in map(int, options.retrievals.split(",")):
            log = (options.folder or Path(scratch)) / f"slider-{number}.parquet"
            if not log.exists():
                write(log, number)
            took = moves_of(log, options.moves)
            print(
                f"| {number:,} | {took.server:.1f} | {took.redrawn:.0f} | {took.first:.0f} | {took.sent:.0f} |",
                flush=True,
            )
    runs = sorted(first_page() for _ in range(3))
    print(f"\nFirst page of the demo: {runs[1]:.1f} s (median of 3)")


if __name__ == "__main__":
    main()
