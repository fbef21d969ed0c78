"""Write the sentences of tables: what the policy asks, what it takes on trust, what to do about what halts.

Flows in: a policy.  Flows out: plain sentences of our own, with no text from a log in them.
Rules kept here: a policy that believes the log's own labels is never shown without saying so.
Not here: layout (``table.py``).
"""

from __future__ import annotations

from collections.abc import Mapping

from guard_core.judging.policy import NamedPolicy, list_policy_fields
from guard_core.model import SignatureGate, SynthesisPolicy

_BELIEVES: Mapping[SignatureGate, str] = {
    SignatureGate.PRESENT: "This policy believes the log's own labels, and any signature that is there: whoever writes "
    "the log can better its verdicts. Bring a catalogue or signed claims to judge by more than the log's word.",
    SignatureGate.IGNORED: "This policy waives the signature gate and believes the log's own labels: good for asking "
    "what if, not for deciding what to trust.",
}

UNVERIFIED_ADVICE: Mapping[SignatureGate, str] = {
    SignatureGate.PRESENT: "have the originators sign what they publish and log the signature with each result, or "
    "sign what you know yourself (source-guard keygen, then attest); the column 'signatures waived' shows what the "
    "verdicts would be.",
    SignatureGate.VERIFIED: "each result needs a signed claim that verifies, in the log or in a signed catalogue "
    "(source-guard attest); source-guard verify says what is wrong with each. Under signatures = catalogued (policy "
    "file) a catalogue entry would do.",
    SignatureGate.CATALOGUED: "add the documents to the catalogue with their class, or get them signed.",
    SignatureGate.IGNORED: "the signature gate is waived.",
}
"""What to do about UNVERIFIED_SOURCES, by what the policy asks of signatures."""

EXCESSIVE_ADVICE = (
    "search again with a filter for human-authored content; the margin is how many results would have to change class."
)
"""What to do about SYNTHETIC_DEPTH_EXCESSIVE."""


def find_warning(policy: SynthesisPolicy) -> str | None:
    """Return the warning that goes with a policy that believes the log's own labels, else ``None``."""
    return _BELIEVES.get(policy.signatures)


def describe_policy(named: NamedPolicy) -> str:
    """Describe the policy in force in one line: the preset it started from, then every field."""
    fields = []
    for name, value in list_policy_fields(named.policy).items():
        if value is None:
            shown = "none"
        elif isinstance(value, bool):
            shown = "true" if value else "false"
        elif isinstance(value, list):
            shown = ", ".join(value) or "nothing"
        else:
            shown = str(value).removesuffix(".0")
        fields.append(f"{name} {shown}")
    return f"{named.preset}: " + "; ".join(fields)
