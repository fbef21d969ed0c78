"""The evaluation object: every record is the scalar rule's, and the object can be checked against itself.

Flows in: random logs and policies.  Flows out: laws.
Not here: objects made from files (``test_cli.py``), forms of output (``output/``).
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard_core.errors import ManifestError, NoResultsError
from guard_core.judging.guard import SyntheticSourceGuard
from guard_core.judging.policy import NamedPolicy, preset
from guard_core.model import AuthenticityClass, Basis, SearchResult, SignatureStatus, SynthesisPolicy
from guard_core.output.evaluation import Evaluation, evaluate
from guard_core.output.json_lines import write_json
from guard_core.output.recompute import compute_digest, read_object, verify
from guard_core.output.schema import encode
from tests.support.judging import Retrieval, evidence_of, policies, retrievals

logs = st.lists(retrievals(), max_size=6)


def judged(log: list[Retrieval], policy: SynthesisPolicy, at: str | None = None) -> Evaluation:
    return evaluate(evidence_of(log), NamedPolicy("reference", policy), at)


def written(evaluation: Evaluation) -> bytes:
    out = io.BytesIO()
    digest = write_json(evaluation, out)
    assert digest == evaluation.digest()
    return out.getvalue()


@given(logs, policies)
def test_every_record_is_the_scalar_rules(log: list[Retrieval], policy: SynthesisPolicy) -> None:
    records = [record for stretch in judged(log, policy).records() for record in stretch]
    assert len(records) == len(log)
    for retrieval, record in zip(log, records, strict=True):
        try:
            rule = SyntheticSourceGuard.evaluate_results(
                retrieval.results,
                policy,
                creative_task=retrieval.creative,
                rejected_results=retrieval.rejected,
            )
        except NoResultsError:
            assert record.verdict == "NO_RESULTS"
            assert (record.decision, record.applicability, record.manifest_digest, record.margin) == (None,) * 4
            assert record.findings == (("results_rejected",) if retrieval.rejected else ())
            continue
        assert (record.verdict, record.directive) == (rule.verdict.name, rule.directive)
        assert record.manifest_digest == rule.manifest_digest
        assert rule.verdict_if_signatures_waived is not None
        assert record.verdict_if_signatures_waived == rule.verdict_if_signatures_waived.name
        assert rule.decision is not None
        assert record.decision == rule.decision.name
        assert rule.applicability is not None
        assert record.applicability == rule.applicability.name
        assert record.findings == tuple(finding.value for finding in rule.findings)
        assert (record.total, record.human, record.margin) == (rule.total, rule.human, rule.margin)
        assert (record.max_depth, record.effective_anchors) == (rule.max_depth, rule.effective_anchors)
        assert record.authenticity_diversity_metric == rule.authenticity_diversity_metric
        assert record.anchored_ratio == rule.anchored_ratio
        assert [r.result_id for r in record.results] == [r.result_id for r in retrieval.results]


def without_trust(log: list[Retrieval]) -> list[Retrieval]:
    """The log as it is where nothing was checked: no status but MISSING and UNCHECKED, and no basis signed."""

    def unchecked(result: SearchResult) -> SearchResult:
        missing = result.signature is SignatureStatus.MISSING
        return replace(
            result,
            basis=Basis.CATALOGUE if result.basis is Basis.SIGNED else result.basis,
            catalogued=result.basis in (Basis.SIGNED, Basis.CATALOGUE),
            signature=SignatureStatus.MISSING if missing else SignatureStatus.UNCHECKED,
        )

    return [replace(each, results=tuple(map(unchecked, each.results))) for each in log]


@given(logs.map(without_trust), policies, st.sampled_from([None, "2026-11-30T12:00:00Z"]))
def test_an_object_holds_against_itself(log: list[Retrieval], policy: SynthesisPolicy, at: str | None) -> None:
    evaluation = judged(log, policy, at)
    text = written(evaluation)
    assert verify(text) == evaluation.digest()
    respaced = json.dumps(json.loads(text), indent=2, ensure_ascii=True).encode()
    assert verify(respaced) == evaluation.digest()


@given(logs, policies, st.data())
def test_no_change_of_a_covered_member_holds(
    log: list[Retrieval], policy: SynthesisPolicy, data: st.DataObject
) -> None:
    whole = json.loads(written(judged(log, policy)))
    places: list[tuple[dict[str, object] | list[object], object]] = []

    def collect(value: object, name: str = "") -> None:
        if name in ("files", "problems", "notices", "rows_read", "rows_accepted", "rows_rejected", "rows_ignored"):
            return
        entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, part in entries:
            if key != "incomplete":
                places.append((value, key))  # type: ignore[arg-type]  # a dict or a list, as entries says
            collect(part, str(key))

    collect(whole)
    places = [(holder, key) for holder, key in places if key not in ("log", "files", "problems", "notices")]
    places = [p for p in places if not (isinstance(p[1], str) and p[1].startswith("rows_"))]
    holder, key = data.draw(st.sampled_from(places))
    old = holder[key]  # type: ignore[index,call-overload]  # the key of its own holder
    new = data.draw(st.sampled_from([None, "", "x", 0, 1, 7, 0.25, True, [], {}, ["x"], {"x": 1}]))
    if json.dumps(new) == json.dumps(old) or (new == old and not isinstance(new, bool)):
        return
    holder[key] = new  # type: ignore[index,call-overload]  # as above
    with pytest.raises(ManifestError):
        verify(json.dumps(whole).encode())


HUMAN = SearchResult(
    "a", AuthenticityClass.HUMAN_AUTHORED, None, "claim", document_id="a", basis=Basis.DECLARED,
    signature=SignatureStatus.UNCHECKED, anchors=(), upheld_anchors=(),
)  # fmt: skip


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda o: o | {"extra": 1}, "unknown field"),
        (lambda o: {k: v for k, v in o.items() if k != "trust"}, "missing required field"),
        (lambda o: o | {"schema": "source-guard/evaluation/2"}, "schema"),
        (lambda o: o | {"digest": "sha256:" + "0" * 64}, "digest"),
        (lambda o: o | {"policy": o["policy"] | {"preset": "lenient"}}, "digest"),
    ],
    ids=["extra", "missing", "schema", "digest", "preset"],
)
def test_what_does_not_hold_is_told(spoil: Callable[[dict[str, object]], object], told: str) -> None:
    whole = json.loads(written(judged([Retrieval((HUMAN,))], preset("reference").policy)))
    with pytest.raises(ManifestError, match=told):
        verify(json.dumps(spoil(whole)).encode())


def test_a_repeated_member_does_not_pass() -> None:
    text = written(judged([Retrieval((HUMAN,))], preset("reference").policy))
    with pytest.raises(ManifestError, match="repeated"):
        verify(text.replace(b'"schema":', b'"schema":"source-guard/evaluation/1","schema":', 1))


def forged(change: Callable[[dict[str, Any]], object]) -> bytes:
    """An object that was changed and given the digest that fits the change."""
    whole = json.loads(written(judged([Retrieval((HUMAN,)), Retrieval(())], preset("reference").policy)))
    change(whole)
    whole["digest"] = compute_digest(read_object(json.dumps(whole).encode()))
    return json.dumps(whole).encode()


def _trusted(whole: dict[str, Any], **members: str) -> None:
    """Change the object to one that was judged with a trust store, and its first result."""
    whole["trust"].update(digest="sha256:00")
    whole["summary"].update(evaluated_at="2026-11-30T12:00:00Z")
    whole["retrievals"][0]["results"][0].update(members)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda o: o["retrievals"][0].update(verdict="SYNTHETIC_DEPTH_EXCESSIVE"), r"retrievals\[0\]\.verdict"),
        (lambda o: o["retrievals"][0].update(decision="HALT"), r"retrievals\[0\]\.decision"),
        (lambda o: o["retrievals"][0]["results"][0].update(authenticity="UNKNOWN"), r"retrievals\[0\]"),
        (lambda o: o["retrievals"][0]["results"][0].update(basis="guessed"), "unknown word 'guessed'"),
        (lambda o: o["retrievals"][0]["results"][0].update(signature="FINE"), "unknown word 'FINE'"),
        (lambda o: o["retrievals"][1].update(verdict="HUMAN_GROUNDED"), r"retrievals\[1\]"),
        (lambda o: o["summary"].update(halt=1), r"summary\.halt"),
        (lambda o: o["summary"].update(macro_ratio=0.5), r"summary\.macro_ratio"),
        (lambda o: o["policy"].update(preset="lenient"), "policy"),
        (lambda o: o["policy"].update(top_k=0), "top_k"),
        (lambda o: o["trust"].update(keys=1), "trust"),
        (lambda o: o["trust"].update(digest="sha256:00"), r"summary\.evaluated_at"),
        (lambda o: _trusted(o, signature="UNCHECKED"), "unchecked with a trust store"),
        (lambda o: _trusted(o, signature="VALID"), "signed if and only if"),
        (lambda o: o["retrievals"][0]["results"][0].update(signature="VALID"), "checked without a trust store"),
        (lambda o: o["retrievals"][0]["results"][0].update(basis="signed"), r"retrievals\[0\]"),
    ],
    ids=[
        "verdict",
        "decision",
        "class",
        "basis",
        "status",
        "nothing",
        "halt",
        "macro",
        "preset",
        "top_k",
        "keys",
        "time",
        "unchecked",
        "valid",
        "checked",
        "signed",
    ],
)
def test_what_the_content_does_not_give_is_found_even_with_a_fitting_digest(
    change: Callable[[dict[str, Any]], object], told: str
) -> None:
    with pytest.raises(ManifestError, match=told):
        verify(forged(change))


def test_one_manifest_on_demand_is_the_rules() -> None:
    evaluation = judged([Retrieval((HUMAN,))], preset("reference").policy)
    assert evaluation.manifest(0) == SyntheticSourceGuard.evaluate_results((HUMAN,), preset("reference").policy)


def test_the_evaluation_time_enters_the_digest_only_where_it_is_given() -> None:
    log = [Retrieval((HUMAN,))]
    policy = preset("reference").policy
    never, first, second = (
        judged(log, policy, at).digest() for at in (None, "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")
    )
    assert len({never, first, second}) == 3
    assert judged(log, policy).digest() == never


def test_text_that_a_terminal_would_act_on_is_escaped_in_json() -> None:
    text = '\x1b[31m\x9b\u202e\u2028\ufeff\U000e0041\x7fé"\\'
    data = encode(text)
    assert json.loads(data) == text
    assert data == b'"\\u001b[31m\\u009b\\u202e\\u2028\\ufeff\\udb40\\udc41\\u007f' + "é".encode() + b'\\"\\\\"'
