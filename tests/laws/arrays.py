"""All the arrays of a statistic, whatever they are called: two statistics are compared through these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from crake.statistics import Statistic, Statistics
from crake.statistics.exact_sums import ExactSums


def arrays_of(thing: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every array, number and list of levels in a statistic, by its place."""
    if isinstance(thing, Statistics):
        yield from arrays_of(dict(thing.parts), name)
    elif isinstance(thing, dict):
        for key, value in thing.items():
            yield from arrays_of(value, f"{name}/{key}")
    elif isinstance(thing, ExactSums):
        yield from zip((f"{name}/places", f"{name}/digits"), thing.state(), strict=True)
    elif isinstance(thing, Statistic) or is_dataclass(thing):
        for field in fields(thing):  # type: ignore[arg-type]
            yield from arrays_of(getattr(thing, field.name), f"{name}/{field.name}")
    elif isinstance(thing, tuple) and thing and is_dataclass(thing[0]):
        for at, value in enumerate(thing):
            yield from arrays_of(value, f"{name}/{at}")
    else:
        yield name, thing


def assert_same_bits(one: Any, other: Any) -> None:
    mine, its = list(arrays_of(one)), list(arrays_of(other))
    assert [name for name, _ in mine] == [name for name, _ in its]
    for (name, a), (_, b) in zip(mine, its, strict=True):
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype, name
            np.testing.assert_array_equal(a, b, err_msg=name)
        else:
            assert a == b, name
