"""The compiled loops beside loops in Python, and what they do with memory that must not be written."""

from __future__ import annotations

import pickle
import subprocess
import sys
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crake.kernels import Kernel, cache, kernel, readable, shared_kernel, threads
from crake.kernels.bayes.posterior import normalise
from crake.kernels.inlined import inlined
from crake.kernels.statistics.counting import count_values
from crake.kernels.statistics.two_sum import sum_and_rest

cell = st.tuples(st.integers(-2, 2), st.integers(-2, 1), st.integers(-1, 2), st.integers(-1, 1), st.floats(0, 5))


@given(st.lists(cell, min_size=1, max_size=20))
def test_counting_beside_a_loop(rows: list[tuple[int, int, int, int, float]]) -> None:
    codes = np.array([row[:2] for row in rows], np.int32)
    target, group = np.array([r[2] for r in rows], np.int32), np.array([r[3] for r in rows], np.int32)
    counts, expected = np.zeros((2, 3, 7)), np.zeros((2, 3, 7))
    count_values(codes, np.array([0, 4, 7]), target, group, np.array([r[4] for r in rows]), counts)
    for *values, k, g, w in rows:
        for v, offset in zip(values, (0, 4), strict=True):
            if k >= 0 and g >= 0 and v >= -1:
                expected[g, k, offset + v + 1] += w
    np.testing.assert_array_equal(counts, expected)


@given(st.floats(-1e150, 1e150), st.floats(-1e150, 1e150))
def test_a_sum_and_its_rest_are_exact(a: float, b: float) -> None:
    total, rest = sum_and_rest(a, b)
    assert total == a + b
    assert Fraction(total) + Fraction(rest) == Fraction(a) + Fraction(b)


@given(st.lists(st.one_of(st.floats(-1e308, 1e308), st.just(-np.inf)), min_size=1, max_size=6))
def test_normalised_rows_sum_to_one(logs: list[float]) -> None:
    row, prior = np.array(logs), np.full(len(logs), 1 / len(logs))
    normalise(row, prior)
    assert np.isfinite(row).all()
    assert abs(row.sum() - 1) <= 1e-12


@given(st.integers(0, 1000), st.integers(1, 70))
def test_spans_cover_everything_once(length: int, parts: int) -> None:
    spans = threads.spans(length, parts)
    assert [i for start, stop in spans for i in range(start, stop)] == list(range(length))
    assert len(spans) <= parts


def test_read_only_memory_is_read_in_place() -> None:
    array = np.arange(6.0).reshape(3, 2)
    array.flags.writeable = False
    view = readable(array)
    assert view.flags.writeable
    assert np.shares_memory(view, array)
    columns = np.asfortranarray(array)
    assert readable(columns).flags.c_contiguous


class Model(NamedTuple):
    weights: np.ndarray
    none: np.ndarray


@kernel
def weighted(model: Model, values: np.ndarray) -> float:
    return model.weights[0] * values[0] + model.none.shape[0]


def test_read_only_arrays_compile_nothing_of_their_own() -> None:
    """A model in a memory map runs the code that a model in memory was compiled to."""
    one, other = Model(np.array([3.0]), np.zeros(0)), np.array([2.0])
    assert weighted(one, other) == 6.0
    for array in (*one, other):
        array.flags.writeable = False
    assert weighted(one, other) == 6.0
    assert len(weighted.compiled().signatures) == 1


@kernel
def doubled(x: float) -> float:
    return 2 * x


@kernel
def quadrupled(x: float) -> float:
    return doubled(doubled(x))


@inlined
def incremented(x: float) -> float:
    return doubled(x) + 1


@kernel
def twice_incremented(x: float) -> float:
    return incremented(incremented(x))


def test_an_inlined_helper_is_part_of_its_caller() -> None:
    assert twice_incremented(1.5) == 9.0
    assert not incremented.compiled().signatures  # never compiled on its own


def test_kernels_are_compiled_when_they_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    # From an earlier run's cache it comes without the one that it calls.
    monkeypatch.setattr(cache, "folder_of_code", lambda _: None)
    assert isinstance(quadrupled, Kernel)
    assert quadrupled._compiled is None
    assert quadrupled(1.5) == 6.0
    assert doubled._for_kernels.signatures  # the one that it calls, too, without a wrapper for Python
    assert doubled._compiled is None
    assert quadrupled.py_func(1.5) == 6.0
    assert quadrupled.__name__ == "quadrupled"


@kernel
def raised(x: int, power: int) -> int:
    return x**power


@kernel
def square_and_cube(x: int) -> int:
    return raised(x, 2) + raised(x, 3)


def test_a_constant_compiles_nothing_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "folder_of_code", lambda _: None)
    assert square_and_cube(2) == 12
    assert len(raised._for_kernels.signatures) == 1


@shared_kernel
def tripled(x: float) -> float:
    return 3 * x


@kernel
def six_times(x: float) -> float:
    return 2 * tripled(x)


def test_a_shared_kernel_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "folder_of_code", lambda _: None)
    assert six_times(1.5) == 9.0
    assert tripled._for_kernels is None
    assert len(tripled.compiled().signatures) == 1
    assert tripled(1.5) == 4.5
    assert len(tripled.compiled().signatures) == 1


def test_a_kernel_is_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(sum_and_rest)) is sum_and_rest


def test_numba_is_imported_by_the_first_call_and_scipy_not_at_all() -> None:
    code = (
        "import sys\nimport numpy as np\nfrom crake.kernels.bayes.posterior import normalise\n"
        "print('numba' in sys.modules)\nnormalise(np.zeros(2), np.ones(2) / 2)\n"
        "print('numba' in sys.modules, 'scipy.linalg' in sys.modules)\n"
        "import numba\n"
        "print(numba.njit(lambda a: a @ a)(np.eye(2)).tolist())\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert run.stdout.splitlines() == ["False", "True False", "[[1.0, 0.0], [0.0, 1.0]]"]
