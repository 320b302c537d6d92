"""The compiled loops beside loops in Python, and what they do with memory that must not be written."""

from __future__ import annotations

import importlib.util
import os
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crake import kernels
from crake.kernels import cache_folder, readable, threads
from crake.kernels.bayes.posterior import normalise
from crake.kernels.statistics.counting import count_values
from crake.kernels.statistics.moments import sum_and_rest

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


def test_compiled_code_is_kept_by_the_hash_of_all_kernels() -> None:
    folder = cache_folder()
    assert folder is None or folder.name.startswith("kernels-")


def copied(tmp_path: Path, name: str) -> Any:
    """Another copy of the decorator's file, with a kernel beside it; the times of the sources are the same."""
    source = Path(kernels.__file__)
    copy = tmp_path / name / "kernels" / "__init__.py"
    if not copy.exists():
        copy.parent.mkdir(parents=True)
        shutil.copy2(source, copy)
        copy.with_name("doubled.py").write_text("def doubled(x):\n    return 2 * x\n")
        os.utime(copy.with_name("doubled.py"), (1e9, 1e9))
    return loaded(copy)


def loaded(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location("a_copy", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_another_copy_has_compiled_is_of_no_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """numba finds compiled code by the path and the time of its source; so does the question whether it is there."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    one, other = copied(tmp_path, "one"), copied(tmp_path, "other")
    assert not one.are_compiled()
    doubled = one.kernel(loaded(tmp_path / "one" / "kernels" / "doubled.py").doubled)
    assert doubled(21) == 42
    assert one.are_compiled()
    assert copied(tmp_path, "one").are_compiled()  # the next process
    assert not other.are_compiled()
    os.utime(tmp_path / "one" / "kernels" / "doubled.py", (2e9, 2e9))
    assert not copied(tmp_path, "one").are_compiled()  # installed again
