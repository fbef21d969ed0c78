"""A user's own mapping: pairs, profiles, and what is said where they name what does not exist."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.errors import MappingError
from guard_core.ingest.mapping import (
    MAPPABLE,
    check_mapping,
    load_profile,
    parse_mapping,
    profile_toml,
    require_columns,
    save_profile,
)


def test_pairs() -> None:
    assert parse_mapping(["result_id=chunk", "query=a=b", "score= s "]) == {
        "result_id": "chunk",
        "query": "a=b",
        "score": " s ",
    }
    assert parse_mapping([]) == {}


@pytest.mark.parametrize("pair", ["result_id", "=chunk", "result_id=", ""])
def test_what_is_no_pair(pair: str) -> None:
    with pytest.raises(MappingError, match="FIELD=COLUMN"):
        parse_mapping([pair])


def test_unknown_fields_are_named_with_those_that_exist() -> None:
    with pytest.raises(MappingError, match=r"no field chunk.*result_id"):
        parse_mapping(["chunk=result_id"])


def test_a_field_or_column_twice_is_refused() -> None:
    with pytest.raises(MappingError, match="query twice"):
        parse_mapping(["query=a", "query=b"])
    with pytest.raises(MappingError, match="one column is mapped twice"):
        parse_mapping(["query=a", "title=a"])
    assert parse_mapping(["query=a", "query=a"]) == {"query": "a"}


@given(mapping=st.dictionaries(st.sampled_from(MAPPABLE), st.text(st.characters(codec="utf-8"), min_size=1)))
def test_profiles_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, mapping: dict[str, str]) -> None:
    if len(set(mapping.values())) < len(mapping):
        return
    path = tmp_path_factory.mktemp("profile") / "p.toml"
    save_profile(mapping, path)
    assert load_profile(path) == mapping
    path.write_text(json.dumps({"map": mapping}))
    assert load_profile(path) == mapping


def test_pairs_overrule_the_profile(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    save_profile({"query": "q", "title": "t"}, path)
    assert parse_mapping(["query=other", f"@{path}"]) == {"query": "other", "title": "t"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "neither TOML nor JSON"),
        ("[map", "neither TOML nor JSON"),
        ("[map]\nquery = 1\n", "column for query is not a name"),
        ("[map]\nnothing = 'x'\n", "no field nothing"),
        ("[other]\n", 'one table "map"'),
        ('{"map": {"query": "q"}, "more": 1}', 'one table "map"'),
        ("x" * 2_000_000, "too long"),
    ],
)
def test_profiles_that_cannot_be_used(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(text)
    with pytest.raises(MappingError, match=words) as raised:
        load_profile(path)
    assert "\n" not in str(raised.value)


def test_a_profile_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "no.toml", tmp_path):
        with pytest.raises(MappingError, match="cannot be read"):
            load_profile(path)


def test_columns_of_the_file_are_listed_on_one_line() -> None:
    require_columns({"query": "q"}, ["q", "d"], "log.csv")
    with pytest.raises(MappingError) as raised:
        require_columns({"query": "x\ny"}, ["q", "\x1b[0m", *(f"c{n}" for n in range(100))], "log.csv")
    said = str(raised.value)
    assert "x\\ny" in said
    assert "\\x1b" in said
    assert "and 82 more" in said
    assert said.isprintable()


def test_checked_takes_what_a_program_gives() -> None:
    assert check_mapping({"results": "hits"}, "here") == {"results": "hits"}
    with pytest.raises(MappingError, match="here"):
        check_mapping({"query": ""}, "here")


def test_the_text_of_a_profile() -> None:
    assert profile_toml({"query": 'a "b"'}) == (
        '# Source Guard: which column of a log feeds which field\n[map]\nquery = "a \\"b\\""\n'
    )
