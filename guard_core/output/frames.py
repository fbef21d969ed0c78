"""Hold the columns of a judged log as a frame for notebooks: Arrow without a copy, pandas with Arrow types.

Flows in: names, and how each column is made.  Flows out: ``Frame``.
Rules kept here: a column is made when it is asked for, and once; what is an array already is not copied on the way to
Arrow; pandas is imported only by those who ask for it.
Not here: what the columns are (``columns.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from guard_core.errors import SourceGuardError
from guard_core.output.people.html import draw_rows
from guard_core.visible import count_noun, visible

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 10
"""Rows that a notebook shows."""


class Frame:
    """A table of ``len(frame)`` rows, for ``to_pandas`` and ``to_arrow``; other libraries take it as an Arrow stream.

    ``column_names`` are the columns that it gives unless it is asked for others; those in ``on_request`` are texts that
    take long to make or much room, and are given where they are named.
    """

    def __init__(
        self, makers: Mapping[str, Callable[[], pa.Array]], rows: int, on_request: Collection[str] = ()
    ) -> None:
        self._makers = dict(makers)
        self._rows = rows
        self._made: dict[str, pa.Array] = {}
        self.on_request = tuple(name for name in self._makers if name in on_request)
        self.column_names = tuple(name for name in self._makers if name not in on_request)

    def __len__(self) -> int:
        return self._rows

    def column(self, name: str) -> pa.Array:
        """Return one column as an Arrow array.  Raises ``SourceGuardError`` for a name that is none."""
        if name not in self._makers:
            raise SourceGuardError(f"no such column: {visible(str(name))}; there are {', '.join(self._makers)}")
        if name not in self._made:
            array = self._makers[name]()
            if pa.types.is_dictionary(array.type) and pa.types.is_list(array.type.value_type):
                array = array.dictionary_decode()
            self._made[name] = array
        return self._made[name]

    def to_arrow(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the frame as an Arrow table, words and texts as dictionary codes; ``columns`` chooses and orders."""
        names = self.column_names if columns is None else [columns] if isinstance(columns, str) else columns
        return pa.table([self.column(name) for name in names], names=list(names))

    def to_pandas(self, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return the frame as a pandas DataFrame with Arrow types; ``columns`` chooses and orders.

        Texts are plain strings there, because pandas cannot sort or search dictionary codes.
        """
        import pandas as pd  # noqa: PLC0415  # takes longer than all of ours, which only those wait for who need it

        table = self.to_arrow(columns)
        decoded = [column.cast(_decode_type(column.type)) for column in table.columns]
        frame: pd.DataFrame = pa.table(decoded, names=table.column_names).to_pandas(types_mapper=pd.ArrowDtype)
        return frame

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        more = f"; on request: {', '.join(self.on_request)}" if self.on_request else ""
        return f"Frame of {count_noun(self._rows, 'row')}: {', '.join(self.column_names)}{more}"

    def _repr_html_(self) -> str:
        rows = self.to_arrow().slice(0, _SHOWN).to_pydict()
        return draw_rows(rows, self._rows)


def _decode_type(kind: pa.DataType) -> pa.DataType:
    """Return the type without dictionary codes."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    return pa.list_(_decode_type(kind.value_type)) if pa.types.is_list(kind) else kind
