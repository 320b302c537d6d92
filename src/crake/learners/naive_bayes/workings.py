"""Naive Bayes worked by hand: 2/9 × 3/9 × 3/9 × 3/9 × 9/14 = 0.0053 for each class, then the normalisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crake.learners.cell import cell_text
from crake.learners.naive_bayes.interval import log_interval, rounded
from crake.learners.naive_bayes.smoothing import overall_shares
from crake.learners.priors import prior_written
from crake.render.workings import Section, Step, Workings, number
from crake.table.schema import Column, Kind
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier

LONGEST = 40
"""Factors written out before the rest is only counted."""


@dataclass(frozen=True)
class Factor:
    """One attribute's likelihood for every class: how it is written and what it is (as logarithms)."""

    name: str
    written: tuple[str, ...]
    steps: tuple[Step, ...]
    log_value: NDArray[np.float64]


def explain_row(model: NaiveBayesClassifier, row: Table, probabilities: NDArray[np.float64]) -> Workings:
    """Factors, products, normalisation; the answer is what `predict_proba` gives."""
    factors, skipped = _factors(model, row)
    labels = [str(label) for label in model.classes_]
    with np.errstate(divide="ignore"):
        products = np.log(model.class_prior_) + sum(factor.log_value for factor in factors)
    sections = [
        Section("Likelihood of each value given the class", tuple(step for f in factors[:LONGEST] for step in f.steps)),
        Section("Product of the likelihoods and the prior", _products(model, factors, products, labels)),
        Section("Normalised to sum to 1", _normalisation(products, probabilities, labels)),
    ]
    notes = [f"{name} is skipped: {why}" for name, why in skipped]
    if len(factors) > LONGEST:
        notes.append(f"{len(factors) - LONGEST} more factors are in the products but not written out")
    if np.all(np.isneginf(products)):
        notes.append("every class has a factor of 0, so the row is impossible: the answer is the prior")
    return Workings(
        "Naive Bayes: P(class | row) = P(class) × Π P(value | class) / sum over the classes",
        tuple(sections),
        tuple(zip(labels, map(float, probabilities), strict=True)),
        tuple(notes),
    )


def _factors(model: NaiveBayesClassifier, row: Table) -> tuple[list[Factor], list[tuple[str, str]]]:
    factors, skipped = [], []
    nominal = numeric = 0
    for column in model.schema_.features:
        cell = row.source.column(column.name)[0]
        if column.kind is Kind.NOMINAL:
            if cell >= 0:
                factors.append(_nominal_factor(model, column, nominal, int(cell)))
            else:
                skipped.append((column.name, "missing" if cell == -1 else "this value was never seen in training"))
            nominal += 1
        else:
            if np.isnan(cell):
                skipped.append((column.name, "missing"))
            elif np.all(model.gaussians_.variance[:, numeric] == 0):
                skipped.append((column.name, "constant in training, it says nothing"))
            else:
                factors.append(_numeric_factor(model, column, numeric, float(cell), cell_text(row, column.name)))
            numeric += 1
    return factors, skipped


def _nominal_factor(model: NaiveBayesClassifier, column: Column, j: int, code: int) -> Factor:
    values = model.statistics_.value_counts
    assert values is not None  # noqa: S101 - a fitted model has them
    counts = values.table(j)[0]
    overall = overall_shares(counts)
    likelihood = model.likelihood_[j][:, code]
    written = tuple(
        model.smoothing.worked(counts[k, code], counts[k].sum(), overall[code], len(column.levels), model.floor)
        for k in range(len(counts))
    )
    steps = tuple(
        Step(f"P({column.name} = {column.levels[code]} | {label})", "", fractions, number(p))
        for label, fractions, p in zip(model.classes_, written, likelihood, strict=True)
    )
    with np.errstate(divide="ignore"):
        return Factor(column.name, written, steps, np.log(likelihood))


def _numeric_factor(model: NaiveBayesClassifier, column: Column, j: int, x: float, shown: str) -> Factor:
    p = None if model.precision is None else float(model.precision_[j])
    if p is None:
        log_value = _log_density(model, j, x)
    else:
        held = rounded(np.array([x]), np.array([p]))
        log_value = log_interval(held, model.gaussians_, j, p)[0]
    with np.errstate(divide="ignore"):
        log_value = np.maximum(log_value, np.log(np.float64(model.floor)))
    written = tuple(scientific(value) for value in log_value)
    steps = tuple(
        Step(
            f"f({column.name} = {shown} | {label})",
            substitution=_density_written(shown, number(mean), number(sigma), p),
            value=value,
        )
        for label, mean, sigma, value in zip(
            model.classes_, model.mean_[:, j], model.gaussians_.deviation[:, j], written, strict=True
        )
    )
    return Factor(column.name, written, steps, log_value)


def _density_written(x: str, mean: str, sigma: str, precision: float | None) -> str:
    if precision is None:
        return f"exp(−({x} − {mean})²/(2·{sigma}²)) / ({sigma}·√(2π))"
    half = number(precision / 2)
    return f"[Φ(({x} − {mean} + {half})/{sigma}) − Φ(({x} − {mean} − {half})/{sigma})] / {number(precision)}"


def _log_density(model: NaiveBayesClassifier, j: int, x: float) -> NDArray[np.float64]:
    gaussians = model.gaussians_
    with np.errstate(over="ignore"):
        z = ((x * gaussians.scale[j] - gaussians.mean[:, j]) - gaussians.rest[:, j]) * gaussians.precision[:, j]
        density: NDArray[np.float64] = -0.5 * z * z - gaussians.log_norm[:, j]
    return density


def _products(
    model: NaiveBayesClassifier, factors: list[Factor], products: NDArray[np.float64], labels: list[str]
) -> tuple[Step, ...]:
    total = model.class_count_.sum()
    steps = []
    for k, label in enumerate(labels):
        prior = prior_written(model.prior, model.class_count_[k], total, len(labels), model.class_prior_[k])
        terms = [*(factor.written[k] for factor in factors[:LONGEST]), prior]
        written = " × ".join(terms) if len(factors) <= LONGEST else " × ".join([*terms[:3], "…", prior])
        steps.append(Step(label, "", written, scientific(products[k])))
    return tuple(steps)


def _normalisation(
    products: NDArray[np.float64], probabilities: NDArray[np.float64], labels: list[str]
) -> tuple[Step, ...]:
    if np.all(np.isneginf(products)):
        return tuple(
            Step(f"P({label} | row)", f"P({label})", "", number(probability))
            for label, probability in zip(labels, probabilities, strict=True)
        )
    total = np.logaddexp.reduce(products)
    return tuple(
        Step(f"P({label} | row)", "", f"{scientific(product)} / {scientific(total)}", number(probability))
        for label, product, probability in zip(labels, products, probabilities, strict=True)
    )


def scientific(log_value: float) -> str:
    """exp(log_value) with four digits, also beyond the range of floats: a product of hundreds of factors.

    >>> scientific(np.log(0.0052910)), scientific(-2000.0), scientific(2000.0), scientific(-np.inf)
    ('0.005291', '2.577e-869', '3.881e868', '0')
    """
    if np.isneginf(log_value):
        return "0"
    if abs(log_value) < 600:
        return number(float(np.exp(log_value)))
    tens = log_value / np.log(10.0)
    exponent = int(np.floor(tens))
    return f"{10.0 ** (tens - exponent):.3f}e{exponent}"
