"""Calls shared out by joblib, whose backends may be processes, Dask or Ray."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal


def results_of(calls: Iterable[Any], n_jobs: int | None, *, order: Literal["given", "any"] = "given") -> Iterator[Any]:
    """Yield the results of joblib's delayed calls as they come, in the order of the calls or in any.

    A backend that cannot hand over results while others are worked on (Ray's) gives all of them at the end.
    """
    import joblib  # noqa: PLC0415  # only where several processes work

    backend, _ = joblib.parallel.get_active_backend()
    if not getattr(backend, "supports_return_generator", False):
        yield from joblib.Parallel(n_jobs=n_jobs)(calls)
        return
    results = joblib.Parallel(n_jobs=n_jobs, return_as="generator" if order == "given" else "generator_unordered")(
        calls
    )
    try:
        yield from results
    finally:
        results.close()
