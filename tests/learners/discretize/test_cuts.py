"""Every way to cut beside its plain twin, and the lectures' midpoints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.plain import cuts_twin

import crake

values = st.integers(-20, 20).map(lambda i: i / 4) | st.integers(0, 5).map(float)
pairs = st.lists(st.tuples(values, st.sampled_from([0, 0, 1, 2])), min_size=1, max_size=40)
separable = st.lists(values, min_size=1, max_size=40).map(lambda v: [(x, int(x > 1) + int(x > 3)) for x in v])


def cuts(some: list[tuple[float, int]], **how: Any) -> list[float]:
    X, y = [[value] for value, _ in some], [label for _, label in some]
    found: list[float] = crake.Discretizer(**how).fit(X, y).cuts_["x0"].tolist()
    return found


@settings(max_examples=60, deadline=None)
@given(some=pairs | separable, criterion=st.sampled_from(["fayyad-irani", "kononenko"]),
       encoding=st.sampled_from(["rows", "midpoints"]))  # fmt: skip
def test_mdl(some: list[tuple[float, int]], criterion: str, encoding: str) -> None:
    assert cuts(some, criterion=criterion, encoding=encoding) == cuts_twin.mdl(some, criterion, encoding)


@settings(max_examples=60, deadline=None)
@given(some=pairs, bins=st.integers(1, 6))
def test_the_others(some: list[tuple[float, int]], bins: int) -> None:
    numbers = [value for value, _ in some]
    assert cuts(some, method="two-way") == cuts_twin.two_way(some)
    assert cuts(some, method="frequency", bins=bins) == cuts_twin.equal_frequency(numbers, bins)
    assert cuts(some, method="width", bins=bins) == pytest.approx(cuts_twin.equal_width(numbers, bins))


@settings(max_examples=30, deadline=None)
@given(some=pairs, weights=st.lists(st.integers(0, 3), min_size=40, max_size=40))
def test_a_weight_is_so_many_copies(some: list[tuple[float, int]], weights: list[int]) -> None:
    copies = [pair for pair, weight in zip(some, weights, strict=False) for _ in range(weight)]
    if not copies:
        return
    X, y = [[value] for value, _ in some], [label for _, label in some]
    for how in ({"method": "mdl"}, {"method": "two-way"}, {"method": "width"}, {"method": "frequency", "bins": 3}):
        model = crake.Discretizer(**how).fit(X, y, sample_weight=weights[: len(some)])
        assert model.cuts_["x0"].tolist() == cuts(copies, **how)


def test_the_midpoints_of_the_lectures() -> None:
    ages = [15, 18, 21, 22, 24, 25, 29, 31]
    found = crake.Discretizer("frequency", bins=8).fit([[age] for age in ages]).cuts_["x0"]
    assert found.tolist() == [16.5, 19.5, 21.5, 23, 24.5, 27, 30]


def test_more_cuts_than_a_recursion_has_levels() -> None:
    X = np.arange(60_000.0)[:, None]
    y = (np.arange(60_000) // 30) % 2
    assert len(crake.Discretizer().fit(X, y).cuts_["x0"]) == 1999


def test_extreme_values() -> None:
    X = np.array([[-1.7e308], [-1.6e308], [1.6e308], [1.7e308], [5e-324], [0.0]])
    for method in ("width", "frequency", "two-way", "mdl"):
        model = crake.Discretizer(method, bins=3, output="codes").fit(X, [0, 0, 1, 1, 0, 0])
        assert np.isfinite(model.cuts_["x0"]).all()
        codes = model.transform(X).ravel()
        assert codes[np.argsort(X.ravel())].tolist() == sorted(codes)
    next_to_each_other = np.array([[1.0], [np.nextafter(1.0, 2)]])
    model = crake.Discretizer("two-way", output="codes").fit(next_to_each_other, [0, 1])
    assert model.transform(next_to_each_other).ravel().tolist() == [0, 1]
