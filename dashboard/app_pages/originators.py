"""Draw Originators: who attests the results, what becomes of their claims, what would change without one of them.

Flows in: the log, filter, trust and policy of the session.  Flows out: the page.
Rules kept here: those of the package; without a trust store nothing of a claim is shown, only how many there are.
Not here: numbers (``views/originators.py``), pictures (``charts/originators.py``).
"""

from __future__ import annotations

import streamlit as st

from dashboard.app_pages import panel
from dashboard.charts import originators as figures
from dashboard.compute import compute
from dashboard.controls import current_log, folding, state, trust
from dashboard.logs import LoadedLog
from dashboard.text import escape_code, escape_markdown
from dashboard.views import whatif
from dashboard.views.corpus import originators
from dashboard.words import format_share
from guard_core.visible import count_noun


def main() -> None:
    """Draw the page."""
    filtered = panel.start_page("Originators")
    if filtered is None:
        return
    policy = state.load_view().policy.policy
    statistics, belief = filtered.count_statistics(policy.top_k), policy.belief
    shown = compute(originators.count_originators, statistics, belief)
    if shown is None:
        _draw_no_trust_store(originators.count_claims(statistics))
        return
    if shown.results:
        _draw_numbers(shown)
    base = current_log.get_log()
    if base is not None:
        _draw_what_if(base)
    if shown.results:
        _draw_claims(shown)
    _draw_trust_store(shown)


def _draw_no_trust_store(claims: int) -> None:
    with st.container(border=True, key="originators.empty"):
        st.markdown("#### No trust store is loaded, so no claim is checked")
        if claims:
            carry = count_noun(claims, "result carries", "results carry")
            st.markdown(escape_markdown(f"{carry} a claim. Bring the public keys of those who signed."))
        else:
            st.text(
                "No result carries a claim. Have the originators sign what they publish, or sign your own catalogue:"
            )
            st.code(
                "source-guard keygen --originator https://you.example --out keys/you\n"
                "source-guard attest CATALOGUE --key keys/you.pem --originator https://you.example --out signed.csv",
                language=None,
                wrap_lines=True,
            )
        st.text("Start with the trust store, or upload it on Load:")
        st.code("source-guard serve LOG --catalogue FILE --trust trust_store.json", language=None, wrap_lines=True)
        st.page_link("app_pages/load.py", label="Upload a trust store", icon=":material/verified_user:")


def _draw_numbers(shown: originators.Originators) -> None:
    valid, rests, human = shown.valid, shown.rests, shown.human
    with st.grid(3, min_column_width=220, gap="medium"):
        panel.draw_card(
            "originators.valid",
            "Results with a valid claim",
            format_share(valid, shown.results),
            f"{valid:,} of {count_noun(shown.results, 'result')}",
        )
        panel.draw_card(
            "originators.rests",
            "Human results that rest on a claim",
            format_share(rests, human),
            f"{rests:,} of {count_noun(human, 'human result')}; the rest is known otherwise",
        )
        panel.draw_card(
            "originators.active", "Active originators", f"{shown.active:,}", f"of {shown.known:,}; {shown.trust}"
        )


def _draw_what_if(base: LoadedLog) -> None:
    """Draw what would change if somebody were not trusted."""
    decided = base.evidence.decided
    if decided is None:
        return
    with st.container(border=True, key="originators.what_if"):
        st.markdown("#### What if somebody were not trusted?")
        trust.choose_distrust(decided.store)
        policy, waived = state.load_view().policy.policy, False
        filtered = current_log.filter_log(base)
        before, after = filtered.judge(policy), current_log.apply_distrust(filtered).judge(policy)
        compared = whatif.compare_policies(before, after, waived)
        if state.load_view().distrust.is_empty:
            st.caption(
                "Choose an originator or a key, and see which verdicts rest on it. No signature is verified again."
            )
            return
        with st.grid(2, min_column_width=280, gap="medium"):
            st.metric("Verdicts that change", escape_markdown(f"{compared.comparison.changed:,}"))
            with st.container():
                st.markdown(escape_markdown(compared.title))
                st.caption(escape_markdown(compared.decisions))
        flips = whatif.list_flips(before, after, waived)
        if flips.total:
            with folding.open_part(
                "Retrievals that flip", "originators.flips_shown", ":material/compare_arrows:"
            ) as opened:
                if opened:
                    panel.choose_retrieval(
                        flips, filtered, "originators.flips", "Retrievals whose verdict rests on them",
                        wide=("Before", "Now"),
                    )  # fmt: skip


def _draw_claims(shown: originators.Originators) -> None:
    panel.draw_chart(
        shown,
        figures.draw_statuses(shown),
        "Each bar holds the results of one originator, known by the key that signed. A claim whose signature does not "
        "hold belongs to nobody.",
        "originators.statuses",
    )
    st.markdown("### Who attests what")
    panel.draw_table(shown.listed, "originators.table", "Originators with documents, results and what they may attest",
                wide=("Originator",))  # fmt: skip
    if shown.faults:
        panel.draw_chart(
            shown.fault_numbers,
            figures.draw_faults(shown),
            "Results whose claim fails, by the first check that it fails. A failed claim never does better than none.",
            "originators.faults",
        )
    st.markdown("### What each status means, and what to do")
    panel.draw_table(
        shown.advice, "originators.advice", "Statuses with meaning and advice", wide=("What it means", "What to do")
    )


def _draw_trust_store(shown: originators.Originators) -> None:
    st.markdown("### Keys")
    if shown.keys.total:
        panel.draw_table(
            shown.keys, "originators.keys", "Keys with windows, revocations and thumbprints", wide=("Thumbprint",)
        )
    else:
        st.info("The trust store has no usable key, so no claim can be valid.", icon=":material/key_off:")
    if shown.skipped.total:
        st.markdown("#### Keys that are skipped, and why")
        st.caption("A claim by one of them counts as signed by an unknown key.")
        panel.draw_table(shown.skipped, "originators.skipped", "Skipped keys with reasons", wide=("Why it is skipped",))
    for notice in shown.notices:
        st.caption(escape_code(notice, 300))


main()
