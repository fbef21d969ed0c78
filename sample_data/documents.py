"""Make the documents of the sample: who wrote each, from what, and which status its claim must get.

Flows in: the facts of ``world.py``.  Flows out: ``all_documents()``, about 370 documents in a fixed order; no chance is
involved.
Rules: the digest is that of the exact text; an anchor is the digest of a human original; a generative step is one
deeper than its deepest parent; what nobody can name has no origin, no claim and no catalogue entry; the names of
originators say that they are made up for a test.
Not here: which retrieval finds which document (``generate.py``), the claims themselves (``signing.py``).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from sample_data.world import ALMANAC, TOPICS, Fact, Topic

ARCHIVE, PRESS, STUDIO = "Harrowmere Archive (TEST)", "Saltrook Press (TEST)", "Wordfen Studio (TEST)"
GAZETTE = "Gullwick Gazette (TEST)"


@dataclass(frozen=True, slots=True)
class Document:
    """One document.

    ``role`` is the part it plays in the story, ``declared`` what the log calls its origin, ``status`` what a check of
    the claim on it has to say; ``MISSING``: there is none.
    """

    id: str
    topic: str
    role: str
    title: str
    text: str
    origin: str | None = None
    declared: str | None = None
    depth: int | None = None
    anchors: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    originator: str | None = None
    generator: str | None = None
    collection: str = "web"
    status: str = "VALID"
    catalogued: bool = True

    @property
    def digest(self) -> str:
        return "sha256:" + hashlib.sha256(self.text.encode()).hexdigest()


def capitalize_first(text: str) -> str:
    """Return a text with a capital first letter; the rest is unchanged."""
    return text[:1].upper() + text[1:]


def write_drifted(fact: Fact, depth: int) -> str:
    """Return the press wording after ``depth`` rewrites: from the second on nobody checks the number again."""
    by_depth = {1: str(fact.number), 2: f"about {-(-fact.number // 10) * 10}", 3: f"nearly {fact.number * 2}"}
    return fact.story.format(n=by_depth.get(depth, f"over {fact.number * 10}"))


def make_human_pages(topic: Topic) -> list[Document]:
    """Make fourteen human pages: each fact as the archive records it and as the press reports it."""
    pages = []
    for i, fact in enumerate(topic.facts, start=1):
        other = topic.facts[i % len(topic.facts)]
        pages.append(
            Document(
                f"{topic.key}-archive-{i:02}",
                topic.key,
                "human",
                f"{capitalize_first(topic.name)}, record {i}",
                f"{fact.record.format(n=fact.number)} Entered by hand, seen by two keepers.",
                "human",
                "human",
                0,
                originator=ARCHIVE,
                collection="archive",
            )
        )
        pages.append(
            Document(
                f"{topic.key}-press-{i:02}",
                topic.key,
                "human",
                f"Letters on {topic.name}, part {i}",
                f"We asked around about {topic.name}. {fact.story.format(n=fact.number)} "
                f"{other.story.format(n=other.number)}",
                "human",
                "human",
                0,
                originator=PRESS,
                collection="press",
            )
        )
    # one old page that nobody ever signed, and one page that a neighbour printed word for word under another id
    pages[-1] = replace(pages[-1], role="unsigned_human", status="MISSING")
    first = pages[0]
    printer = GAZETTE if topic.key == "cheese" else PRESS
    pages.append(
        replace(
            first,
            id=f"{topic.key}-press-copy",
            role="copy",
            title=f"{first.title} (reprint)",
            originator=printer,
            collection="press",
        )
    )
    return pages


def make_derived_pages(topic: Topic, pages: list[Document]) -> list[Document]:
    """Make hybrids and machine summaries of the human pages of a topic, one step deep, each with its parents."""
    made = []
    for i in range(4):
        sources = pages[2 * i : 2 * i + 2]
        fact = topic.facts[i]
        made.append(
            Document(
                f"{topic.key}-edited-{i + 1}",
                topic.key,
                "hybrid",
                f"A short guide to {topic.name}, page {i + 1}",
                f"{fact.record.format(n=fact.number)} Drafted by machine from two pages, corrected by an editor.",
                "hybrid",
                "hybrid",
                1,
                tuple(s.digest for s in sources),
                tuple(s.id for s in sources),
                PRESS,
                "loom-2",
                "press",
            )
        )
    for i in range(8):
        sources = [pages[(3 * i + step) % 12] for step in range(1 + i % 3)]
        fact, other = topic.facts[i % 7], topic.facts[(i + 2) % 7]
        poses = i == 7  # the last one is called human by the log, and model by the catalogue
        opening = "A local remembers" if poses else "In brief"
        made.append(
            Document(
                f"{topic.key}-summary-{i + 1}",
                topic.key,
                "mislabelled" if poses else "summary",
                f"{capitalize_first(topic.name)} in brief, {i + 1}",
                f"{opening}: {fact.story.format(n=fact.number)} {other.story.format(n=other.number)}",
                "model",
                "human" if poses else "model",
                1,
                tuple(s.digest for s in sources),
                tuple(s.id for s in sources),
                STUDIO,
                "loom-2",
                "web",
                "NOT_PERMITTED" if poses else "VALID",
            )
        )
    return made


PHRASES = {
    1: "Planning a visit? {fact} So says the Almanac, retold for you.",
    2: "All you need to know about {name}: {fact} A true gem of Harrowmere.",
    3: "{Name} explained. {fact} Experts agree on this, and so do many guides.",
    4: "Top facts on {name}! {fact} Everybody in Harrowmere is talking about it.",
}


def make_rewrites(topic: Topic, almanac: Document) -> list[Document]:
    """Make rewrites of the popular source: of the book, of its rewrites, of theirs, and once more."""
    made: list[Document] = []
    above: list[Document] = [almanac]
    for depth, count in ((1, 3), (2, 5), (3, 4), (4, 3)):
        level = []
        for i in range(count):
            parent = above[i % len(above)]
            text = PHRASES[depth].format(
                fact=write_drifted(topic.facts[(i + depth - 1) % 7], depth),
                name=topic.name,
                Name=capitalize_first(topic.name),
            )
            level.append(
                Document(
                    f"{topic.key}-retold-{depth}-{i + 1}",
                    topic.key,
                    f"retold_{depth}",
                    f"{capitalize_first(topic.name)}: what to know ({depth}.{i + 1})",
                    text,
                    "model",
                    "model",
                    depth,
                    (almanac.digest,),
                    (parent.id,),
                    STUDIO,
                    f"loom-{1 + depth}",
                    "web",
                )
            )
        made += level
        above = level
    return made


def make_strays(topic: Topic) -> list[Document]:
    """Make answers without a source, and posts whose author, human or not, is unknown."""
    made = []
    for i in range(2):
        fact = topic.facts[i + 3]
        made.append(
            Document(
                f"{topic.key}-answer-{i + 1}",
                topic.key,
                "unanchored",
                f"Answer about {topic.name} {i + 1}",
                f"{fact.story.format(n=fact.number)} I have no source for this, but it sounds right.",
                "model",
                "model",
                1,
                originator=STUDIO,
                generator="loom-2",
                collection="answers",
            )
        )
        made.append(
            Document(
                f"{topic.key}-post-{i + 1}",
                topic.key,
                "unknown",
                f"Post about {topic.name} {i + 1}",
                f"Somebody told me this about {topic.name}: {fact.story.format(n=fact.number + 1)} Can that be?",
                collection="forum",
                status="MISSING",
                catalogued=False,
            )
        )
    return made


STATUSES = {
    "bells-answer-2": "ALG_NOT_ALLOWED",
    "ridge-answer-2": "ALG_NOT_ALLOWED",
    "lantern-answer-1": "UNKNOWN_KEY",
    "ferry-summary-7": "UNKNOWN_KEY",
    "cheese-press-copy": "UNTRUSTED_ISSUER",
    "lantern-answer-2": "UNTRUSTED_ISSUER",
    "cheese-edited-2": "REVOKED",
    "cheese-edited-4": "REVOKED",
    "soap-answer-2": "NOT_YET_VALID",
    "lantern-summary-3": "EXPIRED",
    "lantern-summary-6": "EXPIRED",
    "cheese-summary-2": "INCONSISTENT",
    "mill-answer-2": "CONTENT_MISMATCH",
    "ridge-answer-1": "CONTENT_MISMATCH",
}
"""Documents whose claim is not to be believed, and why; ``signing.py`` says what is wrong with each."""


def make_documents() -> tuple[Document, ...]:
    """Make every document, the popular source first, then topic by topic."""
    almanac = Document(
        "almanac",
        "all",
        "almanac",
        "The Harrowmere Almanac",
        ALMANAC,
        "human",
        "human",
        0,
        originator=PRESS,
        collection="press",
    )
    documents = [almanac]
    for topic in TOPICS:
        pages = make_human_pages(topic)
        documents += pages
        documents += make_derived_pages(topic, pages)
        documents += make_rewrites(topic, almanac)
        documents += make_strays(topic)
    return tuple(replace(each, status=STATUSES.get(each.id, each.status)) for each in documents)
