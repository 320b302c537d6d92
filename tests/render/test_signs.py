"""One sign before negative numbers, whoever writes them."""

from __future__ import annotations

import numpy as np

import crake
from crake.render import format_numbers as numbers
from crake.render.drawing.axis import written
from crake.render.drawing.coefficients import CoefficientPicture, CoefficientRow, Estimated, coefficient_svg
from crake.render.leaderboard import Figure
from crake.render.plain_text import unbroken


def test_formulas_tables_and_axes_have_one_sign() -> None:
    texts = [
        numbers.figure(-0.5),
        numbers.interval(Figure(0, -0.5, -0.25)),
        numbers.summary(-20000.0),
        *written([-2.0]),
    ]
    texts += [numbers.amount(-1513.26), numbers.quantity(-0.5), str(crake.metrics.Estimate(-0.5, (-0.75, -0.25)))]
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-3.0, -1.0, -2.0, -4.0])
    linear = crake.LinearRegressor().fit(X, y)
    boosted = crake.BoostedTreesRegressor(n_estimators=2, min_samples_leaf=1).fit(X, y)
    texts += [str(linear.summary()), *(str(model.explain(X[:1])) for model in (linear, boosted))]
    assert all("−" in text for text in texts)
    assert not [text for text in texts if "-" in text.replace("e-", "")]


def test_a_headline_has_the_decimals_of_its_interval() -> None:
    y = np.array(["a"] * 900 + ["b"] * 900)
    X = np.where(y == "a", 0.0, 5.0)[:, None] + np.random.default_rng(0).standard_normal((1800, 1)) * 0.9
    headline = crake.compare(X, y, learners=["majority", "naive-bayes"], measure="auc").leaderboard().headline
    assert "AUC 0.9999 [0.999" in headline or "AUC 1.0000 [0.999" in headline


def test_large_amounts_have_no_power_of_ten() -> None:
    X = np.arange(40.0)[:, None]
    model = crake.ForestRegressor(3, random_state=1).fit(X, 300_000 + 5_123.4 * X[:, 0])
    texts = [str(model.explain(X[:1])), crake.CARTRegressor(max_depth=1).fit(X, 9e5 + X[:, 0] / 3).draw().svg()]
    assert not [text for text in texts if "e+0" in text]
    assert "[28,033,\N{NO-BREAK SPACE}34,280]" in unbroken("RMSE 31,015 [28,033, 34,280]")


def test_labels_of_a_narrow_axis_stay_apart() -> None:
    rows = tuple(CoefficientRow(name, (Estimated(4e5, 1e5, 7e5),)) for name in "ab")
    svg = coefficient_svg(CoefficientPicture("", "", "", "price", rows), width=300)
    assert "800,000" in svg or "1,000,000" in svg
    assert "200,000" not in svg.replace("1,200,000", "")
