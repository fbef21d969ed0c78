"""The structure that a stranger relies on: rooms, names, docstrings, the table "to change X, open Y", the glossary.

Flows in: the files of the checkout.  Flows out: one failure that names each offender.
Not here: import directions (``make check``), lengths and pins (``test_house.py``).
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("guard_core", "dashboard")
MODULES = {
    str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8"))
    for package in (*PRODUCT, "sample_data", "benchmarks")
    for path in sorted((ROOT / package).rglob("*.py"))
}
MOST_MODULES = 16
"""Modules in one folder."""
MOST_WORDS = 40
"""Words in the glossary."""
NOT_A_VERB = re.compile(
    r"(?:The|A|An|What|How|Whether|Which|Where|When|Who|Why|True|False|Of|Every|Each|One|As|All|Once|These|This|That|"
    r"Its|Their|For|In|On|To|From|With|By|If|[^A-Z`].*)$"
)
"""First words with which no sentence begins that says what a function does."""


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """Functions and methods; properties and tests are named by nouns."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            decorators = {getattr(one, "id", getattr(one, "attr", "")) for one in node.decorator_list}
            if not decorators & {"property", "cached_property"}:
                yield node


def test_no_folder_holds_too_many_modules() -> None:
    folders: dict[str, int] = defaultdict(int)
    for name in MODULES:
        folders[str(Path(name).parent)] += 1
    assert not {folder: number for folder, number in folders.items() if number > MOST_MODULES}


def test_no_two_public_classes_share_a_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for name, tree in MODULES.items():
        if name.startswith(PRODUCT):
            for node in ast.iter_child_nodes(tree):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].append(name)
    assert not {name: found for name, found in places.items() if len(found) > 1}


def test_a_docstring_says_first_what_a_function_does() -> None:
    offenders = []
    for name, tree in MODULES.items():
        for node in functions(tree):
            said = ast.get_docstring(node)
            if said and NOT_A_VERB.match(said.split()[0].rstrip(".,:")):
                offenders.append(f"{name}:{node.lineno} {node.name}: {said.splitlines()[0]}")
    assert not offenders, f"{len(offenders)} docstrings\n" + "\n".join(offenders)


def mirrored(test: Path) -> bool:
    """Whether a test file stands where the module of its name, or a part of its name, stands among the packages."""
    place = test.relative_to(ROOT / "tests").parent
    words = test.stem.removeprefix("test_").split("_")
    names = {"_".join(words[:length]) for length in range(1, len(words) + 1)}
    return any((ROOT / place / f"{name}.py").is_file() or (ROOT / place / name).is_dir() for name in names)


def test_tests_mirror_the_packages() -> None:
    files = [path for package in PRODUCT for path in (ROOT / "tests" / package).rglob("test_*.py")]
    assert len(files) > 80
    assert not [str(path.relative_to(ROOT)) for path in files if not mirrored(path)]


def table(heading: str, page: str) -> list[list[str]]:
    """The rows of the table under a heading, without its head."""
    part = read(page).split(f"## {heading}\n", 1)[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def test_the_glossary_is_short_and_has_each_word_once() -> None:
    words = [row[0] for row in table("Words", "docs/architecture.md")]
    assert 20 < len(words) <= MOST_WORDS
    assert sorted(set(words)) == words


ROWS = read("CONTRIBUTING.md").split("## To change X, open Y\n", 1)[1].split("\n## ")[0]
CHANGES = re.findall(r"^\* \*\*(.+?)\*\*: (.+?)(?=^\* |\n\n)", ROWS, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("change", "places"), CHANGES, ids=[change for change, _ in CHANGES])
def test_each_place_to_open_is_there(change: str, places: str) -> None:
    named = re.findall(r"`([\w.-]+/[\w./-]*|[\w-]+\.(?:toml|md)|Makefile)`", places)
    assert named, change
    assert not [name for name in named if not (ROOT / name).exists()]


def test_each_module_stands_in_some_row() -> None:
    named = {name for _, places in CHANGES for name in re.findall(r"`([\w./-]+)`", places)}
    folders = tuple(name for name in named if name.endswith("/"))
    assert len(CHANGES) > 20
    lost = [name for name in MODULES if name not in named and not name.startswith(folders)]
    assert not [name for name in lost if Path(name).name not in ("__init__.py", "__main__.py")]
