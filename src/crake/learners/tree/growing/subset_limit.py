"""Room for the sets of values of subset splits: one entry a level of the column for each split."""

from __future__ import annotations

from crake.errors import DataError

MOST = 2**27
"""Entries of a tree's table of groups: half a gigabyte."""


def check_room(entries: int, levels: int) -> None:
    """Refuse a tree whose sets of values would fill the memory; `levels` is how many values a column has.

    >>> check_room(10**9, 10**6)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    crake.errors.DataError: the sets of values of this tree's splits need 1,000,000,000 entries, more than...
    """
    if entries > MOST:
        raise DataError(
            f"the sets of values of this tree's splits need {entries:,} entries, more than {MOST:,}: a nominal column "
            f"has {levels:,} values. Leave it out, or limit the tree with max_depth or min_samples_leaf"
        )
