"""The server starts with safe defaults, and every option of its configuration is one that Streamlit knows."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit import config

CONFIG = Path(__file__).parents[1] / "dashboard" / ".streamlit" / "config.toml"


def _options(tree: dict[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _options(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


OPTIONS = dict(_options(tomllib.loads(CONFIG.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("name", OPTIONS)
def test_option_exists(name: str) -> None:
    assert name in config.get_config_options()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("server.address", "127.0.0.1"),
        ("server.allowedHosts", ["localhost", "127.0.0.1"]),
        ("server.enableXsrfProtection", True),
        ("server.enableCORS", True),
        ("server.xsrfCookieSameSite", "strict"),
        ("server.enableStaticServing", False),
        ("server.enableAgentApi", False),
        ("server.fileWatcherType", "none"),
        ("browser.gatherUsageStats", False),
        ("client.showErrorDetails", "none"),
        ("client.disableDataExport", True),
    ],
)
def test_default_is_safe(name: str, value: object) -> None:
    assert OPTIONS[name] == value


def test_uploads_and_messages_are_bounded() -> None:
    assert int(str(OPTIONS["server.maxUploadSize"])) <= 100
    assert int(str(OPTIONS["server.maxMessageSize"])) <= 50


def test_both_themes_are_given() -> None:
    light = {name.removeprefix("theme.light.") for name in OPTIONS if name.startswith("theme.light.")}
    dark = {name.removeprefix("theme.dark.") for name in OPTIONS if name.startswith("theme.dark.")}
    assert light == dark
    assert "primaryColor" in light
