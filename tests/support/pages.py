"""Read what a page of the dashboard shows, without a browser.

Flows in: pages that ``AppTest`` has run.  Flows out: their texts, metrics, tables and parameters of the URL.
Rules kept here: backslashes of Markdown are left out, so that a test quotes what a reader sees.
Not here: opening pages (``tests/dashboard/conftest.py``).
"""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def read_page(page: AppTest) -> str:
    """Return all texts of a page, a line each."""
    kinds = (
        page.markdown, page.caption, page.text, page.subheader, page.info, page.warning, page.title, page.code,
    )  # fmt: skip
    return "\n".join(str(element.value).replace("\\", "") for kind in kinds for element in kind)


def read_metric(page: AppTest, label: str) -> str:
    """Return the value of the metric with this label."""
    return str(next(metric.value for metric in page.metric if metric.label == label)).replace("\\", "")


def read_columns(page: AppTest, *names: str) -> dict[str, list[object]]:
    """Return the columns of the first table that has all these ones."""
    found = next(frame.value for frame in page.dataframe if set(names) <= set(frame.value.columns))
    return {str(name): list(found[name]) for name in found.columns}


def read_address(page: AppTest) -> dict[str, list[str]]:
    """Return the parameters of the URL, each with all its values."""
    return {name: [value] if isinstance(value, str) else list(value) for name, value in page.query_params.items()}
