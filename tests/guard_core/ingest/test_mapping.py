"""A user's own mapping: pairs, and what is said where they name what does not exist."""

from __future__ import annotations

import pytest

from guard_core.errors import MappingError
from guard_core.ingest.mapping import check_mapping, parse_mapping, parse_pair, require_columns


def test_pairs() -> None:
    assert parse_mapping(["result_id=chunk", "query=a=b", "score= s "]) == {
        "result_id": "chunk",
        "query": "a=b",
        "score": " s ",
    }
    assert parse_mapping([]) == {}


@pytest.mark.parametrize("pair", ["result_id", "=chunk", "result_id=", ""])
def test_what_is_no_pair(pair: str) -> None:
    with pytest.raises(MappingError, match=r"FIELD=COLUMN|no field"):
        parse_pair(pair)


def test_unknown_fields_are_named_with_those_that_exist() -> None:
    with pytest.raises(MappingError, match=r"no field chunk.*result_id"):
        parse_mapping(["chunk=result_id"])


def test_a_field_or_column_twice_is_refused() -> None:
    for column in "ab":
        with pytest.raises(MappingError, match="query twice"):
            parse_mapping(["query=a", f"query={column}"])
    with pytest.raises(MappingError, match="one column is mapped twice"):
        parse_mapping(["query=a", "title=a"])


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
