"""Draw What-if: the controls of the policy, and what another policy would have said of the same log.

Flows in: the log, the baseline and the candidate of the session.  Flows out: the page.
Rules kept here: a moved control judges again and nothing else; the chosen verdicts (as judged, or with the
signatures waived) hold for every figure of the page.
Not here: numbers (``views``), pictures (``charts``), the controls themselves (``controls``).
"""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages import panel
from dashboard.charts import whatif as figures
from dashboard.controls import choices, current_log, folding, policy, state, trust
from dashboard.filtered_log import FilteredLog
from dashboard.text import escape_markdown
from dashboard.views import whatif
from guard_core.judging.judge import Verdicts


def main() -> None:
    """Draw the page."""
    found = current_log.get_log()
    if found is None:
        panel.draw_no_log()
        return
    filtered = current_log.filter_log(found, state.load_view().baseline)
    if not panel.draw_head("What if the policy were another one?", filtered):
        return
    baseline = filtered.judge(state.load_view().baseline.policy)
    candidate = current_log.apply_distrust(filtered).judge(state.load_view().policy.policy)
    waived = choices.is_waived(baseline, candidate)
    _draw_controls(filtered, candidate, waived)
    if not found.evidence.log.retrieval_count:
        st.info(
            "The log holds no retrieval, so no policy changes anything. Load another log.", icon=":material/lightbulb:"
        )
        return
    _draw_comparison(baseline, candidate, waived)
    curve = whatif.compute_curve(candidate, waived)
    panel.draw_chart(
        curve,
        figures.draw_sweep(curve),
        "Shares of verdicts at every minimum ratio, the other fields as in the candidate. The line is the "
        "candidate's minimum, solid on the side that it takes.",
        "whatif.sweep",
    )
    flips = whatif.list_flips(baseline, candidate, waived)
    st.markdown("### Retrievals that flip")
    if not flips.total:
        st.info(
            "None. Move the minimum ratio or another field, and the retrievals that change appear here.",
            icon=":material/lightbulb:",
        )
        return
    panel.choose_retrieval(
        flips, filtered, "whatif.flips", "Retrievals whose verdict changes, with the reason", wide=("Before", "Now")
    )


def _draw_controls(filtered: FilteredLog, candidate: Verdicts, waived: bool) -> None:
    with st.container(border=True, key="whatif.controls"):
        policy.draw_main_fields()
        st.caption(escape_markdown(whatif.explain_minimum(candidate)))
        with folding.open_part("All other fields", "whatif.fields", ":material/tune:") as opened:
            if opened:
                policy.draw_other_fields()
        decided = filtered.loaded.evidence.decided
        if decided is not None:
            with folding.open_part("Trust", "whatif.trust", ":material/verified_user:") as opened:
                if opened:
                    trust.choose_distrust(decided.store)
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
            choices.choose_verdicts(waived)
            policy.draw_actions()


def _draw_comparison(baseline: Verdicts, candidate: Verdicts, waived: bool) -> None:
    change = whatif.compare_policies(baseline, candidate, waived)
    compared = change.comparison
    differences = whatif.list_differences(baseline.policy, candidate.policy, state.load_view().distrust)
    with st.grid(2, min_column_width=320, gap="medium"):
        with st.container(border=True, height="stretch", key="whatif.headline"):
            st.metric("Verdicts that change", escape_markdown(f"{compared.changed:,}"))
            st.markdown(escape_markdown(change.title))
            st.caption(escape_markdown(change.decisions))
        with st.container(border=True, height="stretch", key="whatif.differences"):
            st.caption("How the candidate differs from the baseline")
            if differences.total:
                panel.draw_table(differences, "whatif.fields_that_differ", "Policy fields that differ")
            else:
                st.text("Not at all. Move a control, or choose another baseline.")
    panel.draw_chart(
        compared.shares,
        figures.draw_comparison(compared),
        "Both bars hold the same retrievals: above under the baseline, below under the candidate.",
        "whatif.shares",
    )
    panel.draw_chart(
        compared.moves,
        figures.draw_flow(compared),
        "Left: the baseline's verdicts. Right: the candidate's. Strong bands flip, faint ones stay.",
        "whatif.flow",
    )


main()
