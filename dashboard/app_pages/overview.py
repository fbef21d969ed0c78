"""Overview: what the verdicts of a log say, in one page for people who were not there.

Flows in: the log and policy of the session.  Flows out: the page.
Rules kept here: one headline number a section; a finding leads to its retrievals in one click.
Not here: numbers (``views``), pictures (``charts``).
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard.app_pages import panel, stage
from dashboard.charts import depths as split_figures
from dashboard.charts import overview as figures
from dashboard.compute import compute
from dashboard.controls import choices, current_log, state
from dashboard.filtered_log import FilteredLog
from dashboard.text import markdown
from dashboard.views import account, depths, overview, retrievals, trend
from dashboard.words import count, label, share
from guard_core.judging.judge import Verdicts


def main() -> None:
    """The page."""
    found = current_log.get_distrusting_log()
    if found is None:
        panel.no_log()
        return
    filtered = current_log.filter_log(found)
    step = state.load_view().story
    if step is not None:
        stage.tell(filtered, step)
        return
    if not panel.head("Overview", filtered):
        return
    panel.hints(account.missing(found.evidence))
    policy = state.load_view().policy.policy
    verdicts = filtered.judge(policy)
    summary = verdicts.summary()
    shares = overview.shares(summary)
    if not summary.retrievals:
        return
    stage.invite()
    _tiles(verdicts, shares, stage.sources(filtered, verdicts))
    _verdicts(verdicts, shares)
    _failures(verdicts, overview.failures(summary, shares.total), filtered)
    _distributions(verdicts, filtered)


def _tiles(verdicts: Verdicts, shares: overview.Shares, sources: overview.Sources) -> None:
    """The three numbers of the page."""
    summary = verdicts.summary()
    with st.grid(3, min_column_width=220, gap="medium"):
        with st.container(border=True, height="stretch", key="tile.grounded"):
            st.metric("Human grounded", markdown(share(shares.judged[0], shares.total)))
            st.caption(markdown(f"{shares.judged[0]:,} of {count(shares.total, 'retrieval')}"))
        with st.container(border=True, height="stretch", key="tile.halt"):
            st.metric("Would halt", markdown(share(summary.halt, shares.total)))
            st.caption(markdown(f"{summary.halt:,} of {count(shares.total, 'retrieval')}"))
        with st.container(border=True, height="stretch", key="tile.sources"):
            st.metric("Independent human sources", markdown(sources.number))
            st.caption(markdown(f"{sources.headline} {sources.detail}"))


def _verdicts(verdicts: Verdicts, shares: overview.Shares) -> None:
    """The verdicts, and beside them how they move where the log has times."""
    waived = choices.is_waived(verdicts)
    moved = trend.trend(verdicts, waived)
    with st.grid(1 if moved is None else 2, min_column_width=420, gap="medium"):
        panel.chart(
            shares.title,
            figures.verdict_shares(shares, wide=moved is None),
            shares.numbers,
            f"Each bar holds all {shares.total:,} counted retrievals. The lower one has signatures waived: it "
            f"leaves the signature gate out, since most logs carry no signature. {shares.detail}",
            "overview.verdicts",
        )
        if moved is not None:
            mode = "with signatures waived" if waived else "as judged"
            panel.chart(
                moved.title,
                figures.trend(moved),
                moved.numbers,
                f"Shares of verdicts a {moved.unit}, UTC, {mode}. {moved.note}",
                "overview.trend",
            )


def _failures(verdicts: Verdicts, failures: tuple[overview.Failure, ...], filtered: FilteredLog) -> None:
    """The failure modes as cards, the plain notices as a row, and the retrievals behind the one that was clicked."""
    st.markdown("### Three ways in which retrieval goes wrong quietly")
    with st.grid(3, min_column_width=220, gap="medium"):
        for failure in failures[: overview.MODES]:
            with st.container(border=True, height="stretch", key=f"failure.{failure.code}"):
                st.metric(markdown(label(failure.code)), markdown(f"{failure.number:,}"))
                st.caption(markdown(f"{share(failure.number, failure.total)} of {count(failure.total, 'retrieval')}"))
                st.markdown(markdown(failure.sentence))
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
        rows = retrievals.listing(verdicts, retrievals.with_finding(verdicts, chosen))
        st.markdown(f"#### {markdown(label(chosen))}: {markdown(count(rows.total, 'retrieval'))}")
        panel.retrievals(
            rows, filtered, "overview.retrievals", f"Retrievals with {label(chosen)}", wide=("Query", "What to do")
        )


def _distributions(verdicts: Verdicts, filtered: FilteredLog) -> None:
    """Where the numbers come from: ratios, depths, basis."""
    ratios, known = overview.ratios(verdicts), stage.known(filtered, verdicts)
    with st.grid(2, min_column_width=420, gap="medium"):
        panel.chart(
            ratios.title,
            figures.ratio_distribution(ratios),
            ratios.numbers,
            "Grounding ratio: human results / all results of a retrieval. The line is the policy's minimum.",
            "overview.ratios",
        )
        _depths(verdicts, filtered)
    panel.chart(
        known.title,
        figures.basis(known),
        known.numbers,
        "What each result's class rests on, strongest first. Nothing inside a log can raise it.",
        "overview.basis",
    )


def _depths(verdicts: Verdicts, filtered: FilteredLog) -> None:
    """The depths of all results, or split by what the reader chose."""
    statistics, belief = verdicts.statistics, verdicts.policy.belief
    offered = compute(depths.offered, statistics.evidence)
    by = choices.get_depths(offered)
    control = partial(choices.choose_depths, offered)
    if by:
        rows = compute(depths.split, statistics, belief, by)
        panel.chart(
            rows.title,
            split_figures.split(rows),
            rows.numbers,
            "Each bar holds the results of one group as shares by depth: steps of generation between a result and its "
            "human author. Unknown is a bucket of its own, never 0.",
            "overview.depths",
            control,
        )
        return
    whole = stage.depths(filtered, verdicts)
    panel.chart(
        whole.title,
        figures.depth_histogram(whole),
        whole.numbers,
        "Steps of generation between a result and its human author. Unknown is a bucket of its own, never 0.",
        "overview.depths",
        control,
    )


main()
