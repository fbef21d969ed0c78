"""The documents say what the code does: rule numbers, policy fields, spellings, examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from guard_core.files.limits import Limits
from guard_core.ingest import read_log
from guard_core.ingest.records.fields import SPELLINGS
from guard_core.judging.policy import FIELDS, PRESETS, list_policy_fields, parse_policy
from guard_core.model import Anchor, Conflict, Finding
from guard_core.provenance.catalogue import read_catalogue
from guard_core.provenance.evidence import build_evidence

DOCS = Path(__file__).resolve().parents[1] / "docs"


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page(name), re.DOTALL)


def test_every_rule_is_there_once() -> None:
    numbers = [int(n) for n in re.findall(r"^\*\*R(\d+)\b", page("rules.md"), re.MULTILINE)]
    assert sorted(numbers) == list(range(1, 72))


def test_conflicts_and_findings_are_named() -> None:
    assert all(f"`{conflict.value}`" in page("rules.md") for conflict in Conflict)
    assert all(f"\n* **`{finding.value}`**: " in page("policy.md") for finding in Finding)


@pytest.mark.parametrize("name", FIELDS)
def test_every_policy_field_has_its_defaults_and_an_example(name: str) -> None:
    row = re.search(rf"^\| `{name}` \| (.*) \| (.*) \| (.*) \|$", page("policy.md"), re.MULTILINE)
    assert row is not None
    for column, preset in ((2, "reference"), (3, "strict")):
        value = list_policy_fields(PRESETS[preset])[name]
        words = {"true": True, "false": False, "none": None, "`none`": None}
        shown = row[column]
        if name == "halt_on":
            assert ([] if shown == "none" else re.findall(r"`(\w+)`", shown)) == value
        elif shown in words:
            assert words[shown] is value
        elif isinstance(value, str):
            assert shown == f"`{value}`"
        else:
            assert float(shown) == value
    described = page("policy.md").split(f"\n**`{name}`**", 1)[1].split("\n\n**", 1)[0]
    assert "*Example:*" in described


def test_policy_examples_can_be_loaded() -> None:
    examples = blocks("policy.md", "toml") + blocks("policy.md", "json")
    assert [parse_policy(text, "example").policy.top_k for text in examples] == [10, None]


@pytest.mark.parametrize("column", SPELLINGS)
def test_every_spelling_is_listed(column: str) -> None:
    row = next(line for line in page("formats.md").splitlines() if line.startswith("| ") and f"`{column}`" in line)
    assert all(f"`{other}`" in row for other in SPELLINGS[column])


def test_limits_are_the_ones_in_force() -> None:
    text = page("formats.md")
    limits = Limits()
    assert f"| rows of a file | {limits.rows:,} |" in text
    assert f"| columns | {limits.columns:,} |" in text
    assert f"| nesting of JSON | {limits.nesting} |" in text
    assert limits.line_bytes == 16 * 2**20
    assert limits.decoded_bytes == 2**40


def test_examples_of_formats_can_be_read(tmp_path: Path) -> None:
    flat, nested, *_ = blocks("formats.md", "json")
    log_csv, catalogue_csv = blocks("formats.md", "csv")
    for name, text in (
        ("flat.jsonl", flat),
        ("nested.jsonl", nested),
        ("log.csv", log_csv),
        ("catalogue.csv", catalogue_csv),
    ):
        (tmp_path / name).write_text(text)
    catalogue = read_catalogue(tmp_path / "catalogue.csv")
    for name in ("flat.jsonl", "nested.jsonl", "log.csv"):
        log = read_log([tmp_path / name])
        assert (log.rows_rejected, log.notices) == (0, ())
        almanac, faq = build_evidence(log, catalogue).results(0)
        assert almanac.anchors == faq.anchors == (Anchor("almanac"),)
        assert almanac.conflicts == faq.conflicts == ()
