"""Every page over every log, and what a session keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import sample_data
from guard_core.judging.judge import judge
from guard_core.judging.policy import find_preset, load_policy, parse_policy, replace_fields, write_policy
from guard_core.judging.statistics import Statistics
from guard_core.judging.whatif import count_flips
from guard_core.provenance.evidence import Evidence
from guard_core.provenance.inputs import load_inputs
from tests.dashboard.conftest import PAGES, OpenPage

LOGS = ("empty", "bare", "torn", "hostile", "sample", "demo", "nothing")
RATIO = "widget.min_human_grounding_ratio"


def sample() -> Evidence:
    """The evidence of the sample, as ``--demo`` has it."""
    return load_inputs(
        [sample_data.LOG],
        catalogue=sample_data.CATALOGUE,
        trust=sample_data.TRUST_STORE,
        at=sample_data.AT_SECONDS,
    )


def shown(page: AppTest) -> str:
    """All text that Streamlit draws as Markdown or plain text."""
    kinds = (page.markdown, page.caption, page.text, page.info, page.warning, page.error, page.title)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def address(page: AppTest) -> dict[str, str]:
    """The URL's parameters."""
    return {name: values if isinstance(values, str) else values[-1] for name, values in page.query_params.items()}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("log", LOGS)
def test_page_runs(open_page: OpenPage, logs: dict[str, tuple[str, ...]], log: str, page: str) -> None:
    opened = open_page(logs[log], page)
    assert not opened.exception
    assert opened.title


@pytest.mark.parametrize("page", PAGES)
def test_hostile_text_stands_in_no_markdown_position_unescaped(
    open_page: OpenPage, logs: dict[str, tuple[str, ...]], page: str
) -> None:
    opened = open_page(logs["hostile"], page)
    markdown = [str(e.value) for kind in (opened.markdown, opened.caption, opened.info, opened.warning) for e in kind]
    for text in markdown:
        outside_code = "".join(text.split("`")[::2])
        assert "![" not in outside_code
        assert "<img" not in outside_code
        assert "<b>" not in outside_code


def test_a_log_without_provenance_says_what_to_bring(open_page: OpenPage, logs: dict[str, tuple[str, ...]]) -> None:
    opened = open_page(logs["bare"])
    said = shown(opened)
    assert "authenticity column" in said
    assert "No result carries a signature" in said
    assert "No retrieval has a time" in said


def test_an_empty_log_says_what_to_do(open_page: OpenPage, logs: dict[str, tuple[str, ...]]) -> None:
    assert "The log holds no retrieval" in shown(open_page(logs["empty"]))
    assert "no policy changes anything" in shown(open_page(logs["empty"], "app_pages/whatif.py"))


def test_rejected_rows_are_listed(open_page: OpenPage, logs: dict[str, tuple[str, ...]]) -> None:
    opened = open_page(logs["torn"], "app_pages/load.py")
    problems = next(frame.value for frame in opened.dataframe if "Reason" in frame.value.columns)
    assert len(problems) == 2
    assert "3 rows read = 1 accepted + 2 rejected + 0 ignored" in shown(opened).replace("\\", "")


def test_an_unusable_log_is_one_sentence(open_page: OpenPage, tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text("this is no log\nnor is this\n", encoding="utf-8")
    opened = open_page(("--log", str(path)))
    assert not opened.exception
    assert any("notes.jsonl" in str(element.value) for element in opened.warning)


def test_numbers_on_screen_are_those_of_the_library(open_page: OpenPage) -> None:
    opened = open_page(("--demo",))
    evidence = sample()
    policy = load_policy(sample_data.POLICY).policy
    summary = judge(Statistics.from_evidence(evidence, policy.top_k), policy).summary()
    verdicts = opened.dataframe
    shares = next(frame.value for frame in verdicts if "Signatures waived" in frame.value.columns)
    assert shares["Retrievals"].tolist() == list(summary.verdicts.values())
    assert shares["Signatures waived"].tolist() == list(summary.verdicts_if_signatures_waived.values())
    for code, number in list(summary.findings.items())[:3]:
        metric = next(m for m in opened.metric if m.label.replace(" ", "_").lower() == code)
        assert metric.value == f"{number:,}"


def test_a_finding_leads_to_its_retrievals(open_page: OpenPage) -> None:
    opened = open_page(("--demo",))
    opened.button(key="show.coverage_illusion").click().run()
    assert not opened.exception
    listed = next(frame.value for frame in opened.dataframe if "What to do" in frame.value.columns)
    metric = next(m for m in opened.metric if m.label == "Coverage illusion")
    assert len(listed) == int(metric.value)
    assert listed["Findings"].str.contains("Coverage illusion").all()


def test_a_setting_survives_pages_and_logs(open_page: OpenPage, logs: dict[str, tuple[str, ...]]) -> None:
    opened = open_page(logs["sample"], "app_pages/whatif.py")
    opened.select_slider(key=RATIO).set_value(0.35).run()
    opened.switch_page("app_pages/overview.py").run()
    assert "minimum grounding ratio of 0.35" in shown(opened).replace("\\", "")
    opened.switch_page("app_pages/load.py").run()
    opened.button(key="load.sample").click().run()
    opened.switch_page("app_pages/whatif.py").run()
    assert opened.select_slider(key=RATIO).value == 0.35
    assert "minimum 0.35" in shown(opened).replace("\\", "")
    assert address(opened)["min_human_grounding_ratio"] == "0.35"


def test_flips_are_those_of_the_library(open_page: OpenPage) -> None:
    opened = open_page(("--demo",), "app_pages/whatif.py")
    opened.select_slider(key=RATIO).set_value(0.7).run()
    evidence = sample()
    start = load_policy(sample_data.POLICY)
    statistics = Statistics.from_evidence(evidence, start.policy.top_k)
    moved = replace_fields(start, {"min_human_grounding_ratio": 0.7}).policy
    matrix = count_flips(judge(statistics, start.policy), judge(statistics, moved))
    assert opened.metric[0].value == str(int(matrix.sum() - matrix.trace()))
    listed = next(frame.value for frame in opened.dataframe if "Now" in frame.value.columns)
    assert len(listed) == int(opened.metric[0].value)


def test_every_field_has_a_control(open_page: OpenPage) -> None:
    opened = open_page(("--demo",), "app_pages/whatif.py")
    opened.select_slider(key=RATIO).set_value(0.4)
    opened.selectbox(key="widget.signatures").set_value("ignored")
    opened.toggle(key="widget.allow_depth_1_synthetic").set_value(False)
    opened.toggle(key="widget.require_anchor").set_value(False)
    opened.toggle(key="widget.allow_unknown").set_value(True)
    opened.number_input(key="widget.top_k").set_value(5)
    opened.number_input(key="widget.min_effective_anchors").set_value(2.5)
    opened.number_input(key="widget.max_depth_in_grounded").set_value(2)
    opened.multiselect(key="widget.halt_on").set_value(["few_results"])
    opened.run()
    assert not opened.exception
    asked = address(opened)
    assert asked["min_human_grounding_ratio"] == "0.4"
    assert asked["signatures"] == "ignored"
    assert asked["allow_depth_1_synthetic"] == "false"
    assert asked["top_k"] == "5"
    assert asked["min_effective_anchors"] == "2.5"
    assert asked["max_depth_in_grounded"] == "2"
    assert asked["halt_on"] == "few_results"


def test_presets_and_baseline(open_page: OpenPage) -> None:
    opened = open_page(("--demo",), "app_pages/whatif.py")
    opened.button(key="whatif.to_reference").click().run()
    assert opened.number_input(key="widget.min_effective_anchors").value == 0.0
    assert address(opened)["preset"] == "reference"
    opened.button(key="whatif.keep").click().run()
    assert opened.metric[0].value == "0"
    assert address(opened)["baseline"] == "reference"


def test_the_policy_file_reads_back(open_page: OpenPage) -> None:
    moved = replace_fields(find_preset("strict"), {"min_human_grounding_ratio": 0.3333})
    opened = open_page(("--demo",), "app_pages/whatif.py")
    file = ("p.toml", write_policy(moved).encode(), "application/toml")
    opened.file_uploader(key="whatif.policy_file").set_value(file)
    opened.run()
    assert not opened.exception
    assert opened.select_slider(key=RATIO).value == 0.3333
    assert parse_policy(write_policy(moved), "p.toml") == moved


def test_a_bad_policy_file_is_refused_with_field_and_range(open_page: OpenPage) -> None:
    opened = open_page(("--demo",), "app_pages/whatif.py")
    opened.file_uploader(key="whatif.policy_file").set_value(("p.toml", b"top_k = 0", "application/toml"))
    opened.run()
    assert any("top_k" in str(e.value) and "from 1" in str(e.value) for e in opened.warning)


def test_a_link_reproduces_the_view(open_page: OpenPage) -> None:
    first = open_page(("--demo",), "app_pages/whatif.py")
    first.select_slider(key=RATIO).set_value(0.65).run()
    second = open_page((), "app_pages/whatif.py", address(first))
    assert not second.exception
    assert second.metric[0].value == first.metric[0].value
    assert second.select_slider(key=RATIO).value == 0.65


@pytest.mark.parametrize(
    ("name", "value"),
    [("min_human_grounding_ratio", "nan"), ("top_k", "0"), ("signatures", "perhaps"), ("preset", "<b>"), ("log", "zz")],
)
def test_a_bad_value_in_a_link_is_named_and_left_out(open_page: OpenPage, name: str, value: str) -> None:
    opened = open_page(("--demo",), parameters={name: value})
    assert not opened.exception
    assert any(name in str(element.value) for element in opened.warning)
    assert "<b>" not in shown(opened)


def test_a_link_without_its_log_names_the_file(open_page: OpenPage) -> None:
    parameters = {"log": "0123456789abcdef", "file": "![x](http://h/x) march.jsonl"}
    opened = open_page((), parameters=parameters)
    assert opened.code[0].value == parameters["file"]
    assert "not loaded" in shown(opened)
    assert address(opened)["file"] == parameters["file"]


def upload(rows: Sequence[Mapping[str, object]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_an_upload_is_read_and_its_file_is_gone(
    open_page: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    opened = open_page((), "app_pages/load.py")
    rows = [{"query_id": "q", "rank": rank, "doc": f"d{rank}"} for rank in (1, 2, 3)]
    name = "../../![x](y).jsonl"
    opened.file_uploader(key="load.logs").set_value([(name, upload(rows), "application/json")]).run()
    opened.button(key="load.upload").click().run()
    assert any("cannot be used" in str(e.value) or "jsonl" in str(e.value) for e in opened.error)
    good = upload([{**row, "doc_id": row["doc"]} for row in rows])
    opened.file_uploader(key="load.logs").set_value([("a.jsonl", good, "application/json")]).run()
    opened.button(key="load.upload").click().run()
    assert not opened.exception
    assert "1 retrieval with 3 results" in shown(opened)
    assert "a.jsonl" in shown(opened)
    assert not list(tmp_path.iterdir())
    files = next(frame.value for frame in opened.dataframe if "SHA-256" in frame.value.columns)
    assert files["File"].tolist() == ["a.jsonl"]


def test_the_mapping_can_be_changed(open_page: OpenPage, tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_bytes(upload([{"query_id": "q", "doc_id": f"d{n}", "who": "human"} for n in range(4)]))
    opened = open_page(("--log", str(path)), "app_pages/load.py")
    box = next(box for box in opened.selectbox if box.label.replace("\\", "") == "authenticity")
    assert "who" in box.options
    box.set_value("who")
    opened.button(key="FormSubmitter:load.mapping_form-Read the log again").click().run()
    assert not opened.exception
    opened.switch_page("app_pages/overview.py").run()
    depths = next(frame.value for frame in opened.dataframe if "Depth" in frame.value.columns)
    assert depths["Results"].tolist()[0] == 4


def test_another_mapping_keeps_the_trust_store_of_an_upload(open_page: OpenPage) -> None:
    opened = open_page((), "app_pages/load.py")
    given = upload([{"query_id": "q", "doc_id": f"d{n}", "who": "human"} for n in range(4)])
    opened.file_uploader(key="load.logs").set_value([("odd.jsonl", given, "application/json")]).run()
    opened.button(key="load.upload").click().run()
    keys = ("keys.json", sample_data.TRUST_STORE.read_bytes(), "application/json")
    opened.file_uploader(key="load.trust").set_value(keys).run()
    opened.button(key="load.check").click().run()
    assert "usable keys" in shown(opened)
    box = next(box for box in opened.selectbox if box.label.replace("\\", "") == "authenticity")
    box.set_value("who")
    opened.button(key="FormSubmitter:load.mapping_form-Read the log again").click().run()
    assert not opened.exception
    assert "usable keys" in shown(opened)
