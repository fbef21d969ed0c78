"""Write a log whose every text tries to be something else: markup, formula, link, image, escape, direction."""

from __future__ import annotations

import json
from pathlib import Path


def list_attacks(canary: str) -> tuple[str, ...]:
    """Return texts that, where they are not literal, fetch ``canary`` or show something else than they are."""
    return (
        f"![pixel]({canary}/image.png)",
        f"<img src='{canary}/img.png' onerror='window.__xss=1'>",
        f"<script src='{canary}/s.js'></script>",
        f"[verified]({canary}/link)",
        f"<a href='{canary}/a'><span style='color:green'>HUMAN</span></a>",
        f'=HYPERLINK("{canary}/f","ok")',
        ":red[danger] :material/star: :smile: $x^2$",
        "%{customdata} <extra>x</extra>",
        "ab\u202egnp.exe\u200b\u0007",
        "`code` ``more`` \\`",
        f"{canary}/bare",
        "\U000e0041tag \u2028 line",
    )


def write_hostile_log(path: Path, canary: str) -> Path:
    """Write a hostile log as JSON lines at ``path``, and return the path."""
    texts = list_attacks(canary)
    lines = []
    for number, text in enumerate(texts):
        for rank in (1, 2, 3):
            other = texts[(number + rank) % len(texts)]
            lines.append(
                {
                    "query_id": f"{number} {text}",
                    "query": text,
                    "rank": rank,
                    "result_id": f"{rank} {other}",
                    "document_id": other,
                    "text": text,
                    "authenticity": ("human", "model", text)[rank - 1],
                    "synthetic_generation_depth": (0, 3, None)[rank - 1],
                    "source_authenticity_signature": text,
                    "human_source_anchor_hash": text,
                    "originator": text,
                    "generator": other,
                    "collection": text,
                    "title": other,
                    "url": f"javascript:alert({number})",
                    "task": text,
                    f"extra {text}": text,
                }
            )
    rejected = [json.dumps({"query_id": texts[0], "rank": texts[1], "result_id": "x"}), "{" + texts[2]]
    body = "\n".join([*(json.dumps(line) for line in lines), *rejected]) + "\n"
    path.write_text(body, encoding="utf-8")
    return path
