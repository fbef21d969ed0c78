"""A view stands in the URL, reads back, and is valid whoever wrote the link."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.url import FILE_NAME_LIMIT, PARAMETERS, LogMark, format_time, read_parameters, write_parameters
from dashboard.view import SORTS, STORY_STEPS, VALUES_LIMIT, View
from guard_core.codes import VERDICT_WORDS
from guard_core.judging.policy import NamedPolicy, find_preset, list_policy_fields
from guard_core.model import CountUnit, Finding, SignatureGate
from tests.support.random_views import NAMED_POLICIES, VIEWS

START = NamedPolicy("strict", find_preset("strict").policy)
NAMES = [name for row in PARAMETERS for name in row.names]
LINKS = json.loads(Path(__file__).with_name("links.json").read_text(encoding="utf-8"))


def listed(value: object) -> object:
    """A part of a view as JSON holds it."""
    if hasattr(value, "__dataclass_fields__"):
        parts = {name: listed(getattr(value, name)) for name in value.__dataclass_fields__}
        return {name: part for name, part in parts.items() if part not in (None, [], "")}
    return list(value) if isinstance(value, tuple) else value


def policy_record(named: NamedPolicy) -> dict[str, object]:
    return {"preset": named.preset, **list_policy_fields(named.policy)}


@pytest.mark.parametrize("link", LINKS, ids=[link["name"] for link in LINKS])
def test_links_made_by_earlier_versions_mean_the_same(link: dict[str, object]) -> None:
    found = read_parameters(parse_qs(str(link["query"]), keep_blank_values=True), START)
    assert policy_record(found.view.policy) == (link["policy"] or policy_record(START))
    assert policy_record(found.view.baseline) == (link["baseline"] or policy_record(START))
    wanted = link["view"]
    assert isinstance(wanted, dict)
    usual = View(found.view.policy, found.view.baseline)
    for name in View.__dataclass_fields__:
        if name not in ("policy", "baseline"):
            shown = getattr(found.view, name)
            assert listed(shown) == wanted.get(name, listed(getattr(usual, name))), name
    assert (None if found.log is None else [found.log.digest, found.log.file]) == link["log"]
    assert sorted(found.refused) == sorted(link["refused"])  # type: ignore[call-overload]  # a list of sentences


def test_the_kept_links_name_every_parameter() -> None:
    used = {name for link in LINKS for name in parse_qs(str(link["query"]), keep_blank_values=True)}
    plain = {name for name in NAMES if not name.startswith("baseline.")} - set(list_policy_fields(START.policy))
    assert not plain - used


@given(VIEWS, st.text(min_size=1, max_size=FILE_NAME_LIMIT))
def test_a_view_reads_back(view: View, name: str) -> None:
    mark = LogMark.make("sha256:" + "0123456789abcdef" * 4, name)
    link = read_parameters(write_parameters(view, mark), START)
    assert (link.view, link.log, link.refused) == (view, LogMark("0123456789abcdef", name), ())


@given(NAMED_POLICIES, NAMED_POLICIES)
def test_defaults_stand_in_no_parameter(policy: NamedPolicy, baseline: NamedPolicy) -> None:
    given_parameters = write_parameters(View(policy, baseline))
    fields = set(list_policy_fields(policy.policy))
    assert {name.removeprefix("baseline.") for name in given_parameters} <= fields | {"preset", "baseline"}


def test_nothing_asked_nothing_given() -> None:
    for asked in ({}, {"embed": ["true"]}):
        link = read_parameters(asked, START)
        assert (link.view, link.log, link.refused) == (View(START, START), None, ())


@given(st.dictionaries(st.sampled_from([*NAMES, "log", "file"]), st.lists(st.text(), min_size=1, max_size=3)))
def test_any_text_gives_a_valid_view_and_no_exception(given_parameters: dict[str, list[str]]) -> None:
    view = read_parameters(given_parameters, START).view
    for named in (view.policy, view.baseline):
        policy = named.policy
        assert 0.0 <= policy.min_human_grounding_ratio <= 1.0
        assert isinstance(policy.signatures, SignatureGate)
        assert isinstance(policy.count, CountUnit)
        assert all(isinstance(finding, Finding) for finding in policy.halt_on)
    assert set(view.selection.verdicts) <= set(VERDICT_WORDS)
    assert set(view.selection.findings) <= {f.value for f in Finding}
    assert view.sort in SORTS
    assert view.page >= 1
    assert view.story is None or 1 <= view.story <= STORY_STEPS
    assert read_parameters(write_parameters(view), START).view == view


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("from", "yesterday"), ("to", "2026-13-01"), ("verdict", "GOOD"), ("finding", "<b>"), ("waived", ""),
        ("sort", "drop table"), ("page", "0"), ("page", "-1"), ("page", "9e9"), ("retrieval", "x" * 501),
        ("occurrence", "0"), ("story", "6"), ("text", "a\0b"), ("family", ""), ("reading", "maybe"),
        ("document", "x" * 501), ("document", ""), ("depths", "colour"),
        ("list", "all"), ("out_document", ""), ("out_anchor", "x" * 501), ("out_generator", "a\0"),
        ("with_document", "a\0b"), ("distrust", ""), ("compromised", "x" * 501),
    ],
)  # fmt: skip
def test_what_is_refused_is_named(name: str, value: str) -> None:
    given_parameters = {name: [value]} | ({"retrieval": ["q"]} if name == "occurrence" else {})
    link = read_parameters(given_parameters, START)
    assert len(link.refused) == 1
    assert link.refused[0].startswith(f"{name}: ")
    assert "allowed" in link.refused[0]
    assert link.view == View(START, START)


@pytest.mark.parametrize("name", ["out_document", "distrust", "collection"])
def test_too_many_values_are_named_and_the_first_count(name: str) -> None:
    link = read_parameters({name: [f"d{n}" for n in range(60)]}, START)
    assert link.refused == (f"{name}: too many; allowed: {VALUES_LIMIT}",)
    assert len(write_parameters(link.view)[name]) == VALUES_LIMIT


def test_a_day_is_taken_whole() -> None:
    selection = read_parameters({"from": ["2026-07-01"], "to": ["2026-07-01"]}, START).view.selection
    assert selection.start is not None
    assert selection.end is not None
    assert selection.end - selection.start == 24 * 3600 * 1_000_000 - 1
    assert format_time(selection.start) == "2026-07-01T00:00"
