"""Originators: numbers and tables, the page over every log, the what-if over trust, the claims of one retrieval."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import sample_data
from dashboard.charts import originators as figures
from dashboard.checked_logs import check_log, distrust_log
from dashboard.distrust import Distrust, reduce_trust
from dashboard.logs import UploadedTrustStore, load_log, read_texts, request_sample
from dashboard.views.corpus import attestations, originators
from guard_core.claims import read_trust_store
from guard_core.codes import STATUSES
from guard_core.judging.judge import judge
from guard_core.judging.policy import load_policy
from guard_core.judging.statistics import Statistics
from guard_core.judging.whatif import find_flips
from guard_core.model import Belief, SignatureStatus
from guard_core.provenance.evidence import Evidence
from guard_core.provenance.inputs import load_inputs
from sample_data.documents import ARCHIVE, GAZETTE, PRESS, STUDIO
from tests.dashboard.conftest import OpenPage
from tests.support import hostile_claims
from tests.support.claim_tokens import AT
from tests.support.pages import read_address, read_page
from tests.support.screen_tables import list_rows

PAGE = "app_pages/originators.py"
EXPECTED = json.loads(sample_data.EXPECTED.read_text())
POLICY = load_policy(sample_data.POLICY).policy


def shown(evidence: Evidence) -> originators.Originators:
    found = originators.count_originators(Statistics.from_evidence(evidence), Belief.UPHELD)
    assert found is not None
    return found


def test_every_result_belongs_to_one_group_and_one_status(evidence: Evidence) -> None:
    rows = shown(evidence)
    assert rows.results == sum(map(sum, rows.counts)) == evidence.log.result_count
    totals = dict(zip((status.value for status in rows.statuses), np.sum(rows.counts, axis=0).tolist(), strict=True))
    assert totals == EXPECTED["claims"]
    assert rows.valid == EXPECTED["claims"]["VALID"]
    assert rows.names[-2:] == (originators.NOBODY, originators.NO_CLAIM)
    assert sum(number for _, number in rows.faults) == rows.results - rows.valid - EXPECTED["claims"]["MISSING"]


def test_numbers_of_an_originator_are_those_of_its_rows(evidence: Evidence) -> None:
    """Counted again, one result after the other, by the key that the outcome names."""
    results: Counter[str] = Counter()
    valid: Counter[str] = Counter()
    human: Counter[str] = Counter()
    documents: dict[str, set[str | None]] = {}
    for row in range(evidence.log.result_count):
        outcome = evidence.outcome(row)
        assert outcome is not None
        if outcome.key is None:
            continue
        iss = outcome.key.iss
        results[iss] += 1
        documents.setdefault(iss, set()).add(evidence.log.document_ids.text(row))
        if outcome.status is SignatureStatus.VALID:
            valid[iss] += 1
            human[iss] += int(evidence.under(Belief.UPHELD).classes[row] == 0)
    for row_of in list_rows(shown(evidence).listed):
        iss = str(row_of[0])
        assert row_of[2:5] == (len(documents[iss]), results[iss], valid[iss])
        assert row_of[6] == human[iss]
    assert [row[0] for row in list_rows(shown(evidence).listed)] == [STUDIO, PRESS, ARCHIVE, GAZETTE]


def test_a_key_that_signs_in_another_name_is_told_by_its_owner(evidence: Evidence) -> None:
    rows = shown(evidence)
    studio = dict(zip(rows.statuses, rows.counts[rows.names.index(STUDIO)], strict=True))
    gazette = dict(zip(rows.statuses, rows.counts[rows.names.index(GAZETTE)], strict=True))
    assert (studio[SignatureStatus.UNTRUSTED_ISSUER], gazette[SignatureStatus.UNTRUSTED_ISSUER]) == (2, 8)


def test_keys_with_windows_revocations_and_thumbprints(evidence: Evidence) -> None:
    keys = {
        row[0]: dict(zip(shown(evidence).keys.columns, row, strict=True)) for row in list_rows(shown(evidence).keys)
    }
    assert len(keys) == 7
    assert keys["TEST-archive-2025"]["Signs until"] == "2026-01-01"
    assert str(keys["TEST-archive-2025"]["State"]).startswith("retired")
    assert keys["TEST-press-laptop"]["Revoked"] == "2026-08-20: keyCompromise"
    assert str(keys["TEST-press-laptop"]["State"]).startswith("compromised")
    assert keys["TEST-studio-2026"]["Algorithm"] == "ES256"
    store = read_trust_store(sample_data.TRUST_STORE)
    assert all(row["Thumbprint"] == store.keys[str(kid)].key.thumbprint for kid, row in keys.items())
    assert {row[1] for row in list_rows(shown(evidence).skipped)} == {"TEST-studio-spare", "TEST-gazette-rsa"}


def test_figures_hold_the_numbers(evidence: Evidence) -> None:
    rows = shown(evidence)
    made = figures.draw_statuses(rows)
    assert sum(sum(bar.x) for bar in made.data) == rows.results
    assert {bar.name for bar in made.data} == set(rows.numbers.columns[1:])
    assert list(figures.draw_faults(rows).data[0].x) == [number for _, number in rows.faults]
    assert len(set(figures.STATUS_STYLE.values())) == len(SignatureStatus)


def test_without_a_trust_store_there_is_nothing_to_show() -> None:
    plain = Statistics.from_evidence(load_inputs([sample_data.LOG]))
    assert originators.count_originators(plain, Belief.DECLARED) is None
    assert originators.count_claims(plain) == EXPECTED["log"]["results"] - EXPECTED["claims"]["MISSING"]


def test_a_log_without_results_divides_by_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"query_id":"q","results":[]}\n', encoding="utf-8")
    rows = shown(load_inputs([log], trust=sample_data.TRUST_STORE, at=AT))
    assert (rows.results, rows.valid, rows.faults) == (0, 0, ())
    assert {row[5] for row in list_rows(rows.listed)} == {"not applicable"}


@pytest.mark.parametrize("seconds", [-(2**53), 2**53, 0, 1_790_812_830])
def test_any_time_can_be_written(seconds: int) -> None:
    assert originators.format_moment(seconds)
    assert originators.format_day(0) == "1970-01-01"


@pytest.mark.parametrize("log", ["demo", "sample", "bare", "hostile", "nothing"])
def test_page_runs(open_page: OpenPage, logs: dict[str, tuple[str, ...]], log: str) -> None:
    opened = open_page(logs[log], PAGE)
    assert not opened.exception
    words = read_page(opened)
    if log in ("sample", "hostile"):
        assert "No trust store is loaded" in words
        assert "results carry a claim" in words
    if log == "bare":
        assert "No result carries a claim" in words
    if log == "demo":
        assert opened.metric[0].value == r"97\%"
        assert "claims judged at 2026-10-01" in words


def test_hostile_claims_stand_in_no_markdown_position(open_page: OpenPage, tmp_path: Path) -> None:
    log, trust = hostile_claims.write_hostile_claims(tmp_path, "http://127.0.0.1:9")
    options = ("--log", str(log), "--trust", str(trust), "--at", str(AT))
    store = read_trust_store(trust)
    first = min(store.originators)
    for page in (PAGE, "app_pages/whatif.py", "app_pages/load.py"):
        opened = open_page(options, page, {"distrust": first, "compromised": min(store.keys)})
        assert not opened.exception
        kinds = (opened.markdown, opened.caption, opened.info, opened.warning)
        for text in (str(element.value) for kind in kinds for element in kind):
            outside_code = "".join(text.split("`")[::2])
            assert "![" not in outside_code
            assert "<img" not in outside_code
            assert "<b>" not in outside_code


def test_switching_an_originator_off_shows_what_rests_on_it(open_page: OpenPage, evidence: Evidence) -> None:
    opened = open_page(("--demo",), PAGE)
    opened.multiselect(key="widget.distrusted").set_value([PRESS]).run()
    assert not opened.exception
    store = read_trust_store(sample_data.TRUST_STORE).with_status(PRESS, "suspended")
    without = Statistics.from_evidence(evidence.with_trust(store, sample_data.AT_SECONDS))
    changed = len(find_flips(judge(Statistics.from_evidence(evidence), POLICY), judge(without, POLICY)))
    metric = next(m for m in opened.metric if m.label == "Verdicts that change")
    assert metric.value == f"{changed:,}" != "0"
    assert "What if: Saltrook Press (TEST) switched off." in read_page(opened)
    assert read_address(opened)["distrust"] == [PRESS]
    opened.switch_page("app_pages/overview.py").run()
    grounded = judge(without, POLICY).summary().verdicts["HUMAN_GROUNDED"]
    assert f"{grounded:,} of 391 retrievals" in read_page(opened)
    opened.button(key="head.trust_all").click().run()
    assert "distrust" not in read_address(opened)
    assert "switched off" not in read_page(opened)


def test_a_link_carries_the_what_if_and_what_if_compares_it(open_page: OpenPage, evidence: Evidence) -> None:
    given = {"compromised": ["TEST-studio-2026"], "distrust": [ARCHIVE]}
    opened = open_page(("--demo",), "app_pages/whatif.py", given)
    assert not opened.exception
    store = reduce_trust(
        read_trust_store(sample_data.TRUST_STORE), Distrust((ARCHIVE,), ("TEST-studio-2026",)), sample_data.AT_SECONDS
    )
    without = judge(Statistics.from_evidence(evidence.with_trust(store, sample_data.AT_SECONDS)), POLICY)
    changed = len(find_flips(judge(Statistics.from_evidence(evidence), POLICY), without))
    assert next(m for m in opened.metric if m.label == "Verdicts that change").value == f"{changed:,}"
    fields = next(frame.value for frame in opened.dataframe if "Candidate" in frame.value.columns
                  and "Field" in frame.value.columns)  # fmt: skip
    assert fields["Candidate"].tolist() == ["switched off", "compromised"]


def test_a_bad_name_in_a_link_is_named_and_an_unknown_one_changes_nothing(open_page: OpenPage) -> None:
    opened = open_page(("--demo",), PAGE, {"distrust": ["x" * 600, "<b>nobody"]})
    assert not opened.exception
    assert any("distrust" in str(element.value) for element in opened.warning)
    assert "without effect" in read_page(opened)
    assert opened.metric[0].value == r"97\%"
    assert next(m for m in opened.metric if m.label == "Verdicts that change").value == "0"


def test_a_trust_store_is_uploaded_for_the_log_at_hand(open_page: OpenPage, logs: dict[str, tuple[str, ...]]) -> None:
    opened = open_page(logs["sample"], "app_pages/load.py")
    data = sample_data.TRUST_STORE.read_bytes()
    opened.file_uploader(key="load.trust").set_value(
        ("keys.json", b'{"keys": [{"kty": "oct", "k": "AA"}]}', "json")
    ).run()
    opened.button(key="load.check").click().run()
    assert any("private or symmetric" in str(element.value) for element in opened.error)
    opened.file_uploader(key="load.trust").set_value(("keys.json", data, "application/json")).run()
    opened.button(key="load.check").click().run()
    assert not opened.exception
    assert "7 usable keys, 2 skipped" in read_page(opened)
    assert read_address(opened)["preset"] == ["strict"]
    opened.switch_page(PAGE).run()
    assert any(m.label == "Results with a valid claim" for m in opened.metric)


def test_less_trust_verifies_nothing_and_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    found = load_log(request_sample())
    store = read_trust_store(sample_data.TRUST_STORE)
    monkeypatch.setattr("guard_core.claims.checked_log.check_signature", None)
    less = distrust_log(found, Distrust((PRESS,)))
    assert less.digest != found.digest
    assert less.evidence.decided is not None
    assert less.evidence.decided.store.digest == store.with_status(PRESS, "suspended").digest
    assert less.evidence.log is found.evidence.log
    assert distrust_log(found, Distrust((PRESS,))) is less
    assert distrust_log(found, Distrust((GAZETTE,), ("nobody",))) is found  # it is suspended already


def test_another_trust_store_is_another_log_of_the_same_rows() -> None:
    found = load_log(request_sample())
    store = read_trust_store(sample_data.TRUST_STORE)
    early = check_log(found, UploadedTrustStore("keys.json", store), sample_data.AT_SECONDS - 200 * 86_400)
    assert early.digest != found.digest
    assert early.evidence.log_digest == found.evidence.log_digest
    assert early.request.at == early.evidence.at == sample_data.AT_SECONDS - 200 * 86_400


def retrieval(evidence: Evidence, status: str) -> tuple[int, int, int]:
    """A row with this status, and the stretch of its retrieval."""
    row = int(np.flatnonzero(evidence.signature_statuses == STATUSES.code(SignatureStatus(status)))[0])
    number = int(np.searchsorted(evidence.log.offsets, row, side="right")) - 1
    return row, int(evidence.log.offsets[number]), int(evidence.log.offsets[number + 1])


@pytest.mark.parametrize("status", sorted(EXPECTED["claims"]))
def test_each_status_is_said_in_words_and_nothing_is_a_fact(evidence: Evidence, status: str) -> None:
    row, first, last = retrieval(evidence, status)
    found = attestations.list_attestations(evidence, first, last, {})
    line = list_rows(found.rows)[row - first]
    if status == "VALID":
        assert line[3] in (ARCHIVE, PRESS, STUDIO)
        assert str(line[4]).startswith("202")
        assert str(line[5]).startswith("TEST-")
        assert str(line[6]).startswith(("checked", "not checked"))
    else:
        assert line[3:] == ("", "", "", "", "")
    explained = [fault for fault in found.faults if fault.startswith(f"{evidence.log.ranks[row]}, ")]
    assert bool(explained) == (status not in ("VALID", "MISSING"))
    words = " ".join([*found.faults, *(str(cell) for each in list_rows(found.rows) for cell in each)])
    assert "is human" not in words


def test_a_mismatch_of_spelling_says_so(evidence: Evidence) -> None:
    rows = np.flatnonzero(evidence.signature_statuses == STATUSES.code(SignatureStatus.CONTENT_MISMATCH))
    row = next(int(row) for row in rows if evidence.log.document_ids.text(int(row)) == "ridge-answer-1")
    digests, ids = attestations.find_mismatched_texts(evidence, row, row + 1)
    found = read_texts(load_log(request_sample()), digests, ids)
    assert found.fault is None
    said_of = attestations.list_attestations(evidence, row, row + 1, found.found).faults
    assert "only in a trailing newline" in said_of[0]


def test_without_a_trust_store_one_line_says_what_to_bring() -> None:
    plain = load_inputs([sample_data.LOG])
    found = attestations.list_attestations(plain, 0, 10, {})
    assert len(found.faults) == 1
    assert "Give a trust store" in found.faults[0]
    assert attestations.has_claims(plain, 0, 10)


def test_a_claim_that_the_catalogue_lends_is_told_apart(tmp_path: Path, evidence: Evidence) -> None:
    row, _, _ = retrieval(evidence, "VALID")
    document, token = evidence.log.document_ids.text(row), evidence.log.signatures.text(row)
    log, catalogue = tmp_path / "log.jsonl", tmp_path / "catalogue.jsonl"
    log.write_text(json.dumps({"query_id": "q", "doc_id": document}) + "\n", encoding="utf-8")
    catalogue.write_text(
        json.dumps({"document_id": document, "source_authenticity_signature": token}) + "\n", encoding="utf-8"
    )
    lent = load_inputs([log], catalogue=catalogue, trust=sample_data.TRUST_STORE, at=sample_data.AT_SECONDS)
    line = list_rows(attestations.list_attestations(lent, 0, 1, {}).rows)[0]
    assert line[2] == "Valid, the catalogue's"
    assert line[6] == "not checked: no text"


def test_an_opened_retrieval_says_who_attests_its_results(open_page: OpenPage) -> None:
    opened = open_page(("--demo",), "app_pages/retrievals.py", {"retrieval": "q-0020"})
    assert not opened.exception
    claims = next(frame.value for frame in opened.dataframe if "Attested by" in frame.value.columns)
    assert claims["Attested by"].tolist()[0] == ARCHIVE
    assert "its originator is not active in the trust store" in read_page(opened)
