"""The tree of dependences: the links of largest gain, each column with one parent beside the class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crake.arrays import Codes, Floats

MOST_SILENT = 100
"""Columns of one value that take part in the search for a tree."""


def tree_of(gains: Floats) -> Codes:
    """Return the parent of every column, −1 for the root. `gains[h, t]` is what h gains by the parent t.

    The first link has the largest gain of all, each further one the largest of those from a column already linked to
    one that is not; of equals, the first. A link (h, t) makes h the parent of t, or t that of h where t has one.

    >>> tree_of(np.array([[-np.inf, 3.0, 1.0], [3.0, -np.inf, 2.0], [1.0, 2.0, -np.inf]])).tolist()
    [-1, 0, 1]

    Chow and Liu (1968), Approximating discrete probability distributions with dependence trees.
    Friedman, Geiger and Goldszmidt (1997), Bayesian network classifiers.
    """
    size = len(gains)
    parent = np.full(size, -1, np.int32)
    is_linked, crossing = np.zeros(size, bool), gains
    for step in range(size - 1):
        h, t = divmod(int(crossing.argmax()), size)
        if parent[t] < 0:
            parent[t] = h
        else:
            parent[h] = t
        if step == 0:
            crossing = np.full((size, size), -np.inf)
        for new in (h, t):
            if not is_linked[new]:
                is_linked[new] = True
                crossing[new] = np.where(is_linked, -np.inf, gains[new])
                crossing[:, new] = np.where(is_linked, -np.inf, gains[:, new])
    return parent


def with_silent_columns(gains: Floats, places: Sequence[int], columns: int) -> tuple[Floats, list[int]]:
    """Return the gains with those of columns of one value, and the place of each original column among them.

    `places` are those of the original columns among all `columns`. Nothing is gained by a link to a column of one
    value, and nothing lost. Such columns belong to the tree, because a link between two others may lose: it is better
    to link both to a column that says nothing. Of many such columns a few are enough.
    """
    own = dict(zip(places, range(len(places)), strict=True))
    kept, silent = [], 0
    for place in range(columns):
        silent += place not in own
        if place in own or silent <= MOST_SILENT:
            kept.append(place)
    whole = np.zeros((len(kept), len(kept)))
    np.fill_diagonal(whole, -np.inf)
    at = [kept.index(place) for place in places]
    whole[np.ix_(at, at)] = gains
    return whole, at


def among(parent: Codes, places: Sequence[int]) -> Codes:
    """Return the parents of these nodes as places among them; one whose parent is another node has none.

    >>> among(np.array([-1, 0, 1]), [0, 2]).tolist()
    [-1, -1]
    """
    place = {old: new for new, old in enumerate(places)}
    return np.array([place.get(int(parent[old]), -1) for old in places], np.int32)


def top_down(parent: Codes) -> list[int]:
    """Return the columns in an order in which parents come first; raise ValueError if there is a cycle.

    >>> top_down(np.array([1, -1, 0]))
    [1, 0, 2]
    """
    children: dict[int, list[int]] = {}
    for j, p in enumerate(parent.tolist()):
        children.setdefault(p, []).append(j)
    order = list(children.get(-1, []))
    for j in order:
        order += children.get(j, [])
    if len(order) < len(parent):
        raise ValueError("the parents go in a circle")
    return order
