"""Linear algebra in one thread: lowered while it lasts, then set back."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.linalg import cho_factor
from threadpoolctl import threadpool_info, threadpool_limits

from crake.kernels.blas_threads import FEW, MANY, one_thread
from crake.learners.encoding.normal_equations import cholesky_solve


def threads_now() -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.fixture(autouse=True)
def two_threads():
    cho_factor(np.eye(2))  # the libraries are loaded
    with threadpool_limits(2, user_api="blas"):
        yield


def test_lowered_and_set_back():
    assert set(threads_now()) == {2}
    with one_thread(FEW + 1):
        assert set(threads_now()) == {1}
    assert set(threads_now()) == {2}


@pytest.mark.parametrize("columns", [0, FEW, MANY])
def test_small_and_large_matrices_are_left_alone(columns):
    with one_thread(columns):
        assert set(threads_now()) == {2}


def test_set_back_after_an_error():
    with pytest.raises(ValueError, match="within"), one_thread(FEW + 1):
        raise ValueError("within")
    assert set(threads_now()) == {2}


def test_a_singular_matrix_sets_it_back_too():
    assert cholesky_solve(np.ones((FEW + 1, FEW + 1)), np.ones(FEW + 1)) is None
    assert set(threads_now()) == {2}


def test_the_library_of_scipy_is_limited_in_a_process_that_has_not_loaded_it():
    code = """
from threadpoolctl import threadpool_info
from crake.kernels.blas_threads import single_thread
with single_thread():
    pass
with single_thread(scipy=True):
    print([library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"])
"""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert set(json.loads(done.stdout)) == {1}
