"""Policies from outside: what is refused and how, and what is read back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.errors import PolicyError
from guard_core.judging.policy import (
    FIELDS,
    MAX_POLICY_BYTES,
    PRESETS,
    NamedPolicy,
    find_preset,
    list_policy_fields,
    load_policy,
    parse_field,
    parse_policy,
    replace_fields,
    write_policy,
)
from guard_core.model import CountUnit, Finding, SignatureGate, SynthesisPolicy
from tests.support.random_retrievals import policies

BAD_VALUES: dict[str, list[object]] = {
    "min_human_grounding_ratio": [float("nan"), float("inf"), -0.1, 1.5, 1.0001, 0.33333, True, "0.5", None, []],
    "allow_depth_1_synthetic": [1, 0, "true", None],
    "require_anchor": [1, "no"],
    "allow_unknown": [0, "yes"],
    "signatures": ["maybe", "PRESENT", 1, None, True],
    "count": ["result", 3, None],
    "top_k": [0, -3, 2.5, True, "3", 10**9],
    "min_effective_anchors": [-1, float("nan"), float("inf"), "3", False, 10**400],
    "max_depth_in_grounded": [-1, 1.5, True, "1"],
    "halt_on": ["coverage_illusion", ["coverage"], [1], None, {}],
}
REFUSED = [(field, value) for field, values in BAD_VALUES.items() for value in values]


@pytest.mark.parametrize(("field", "value"), REFUSED, ids=[f"{f}-{i}" for i, (f, _) in enumerate(REFUSED)])
def test_a_bad_value_is_refused_with_the_field_and_what_it_takes(field: str, value: object) -> None:
    with pytest.raises(PolicyError) as caught:
        replace_fields(find_preset("reference"), {field: value})
    assert caught.value.field == field
    assert FIELDS[field].allowed in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_fields_and_presets_are_refused() -> None:
    with pytest.raises(PolicyError, match="threshold"):
        replace_fields(find_preset("reference"), {"threshold": 0.5})
    with pytest.raises(PolicyError, match=r"preset.*reference, strict"):
        find_preset("lenient")
    with pytest.raises(PolicyError, match="preset"):
        parse_policy("preset = 3", "p.toml")
    with pytest.raises(PolicyError, match="unknown field"):
        parse_field("threshold", "0.5")


def test_a_hostile_field_name_is_shown_escaped() -> None:
    with pytest.raises(PolicyError) as caught:
        replace_fields(find_preset("reference"), {"a\x1b[31m\nb": 1})
    assert str(caught.value).isprintable()


def test_the_presets_are_the_documented_ones() -> None:
    assert PRESETS["reference"] == SynthesisPolicy(0.5, True)
    strict = PRESETS["strict"]
    assert strict.signatures is SignatureGate.VERIFIED
    assert strict.require_anchor
    assert not strict.allow_unknown
    assert strict.count is CountUnit.DOCUMENTS
    assert (strict.top_k, strict.min_effective_anchors, strict.max_depth_in_grounded) == (None, 3.0, 1)
    assert strict.halt_on == (Finding.RESULTS_REJECTED,)


@given(policies, st.sampled_from(sorted(PRESETS)))
def test_files_read_back_to_the_same_policy(policy: SynthesisPolicy, name: str) -> None:
    named = NamedPolicy(name, policy)
    assert parse_policy(write_policy(named), "p.toml") == named
    assert parse_policy(json.dumps({"preset": name, **list_policy_fields(policy)}), "p.json") == named


@given(policies)
def test_flag_and_url_texts_read_back_to_the_same_policy(policy: SynthesisPolicy) -> None:
    texts = {}
    for name, value in list_policy_fields(policy).items():
        text = ",".join(value) if isinstance(value, list) else "none" if value is None else str(value)
        texts[name] = parse_field(name, text.lower() if isinstance(value, bool) else text)
    assert replace_fields(find_preset("strict"), texts).policy == policy


@pytest.mark.parametrize("text", ["nan", "1.0001", "0,5", "", " 0.5", "1_0", "٠", "1e999", "0x1", "true", "0.5\n"])
def test_a_bad_ratio_text_is_refused(text: str) -> None:
    with pytest.raises(PolicyError, match="min_human_grounding_ratio"):
        replace_fields(
            find_preset("reference"), {"min_human_grounding_ratio": parse_field("min_human_grounding_ratio", text)}
        )


@pytest.mark.parametrize("name", ["allow_depth_1_synthetic", "top_k"])
def test_a_word_that_is_no_value_is_refused(name: str) -> None:
    with pytest.raises(PolicyError, match=name):
        parse_field(name, "maybe")


@given(policies, policies)
def test_fields_tell_policies_apart_and_nothing_else(first: SynthesisPolicy, second: SynthesisPolicy) -> None:
    assert (list_policy_fields(first) == list_policy_fields(second)) == (first == second)


def test_fields_not_given_take_the_presets_value() -> None:
    named = parse_policy('preset = "strict"\nmax_depth_in_grounded = "none"', "p.toml")
    assert named.preset == "strict"
    assert named.policy.max_depth_in_grounded is None
    assert named.policy.min_effective_anchors == 3.0
    assert parse_policy("", "empty.toml") == find_preset("reference")


def test_the_order_and_repetition_of_halt_on_do_not_matter() -> None:
    named = replace_fields(find_preset("reference"), {"halt_on": ["few_results", "coverage_illusion", "few_results"]})
    assert named.policy.halt_on == (Finding.COVERAGE_ILLUSION, Finding.FEW_RESULTS)


def test_a_minus_zero_is_zero() -> None:
    named = replace_fields(find_preset("reference"), {"min_human_grounding_ratio": -0.0})
    assert str(named.policy.min_human_grounding_ratio) == "0.0"


class TestFiles:
    """Files that cannot be policies."""

    def refused(self, path: Path, content: bytes) -> str:
        path.write_bytes(content)
        with pytest.raises(PolicyError) as caught:
            load_policy(path)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    def test_a_file_loads(self, tmp_path: Path) -> None:
        path = tmp_path / "p.toml"
        path.write_bytes(b"\xef\xbb\xbfmin_human_grounding_ratio = 0.25\n")
        assert load_policy(path).policy.min_human_grounding_ratio == 0.25

    def test_missing_large_binary_and_broken_files_say_so(self, tmp_path: Path) -> None:
        with pytest.raises(PolicyError, match="cannot be read"):
            load_policy(tmp_path / "absent.toml")
        path = tmp_path / "p.toml"
        assert self.refused(path, b"ratio 0.5").startswith(f"{path}: is not TOML")
        assert "too large" in self.refused(path, b"#" * (MAX_POLICY_BYTES + 1))
        assert "UTF-8" in self.refused(path, b"\xff\xfe")
        assert "not TOML" in self.refused(path, b"ratio 0.5")
        assert "not JSON" in self.refused(path, b'{"count": ')
        assert "not JSON" in self.refused(path, b'{"a":' + b"[" * 50_000)
        assert "repeats a member" in self.refused(path, b'{"count": "results", "count": "documents"}')
        assert "not a finite number" in self.refused(path, b'{"min_human_grounding_ratio": NaN}')
