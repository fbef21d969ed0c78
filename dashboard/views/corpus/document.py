"""Describe one document: its class and basis, what each basis says, where it was retrieved; and list documents.

Flows in: ``Statistics``, ``DerivationGraph``, facts and statements.  Flows out: ``OpenedDocument``, tables.
Rules kept here: a class is never called a fact, only on which basis it is known; where what is stated and what
chains prove differ, both are shown; text from outside is escaped.
Not here: its chain as a picture (``neighbourhood.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dashboard.text import escape_text
from dashboard.views.corpus.neighbourhood import format_fact_depth, list_fact_cells
from dashboard.views.retrieval import format_instant
from dashboard.views.retrievals import name_retrievals
from dashboard.views.table import ROWS_ON_SCREEN, Table, make_table
from dashboard.words import CLASS_WORD, CONFLICT_MEANING, KNOWN_BY, SPEAKER, SPEAKER_NOUN, format_share, label_code
from guard_core.codes import CONFLICTS
from guard_core.corpus.derivation import Bases, DerivationGraph
from guard_core.corpus.document_record import (
    BasisStatement,
    DocumentFacts,
    find_results,
    gather_facts,
    list_sources,
    list_statements,
)
from guard_core.judging.statistics import Statistics
from guard_core.model import AuthenticityClass, Belief
from guard_core.provenance.evidence import Evidence
from guard_core.visible import count_noun

LISTED = 200
"""Documents in the list."""

SOURCES_NAMED = 8


@dataclass(frozen=True, slots=True)
class OpenedDocument:
    """A document for the screen; ``labels`` are names and values."""

    name: str
    title: str
    known: str
    metrics: tuple[tuple[str, str], ...]
    labels: tuple[tuple[str, str], ...]
    conflicts: tuple[str, ...]
    sources: str
    statements: Table
    retrievals: Table


def list_documents(statistics: Statistics, graph: DerivationGraph, belief: Belief) -> Table:
    """List the documents that were retrieved most often."""
    evidence = statistics.evidence
    codes = evidence.log.document_ids.codes[statistics.rows]
    results = np.bincount(graph.log_documents[codes], minlength=len(graph.ids))
    used = np.flatnonzero(results)
    chosen = used[np.argsort(-results[used], kind="stable")][:LISTED]
    facts = gather_facts(evidence, graph, chosen.tolist(), belief)
    rows = [
        (cells[0], int(results[fact.number]), *cells[1:])
        for fact, cells in zip(facts, map(list_fact_cells, facts), strict=True)
    ]
    columns = ("Document", "Results", "Class", "Depth", "Known by", "Conflicts")
    return make_table(columns, rows, len(used), documents=[fact.document_id for fact in facts])


def describe_document(statistics: Statistics, graph: DerivationGraph, number: int, belief: Belief) -> OpenedDocument:
    """Describe the document of this number, and where the retrievals shown list it."""
    evidence = statistics.evidence
    (facts,) = gather_facts(evidence, graph, [number], belief)
    rows = find_results(evidence, graph, number)
    statements = list_statements(evidence, graph, number)
    names = _gather_labels(evidence, graph, number, rows)
    listed = _list_retrievals(statistics, rows)
    return OpenedDocument(
        escape_text(facts.document_id, 200),
        names.pop("title", ""),
        f"{label_code(facts.authenticity.name)}, {KNOWN_BY[facts.basis.value]}; {_describe_bases(facts.bases)}",
        (
            ("Class", _name_kind(facts.authenticity)),
            ("Depth", "unknown" if facts.depth is None else format_fact_depth(facts)),
            ("Results in the log", f"{facts.results:,}"),
            ("Results shown", f"{listed.total:,}"),
        ),
        tuple((label_code(name), value) for name, value in names.items()),
        (*(CONFLICT_MEANING[conflict] for conflict in facts.conflicts), *_list_disputed_depths(facts, statements)),
        _describe_sources(evidence, rows, belief, facts),
        _list_statements(statements, graph),
        listed,
    )


def _name_kind(authenticity: AuthenticityClass) -> str:
    return {"HUMAN_AUTHORED": "Human", "SYNTHETIC_DEPTH_1": "Synthetic", "SYNTHETIC_DEPTH_2_PLUS": "Synthetic"}.get(
        authenticity.name, "Unknown"
    )


def _describe_bases(bases: Bases) -> str:
    names = [name for basis, name in SPEAKER_NOUN.items() if basis in bases]
    return f"known to {', '.join(names)}" + ("" if Bases.DECLARED in bases else "; it was never retrieved in this log")


def _list_disputed_depths(facts: DocumentFacts, statements: Sequence[BasisStatement]) -> list[str]:
    """List the statements of a depth that does not count."""
    sentences = []
    for statement in statements:
        if statement.depth is None or statement.depth == facts.depth:
            continue
        if facts.depth is not None:
            counts = f"depth {facts.depth:,} counts"
        elif facts.depth_at_least is not None:
            counts = f"its parents prove at least {facts.depth_at_least:,}"
        else:
            counts = "its depth counts as unknown"
        sentences.append(f"{SPEAKER[statement.basis]} states depth {statement.depth:,}; {counts}.")
    return sentences


def _describe_sources(evidence: Evidence, rows: np.ndarray, belief: Belief, facts: DocumentFacts) -> str:
    if not len(rows):
        return "Its human sources are not counted, because the log has no result from this document."
    found = list_sources(evidence, int(rows[0]), belief)
    if not found:
        return "It rests on no known human source."
    if len(found) == 1 and found[0][0] == facts.document_id:
        return "It is a human source of its own."
    parts = [f"{escape_text(name, 80)} ({format_share(part, 1.0)})" for name, part in found[:SOURCES_NAMED]]
    more = f" and {len(found) - SOURCES_NAMED:,} more" if len(found) > SOURCES_NAMED else ""
    return f"It rests on {count_noun(len(found), 'human source')}: {', '.join(parts)}{more}."


def _gather_labels(evidence: Evidence, graph: DerivationGraph, number: int, rows: np.ndarray) -> dict[str, str]:
    """Gather title, originator and other labels: of its first result, else of the catalogue."""
    found: dict[str, str] = {}
    catalogue = evidence.catalogue
    if catalogue is not None and number < catalogue.documents:  # the catalogue's documents come first
        for name, column in catalogue.labels.items():
            found[name] = escape_text(column.text(number), 200)
    if len(rows):
        row = int(rows[0])
        for name, column in evidence.log.labels.items():
            if not found.get(name):
                found[name] = escape_text(column.text(row), 200)
        found["originator"] = escape_text(evidence.originators.text(row), 200)
    order = ("title", "originator", "generator", "collection", "url")
    return {name: found[name] for name in order if found.get(name)}


def _list_statements(statements: Sequence[BasisStatement], graph: DerivationGraph) -> Table:
    rows = [
        (
            SPEAKER[statement.basis],
            CLASS_WORD[statement.word],
            "" if statement.depth is None else f"{statement.depth:,}",
            ", ".join(
                escape_text(named.text, 80)
                + ("" if named.number is not None else " (not known)")
                + (
                    f" = {escape_text(graph.find_id(named.number), 80)}"
                    if named.number is not None and graph.find_id(named.number) != named.text
                    else ""
                )
                for named in statement.parents
            ),
            ", ".join(escape_text(anchor, 80) for anchor in statement.anchors),
            count_noun(statement.results, "result") if statement.results else "",
        )
        for statement in statements
    ]
    return make_table(("Who", "Class", "Stated depth", "Derived from", "Anchors", "In"), rows)


def _list_retrievals(statistics: Statistics, rows: np.ndarray) -> Table:
    """List the retrievals shown that list it, in the order of the log."""
    evidence = statistics.evidence
    log = evidence.log
    of_row = np.searchsorted(log.offsets, rows, side="right") - 1
    kept = np.isin(of_row, statistics.retrievals)
    rows, of_row = rows[kept], of_row[kept]
    numbers = of_row[:ROWS_ON_SCREEN]
    listed = [
        (
            *names,
            format_instant(int(log.times[retrieval])),
            int(log.ranks[row]),
            escape_text(log.result_ids.text(row)),
            ", ".join(label_code(c.value) for c in CONFLICTS.flagged(evidence.conflicts[row])),
        )
        for row, retrieval, names in zip(
            rows[:ROWS_ON_SCREEN].tolist(), numbers.tolist(), name_retrievals(log, numbers), strict=True
        )
    ]
    columns = ("Retrieval", "Query", "Time", "Rank", "Result", "Conflicts")
    return make_table(columns, listed, len(rows), numbers.tolist())
