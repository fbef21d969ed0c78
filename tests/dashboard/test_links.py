"""Links carry a view and nothing else, whoever wrote them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dashboard import links
from guard_core.judging.policy import FIELDS, PRESETS, NamedPolicy
from guard_core.model import CountUnit, Finding, SignatureGate, SynthesisPolicy
from tests.support.judging import policies

NAMED = st.builds(NamedPolicy, st.sampled_from(sorted(PRESETS)), policies)
DIGEST = "sha256:" + "0123456789abcdef" * 4


@given(NAMED, NAMED, st.text(min_size=1, max_size=links.NAME_LIMIT))
def test_a_view_reads_back(policy: NamedPolicy, baseline: NamedPolicy, name: str) -> None:
    link = links.read(links.parameters(policy, baseline, DIGEST, name))
    assert link == links.Link(policy, baseline, "0123456789abcdef", name, ())


@given(st.dictionaries(st.sampled_from([*FIELDS, "preset", "baseline", "log", "file", "baseline.top_k"]), st.text()))
def test_any_text_gives_a_valid_policy_or_none(given_parameters: dict[str, str]) -> None:
    link = links.read(given_parameters)
    for named in (link.policy, link.baseline):
        if named is None:
            continue
        policy = named.policy
        assert isinstance(policy, SynthesisPolicy)
        assert 0.0 <= policy.min_human_grounding_ratio <= 1.0
        assert isinstance(policy.signatures, SignatureGate)
        assert isinstance(policy.count, CountUnit)
        assert all(isinstance(finding, Finding) for finding in policy.halt_on)


def test_nothing_asked_nothing_given() -> None:
    assert links.read({}) == links.Link()
    assert links.read({"embed": "true"}) == links.Link()
    assert "log" not in links.parameters(
        NamedPolicy("strict", PRESETS["strict"]), NamedPolicy("strict", PRESETS["strict"]), None, None
    )
