"""Draw Overview: what the verdicts of a log say, on one page for people who were not there.

Flows in: the log and policy of the session.  Flows out: the page.
Rules kept here: one headline number a section; a finding leads to its retrievals in one click.
Not here: numbers (``views``), pictures (``charts``).
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard.app_pages import panel, story
from dashboard.charts import depths as split_figures
from dashboard.charts import overview as figures
from dashboard.compute import compute
from dashboard.controls import choices, current_log, state
from dashboard.filtered_log import FilteredLog
from dashboard.text import escape_markdown
from dashboard.views import account, depths, overview, retrievals, trend
from dashboard.words import format_share, label_code
from guard_core.judging.judge import Verdicts
from guard_core.visible import count_noun


def main() -> None:
    """Draw the page."""
    found = current_log.get_distrusting_log()
    if found is None:
        panel.draw_no_log()
        return
    filtered = current_log.filter_log(found)
    step = state.load_view().story
    if step is not None:
        story.draw_step(filtered, step)
        return
    if not panel.draw_head("Overview", filtered):
        return
    panel.draw_hints(account.list_missing(found.evidence))
    policy = state.load_view().policy.policy
    verdicts = filtered.judge(policy)
    summary = verdicts.summary()
    shares = overview.count_shares(summary)
    if not summary.retrievals:
        return
    story.draw_start_button()
    _draw_tiles(verdicts, shares, compute(overview.count_sources, verdicts.statistics, policy.belief))
    _draw_verdicts(verdicts, shares)
    _draw_findings(verdicts, overview.count_findings(summary, shares.total), filtered)
    _draw_distributions(verdicts)


def _draw_tiles(verdicts: Verdicts, shares: overview.VerdictShares, sources: overview.SourceCount) -> None:
    """Draw the three headline numbers."""
    halted, total = verdicts.summary().halt, count_noun(shares.total, "retrieval")
    grounded = shares.judged[0]
    with st.grid(3, min_column_width=220, gap="medium"):
        panel.draw_card(
            "tile.grounded", "Human grounded", format_share(grounded, shares.total), f"{grounded:,} of {total}"
        )
        panel.draw_card("tile.halt", "Would halt", format_share(halted, shares.total), f"{halted:,} of {total}")
        panel.draw_card(
            "tile.sources", "Independent human sources", sources.number, f"{sources.headline} {sources.detail}"
        )


def _draw_verdicts(verdicts: Verdicts, shares: overview.VerdictShares) -> None:
    """Draw the verdicts, and beside them their trend where the log has times."""
    waived = choices.is_waived(verdicts)
    moved = trend.count_trend(verdicts, waived)
    with st.grid(1 if moved is None else 2, min_column_width=420, gap="medium"):
        panel.draw_chart(
            shares,
            figures.draw_shares(shares, wide=moved is None),
            f"Each bar holds all {shares.total:,} counted retrievals. The lower one has signatures waived: it "
            f"leaves the signature gate out, since most logs carry no signature. {shares.detail}",
            "overview.verdicts",
        )
        if moved is not None:
            mode = "with signatures waived" if waived else "as judged"
            panel.draw_chart(
                moved,
                figures.draw_trend(moved),
                f"Shares of verdicts a {moved.unit}, UTC, {mode}. {moved.note}",
                "overview.trend",
            )


def _draw_findings(verdicts: Verdicts, failures: tuple[overview.FindingCount, ...], filtered: FilteredLog) -> None:
    """Draw the failure modes as cards, the other findings as a row, and the retrievals behind the chosen one."""
    st.markdown("### Three ways in which retrieval goes wrong quietly")
    with st.grid(3, min_column_width=220, gap="medium"):
        for failure in failures[: overview.MODES]:
            with st.container(border=True, height="stretch", key=f"failure.{failure.code}"):
                st.metric(escape_markdown(label_code(failure.code)), escape_markdown(f"{failure.number:,}"))
                st.caption(
                    escape_markdown(
                        f"{format_share(failure.number, failure.total)} of {count_noun(failure.total, 'retrieval')}"
                    )
                )
                st.markdown(escape_markdown(failure.sentence))
                st.button(
                    "Show these retrievals",
                    key=f"show.{failure.code}",
                    on_click=choices.show_finding,
                    args=(failure.code,),
                    disabled=not failure.number,
                    width="stretch",
                )
    numbers = {failure.code: failure.number for failure in failures if failure.number}
    chosen = choices.choose_finding(numbers)
    if chosen is not None:
        rows = retrievals.list_retrievals(verdicts, retrievals.find_retrievals(verdicts, chosen))
        st.markdown(
            f"#### {escape_markdown(label_code(chosen))}: {escape_markdown(count_noun(rows.total, 'retrieval'))}"
        )
        panel.choose_retrieval(
            rows, filtered, "overview.retrievals", f"Retrievals with {label_code(chosen)}", wide=("Query", "What to do")
        )


def _draw_distributions(verdicts: Verdicts) -> None:
    """Draw ratios, depths and bases."""
    ratios, known = overview.count_ratios(verdicts), compute(overview.count_bases, verdicts.statistics)
    with st.grid(2, min_column_width=420, gap="medium"):
        panel.draw_chart(
            ratios,
            figures.draw_ratios(ratios),
            "Grounding ratio: human results / all results of a retrieval. The line is the policy's minimum.",
            "overview.ratios",
        )
        _draw_depths(verdicts)
    panel.draw_chart(
        known,
        figures.draw_bases(known),
        "The basis of each result's class, the strongest first. Nothing that a log says of itself can raise it.",
        "overview.basis",
    )


def _draw_depths(verdicts: Verdicts) -> None:
    """Draw the depths of all results, or split by what the reader chose."""
    statistics, belief = verdicts.statistics, verdicts.policy.belief
    offered = compute(depths.list_splits, statistics.evidence)
    by = choices.get_depths(offered)
    control = partial(choices.choose_depths, offered)
    if by:
        rows = compute(depths.split_depths, statistics, belief, by)
        panel.draw_chart(
            rows,
            split_figures.draw_split(rows),
            "Each bar holds the results of one group as shares by depth: steps of generation between a result and its "
            "human author. Unknown is a bucket of its own, never 0.",
            "overview.depths",
            control,
        )
        return
    whole = compute(overview.count_depths, statistics, belief)
    panel.draw_chart(
        whole,
        figures.draw_depths(whole),
        "Steps of generation between a result and its human author. Unknown is a bucket of its own, never 0.",
        "overview.depths",
        control,
    )


main()
