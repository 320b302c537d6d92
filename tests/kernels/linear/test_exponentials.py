"""exp and log of many numbers: to the last digit or two, whatever stands beside them."""

from __future__ import annotations

import numpy as np
import pytest

from crake.kernels.linear.exponentials import exp, log1p


def exponentials(x: np.ndarray) -> np.ndarray:
    out, room = np.empty(len(x)), np.empty(len(x))
    exp(x, len(x), room, room.view(np.int64), out)
    return out


@pytest.mark.parametrize("size", [1e-12, 1e-3, 1.0, 30.0, 700.0])
def test_exp(size: float) -> None:
    x = -size * np.random.default_rng(1).random(2000)
    np.testing.assert_allclose(exponentials(x), np.exp(x), rtol=4e-16)


def test_ends_of_exp() -> None:
    x = np.array([0.0, -0.0, -708.0, -709.0, -1e300, -np.inf, np.nan])
    np.testing.assert_allclose(exponentials(x), [1.0, 1.0, np.exp(-708.0), 0.0, 0.0, 0.0, np.nan], rtol=4e-16)


@pytest.mark.parametrize("size", [1e-300, 1e-9, 0.3, 1.0])
def test_log1p(size: float) -> None:
    x = np.append(size * np.random.default_rng(2).random(2000), [0.0, size])
    out = np.empty(len(x))
    log1p(x, len(x), out)
    np.testing.assert_allclose(out, np.log1p(x), rtol=5e-16)


def test_a_number_has_one_result_wherever_it_stands() -> None:
    """Loops handle most numbers several at a time, and the last ones alone."""
    x = -np.random.default_rng(3).exponential(3.0, 67)
    whole, logs = exponentials(x), np.empty(67)
    log1p(whole, 67, logs)
    for start in range(1, 66):
        part, own = exponentials(x[start:].copy()), np.empty(67 - start)
        log1p(part, len(part), own)
        assert part.tobytes() == whole[start:].tobytes()
        assert own.tobytes() == logs[start:].tobytes()
