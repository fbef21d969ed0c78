"""Draw one control for each policy field, the presets, the baseline, and the policy as a file.

Flows in: widgets.  Flows out: nothing; ``state`` reads the values at the start of the next run.
Rules kept here: ranges of controls never depend on the log, so that none is reset by another log; the slider's
values are exact decimals; every field of a policy has a control.
Not here: validation (``guard_core.judging.policy``).
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard.controls import folding, run, state
from dashboard.words import FIELD_LABEL, SIGNATURES_LABEL, label_code
from guard_core.errors import PolicyError
from guard_core.judging.policy import FIELDS, MAX_POLICY_BYTES, NamedPolicy, find_preset, parse_policy, write_policy
from guard_core.model import CountUnit, Finding, SignatureGate

GRID = tuple(step / 100 for step in range(101))
"""Minimum ratios that the slider offers: each is the double nearest to its two decimals, never a sum of steps."""

_UPLOAD = "whatif.policy_file"


def draw_main_fields() -> None:
    """Draw the three fields that are moved most."""
    state.fill_controls(*map(state.widget, FIELDS))
    ratio = state.load_view().policy.policy.min_human_grounding_ratio
    first, second, third = st.columns([5, 3, 3], vertical_alignment="bottom", gap="medium")
    first.select_slider(
        FIELD_LABEL["min_human_grounding_ratio"],
        options=sorted({*GRID, ratio}),
        value=ratio,
        format_func=lambda value: f"{value:.2f}" if value in GRID else repr(value),
        key=state.widget("min_human_grounding_ratio"),
        help=FIELDS["min_human_grounding_ratio"].meaning,
    )
    gates = [gate.value for gate in SignatureGate]
    second.selectbox(
        FIELD_LABEL["signatures"],
        gates,
        index=gates.index(state.load_view().policy.policy.signatures.value),
        format_func=SIGNATURES_LABEL.__getitem__,
        key=state.widget("signatures"),
        help="What is asked of each result's signature: that it is there, that it verifies, that it verifies or the "
        "catalogue vouches for the document, or nothing.",
    )
    _draw_toggle(third, "allow_depth_1_synthetic")


def draw_other_fields() -> None:
    """Draw every other field."""
    policy = state.load_view().policy.policy
    with st.grid(3, min_column_width=210, gap="medium", vertical_alignment="bottom"):
        st.segmented_control(
            FIELD_LABEL["count"],
            [unit.value for unit in CountUnit],
            default=policy.count.value,
            required=True,
            format_func=label_code,
            key=state.widget("count"),
            help=FIELDS["count"].meaning,
        )
        _draw_number("top_k", 1, 1, placeholder="all results")
        _draw_number("min_effective_anchors", 0.0, 0.5, format="%g")
        _draw_number("max_depth_in_grounded", 0, 1, placeholder="no limit")
        _draw_toggle(st.container(), "require_anchor")
        _draw_toggle(st.container(), "allow_unknown")
    st.multiselect(
        FIELD_LABEL["halt_on"],
        [finding.value for finding in Finding],
        default=[finding.value for finding in policy.halt_on],
        format_func=label_code,
        placeholder="No finding turns a verdict that proceeds into a halt",
        key=state.widget("halt_on"),
        help=FIELDS["halt_on"].meaning,
    )


def draw_actions() -> None:
    """Draw the presets, the baseline, and the policy as a file."""
    view, start = state.load_view(), run.start_policy()
    now, compared = view.policy, view.baseline
    reference, strict = find_preset("reference"), find_preset("strict")
    with st.container(horizontal=True, gap="small", width="content"):
        with folding.open_box("Candidate", "whatif.candidate", ":material/edit_note:") as opened:
            if opened:
                _draw_choice("Preset reference", "whatif.to_reference", reference)
                _draw_choice("Preset strict", "whatif.to_strict", strict)
                _draw_choice("Policy at the start", "whatif.to_start", start)
                _draw_choice("Same as the baseline", "whatif.to_baseline", compared)
        with folding.open_box("Baseline", "whatif.baseline", ":material/flag:") as opened:
            if opened:
                _draw_choice("Preset reference", "whatif.from_reference", reference, baseline=True)
                _draw_choice("Preset strict", "whatif.from_strict", strict, baseline=True)
                _draw_choice("Policy at the start", "whatif.from_start", start, baseline=True)
                _draw_choice("The candidate as it is now", "whatif.keep", now, baseline=True)
        with folding.open_box("Policy file", "whatif.file", ":material/description:") as opened:
            if opened:
                _draw_file(now)


def _draw_file(now: NamedPolicy) -> None:
    st.download_button(
        "Download the candidate",
        write_policy(now),
        "policy.toml",
        "application/toml",
        key="whatif.download",
        on_click="ignore",
        width="stretch",
    )
    st.file_uploader(
        "Load a policy, TOML or JSON", type=["toml", "json"], key=_UPLOAD, on_change=_read_upload, max_upload_size=1
    )


def _draw_number(name: str, least: float, step: float, **settings: Any) -> None:
    st.number_input(
        FIELD_LABEL[name],
        min_value=least,
        step=step,
        value=getattr(state.load_view().policy.policy, name),
        key=state.widget(name),
        help=FIELDS[name].meaning,
        **settings,
    )


def _draw_toggle(place: st.delta_generator.DeltaGenerator, name: str) -> None:
    place.toggle(
        FIELD_LABEL[name],
        value=bool(getattr(state.load_view().policy.policy, name)),
        key=state.widget(name),
        help=FIELDS[name].meaning,
        wrap=True,
    )


def _draw_choice(caption: str, key: str, named: NamedPolicy, *, baseline: bool = False) -> None:
    st.button(
        caption, key=key, on_click=state.put_baseline if baseline else state.put_policy, args=(named,), width="stretch"
    )


def _read_upload() -> None:
    file = st.session_state.get(_UPLOAD)
    if file is None:
        return
    data = file.getvalue()
    if len(data) > MAX_POLICY_BYTES:
        state.refuse(str(PolicyError("file", "too large", f"a TOML or JSON file of at most {MAX_POLICY_BYTES} bytes")))
        return
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        state.refuse(str(PolicyError("file", "not UTF-8", "a TOML or JSON file in UTF-8")))
        return
    try:
        state.put_policy(parse_policy(text, file.name))
    except PolicyError as error:
        state.refuse(str(error))
