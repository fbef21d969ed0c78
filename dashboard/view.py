"""Hold everything that a link to the dashboard carries in one frozen value, with one function for each change of it.

Flows in: nothing of Streamlit.  Flows out: ``View``, and new views made from it.
Rules kept here: a view is valid whatever a caller passes, so that a page never has to check it again; a change of the
selection or of the order shows the first page; another log keeps the policies and nothing else.
Not here: the view in a URL (``url.py``), the view of a session (``controls/state.py``), the values of controls
(``controls/fields.py``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace

from dashboard.distrust import Distrust
from guard_core.corpus.quarantine import Quarantine
from guard_core.judging.policy import NamedPolicy
from guard_core.judging.selection import Selection

TEXT_LIMIT = 500
"""Characters of one name or free text."""

VALUES_LIMIT = 50
"""Values of one field."""

SORTS = ("log", "time", "ratio", "sources", "entries", "margin", "depth")
"""What retrievals can be sorted by; ``log`` is the order of the log."""

DEPTHS_BY = ("rank", "originator", "generator", "month")
"""What the depths of results can be split by."""

LISTINGS = ("retrieved", "check")
"""Lists of documents: those retrieved most often, and those to check first."""

STORY_STEPS = 5

JUDGED, WAIVED = "judged", "waived"
"""Verdicts as judged, or with signatures waived."""

SELECTION_FIELDS = tuple(each.name for each in fields(Selection))
"""Fields of a selection, each of which has a control of its name."""

QUARANTINE_FIELDS = tuple(each.name for each in fields(Quarantine))
"""Fields of a quarantine, each of which has a control of its name."""


@dataclass(frozen=True, slots=True)
class View:
    """What a session shows.

    ``policy`` is in force on every page; on What-if it is the candidate, which is compared with ``baseline``.
    ``verdicts`` is ``JUDGED`` or ``WAIVED``, empty until somebody chooses.  ``retrieval`` is the opened retrieval: its
    query id and occurrence.  ``family`` is the opened anchor family: its name, and whether it is resolved.
    ``document`` is the id of the opened document.  ``depths`` is what depths are split by, empty for nothing.
    ``listing`` is one of ``LISTINGS``, ``story`` the step of the story from 1, ``None`` while it is not shown.
    """

    policy: NamedPolicy
    baseline: NamedPolicy
    verdicts: str = ""
    selection: Selection = field(default_factory=Selection)
    sort: str = "log"
    descending: bool = False
    page: int = 1
    retrieval: tuple[str, int] | None = None
    family: tuple[str, bool] | None = None
    document: str | None = None
    depths: str = ""
    listing: str = LISTINGS[0]
    quarantine: Quarantine = field(default_factory=Quarantine)
    story: int | None = None
    distrust: Distrust = field(default_factory=Distrust)

    @property
    def page_selection(self) -> Selection:
        """The part of the selection that holds on every page; the rest is the search of the page Retrievals."""
        return replace(self.selection, waived=(), text="", document="", anchor="")

    def with_selection(self, **changes: object) -> View:
        """Replace fields of the selection, and show the first page."""
        chosen = replace(self.selection, **changes)  # type: ignore[arg-type]  # fields of a selection
        return self if chosen == self.selection else replace(self, selection=chosen, page=1)

    def clear_selection(self) -> View:
        """Show every retrieval again."""
        return self.with_selection(**{name: getattr(Selection(), name) for name in SELECTION_FIELDS})

    def sort_retrievals(self, by: str, *, descending: bool) -> View:
        """Sort retrievals, and show the first page."""
        return replace(self, sort=by if by in SORTS else SORTS[0], descending=descending, page=1)

    def turn_to_page(self, page: int) -> View:
        """Show another page of retrievals, from 1."""
        return replace(self, page=max(1, page))

    def open_retrieval(self, query_id: str, occurrence: int) -> View:
        """Open one retrieval, and leave the story."""
        return replace(self, retrieval=(query_id, occurrence), story=None)

    def close_retrieval(self) -> View:
        """Return to the list of retrievals."""
        return replace(self, retrieval=None)

    def search_retrievals(self, by: str, name: str) -> View:
        """List the retrievals with this anchor or document; ``by`` is a field of the selection."""
        return self.close_retrieval().with_selection(**{by: name})

    def open_family(self, name: str, *, resolved: bool) -> View:
        """Open one anchor family."""
        return replace(self, family=(name, resolved))

    def close_family(self) -> View:
        """Return to all anchor families."""
        return replace(self, family=None)

    def open_document(self, name: str) -> View:
        """Open one document, and leave the story."""
        return replace(self, document=name.replace("\0", "") or None, story=None)

    def close_document(self) -> View:
        """Return to the list of documents."""
        return replace(self, document=None)

    def list_documents(self, listing: str) -> View:
        """Show another list of documents."""
        return replace(self, listing=listing if listing in LISTINGS else LISTINGS[0])

    def split_depths(self, by: str) -> View:
        """Split depths by something else; by nothing if ``by`` is empty."""
        return replace(self, depths=by if by in DEPTHS_BY else "")

    def compare_verdicts(self, verdicts: str) -> View:
        """Show verdicts as judged, or with signatures waived."""
        return replace(self, verdicts=verdicts if verdicts in (JUDGED, WAIVED) else "")

    def show_step(self, step: int | None) -> View:
        """Show a step of the story; ``None`` leaves it."""
        return replace(self, story=None if step is None else min(max(step, 1), STORY_STEPS))

    def turn_step(self, *, forward: bool) -> View:
        """Show the next step of the story, or the one before."""
        return self.show_step((self.story or 1) + (1 if forward else -1))

    def with_quarantine(self, **names: Iterable[object]) -> View:
        """Replace fields of the quarantine; texts that cannot be names are left out."""
        kept = {kind: keep_names(map(str, values)) for kind, values in names.items()}
        return replace(self, quarantine=replace(self.quarantine, **kept))

    def clear_quarantine(self) -> View:
        """Quarantine nothing any more."""
        return replace(self, quarantine=Quarantine())

    def quarantine_also(self, kind: str, name: str) -> View:
        """Add one name to a field of the quarantine."""
        return self.with_quarantine(**{kind: (*getattr(self.quarantine, kind), name)})

    def with_distrust(self, originators: Iterable[str], keys: Iterable[str]) -> View:
        """Distrust these originators and keys; texts that cannot be names are left out."""
        return replace(self, distrust=Distrust(keep_names(originators), keep_names(keys)))

    def trust_all(self) -> View:
        """Trust everybody again as the trust store says."""
        return replace(self, distrust=Distrust())

    def leave_log(self) -> View:
        """Return the view with which another log is opened: the same policies, and nothing selected or opened."""
        return View(self.policy, self.baseline)


def is_name(text: str) -> bool:
    """Return whether a text can be a name or an id: not empty, within ``TEXT_LIMIT``, without NUL."""
    return 0 < len(text) <= TEXT_LIMIT and "\0" not in text


def keep_names(values: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct values that can be names, ``VALUES_LIMIT`` at most."""
    return tuple(dict.fromkeys(value for value in values if is_name(value)))[:VALUES_LIMIT]
