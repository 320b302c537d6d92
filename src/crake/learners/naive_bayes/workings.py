"""Naive Bayes worked by hand: 2/9 × 3/9 × 3/9 × 3/9 × 9/14 = 0.0053 for each class, then the normalisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.base.cell_text import cell_text
from crake.learners.base.priors import prior_written
from crake.learners.discretize.intervals import interval_names, interval_of
from crake.learners.naive_bayes.precision import log_interval, rounded
from crake.learners.naive_bayes.word_tables import product_formula, row_words
from crake.learners.naive_bayes.words import TextModel
from crake.render.workings import Section, Step, Workings, number, scientific
from crake.statistics import ClassMoments, ValueCounts
from crake.table.notation import mean_text, value_text
from crake.table.schema import Column, Kind
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier


CLASSES, LIKELIEST = 8, 4
"""The most classes that are all written out; of more classes, this number of the most probable ones."""
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
    of = _written_out(products)
    likelihoods = tuple(f.steps[k] for f in factors[:LONGEST] for k in of)
    word_grids = tuple(row_words(words, text, labels)[0] for words, text in _texts(model, row) if text is not None)
    sections = [
        *([Section("Logarithms of the factor of each word", tables=word_grids)] if word_grids else []),
        Section("Likelihood of each value given the class", likelihoods),
        Section("Product of the likelihoods and the prior", _products(model, factors, products, labels, of)),
        Section("Normalised to sum to 1", _normalisation(products, probabilities, labels, of)),
    ]
    notes = [f"{name} is skipped: {why}" for name, why in skipped]
    if len(of) < len(labels):
        rest = 1.0 - float(sum(probabilities[k] for k in of))
        notes.append(
            f"written out for the {len(of)} most probable of {len(labels)} classes; the sum is over all, and the "
            f"others have P = {number(max(0.0, rest))} together"
        )
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


def _written_out(products: Floats) -> list[int]:
    """Return the classes whose arithmetic is shown: all of a few, of many the most probable, in their order."""
    if len(products) <= CLASSES:
        return list(range(len(products)))
    return sorted(np.argsort(-products, kind="stable")[:LIKELIEST].tolist())


def log_factors(model: NaiveBayesClassifier, row: Table) -> dict[str, Floats]:
    """Log P(value given class) of every column that has a say in this row."""
    factors, _ = _factors(model, row)
    return {factor.name: factor.log_value for factor in factors}


def _factors(model: NaiveBayesClassifier, row: Table) -> tuple[list[Factor], list[tuple[str, str]]]:
    factors, skipped = [], []
    nominal = numeric = 0
    for column in model.schema_.features:
        cell = row.column(column.name)[0]
        if column.kind is Kind.NOMINAL:
            if cell >= 0:
                factors.append(_nominal_factor(model, column, nominal, int(cell)))
            else:
                skipped.append((column.name, "missing" if cell == -1 else "this value was never seen in training"))
            nominal += 1
        else:
            silent = _says_nothing(model, numeric)
            if np.isnan(cell):
                skipped.append((column.name, "missing"))
            elif silent:
                skipped.append((column.name, silent))
            else:
                factors.append(_numeric_factor(model, column, numeric, float(cell), cell_text(row, column.name)))
            numeric += 1
    for words, text in _texts(model, row):
        if text is None:
            skipped.append((words.name, "missing"))
            continue
        factor, unknown = _text_factor(model, words, text)
        factors.append(factor)
        if unknown:
            skipped.append((f"{unknown} word{'' if unknown == 1 else 's'} of {words.name}", "never seen in training"))
    return factors, skipped


def _texts(model: NaiveBayesClassifier, row: Table) -> list[tuple[TextModel, str | None]]:
    return [(words, texts[0]) for words, texts in zip(model.words_, model.texts_of(row), strict=True)]


def _text_factor(model: NaiveBayesClassifier, words: TextModel, text: str) -> tuple[Factor, int]:
    """Return the product over the words of a text, and how many of them are not known."""
    labels = [str(label) for label in model.classes_]
    _, total, unknown = row_words(words, text, labels)
    written = tuple(scientific(value) for value in total)
    source = f"{words.model} over {len(words.vocabulary):,} words"
    steps = tuple(
        Step(f"P({words.name} | {label})", product_formula(words), "", value, source)
        for label, value in zip(labels, written, strict=True)
    )
    return Factor(words.name, written, steps, total), unknown


def _says_nothing(model: NaiveBayesClassifier, j: int) -> str:
    """Return why a numeric column has no influence; empty if it has."""
    if model.numeric_ == "discretised":
        return "" if model.intervals_[j].has_influence else "no cut of it pays, so it says nothing"
    silent = model.kernels_.bandwidth[j] if model.numeric_ == "kernel" else model.gaussians_.variance[:, j]
    return "constant in training, it says nothing" if np.all(silent == 0) else ""


def _nominal_factor(model: NaiveBayesClassifier, column: Column, j: int, code: int) -> Factor:
    values = model.statistics_[ValueCounts]
    text = f"{column.name} = {column.levels[code]}"
    return _counted_factor(model, column.name, text, values.table(j)[0], model.likelihood_[j], code)


def _counted_factor(
    model: NaiveBayesClassifier, name: str, text: str, counts: Floats, likelihood: Floats, code: int
) -> Factor:
    (written,) = model.smoothing.written(counts, [code], model.floor)
    (brief,) = model.smoothing.written(counts, [code], model.floor, briefly=True)
    steps = tuple(
        Step(
            f"P({text} | {label})", "", fractions, number(p), f"{number(n[code])} of {number(n.sum())} rows of {label}"
        )
        for label, fractions, p, n in zip(model.classes_, written, likelihood[:, code], counts, strict=True)
    )
    with np.errstate(divide="ignore"):
        return Factor(name, brief, steps, np.log(likelihood[:, code]))


def _numeric_factor(model: NaiveBayesClassifier, column: Column, j: int, x: float, cell: str) -> Factor:
    if model.numeric_ == "discretised":
        own = model.intervals_[j]
        code = int(interval_of(np.array([x]), own.cuts)[0])
        name = interval_names(own.cuts, is_date=column.is_date)[code]
        text = f"{column.name} {name}" if code in {0, len(own.cuts)} else f"{column.name} in {name}"
        return _counted_factor(model, column.name, text, own.counts, model.interval_likelihood_[j], code)
    if model.numeric_ == "kernel":
        return _kernel_factor(model, column, j, x, cell)
    p = float(model.precision_[j]) if hasattr(model, "precision_") else None
    put_in = cell
    if p is None:
        log_value = _log_density(model, j, x)
    else:
        rounded_value = rounded(np.array([x]), np.array([p]))
        put_in = value_text(column, float(rounded_value[0]), number(float(rounded_value[0])))
        log_value = log_interval(rounded_value, model.gaussians_, j, p)[0]
    with np.errstate(divide="ignore"):
        log_floor = np.log(np.float64(model.floor))
    is_floor = log_value < log_floor
    log_value = np.maximum(log_value, log_floor)
    written = tuple(scientific(value) for value in log_value)
    written_means = [mean_text(column, float(mean), number(mean)) for mean in model.mean_[:, j]]
    steps = tuple(
        Step(
            f"f({column.name} = {cell} | {label})",
            substitution="" if is_floor[k] else _density_written(put_in, written_means[k], number(sigma), p),
            value=value,
            source="the floor: the density is less" if is_floor[k] else _moments_of(model, j, k),
        )
        for k, (label, sigma, value) in enumerate(
            zip(model.classes_, model.gaussians_.deviation[:, j], written, strict=True)
        )
    )
    return Factor(column.name, written, steps, log_value)


def _moments_of(model: NaiveBayesClassifier, j: int, k: int) -> str:
    moments = model.statistics_[ClassMoments]
    rows = float(moments.weight[0, k, j])
    return f"{number(rows)} row{'' if rows == 1 else 's'} of {model.classes_[k]}"


def _kernel_factor(model: NaiveBayesClassifier, column: Column, j: int, x: float, cell: str) -> Factor:
    """Return the sum over the kernels of a class is not written out: how many there are and how wide they are is."""
    kernels = model.kernels_
    row = np.full((1, len(kernels.bandwidth)), np.nan)
    row[0, j] = x
    log_value = np.zeros((1, len(model.classes_)))
    with np.errstate(divide="ignore"):
        kernels.add_logs(row, float(np.log(np.float64(model.floor))), log_value)
    written = tuple(scientific(value) for value in log_value[0])
    p = float(kernels.precision[j])
    steps = tuple(
        Step(
            f"f({column.name} = {cell} | {label})",
            "Σ w·φ((x − x_i)/h) / (h·Σw)" if p == 0 else "Σ w·[Φ((x_i − x + p/2)/h) − Φ((x_i − x − p/2)/h)] / (p·Σw)",
            _kernels_written(model, j, k),
            value,
        )
        for k, (label, value) in enumerate(zip(model.classes_, written, strict=True))
    )
    return Factor(column.name, written, steps, log_value[0])


def _kernels_written(model: NaiveBayesClassifier, j: int, k: int) -> str:
    kernels = model.kernels_
    points = kernels.points[kernels.of(j, k)]
    p = "" if kernels.precision[j] == 0 else f", p = {number(float(kernels.precision[j]))}"
    h = number(float(np.ldexp(kernels.bandwidth[j, k], kernels.exponent[j])))
    return f"[{len(points)} kernels of {number(kernels.total[j, k])} rows, h = {h}{p}]"


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
    model: NaiveBayesClassifier, factors: list[Factor], products: Floats, labels: list[str], of: list[int]
) -> tuple[Step, ...]:
    total = model.class_count_.sum()
    steps = []
    for k in of:
        label = labels[k]
        prior = prior_written(model.prior, model.class_count_[k], total, len(labels), model.class_prior_[k])
        terms = [*(factor.written[k] for factor in factors[:LONGEST]), prior]
        written = " × ".join(terms) if len(factors) <= LONGEST else " × ".join([*terms[:3], "…", prior])
        source = f"the prior: {number(model.class_count_[k])} of {number(total)} rows are {label}"
        steps.append(Step(label, "", written, scientific(products[k]), source if isinstance(model.prior, str) else ""))
    return tuple(steps)


def _normalisation(products: Floats, probabilities: Floats, labels: list[str], of: list[int]) -> tuple[Step, ...]:
    if np.all(np.isneginf(products)):
        return tuple(Step(f"P({labels[k]} | row)", f"P({labels[k]})", "", number(probabilities[k])) for k in of)
    total = scientific(np.logaddexp.reduce(products))
    return tuple(
        Step(f"P({labels[k]} | row)", "", f"{scientific(products[k])} / {total}", number(probabilities[k])) for k in of
    )
