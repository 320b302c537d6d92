"""The nearest rows of some rows: by scikit-learn where all columns are numbers, in blocks of distances otherwise.

Memory does not grow with the number of pairs. The neighbours do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from crake.arrays import Rows
from crake.balance.smote.space import Found, Points, Space, merged, parts_of, sorted_list
from crake.kernels import threads
from crake.kernels.blas_threads import single_thread

QUERIES, OTHERS = 128, 8192
"""Rows on both sides of a block of distances: 8 MB."""
FEW = 1024
"""Queries up to which blocks are searched; scikit-learn's threads share more of them out query by query."""
AT_ONCE = 65_536
"""Queries handed to scikit-learn at a time."""


def nearest_others(space: Space, points: Points, rows: Rows, k: int) -> Rows:
    """Return the k nearest of all points for the points at these rows, without the point itself.

    Of points that are equally far any may be taken, always the same ones.

    >>> points = Points(np.array([[0.0], [1.0], [3.0], [10.0]]), np.zeros((4, 0), np.int32))
    >>> nearest_others(Space(np.zeros(1), 1.0, 1.0), points, np.array([0, 3]), 2).tolist()
    [[1, 2], [2, 1]]
    """
    return nearest_of_parts(space, points.take(rows), rows, [(points, np.arange(len(points)))], k)


def nearest_of_parts(space: Space, queries: Points, own: Rows, parts: Iterable[tuple[Points, Rows]], k: int) -> Rows:
    """Return the k nearest rows of each query among rows that come in parts, each with its row numbers.

    `own` is the number of the row that a query is itself, which is left out.
    """
    search = _by_scikit_learn if len(queries) > FEW and not queries.names.shape[1] else _in_blocks
    rows = merged((_numbered(search(space, queries, part, min(k + 1, len(part))), n) for part, n in parts), k + 1)[1]
    order = np.argsort(rows == own[:, None], axis=1, kind="stable")[:, :k]
    return np.take_along_axis(rows, order, axis=1)


def _numbered(found: Found, numbers: Rows) -> Found:
    return found[0], numbers[found[1]]


def _by_scikit_learn(space: Space, queries: Points, points: Points, k: int) -> Found:
    """Search numbers. Each thread answers at least FEW queries alone, in the order of the points."""
    del space
    from sklearn.neighbors import NearestNeighbors  # noqa: PLC0415  # only where it is used
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where it is used

    search = NearestNeighbors(n_neighbors=k, n_jobs=threads.count()).fit(points.values)
    found = []
    for start, stop in threads.spans(len(queries), -(-len(queries) // AT_ONCE)):
        with threadpool_limits(min(threads.count(), (stop - start - 1) // FEW), user_api="openmp"):
            found.append(search.kneighbors(queries.values[start:stop]))
    distance, places = zip(*found, strict=True)
    return np.concatenate(distance), np.concatenate(places).astype(np.intp)


def _in_blocks(space: Space, queries: Points, points: Points, k: int) -> Found:
    """Work out all distances of a block, and keep the k smallest of each query."""
    distance, places = np.empty((len(queries), k)), np.empty((len(queries), k), np.intp)

    def work(part: slice) -> None:
        lists = (_of_block(space, queries.part(part), points, others, k) for others in parts_of(len(points), OTHERS))
        distance[part], places[part] = merged(lists, k)

    with single_thread():
        threads.each(work, parts_of(len(queries), QUERIES), len(queries) * len(points))
    return distance, places


def _of_block(space: Space, queries: Points, points: Points, others: slice, k: int) -> Found:
    d = space.squared(queries, points.part(others))
    near = np.argpartition(d, k - 1, axis=1)[:, :k] if k < d.shape[1] else np.tile(np.arange(d.shape[1]), (len(d), 1))
    near.sort(axis=1)
    return sorted_list(np.take_along_axis(d, near, axis=1), near + others.start, k)
