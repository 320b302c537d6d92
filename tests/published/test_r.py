"""Linear and logistic regression beside R's lm and glm, where R is installed: coefficients and errors to 1e-6.

R makes its own matrix of its own contrasts (treatment, against the first level), so the table goes to both as a CSV.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

import crake

RSCRIPT = shutil.which("Rscript")
pytestmark = pytest.mark.skipif(
    RSCRIPT is None, reason="there is no Rscript on this machine: nothing is compared with R's lm and glm"
)

SCRIPT = """
given <- commandArgs(trailingOnly = TRUE)
table <- read.csv(given[1], stringsAsFactors = TRUE, check.names = FALSE)
weight <- table$weight
table$weight <- NULL
if (given[2] == "glm") {
  strict <- glm.control(epsilon = 1e-10, maxit = 100)  # a smaller one turns off its search for sums of columns
  model <- suppressWarnings(glm(target ~ ., binomial, table, weights = weight, control = strict))
  fit <- c(model$deviance, model$null.deviance, model$aic)
} else {
  model <- lm(target ~ ., table, weights = weight)
  said <- summary(model)
  fit <- c(said$sigma, said$r.squared, said$adj.r.squared)
}
terms <- data.frame(summary(model)$coefficients, confint.default(model)[!is.na(coef(model)), , drop = FALSE])
cat(paste(names(coef(model))[is.na(coef(model))], collapse = ","), "\\n")
cat(sprintf("%.17g", fit), "\\n")
write.table(format(terms, digits = 17), sep = ",", col.names = FALSE)
"""


def in_r(frame: pd.DataFrame, function: str, tmp_path: Path) -> tuple[list[str], list[float], np.ndarray]:
    """Terms without a coefficient, numbers of the fit; of each other term value, error, z, p, low, high."""
    (tmp_path / "fit.R").write_text(SCRIPT, encoding="utf-8")
    frame.to_csv(tmp_path / "table.csv", index=False, quoting=csv.QUOTE_NONNUMERIC)
    command = [str(RSCRIPT), "--vanilla", str(tmp_path / "fit.R"), str(tmp_path / "table.csv"), function]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    aliased, fit, *lines = done.stdout.splitlines()
    numbers = [[float(cell) for cell in line[1:]] for line in csv.reader(lines)]
    return (
        aliased.strip().split(",") if aliased.strip() else [],
        [float(each) for each in fit.split()],
        np.array(numbers),
    )


def mine(lines: Any) -> np.ndarray:
    """The same of a summary, without the terms that have no coefficient."""
    return np.array([
        [line.value, line.standard_error, line.statistic, line.p_value, line.low, line.high]
        for line in lines
        if not line.aliased
    ])  # fmt: skip


def assert_same(found: np.ndarray, its: np.ndarray, *, by_t: bool = False) -> None:
    assert found.shape == its.shape
    np.testing.assert_allclose(found[:, :3], its[:, :3], rtol=1e-6)
    worth = its[:, 3] > 1e-12  # R writes 0 below the precision of its tail
    np.testing.assert_allclose(found[worth, 3], its[worth, 3], rtol=1e-5)
    if not by_t:  # confint.default is the normal interval
        np.testing.assert_allclose(found[:, 4:], its[:, 4:], rtol=1e-6, atol=1e-6 * float(its[:, 1].min()))


def mixed(rows: int = 250) -> pd.DataFrame:
    """Names, numbers of different size, and the total of two of them, which R and crake leave without a coefficient."""
    rng = np.random.default_rng(11)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, rows).astype(float),
            "town": rng.choice(["Bonn", "Cologne", "Ulm"], rows),
            "income": rng.lognormal(10, 0.4, rows),
            "owner": rng.choice(["no", "yes"], rows),
        }
    )
    frame["total"] = frame.age + frame.income
    noise = rng.logistic(size=rows)
    z = frame.age / 40 - (frame.town == "Ulm") + 0.5 * (frame.owner == "yes") - frame.income / 3e4 + noise
    frame["target"] = np.where(z > z.median(), "yes", "no")
    frame["weight"] = 1.0
    return frame


def numbers(X: pd.DataFrame, target: Any) -> pd.DataFrame:
    return X.assign(target=target, weight=1.0)


CANCER = load_breast_cancer(as_frame=True)
CLASSES = {
    "breast cancer": numbers(CANCER.data.iloc[:, [0, 1, 4]], np.where(CANCER.target, "yes", "no")),
    "names and a total": mixed(),
    "weighted": mixed().assign(weight=np.resize([1.0, 3.0, 2.0, 5.0], 250)),
}


@pytest.mark.parametrize("name", CLASSES)
def test_glm(name: str, tmp_path: Path) -> None:
    frame = CLASSES[name]
    aliased, (deviance, null, aic), its = in_r(frame, "glm", tmp_path)
    X = frame.drop(columns=["target", "weight"])
    model = crake.LogisticClassifier().fit(X, frame.target, sample_weight=frame.weight)
    summary = model.summary()
    ((_, lines),) = summary.outputs
    assert_same(mine(lines), its)
    assert list(model.aliased_) == aliased
    found = (summary.deviance, summary.null_deviance, summary.aic)
    assert found == pytest.approx((deviance, null, aic), rel=1e-9)


@pytest.mark.parametrize("name", ["diabetes", "names and a total"])
def test_lm(name: str, tmp_path: Path) -> None:
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    frame = numbers(X, y)
    if name != "diabetes":
        frame = mixed()
        rng = np.random.default_rng(12)
        frame["target"] = 1e5 + 3 * frame.income - 2e4 * (frame.town == "Ulm") + rng.normal(0, 1e4, len(frame))
    aliased, (sigma, r2, adjusted), its = in_r(frame, "lm", tmp_path)
    model = crake.LinearRegressor().fit(frame.drop(columns=["target", "weight"]), frame.target)
    summary = model.summary()
    assert_same(mine(summary.coefficients), its, by_t=True)
    assert list(model.aliased_) == aliased
    found = (summary.residual_error, summary.r2, summary.adjusted_r2)
    assert found == pytest.approx((sigma, r2, adjusted), rel=1e-9)
