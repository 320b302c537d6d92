"""Hand calculations of an evaluation's measures: counts into formulas; of several rounds the mean of the rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from crake.errors import CrakeError
from crake.evaluation.result.averages import tested_to_learned
from crake.evaluation.result.bootstrap import SEEN, BootstrapTerms, error_by_row, plus_weight
from crake.metrics.estimate import Estimate
from crake.metrics.intervals import student
from crake.metrics.measure import Measure
from crake.metrics.measures import CLASSIFICATION, REGRESSION, find_measure
from crake.metrics.workings.interval import ends, interval_section
from crake.metrics.workings.page import page, terms
from crake.render.grid import Grid
from crake.render.workings import Section, Step, Workings, number

if TYPE_CHECKING:
    from crake.evaluation.result.classification import Evaluation
    from crake.evaluation.result.regression import NumberEvaluation

P = TypeVar("P")


def explain_measure(evaluation: Evaluation, measure: str) -> Workings:
    """Return the hand calculation of one measure, its interval included."""
    chosen = _explainable(measure, CLASSIFICATION)
    estimate = evaluation.estimate(chosen)
    if evaluation.bootstrap is not None and chosen.name in ("accuracy", "error"):
        return _bootstrapped(evaluation, evaluation.bootstrap, chosen.name, estimate)
    if evaluation.out_of_fold.repeats > 1:
        return _rounds(evaluation, chosen, estimate)
    if estimate.value is None and chosen.needs != "predictions":
        return page(chosen.words, "", [Section("Rows", lines=(evaluation.plan,))], estimate)
    return _explained(chosen, evaluation.as_ranked if chosen.needs == "scores" else evaluation, estimate)


def explain_number_measure(evaluation: NumberEvaluation, measure: str) -> Workings:
    """Return the hand calculation of RMSE, MAE or R²."""
    chosen = _explainable(measure, REGRESSION)
    estimate = evaluation.estimate(chosen)
    if evaluation.out_of_fold.repeats > 1:
        return _rounds(evaluation, chosen, estimate)
    return _explained(chosen, evaluation.out_of_fold, estimate)


def _explainable(name: str, among: Sequence[Measure[P]]) -> Measure[P]:
    measure = find_measure(name, among)
    if measure.explain is None:
        known = ", ".join(each.name for each in among if each.explain is not None)
        raise CrakeError(f"{measure.name} has no hand calculation; expected one of {known}")
    return measure


def _explained(measure: Measure[P], predictions: P, estimate: Estimate) -> Workings:
    assert measure.explain is not None  # noqa: S101 (only such measures are looked up)
    return measure.explain(predictions, estimate)


def _rounds(evaluation: Evaluation | NumberEvaluation, measure: Measure[Any], estimate: Estimate) -> Workings:
    """Return each round measured by itself, then the mean; the interval knows that the training parts overlap."""
    words = measure.words
    measured = [part.estimate(measure) for part in evaluation.by_repeat()]
    rows = tuple((str(r + 1), f"{each:.4f}") for r, each in enumerate(measured))
    section = Section(f"{len(rows)} rounds", tables=(Grid("", ("round", words), rows),))
    if estimate.value is None:
        return page(words, "the mean of the rounds", [section], estimate)
    values = [float(each.value) for each in measured if each.value is not None]
    mean = Step(words, "Σ rounds / number of rounds", f"({terms(list(map(number, values)))})/{len(values)}",
                number(estimate.value))  # fmt: skip
    sections = [section, Section("Mean", (mean,)), _over_folds(evaluation, measure, estimate)]
    return page(words, "the mean of the rounds", sections, estimate)


def _over_folds(evaluation: Evaluation | NumberEvaluation, measure: Measure[Any], estimate: Estimate) -> Section:
    """Return Nadeau and Bengio's interval with its numbers."""
    if estimate.interval is None or not estimate.is_by("corrected t"):
        return interval_section(estimate)
    values = [each.value for part in evaluation.by_fold() if (each := part.estimate(measure)).value is not None]
    J, ratio = len(values), tested_to_learned(evaluation) or 0.0
    s, t, mean = float(np.std(values, ddof=1)), student(J - 1), float(np.mean(values))
    low, high = ends(estimate)
    written = f"{number(mean)} {{}} {number(t)} × √(1/{J} + {number(ratio)}) × {number(s)}"
    steps = (
        Step("s", "the spread of the folds", "", number(s), f"{J} folds, mean {number(mean)}"),
        Step("t", f"Student's t of {J - 1} degrees of freedom", "", number(t)),
        Step("rows tested / rows learned from", "", "", number(ratio)),
        Step("lower end", "mean − t·√(1/J + tested/learned)·s", written.format("−"), low),
        Step("upper end", "mean + t·√(1/J + tested/learned)·s", written.format("+"), high),
    )
    return Section("95 % interval (Nadeau and Bengio) over all folds", steps)


def _bootstrapped(evaluation: Evaluation, bootstrap: BootstrapTerms, name: str, estimate: Estimate) -> Workings:
    """The .632 estimates: the error out of the bag and that on the training rows, put together."""
    error: Estimate = evaluation.error
    value, training = float(error), float(bootstrap.training_error.mean())
    rounds = evaluation.out_of_fold.repeats
    if bootstrap.estimate == "632-lecture":
        steps = _lecture(evaluation, training, value, rounds)
    else:
        steps = _weighted(evaluation, bootstrap, training, value)
    if name == "accuracy":
        steps = (*steps, Step("accuracy", "1 − error", f"1 − {number(value)}", number(float(estimate))))
    section = Section(f"Bootstrap, {rounds} samples", steps)
    return page(name, "rows out of the bag and training rows together", [section, interval_section(estimate)], estimate)


def _lecture(evaluation: Evaluation, training: float, value: float, rounds: int) -> tuple[Step, ...]:
    out = float(np.mean([float(part.error) for part in evaluation.by_repeat()]))
    return (
        Step("error out of the bag", "the mean over the samples", "", number(out), f"{rounds} samples"),
        Step("error on all rows", "the mean over the samples", "", number(training)),
        Step("error", "0.632·out + 0.368·all", f"0.632 × {number(out)} + 0.368 × {number(training)}", number(value)),
    )


def _weighted(evaluation: Evaluation, bootstrap: BootstrapTerms, training: float, value: float) -> tuple[Step, ...]:
    out = error_by_row(evaluation.out_of_fold)
    first = Step("err₁", "error of rows out of the bag, by row", "", number(out))
    if bootstrap.estimate == "out-of-bag":
        return (first, Step("error", "err₁", "", number(value)))
    second = Step("err", "error on the training rows", "", number(training))
    if bootstrap.estimate == "632":
        return (
            first,
            second,
            Step(
                "error", "0.632·err₁ + 0.368·err", f"0.632 × {number(out)} + 0.368 × {number(training)}", number(value)
            ),
        )
    gamma = bootstrap.no_information
    w = plus_weight(out, training, gamma)
    bounded = min(out, gamma)
    R = (1 - SEEN / w) / (1 - SEEN)
    return (
        first,
        second,
        Step("γ", "the error if answers and classes were unrelated", "", number(gamma)),
        Step("R", "(err₁ − err) / (γ − err), from 0 to 1", "", number(R), "how much it overfits"),
        Step("w", "0.632 / (1 − 0.368·R)", f"0.632 / (1 − 0.368 × {number(R)})", number(w)),
        Step(
            "error",
            "w·err₁ + (1 − w)·err",
            f"{number(w)} × {number(bounded)} + (1 − {number(w)}) × {number(training)}",
            number(value),
        ),
    )
