"""Each lock is whole: what the project asks for, with all that this needs in turn, on every Python and platform.

Flows in: ``constraints.txt``, ``constraints-dev.txt``, ``pyproject.toml``, the metadata of the installed packages.
Flows out: one failure for each Python and system, naming what is not met.

The locks are installed with ``--no-deps``, so a package that a lock forgets is a package that nobody installs.  No
test asks a package index.  What the packages of other Pythons and platforms require stands in ``ELSEWHERE``, copied
from their metadata; where such a package is installed, its own metadata has to say the same.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

from tests.support.lock_files import (
    Needs,
    Pin,
    describe_environments,
    needs_of,
    read_installed_needs,
    read_lock,
    walk_lock,
)

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = ("linux", "darwin", "win32")

ELSEWHERE: dict[str, tuple[str, tuple[str, ...]]] = {
    "deprecated==1.3.1": (
        ">=2.7, !=3.0.*, !=3.1.*, !=3.2.*, !=3.3.*",
        ("wrapt<3,>=1.10", 'inspect2; python_version < "3"'),
    ),
    "deprecated==3.0.1": (">=3.12", ("wrapt<3,>=1.16",)),
    "httpx2-jsfetch==1.0": (">=3.12", ()),
    "networkx==3.6.1": ("!=3.14.1,>=3.11", ()),
    "networkx==3.7": ("!=3.14.1,>=3.12", ()),
    "numpy==2.4.6": (">=3.11", ()),
    "numpy==2.5.5": (">=3.12", ()),
    "watchdog==7.1.0": (">=3.11", ()),
}
"""Pins with a marker, which are not installed everywhere: Requires-Python and Requires-Dist, but for the extras."""


def read_extras() -> dict[str, tuple[str, ...]]:
    """Return the extras that ``make constraints`` resolves into each lock."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    (shared,) = re.findall(r"^UV_COMPILE = (.*)$", makefile, re.MULTILINE)
    recipes = re.findall(r"^\t\$\(UV_COMPILE\)(.*) -o (\S+)$", makefile, re.MULTILINE)
    return {lock: tuple(re.findall(r"--extra (\w+)", shared + options)) for options, lock in recipes}


EXTRAS = read_extras()
LOCKS = {name: read_lock((ROOT / name).read_text(encoding="utf-8")) for name in EXTRAS}


def wanted_by(lock: str) -> list[Requirement]:
    """Return what the project asks of a lock: to run, to be built, and its extras."""
    project = PROJECT["project"]
    groups = [project["dependencies"], PROJECT["build-system"]["requires"]]
    groups += [project["optional-dependencies"][extra] for extra in EXTRAS[lock]]
    return [Requirement(line) for group in groups for line in group]


@cache
def needs(pin: Pin) -> Needs:
    """Return what a locked package requires: what it says where it is installed, else what is written down."""
    installed = read_installed_needs(pin)
    if installed is not None:
        return installed
    if pin.marker is None:
        pytest.fail(f"{pin} is locked for every platform, but not installed here: install the lock (make test does)")
    if str(pin) not in ELSEWHERE:
        pytest.fail(
            f"{pin} is not installed here: write Requires-Python and Requires-Dist of its METADATA in ELSEWHERE"
        )
    python, metadata = ELSEWHERE[str(pin)]
    return needs_of(metadata, python)


def find_faults(pins: tuple[Pin, ...], lock: str, python: str, system: str) -> set[str]:
    """Return what is not met in any of the environments of one Python on one system."""
    walks = (walk_lock(pins, wanted_by(lock), here, needs) for here in describe_environments(python, system))
    return {fault for walk in walks for fault in walk.faults}


def test_the_locks_are_those_of_make_constraints() -> None:
    assert EXTRAS == {"constraints.txt": ("build",), "constraints-dev.txt": ("build", "test", "bench")}
    assert all(len(pins) > 40 for pins in LOCKS.values())


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_requirement_is_met_by_a_locked_version(lock: str, python: str, system: str) -> None:
    assert find_faults(LOCKS[lock], lock, python, system) == set()


@pytest.mark.parametrize("lock", LOCKS)
def test_nothing_is_locked_that_nobody_needs(lock: str) -> None:
    reached: set[Pin] = set()
    for python in PYTHONS:
        for system in (*SYSTEMS, "emscripten"):  # uv resolves for it too, though nobody promises that it works there
            for here in describe_environments(python, system):
                reached |= walk_lock(LOCKS[lock], wanted_by(lock), here, needs).reached
    assert {str(pin) for pin in LOCKS[lock]} - {str(pin) for pin in reached} == set()


@pytest.mark.parametrize("lock", LOCKS)
def test_every_extra_of_the_adapters_is_met_by_the_development_lock(lock: str) -> None:
    project = PROJECT["project"]["optional-dependencies"]
    versions = {pin.name: pin.version for pin in LOCKS["constraints-dev.txt"]}
    asked = [Requirement(line) for extra in project for line in project[extra]]
    assert not [str(r) for r in asked if r.name not in versions or not r.specifier.contains(versions[r.name])]


def test_what_is_written_down_is_locked() -> None:
    marked = {str(pin) for pins in LOCKS.values() for pin in pins if pin.marker is not None}
    assert set(ELSEWHERE) - marked == set()


def test_what_is_written_down_is_what_the_installed_packages_say() -> None:
    compared = []
    for line, (python, metadata) in ELSEWHERE.items():
        name, _, version = line.partition("==")
        installed = read_installed_needs(Pin(name, version))
        if installed is not None:
            plain = [r for r in installed.requirements if r.marker is None or "extra" not in str(r.marker)]
            assert (installed.python, plain) == (needs_of((), python).python, [Requirement(m) for m in metadata]), line
            compared.append(name)
    assert {"deprecated", "networkx", "numpy"} <= set(compared)


@pytest.mark.parametrize("lock", LOCKS)
def test_a_line_that_is_missing_is_found(lock: str) -> None:
    """Each line in turn, on Linux, where it is installed there at all."""
    pins, wanted = LOCKS[lock], wanted_by(lock)
    unnoticed = []
    for pin in pins:
        here = next((e for p in PYTHONS for e in describe_environments(p, "linux") if pin.holds_in(e)), None)
        if here is None or pin not in walk_lock(pins, wanted, here, needs).reached:
            continue  # only emscripten has it, or only Windows needs it
        rest = tuple(other for other in pins if other is not pin)
        said = " ".join(walk_lock(rest, wanted, here, needs).faults).lower().replace("_", "-")
        if f"needs {pin.name}" not in said:
            unnoticed.append(str(pin))
    assert not unnoticed


def test_an_extra_is_followed() -> None:
    pins = tuple(pin for pin in LOCKS["constraints-dev.txt"] if pin.name != "coverage")
    faults = find_faults(pins, "constraints-dev.txt", "3.11", "linux")
    assert faults == {"pytest-cov==7.1.0 needs coverage[toml]>=7.10.6: it is not locked"}


def test_a_version_that_is_too_low_is_found() -> None:
    plotly = next(pin for pin in LOCKS["constraints.txt"] if pin.name == "plotly")
    lowered = needs(plotly)

    def needs_with(pin: Pin) -> Needs:
        return lowered if pin.name == "plotly" else needs(pin)

    pins = tuple(Pin("plotly", "5.0") if pin is plotly else pin for pin in LOCKS["constraints.txt"])
    here = next(describe_environments("3.12", "darwin"))
    faults = walk_lock(pins, wanted_by("constraints.txt"), here, needs_with).faults
    assert faults == ("source-guard needs plotly>=6.1: locked is 5.0",)


def test_a_marker_that_is_too_narrow_is_found() -> None:
    numpy = next(pin for pin in LOCKS["constraints.txt"] if str(pin) == "numpy==2.5.5")
    pins = tuple(pin for pin in LOCKS["constraints.txt"] if pin is not numpy)
    assert find_faults(pins, "constraints.txt", "3.11", "win32") == set()
    assert "source-guard needs numpy>=2.0: it is not locked" in find_faults(pins, "constraints.txt", "3.14", "win32")


def test_two_versions_in_one_place_and_a_python_too_old_are_found() -> None:
    everywhere = Marker("python_version >= '3'")
    pins = (*LOCKS["constraints.txt"], Pin("networkx", "3.7", everywhere))
    assert "networkx is locked twice: 3.6.1, 3.7" in find_faults(pins, "constraints.txt", "3.11", "linux")
    assert "networkx==3.7 needs Python !=3.14.1,>=3.12" in find_faults(pins, "constraints.txt", "3.11", "linux")


@pytest.mark.parametrize(
    "text",
    [
        "altair>=6 \\\n    --hash=sha256:" + "0" * 64 + "\n",
        "altair==6.3.0\n",
        "altair==6.3.0 \\\n    # via streamlit\n",
        "altair==6.3.0 \\\n    --hash=sha256:" + "0" * 64 + " \\\n",
        "altair==6.3.0 \\\n    --hash=md5:" + "0" * 32 + "\n",
        "--index-url somewhere\n",
        "altair @ file:///altair.whl\n",
    ],
    ids=["no version", "no hash", "a comment for a hash", "a hash missing", "a weak hash", "an option", "a place"],
)
def test_a_lock_is_read_strictly(text: str) -> None:
    with pytest.raises(ValueError, match=r"line \d|ends"):
        read_lock(text)
