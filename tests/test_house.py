"""The house rules that a machine can check: lengths, names, opening docstrings, pins, floors.

Flows in: the files of the checkout.  Flows out: one failure that names each offender.
Not here: lint, types, import directions and dead code (``make check``).
"""

from __future__ import annotations

import ast
import fnmatch
import re
import socket
import tomllib
from collections.abc import Iterator
from importlib.metadata import requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version
from vulture import Vulture

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("guard_core", "dashboard", "sample_data", "benchmarks", "tests")
MAX_LINES = 400
MAX_WIDTH = 120


def sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


def documents() -> list[Path]:
    """Return the Markdown files of the checkout, without those of installed packages."""
    folders = ("docs", "benchmarks", "sample_data", "tests")
    found = [*ROOT.glob("*.md"), *(path for folder in folders for path in (ROOT / folder).rglob("*.md"))]
    return sorted(path for path in found if "node_modules" not in path.parts)


def test_no_file_is_too_long() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in sources(*PACKAGES)}
    assert not {path: lines for path, lines in lengths.items() if lines > MAX_LINES}


def test_lines_of_documents_fit_a_screen() -> None:
    """At most 120 characters, but for a JSON record of a code block and a word that cannot be broken."""
    long = []
    for path in documents():
        block = ""
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("```"):
                block = line[3:] if not block else ""
            is_record = block == "json" and line.startswith("{") and line.endswith("}")
            if len(line) > MAX_WIDTH and not is_record and " " in line.strip():
                long.append(f"{path.relative_to(ROOT)}:{number}")
    assert not long


def test_every_module_opens_with_what_it_is() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in sources(*PACKAGES)
        if path.read_text().strip() and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert not silent


def test_no_file_is_named_for_nothing() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "manager"}
    assert not [str(p.relative_to(ROOT)) for p in sources(*PACKAGES) if p.stem in vague]


def test_public_signatures_say_what_they_take() -> None:
    offenders = []
    for path in sources("guard_core", "dashboard", "sample_data"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("_"):
                continue
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            hints = [a.annotation for a in arguments if a.annotation is not None]
            hints += [node.returns] if node.returns is not None else []
            names = {n.id for hint in hints for n in ast.walk(hint) if isinstance(n, ast.Name)}
            if "Any" in names:
                offenders.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert not offenders


def test_exceptions_for_dead_code_are_still_needed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["vulture"]
    search = Vulture()
    search.scavenge([str(ROOT / folder) for folder in settings["paths"]])
    unused = {item.name for item in search.get_unused_code(min_confidence=settings["min_confidence"])}
    assert not [name for name in settings["ignore_names"] if not fnmatch.filter(unused, name)]


PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)


def pins(name: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for package, pinned in PIN.findall((ROOT / name).read_text()):
        found.setdefault(package, set()).add(pinned)
    return found


def test_pins_have_hashes_and_name_no_place() -> None:
    for name in ("constraints.txt", "constraints-dev.txt"):
        text = (ROOT / name).read_text()
        assert "://" not in text, name
        assert not re.search(r"^--?(index|extra|find|trusted)", text, re.MULTILINE), name
        blocks = [b for b in re.split(r"\n(?=[A-Za-z0-9])", text) if PIN.match(b)]
        assert blocks, name
        assert not [b.splitlines()[0] for b in blocks if "--hash=sha256:" not in b], name


def test_the_two_pin_files_agree() -> None:
    run, dev = pins("constraints.txt"), pins("constraints-dev.txt")
    assert {name: dev.get(name) for name in run} == run


def test_every_dependency_is_pinned_at_or_above_its_floor() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    dev = pins("constraints-dev.txt")
    for requirement in (Requirement(line) for group in groups for line in group):
        versions = dev[requirement.name]
        assert all(requirement.specifier.contains(v) for v in versions), requirement


def security_floors() -> dict[str, str]:
    """The table of security floors in SECURITY.md: package, first version without the known fault."""
    return dict(re.findall(r"^\| `([a-z0-9.-]+)` \| ([0-9.]+) \|", (ROOT / "SECURITY.md").read_text(), re.MULTILINE))


def test_security_floors_hold_here_and_in_the_pins() -> None:
    floors = security_floors()
    assert {"cryptography", "pyarrow", "starlette", "streamlit"} <= set(floors)
    dev = pins("constraints-dev.txt")
    for package, floor in floors.items():
        assert Version(version(package)) >= Version(floor), package
        assert all(Version(v) >= Version(floor) for v in dev[package]), package


def test_security_floors_are_the_projects_own_floors() -> None:
    declared = {r.name: r for r in (Requirement(line) for line in requires("source-guard") or ())}
    for package, floor in security_floors().items():
        if package in declared:
            below = re.sub(r"(\d+)$", lambda m: str(max(int(m[1]) - 1, 0)), floor)
            assert below == floor or not declared[package].specifier.contains(below), package


def test_the_guard_against_leaving_this_machine_works(strangers: list[str]) -> None:
    with socket.socket() as server, socket.socket() as client:
        server.bind(("127.0.0.1", 0))
        server.listen()
        client.connect(server.getsockname())
    with socket.socket() as stranger, pytest.raises(PermissionError, match=r"192\.0\.2\.1"):
        stranger.connect(("192.0.2.1", 9))
    with pytest.raises(PermissionError, match="invalid"):
        socket.getaddrinfo("nobody.invalid", 80)
    assert strangers == ["192.0.2.1", "nobody.invalid"]
    strangers.clear()  # this once it was meant
