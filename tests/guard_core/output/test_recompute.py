"""Test that an evaluation can be checked against itself, and that no change of it passes.

Flows in: random logs and policies.  Flows out: laws.
Not here: what the records are (``test_evaluation.py``).
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

from guard_core.errors import ManifestError
from guard_core.judging.policy import find_preset
from guard_core.model import Basis, SearchResult, SignatureStatus, SynthesisPolicy
from guard_core.output.evaluation import Evaluation
from guard_core.output.json_lines import write_json
from guard_core.output.recompute import compute_digest, read_object, verify
from tests.support.random_retrievals import HUMAN_RESULT, Retrieval, evaluate_retrievals, policies, retrievals

logs = st.lists(retrievals(), max_size=6)


def written(evaluation: Evaluation) -> bytes:
    out = io.BytesIO()
    digest = write_json(evaluation, out)
    assert digest == evaluation.digest()
    return out.getvalue()


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
    evaluation = evaluate_retrievals(log, policy, at)
    text = written(evaluation)
    assert verify(text) == evaluation.digest()
    respaced = json.dumps(json.loads(text), indent=2, ensure_ascii=True).encode()
    assert verify(respaced) == evaluation.digest()


@given(logs, policies, st.data())
def test_no_change_of_a_covered_member_holds(
    log: list[Retrieval], policy: SynthesisPolicy, data: st.DataObject
) -> None:
    whole = json.loads(written(evaluate_retrievals(log, policy)))
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
    whole = json.loads(written(evaluate_retrievals([Retrieval((HUMAN_RESULT,))], find_preset("reference").policy)))
    with pytest.raises(ManifestError, match=told):
        verify(json.dumps(spoil(whole)).encode())


def test_a_repeated_member_does_not_pass() -> None:
    text = written(evaluate_retrievals([Retrieval((HUMAN_RESULT,))], find_preset("reference").policy))
    with pytest.raises(ManifestError, match="repeated"):
        verify(text.replace(b'"schema":', b'"schema":"source-guard/evaluation/1","schema":', 1))


def forged(change: Callable[[dict[str, Any]], object]) -> bytes:
    """An object that was changed and given the digest that fits the change."""
    whole = json.loads(
        written(evaluate_retrievals([Retrieval((HUMAN_RESULT,)), Retrieval(())], find_preset("reference").policy))
    )
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
