"""Escape text from a log so that it is shown literally, once for each kind of place that gives characters a meaning.

Flows in: any text, hostile or not.  Flows out: text that the place it is made for draws as those very characters.
Rules kept here: log text is never markup, link, image, formula or layout; characters that cannot be seen, or that turn
what stands beside them, are written out (``\\u202e``); nothing else is changed, and a cut is marked.
Not here: which place a text goes to (the pages), CSV cells.

Three kinds of place: cells, plain text and widget options take :func:`visible`; a Markdown position takes
:func:`markdown` for sentences of our own and :func:`code` for words from outside; plotly takes :func:`plotly_text`.
"""

from __future__ import annotations

import re

from guard_core.visible import visible as written_out

LIMIT = 300
"""Characters of one text that a table cell shows."""

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_DIRECTIVE = re.compile(r":\S")


def escape_text(text: str | None, limit: int | None = LIMIT) -> str:
    """Return ``text`` with hidden characters written out, at most ``limit`` characters of it (``None``: all).

    A text that is cut ends in an ellipsis and the number of characters left out.  ``None`` (missing) is the empty
    string.
    """
    if text is None:
        return ""
    if limit is None or len(text) <= limit:
        return written_out(text)
    return f"{written_out(text[:limit])}… ({len(text) - limit} more characters)"


def escape_lines(text: str, limit: int = 20_000) -> str:
    """Return ``text`` in its own lines, for places that draw plain text over several lines."""
    cut = text[:limit]
    more = f"\n… ({len(text) - limit:,} more characters)" if len(text) > limit else ""
    return "\n".join(written_out(line) for line in cut.split("\n")) + more


def escape_markdown(text: str) -> str:
    """Return ``text`` for a Markdown position, where it is drawn literally.

    Every ASCII punctuation mark gets a backslash.  A colon before a word would still become an emoji, an icon or a
    colour after that, so such a text becomes a code span.
    """
    shown = escape_text(text, None)
    return escape_code(text, None) if _DIRECTIVE.search(shown) else _PUNCTUATION.sub(r"\\\1", shown)


def escape_code(text: str | None, limit: int | None = 120) -> str:
    """Return ``text`` as a Markdown code span: no markup, emoji, formula or link inside, whatever it holds."""
    shown = escape_text(text, limit)
    if not shown.strip():
        return "(empty)" if not shown else f"({len(shown)} spaces)"
    fence = "`" * (max((len(run) for run in re.findall(r"`+", shown)), default=0) + 1)
    pad = " " if shown[0] in " `" or shown[-1] in " `" else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def escape_plotly(text: str | None, limit: int | None = 60) -> str:
    """Return ``text`` for a plotly figure, where ``<`` and ``&`` are markup."""
    return escape_text(text, limit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
