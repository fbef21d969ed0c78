"""Read a lock file and find what is missing from it, for any Python and any platform, without asking anybody.

Flows in: the text of a lock, what the project asks for, the metadata of the installed packages.  Flows out: pins, and
sentences about what does not fit.
Rules kept here: the markers decide, evaluated for an environment that is described, not the one that runs; nothing is
guessed: a line that is no pin, or a pin whose requirements are not known, is an error.
Not here: what has to hold (``tests/test_locks.py``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

Environment = dict[str, str]
"""The values of all environment markers, without ``extra``."""

_PIN = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*)==([^ ;\\]+)(?: ; ([^\\]+))? \\")
_HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")

_SYSTEMS = {
    "linux": ("posix", "Linux", ("x86_64", "aarch64")),
    "darwin": ("posix", "Darwin", ("arm64", "x86_64")),
    "win32": ("nt", "Windows", ("AMD64", "ARM64")),
    "emscripten": ("posix", "Emscripten", ("wasm32",)),
}


@dataclass(frozen=True, slots=True)
class Pin:
    """One package of a lock: its version, and where it is installed (everywhere, if ``marker`` is ``None``)."""

    name: str
    version: str
    marker: Marker | None = None

    def holds_in(self, environment: Environment) -> bool:
        """Return whether the package is installed in this environment."""
        return self.marker is None or self.marker.evaluate(environment)

    def __str__(self) -> str:
        """Return the pin as pip spells it, without its marker."""
        return f"{self.name}=={self.version}"


@dataclass(frozen=True, slots=True)
class Needs:
    """What a package says about itself: the Pythons that it runs on and the packages that it requires."""

    python: SpecifierSet
    requirements: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class Walk:
    """What was found on the way from the project's requirements through a lock."""

    faults: tuple[str, ...]
    reached: frozenset[Pin]


def read_lock(text: str) -> tuple[Pin, ...]:
    """Return the pins of a lock; raise ``ValueError`` at the first line that is neither pin, hash nor comment."""
    pins: list[Pin] = []
    awaited = False  # a hash has to follow
    for number, line in enumerate(text.splitlines(), 1):
        pin, digest = _PIN.fullmatch(line), _HASH.fullmatch(line)
        if pin and not awaited:
            pins.append(Pin(pin[1], pin[2], Marker(pin[3]) if pin[3] else None))
            awaited = True
        elif digest and awaited:
            awaited = digest[1] is not None
        elif not line.startswith("    #") or awaited:
            raise ValueError(f"line {number} is not what a lock holds there: {line}")
    if awaited:
        raise ValueError("the lock ends where a hash has to follow")
    return tuple(pins)


def describe_environments(python: str, system: str) -> Iterator[Environment]:
    """Yield the first and a late patch of a Python, such as 3.12, on each machine of a system (``sys.platform``)."""
    os_name, platform_system, machines = _SYSTEMS[system]
    for patch in (0, 99):
        for machine in machines:
            yield {
                "implementation_name": "cpython",
                "implementation_version": f"{python}.{patch}",
                "os_name": os_name,
                "platform_machine": machine,
                "platform_python_implementation": "CPython",
                "platform_release": "",
                "platform_system": platform_system,
                "platform_version": "",
                "python_full_version": f"{python}.{patch}",
                "python_version": python,
                "sys_platform": system,
            }


def needs_of(metadata: Iterable[str], python: str) -> Needs:
    """Return the requirements of a package in parsed form."""
    return Needs(SpecifierSet(python), tuple(Requirement(line) for line in metadata))


@cache
def read_installed_needs(pin: Pin) -> Needs | None:
    """Return what the installed package says; ``None`` if it is not installed in the version of the pin."""
    try:
        found = distribution(pin.name)
    except PackageNotFoundError:
        return None
    if Version(found.version) != Version(pin.version):
        return None
    python = found.metadata.json.get("requires_python", "")
    return needs_of(found.requires or (), str(python))


def walk_lock(
    pins: Iterable[Pin],
    wanted: Iterable[Requirement],
    environment: Environment,
    needs: Callable[[Pin], Needs],
) -> Walk:
    """Follow every requirement through the lock as it is installed in one environment."""
    locked: dict[str, Pin] = {}
    faults: list[str] = []
    for pin in pins:
        if pin.holds_in(environment):
            if pin.name in locked:
                faults.append(f"{pin.name} is locked twice: {locked[pin.name].version}, {pin.version}")
            locked[pin.name] = pin
    waiting = [("source-guard", requirement) for requirement in wanted]
    extras: dict[Pin, set[str]] = {}
    while waiting:
        asker, requirement = waiting.pop()
        found = locked.get(canonicalize_name(requirement.name))
        if found is None:
            faults.append(f"{asker} needs {requirement}: it is not locked")
            continue
        if requirement.url or not requirement.specifier.contains(found.version, prereleases=True):
            faults.append(f"{asker} needs {requirement}: locked is {found.version}")
        followed = extras.get(found, set())
        asked = {"", *map(canonicalize_name, requirement.extras)} - followed
        if asked:
            extras[found] = followed | asked
            said = needs(found)
            if not said.python.contains(environment["python_full_version"]):
                faults.append(f"{found} needs Python {said.python}")
            waiting += [(str(found), needed) for needed in said.requirements if _applies(needed, environment, asked)]
    return Walk(tuple(faults), frozenset(extras))


def _applies(requirement: Requirement, environment: Environment, extras: Iterable[str]) -> bool:
    """Return whether a requirement holds in an environment for any of the extras that are asked for."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({**environment, "extra": extra}) for extra in extras)
