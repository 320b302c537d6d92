from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crake.errors import CrakeError, DataError
from crake.metrics.cutoffs import cutoff_for_prior, cutoff_of_costs, shift_prior

share = st.floats(0.01, 0.99)


@given(st.floats(0, 1), share, share)
def test_it_is_bayes_theorem_with_the_new_prior(p: float, old: float, new: float) -> None:
    likelihoods = np.array([p / old, (1 - p) / (1 - old)])
    expected = likelihoods[0] * new / (likelihoods @ [new, 1 - new])
    assert shift_prior([p], old, new)[0] == pytest.approx(expected, abs=1e-12)
    pairs = shift_prior([[1 - p, p]], [1 - old, old], [1 - new, new])
    assert pairs[0] == pytest.approx([1 - expected, expected], abs=1e-12)


@given(st.floats(0, 1), share, share, st.integers(1, 9), st.integers(1, 9))
def test_the_cutoff_on_p_is_the_cutoff_on_the_corrected_p(
    p: float, old: float, new: float, cost_fp: int, cost_fn: int
) -> None:
    cutoff = cutoff_for_prior(old, new, cost_fp, cost_fn)
    corrected = shift_prior([p], old, new)[0]
    if abs(p - cutoff) > 1e-9:
        assert (p >= cutoff) == (corrected >= cutoff_of_costs(cost_fp, cost_fn))


def test_ends() -> None:
    assert shift_prior([0, 1], 0.3, 0.7).tolist() == [0, 1]
    assert (cutoff_of_costs(0, 1), cutoff_of_costs(1, 0)) == (0, 1)
    assert shift_prior([], 0.3, 0.7).tolist() == []


def test_bad_shares_are_refused() -> None:
    with pytest.raises(CrakeError, match="old = 0; expected a share of positives"):
        cutoff_for_prior(0, 0.5)
    with pytest.raises(CrakeError, match="new = nan"):
        cutoff_for_prior(0.5, math.nan)
    with pytest.raises(CrakeError, match="not both 0"):
        cutoff_of_costs(0, 0)
    with pytest.raises(DataError, match="missing or outside 0 … 1"):
        shift_prior([math.nan], 0.5, 0.5)
    with pytest.raises(DataError, match="expected a share for each class"):
        shift_prior([[0.5, 0.5]], [0.2, 0.3, 0.5], [0.5, 0.5])
    with pytest.raises(DataError, match="that sum to 1"):
        shift_prior([[0.5, 0.5]], [0.2, 0.3], [0.5, 0.5])
    with pytest.raises(DataError, match="an old share is 0"):
        shift_prior([[0.5, 0.5]], [0, 1], [0.5, 0.5])
    with pytest.raises(DataError, match="row 1 has probability 0 of every class that is left"):
        shift_prior([[0.5, 0.5], [1, 0]], [0.5, 0.5], [0, 1])
