"""What is published works where there is no checkout: a wheel and a source archive, installed in a third environment.

Flows in: the files of the checkout.  Flows out: one failure for each thing that a user of the wheel would miss.

The third environment holds the wheel and exactly the packages of ``constraints.txt``, by links to where they are
installed already.  A real installation of the lock fetches 100 MB, and no test leaves this machine (``.ci/run``
installs the lock from nothing each time).  What this is for no link can hide: neither the checkout nor a package that
only tests have can be imported there.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import urllib.request
import zipfile
from importlib.metadata import PathDistribution, distribution
from pathlib import Path

import pytest
from packaging.markers import default_environment

from tests.support.lock_files import Environment, read_lock

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = {".ci", ".git", ".venv", ".ci-venv", "build", "dist"}
"""What is in a checkout and not in the source archive."""

pytestmark = pytest.mark.slow


def build(folder: Path, kind: str, into: Path) -> Path:
    """Build a wheel or a source archive (sdist) with the pinned backend, and return its path."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", str(into)]
    subprocess.run(command, cwd=folder, env=clean_environment(), check=True, capture_output=True, timeout=60)
    (built,) = into.iterdir()
    return built


def clean_environment() -> dict[str, str]:
    """Return the variables of this process without those that tell a Python where to look, or what to measure."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV", "VIRTUAL"))}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def unpacked(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (top,) = folder.iterdir()
    return top


@pytest.fixture(scope="module")
def wheel(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel as somebody who has only the source archive."""
    return build(unpacked, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def third(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the environment in a path with a space, and return its folder of commands."""
    home = tmp_path_factory.mktemp("third") / "an environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True, timeout=60)
    link_locked_packages(Path(sysconfig.get_path("purelib", "venv", {"base": str(home), "platbase": str(home)})))
    run_pip(home, "install", "--quiet", "--no-deps", "--no-index", str(wheel))
    return home / "bin"


def link_locked_packages(into: Path) -> None:
    """Link what the run-time lock installs on this platform into the packages of another environment."""
    here: Environment = {name: str(value) for name, value in default_environment().items()}
    for pin in read_lock((ROOT / "constraints.txt").read_text(encoding="utf-8")):
        if pin.holds_in(here):
            found = distribution(pin.name)
            assert isinstance(found, PathDistribution)
            home = Path(str(found.locate_file("")))
            tops = {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}
            for top in tops:
                (into / top).symlink_to(home / top)  # fails where two packages share a folder


def run_pip(home: Path, *arguments: str) -> None:
    """Run the pip of this environment for another."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(home / "bin" / "python")]
    done = subprocess.run(
        [*command, *arguments], env=clean_environment(), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def run_there(third: Path, folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the third environment in a folder that is not the checkout."""
    return subprocess.run(
        [third / command[0], *command[1:]],
        cwd=folder,
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def packaged_files() -> set[str]:
    """Return the files of our packages that git knows or would take."""
    command = [
        "git",
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "guard_core",
        "dashboard",
        "sample_data",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout: nobody says which files are ours")
    return {name for name in done.stdout.splitlines() if (ROOT / name).exists()}


def test_the_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = {name for name in packed.namelist() if ".dist-info/" not in name}
    assert names == packaged_files()
    assert {"sample_data/log.jsonl", "dashboard/.streamlit/config.toml"} <= names


def test_the_wheel_is_the_same_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(build(ROOT, "wheel", tmp_path)) as other:
        contents = [{name: packed.read(name) for name in packed.namelist()} for packed in (one, other)]
    assert contents[0] == contents[1]


def test_the_archive_holds_what_a_packager_needs(unpacked: Path) -> None:
    held = {path.name for path in unpacked.iterdir()}
    assert {"LICENSE", "README.md", "Makefile", "constraints.txt", "tests", "docs", "sample_data"} <= held
    assert not held & LEFT_OUT


def test_nothing_that_the_wheel_requires_is_missing(third: Path) -> None:
    run_pip(third.parent, "check")


def test_neither_the_checkout_nor_a_test_tool_can_be_imported(third: Path, tmp_path: Path) -> None:
    where = run_there(third, tmp_path, "python", "-c", "import guard_core; print(guard_core.__file__)")
    assert Path(where.stdout.strip()).is_relative_to(third.parent), where.stderr
    for name in ("tests", "pytest", "rank_bm25"):
        assert run_there(third, tmp_path, "python", "-c", f"import {name}").returncode != 0


def test_every_module_can_be_imported(third: Path, tmp_path: Path) -> None:
    """A module that needs what only the tests have fails here; the adapters need an extra each, and say so."""
    program = """
import importlib, pkgutil
for package in ("guard_core", "sample_data"):
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, package + "."):
        if not module.name.startswith("guard_core.search.adapters."):
            importlib.import_module(module.name)
"""
    done = run_there(third, tmp_path, "python", "-c", program)
    assert done.returncode == 0, done.stderr


def test_a_log_is_judged(third: Path, tmp_path: Path) -> None:
    for name in ("log.jsonl", "catalogue.csv"):
        shutil.copy(ROOT / "sample_data" / name, tmp_path)
    done = run_there(third, tmp_path, "source-guard", "evaluate", "log.jsonl", "--catalogue", "catalogue.csv")
    assert done.returncode == 0, done.stderr
    assert re.search(r"HUMAN_GROUNDED +172 ", done.stdout)


def test_the_demo_starts_answers_and_stops(third: Path, tmp_path: Path) -> None:
    command = [str(third / "source-guard"), "demo", "--no-browser"]
    with subprocess.Popen(command, cwd=tmp_path, env=clean_environment(), stdout=subprocess.PIPE, text=True) as started:
        try:
            assert started.stdout is not None
            said = next((line for line in started.stdout if "http://127.0.0.1" in line), "")
            address = re.search(r"http://127\.0\.0\.1:\d+", said)
            assert address, "it ended without naming its address"
            with urllib.request.urlopen(f"{address[0]}/_stcore/health", timeout=20) as answer:  # noqa: S310  # always http
                assert (answer.status, answer.read()) == (200, b"ok")
        finally:
            started.terminate()
            started.wait(timeout=20)
