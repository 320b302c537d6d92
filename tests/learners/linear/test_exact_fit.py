"""An exact fit has no errors to speak of: its summary stays readable."""

from __future__ import annotations

import numpy as np

import crake


def test_rows_on_a_line() -> None:
    x = np.arange(10.0)
    model = crake.LinearRegressor().fit(x[:, None], 2 * x + 1)
    assert max(map(len, str(model).splitlines())) < 110
    assert "but for rounding" in str(model)
    assert [line.statistic for line in model.summary().coefficients] == [None, None]


def test_a_large_t_is_short() -> None:
    x = np.arange(50.0)
    model = crake.LinearRegressor().fit(x[:, None], 1e9 * x + np.where(x % 2, 1e-3, -1e-3))
    assert max(map(len, str(model).splitlines())) < 110
    assert "e+" in str(model)
