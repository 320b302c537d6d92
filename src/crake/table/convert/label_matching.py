"""Values of a file matched to the levels of a model as they are written: 1 in one file is "1" in another.

A column whose training values were 1 and x had texts for levels; a file in which it happens to hold whole numbers only
has numbers. Both write 1 the same, and mean the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from crake.table.codes import Coded
from crake.table.schema import Label


def matched(labels: Sequence[Label | None], levels: Sequence[Label]) -> list[Label | None]:
    """Each label as the level it is written like; one that is a level already, or like none, stays.

    >>> matched([1, 2.0, "x", None], ["1", "2", "x"]), matched(["1", "True", "x"], [1, True])
    (['1', '2', 'x', None], [1, True, 'x'])
    """
    known = set(levels)
    if all(label in known for label in labels if label is not None):
        return list(labels)
    by_text = {text_of(level): level for level in levels}
    return [label if label is None or label in known else by_text.get(text_of(label), label) for label in labels]


def matched_column(column: Coded, levels: Sequence[Label]) -> Coded:
    """The same for a column."""
    return Coded(matched(column.labels, levels), column.codes)


def text_of(label: Label) -> str:
    """As a file would write it.

    >>> text_of(2.0), text_of(2.5), text_of(True), text_of("a")
    ('2', '2.5', 'True', 'a')
    """
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)
