"""Linear and logistic regression beside statsmodels: what a summary says of every term, and of the fit, to 1e-6.

statsmodels gets a matrix of zeros and ones that is written down here; crake gets the table.
"""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

import crake

CLOSE = 1e-6


@pytest.fixture(scope="module")
def statsmodels() -> Any:
    """Imported when a test runs: collecting should not wait for it."""
    absent = "statsmodels is not installed: coefficients and errors are not compared with its own"
    return pytest.importorskip("statsmodels.api", reason=absent)


def sklearn_table(load: Any, columns: list[str]) -> tuple[pd.DataFrame, np.ndarray]:
    found = load(as_frame=True)
    return found.data[columns], found.target.to_numpy()


def mixed(rows: int = 300, classes: int = 2) -> tuple[pd.DataFrame, np.ndarray]:
    """Two numbers of very different size, names of three and two levels; classes that overlap everywhere."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "income": rng.lognormal(10, 0.5, rows).round(),
            "town": rng.choice(["Bonn", "Cologne", "Ulm"], rows, p=[0.5, 0.3, 0.2]),
            "share": rng.uniform(0, 1e-3, rows),
            "owner": rng.choice(["no", "yes"], rows),
        }
    )
    z = (frame.income / 3e4 - 0.6 * (frame.town == "Ulm") + (frame.owner == "yes") * 0.8 - frame.share * 900).to_numpy()
    noisy = z + rng.logistic(0, 1.0, rows)
    return frame, np.digitize(noisy, np.quantile(noisy, np.arange(1, classes) / classes))


def matrix(X: pd.DataFrame) -> np.ndarray:
    """The intercept, numbers as they are, and 0/1 for every level but the first."""
    dummies = pd.get_dummies(X, drop_first=True, dtype=float)
    order = [name for column in X for name in dummies if name == column or name.startswith(f"{column}_")]
    return np.column_stack([np.ones(len(X)), dummies[order].to_numpy(float)])


def numbers(lines: Any) -> dict[str, np.ndarray]:
    """What a summary says, by what it says."""
    said = ("value", "standard_error", "statistic", "p_value", "low", "high")
    return {name: np.array([getattr(line, name) for line in lines], float) for name in said}


def assert_says(lines: Any, params: Any, bse: Any, statistic: Any, p: Any, interval: Any) -> None:
    its = {"value": params, "standard_error": bse, "statistic": statistic, "p_value": p}
    its |= {"low": np.asarray(interval)[:, 0], "high": np.asarray(interval)[:, 1]}
    mine = numbers(lines)
    scale = np.abs(np.asarray(bse))
    for name, expected in its.items():
        # An end of an interval may lie next to 0: it is as close as its standard error has digits.
        slack = CLOSE * scale if name in {"low", "high", "value"} else 0
        difference = np.abs(mine[name] - np.asarray(expected))
        # A relative error of z is z² times as large in a tiny p; z has CLOSE, so a p of 1e-50 has fewer digits.
        wanted = CLOSE * (1 + np.square(statistic)) if name == "p_value" else CLOSE
        bound = wanted * np.abs(np.asarray(expected)) + slack + sys.float_info.min
        assert (difference <= bound).all(), (name, difference, bound)


LOGIT = {
    "breast cancer": sklearn_table(load_breast_cancer, ["mean radius", "mean texture", "mean smoothness"]),
    "diabetes": (load_diabetes(as_frame=True).data, (load_diabetes().target > 140).astype(int)),
    "mixed": mixed(),
}
MULTINOMIAL = {
    "wine": sklearn_table(load_wine, ["malic_acid", "ash", "magnesium"]),
    "mixed": mixed(400, 4),
}


def spector(statsmodels: Any) -> tuple[pd.DataFrame, np.ndarray]:
    found = statsmodels.datasets.spector.load_pandas()
    return found.exog, found.endog.to_numpy(int)


def american_election(statsmodels: Any) -> tuple[pd.DataFrame, np.ndarray]:
    found = statsmodels.datasets.anes96.load_pandas()
    return found.exog, found.endog.to_numpy(int)


@pytest.mark.parametrize("name", [*LOGIT, "spector"])
def test_two_classes(statsmodels: Any, name: str) -> None:
    X, y = LOGIT[name] if name in LOGIT else spector(statsmodels)
    its = statsmodels.Logit(y, matrix(X)).fit(method="newton", tol=1e-12, maxiter=100, disp=False)
    summary = crake.LogisticClassifier().fit(X, y).summary()
    ((_, lines),) = summary.outputs
    assert_says(lines, its.params, its.bse, its.tvalues, its.pvalues, its.conf_int())
    assert summary.log_likelihood == pytest.approx(its.llf, rel=1e-10)
    assert summary.null_log_likelihood == pytest.approx(its.llnull, rel=1e-8)  # its own is found by steps
    assert summary.aic == pytest.approx(its.aic, rel=1e-10)
    assert summary.pseudo_r2 == pytest.approx(its.prsquared, rel=1e-7)


@pytest.mark.parametrize("name", [*MULTINOMIAL, "anes96"])
@pytest.mark.parametrize("base", ["first", "last"])
def test_several_classes(statsmodels: Any, name: str, base: str) -> None:
    """statsmodels' reference is the first class; for another its classes are numbered anew."""
    X, y = MULTINOMIAL[name] if name in MULTINOMIAL else american_election(statsmodels)
    classes = np.unique(y)
    others = classes[1:] if base == "first" else classes[:-1]
    reference = classes[0] if base == "first" else classes[-1]
    place = {label: k for k, label in enumerate([reference, *others])}
    numbered = np.array([place[label] for label in y])
    its = statsmodels.MNLogit(numbered, matrix(X)).fit(method="newton", tol=1e-12, maxiter=100, disp=False)
    summary = crake.LogisticClassifier(base_class=int(reference)).fit(X, y).summary(confidence=0.9)
    assert [label for label, _ in summary.outputs] == [str(label) for label in others]
    intervals = np.asarray(its.conf_int(alpha=0.1))
    for k, (_, lines) in enumerate(summary.outputs):
        columns = (np.asarray(each)[:, k] for each in (its.params, its.bse, its.tvalues, its.pvalues))
        assert_says(lines, *columns, intervals[k])
    assert summary.log_likelihood == pytest.approx(its.llf, rel=1e-10)
    assert summary.aic == pytest.approx(its.aic, rel=1e-10)
    assert summary.pseudo_r2 == pytest.approx(its.prsquared, rel=1e-7)


def test_weighted_rows_of_two_classes(statsmodels: Any) -> None:
    X, y = mixed()
    weights = np.random.default_rng(6).integers(1, 5, len(y)) / 2
    family = statsmodels.families.Binomial()
    its = statsmodels.GLM(y, matrix(X), family=family, freq_weights=weights).fit(tol=1e-14, maxiter=100)
    summary = crake.LogisticClassifier().fit(X, y, sample_weight=weights).summary()
    ((_, lines),) = summary.outputs
    assert_says(lines, its.params, its.bse, its.tvalues, its.pvalues, its.conf_int())
    assert summary.deviance == pytest.approx(its.deviance, rel=1e-10)
    assert summary.null_deviance == pytest.approx(its.null_deviance, rel=1e-10)
    assert summary.rows == weights.sum()


def test_counts_of_two_classes_are_weights(statsmodels: Any) -> None:
    """California's schools (star98): so many pupils above the median, so many below; one row each in crake."""
    found = statsmodels.datasets.star98.load_pandas()
    X = found.exog[["LOWINC", "PERASIAN", "PERBLACK", "PERHISP", "PCTCHRT"]]
    its = statsmodels.GLM(found.endog, matrix(X), family=statsmodels.families.Binomial()).fit(tol=1e-14, maxiter=100)
    labels = np.repeat(["above", "below"], len(X))
    pupils = found.endog.to_numpy(float).T.ravel()
    model = crake.LogisticClassifier(base_class="below")
    ((_, lines),) = model.fit(pd.concat([X, X]), labels, sample_weight=pupils).summary().outputs
    assert_says(lines, its.params, its.bse, its.tvalues, its.pvalues, its.conf_int())


def longley(statsmodels: Any) -> tuple[pd.DataFrame, np.ndarray]:
    found = statsmodels.datasets.longley.load_pandas()
    return found.exog, found.endog.to_numpy(float)


def prices() -> tuple[pd.DataFrame, np.ndarray]:
    X, _ = mixed()
    rng = np.random.default_rng(8)
    price = 2e5 + 3 * X.income - 4e4 * (X.town == "Ulm") + 1e4 * (X.owner == "yes") + rng.normal(0, 3e4, len(X))
    return X, price.to_numpy()


LINEAR = {"diabetes": load_diabetes(return_X_y=True, as_frame=True), "prices": prices()}


@pytest.mark.parametrize("name", [*LINEAR, "longley"])
def test_least_squares(statsmodels: Any, name: str) -> None:
    X, y = LINEAR[name] if name in LINEAR else longley(statsmodels)
    its = statsmodels.OLS(np.asarray(y), matrix(X)).fit()
    summary = crake.LinearRegressor().fit(X, y).summary()
    assert_says(summary.coefficients, its.params, its.bse, its.tvalues, its.pvalues, its.conf_int())
    assert summary.r2 == pytest.approx(its.rsquared, rel=1e-9)
    assert summary.adjusted_r2 == pytest.approx(its.rsquared_adj, rel=1e-9)
    assert summary.f_statistic == pytest.approx(its.fvalue, rel=1e-6)
    assert summary.f_p_value == pytest.approx(its.f_pvalue, rel=1e-4)
    assert summary.residual_error == pytest.approx(np.sqrt(its.scale), rel=1e-6)
    assert summary.degrees_of_freedom == its.df_resid


@pytest.mark.parametrize("solver", ["orthogonal", "scatter"])
def test_weighted_least_squares(statsmodels: Any, solver: str) -> None:
    """A weight of k is k rows, in the degrees of freedom too: statsmodels' freq_weights."""
    X, y = prices()
    weights = np.random.default_rng(9).integers(1, 4, len(y)).astype(float)
    its = statsmodels.GLM(y, matrix(X), freq_weights=weights).fit(use_t=True)
    summary = crake.LinearRegressor(solver=solver).fit(X, y, sample_weight=weights).summary()
    assert_says(summary.coefficients, its.params, its.bse, its.tvalues, its.pvalues, its.conf_int())
    assert summary.degrees_of_freedom == its.df_resid


def test_every_reference_level_is_the_treatment_of_a_formula(statsmodels: Any) -> None:
    """The coefficients against any level are those of C(town, Treatment(level))."""
    X, y = prices()
    formula = statsmodels.formula.ols
    for town, owner in itertools.product(["Bonn", "Cologne", "Ulm"], ["no", "yes"]):
        terms = f"income + C(town, Treatment('{town}')) + share + C(owner, Treatment('{owner}'))"
        its = formula(f"price ~ {terms}", X.assign(price=y)).fit()
        model = crake.LinearRegressor(reference={"town": town, "owner": owner}).fit(X, y)
        mine = dict(zip(model.terms_, zip(model.coefficients_, model.standard_errors_, strict=True), strict=True))
        for term, value in its.params.items():
            ours = term.replace("Intercept", "(intercept)")
            if "[" in ours:
                ours = f"{ours[2:].split(',')[0]} = {ours.split('[')[1].removeprefix('T.').removesuffix(']')}"
            assert mine[ours] == pytest.approx((value, its.bse[term]), rel=CLOSE)
