"""One thread for linear algebra: matrices of some hundred columns are factorised faster by one than by several.

OpenBLAS's threads wait for each other in a busy loop: where other work has the cores, a factorisation of 2 milliseconds
takes a hundred times as long.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

SCIPY = "scipy.linalg"
FEW, MANY = 64, 1000
"""Columns up to which no library would use more than one thread, and from which on several are worth it."""


@contextmanager
def one_thread(columns: int) -> Iterator[None]:
    """Run linear algebra of a matrix with this many columns in one thread, unless it is large.

    The number of threads is one for the whole process; of several threads that come here the first sets it.
    """
    if not FEW < columns < MANY:
        yield
        return
    with _libraries(SCIPY in sys.modules).limit(limits=1, user_api="blas"):
        yield


@contextmanager
def single_thread(*, scipy: bool = False) -> Iterator[None]:
    """Run linear algebra in one thread, so that its bits do not depend on the number of cores.

    `scipy` loads SciPy's library first: one that is loaded inside the block would not be limited.
    """
    if scipy:
        import_module(SCIPY)
    with _libraries(SCIPY in sys.modules).limit(limits=1, user_api="blas"):
        yield


@functools.cache
def _libraries(with_scipy: bool) -> ThreadpoolController:
    """Return the libraries of linear algebra that are loaded; finding them takes milliseconds."""
    del with_scipy  # it has a library of its own
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415 (only large matrices need it)

    return ThreadpoolController()
