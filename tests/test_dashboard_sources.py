"""Rules that the source itself must keep: literal text where Streamlit reads Markdown, Streamlit where it belongs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "dashboard"
SOURCES = sorted(ROOT.rglob("*.py"))
WITH_STREAMLIT = {"app.py", "logs.py", "compute.py", "checked_logs.py"}
STREAMLIT_FOLDERS = {"app_pages", "controls"}

SINKS = {
    "title", "header", "subheader", "markdown", "write", "caption", "error", "info", "warning", "success", "toast",
    "metric",
    "button", "checkbox", "toggle", "radio", "selectbox", "multiselect", "slider", "select_slider", "number_input",
    "text_input", "text_area", "segmented_control", "pills", "tabs", "expander", "popover", "progress", "status",
    "spinner",
    "badge", "page_link", "link_button", "download_button", "form_submit_button", "file_uploader", "table", "exception",
    "open_box", "open_part", "menu_button", "dialog", "date_input", "feedback",
}  # fmt: skip
"""Streamlit calls whose first argument (for some, further ones) is Markdown."""

BANNED = {"html", "iframe", "image", "video", "audio", "components", "exception", "write", "table", "logo", "latex"}
ESCAPES = {"escape_markdown", "escape_code"}
TEXT_ARGUMENTS = {"help", "title", "label", "placeholder", "delta"}
PLAIN_TEXT_WIDGETS = {"FIELD_LABEL", "FIELDS", "PICK_LABEL", "PICK_HELP", "OUT_LABEL", "OUT_HELP"}
"""Tables of our own words that labels and help texts are taken from."""


NOT_STREAMLIT = {
    "panel", "choices", "files", "state", "overview", "whatif", "account", "figures", "copy", "digest", "filters",
    "views",
}  # fmt: skip
"""Names of our own modules and of files, whose methods may be called like Streamlit's."""


def _calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if not (isinstance(owner, ast.Name) and owner.id in NOT_STREAMLIT):
                yield node.func.attr, node


def _is_safe(node: ast.expr) -> bool:
    """A constant, a format of constants and escaped parts, or a word from our own tables."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.JoinedStr):
        return all(_is_safe(part) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        spec = node.format_spec
        number = isinstance(spec, ast.JoinedStr) and all(
            isinstance(part, ast.Constant) and str(part.value)[-1] in ",dfg" for part in spec.values
        )
        return number or _is_safe(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in ESCAPES
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return node.value.id in PLAIN_TEXT_WIDGETS
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Subscript):
        return _is_safe(node.value)
    # a parameter that callers fill with constants (see below), and a text made of escaped parts of our own
    return isinstance(node, ast.Name) and node.id in ("caption", "_TERMS")


def _with_streamlit() -> list[Path]:
    return [p for p in SOURCES if p.name in WITH_STREAMLIT or p.parent.name in STREAMLIT_FOLDERS]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_streamlit_is_imported_only_where_it_belongs(path: Path) -> None:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    if path in _with_streamlit() or path.name == "launch.py":  # the launcher imports the server, once it is needed
        return
    assert "streamlit" not in names
    if "views" in path.parts:
        assert "plotly" not in names


@pytest.mark.parametrize("path", _with_streamlit(), ids=lambda p: str(p.relative_to(ROOT)))
def test_markdown_positions_take_literals_or_escaped_text(path: Path) -> None:
    faults = []
    for name, call in _calls(path):
        if name not in SINKS:
            continue
        positions = call.args if name == "metric" else call.args[:1]
        named = [keyword.value for keyword in call.keywords if keyword.arg in TEXT_ARGUMENTS]
        if name == "title" and not call.args:  # str.title()
            continue
        faults += [f"{path.name}:{call.lineno} {name}" for node in (*positions, *named) if not _is_safe(node)]
    assert not faults


@pytest.mark.parametrize("path", _with_streamlit(), ids=lambda p: str(p.relative_to(ROOT)))
def test_no_banned_call(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert "unsafe_allow_html" not in source
    assert "unsafe_allow_javascript" not in source
    used = [
        f"{path.name}:{call.lineno} {name}"
        for name, call in _calls(path)
        if name in BANNED and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name) and call.func.value.id == "st"
    ]  # fmt: skip
    assert not used
    assert "LinkColumn" not in source
    assert "ImageColumn" not in source


@pytest.mark.parametrize("path", _with_streamlit(), ids=lambda p: str(p.relative_to(ROOT)))
def test_captions_of_our_own_helpers_are_constants(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "here":
            assert isinstance(node.args[1], ast.Constant)
        if name == "_choice":
            assert isinstance(node.args[0], ast.Constant)


@pytest.mark.parametrize("path", _with_streamlit(), ids=lambda p: str(p.relative_to(ROOT)))
def test_pages_hold_no_arithmetic(path: Path) -> None:
    if path.parent.name != "app_pages":
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.BitOr):  # a bar is a union of types
            pytest.fail(f"{path.name}:{node.lineno}")


def test_every_file_is_short_and_says_what_it_is() -> None:
    for path in SOURCES:
        source = path.read_text(encoding="utf-8")
        assert len(source.splitlines()) <= 400, path
        assert ast.get_docstring(ast.parse(source)), path
