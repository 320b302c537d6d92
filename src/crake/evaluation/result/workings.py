"""The measures of an evaluation, worked: counts into formulas; of several rounds the mean of the rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crake.errors import CrakeError, did_you_mean
from crake.evaluation.protocol.bootstrap import SEEN, BootstrapTerms, error_by_row, plus_weight
from crake.evaluation.result.averages import tested_to_learned
from crake.metrics.estimate import Estimate
from crake.metrics.intervals import student
from crake.metrics.probability.calibration import called_rows, class_rows
from crake.metrics.workings.calibration import explain_calibration
from crake.metrics.workings.interval import ends, told
from crake.metrics.workings.losses import Tested, explain_brier, explain_log_loss, explain_numbers
from crake.metrics.workings.matrix import explain_matrix
from crake.metrics.workings.page import page, terms
from crake.metrics.workings.rankings import explain_auc, explain_average_precision, explain_by_class
from crake.render.grid import Grid
from crake.render.workings import Section, Step, Workings, number

if TYPE_CHECKING:
    from crake.evaluation.result.classification import Evaluation
    from crake.evaluation.result.regression import NumberEvaluation

MATRIX = ("accuracy", "error", "balanced_accuracy", "g_mean", "kappa", "mcc")
OF_THE_POSITIVE = ("precision", "recall", "specificity", "f1")
RANKED = ("auc", "average_precision")
PROBABLE = ("log_loss", "brier", "calibration_error")
EXPLAINED = (*MATRIX, *OF_THE_POSITIVE, *RANKED, *PROBABLE)


def explain_measure(evaluation: Evaluation, measure: str) -> Workings:
    """The hand calculation of one measure, its interval included."""
    name = {"sensitivity": "recall", "f": "f1"}.get(measure, measure)
    if name not in EXPLAINED:
        raise CrakeError(_unknown(measure, EXPLAINED))
    estimate: Estimate = getattr(evaluation, name)
    if evaluation.bootstrap is not None and name in ("accuracy", "error"):
        return _bootstrapped(evaluation, evaluation.bootstrap, name, estimate)
    if evaluation.out_of_fold.repeats > 1:
        return _rounds(evaluation, name, estimate)
    if name in MATRIX:
        return explain_matrix(evaluation.confusion, name)
    if name in OF_THE_POSITIVE:
        return explain_matrix(evaluation.confusion, name, evaluation.positive)
    if estimate.value is None:
        return page(name.replace("_", " "), "", [Section("Rows", lines=(evaluation.plan,))], estimate)
    return _ranked(evaluation, name, estimate) if name in RANKED else _probable(evaluation, name, estimate)


def explain_number_measure(evaluation: NumberEvaluation, measure: str) -> Workings:
    """The hand calculation of RMSE, MAE or R²."""
    if measure not in ("rmse", "mae", "r_squared"):
        raise CrakeError(_unknown(measure, ("rmse", "mae", "r_squared")))
    estimate: Estimate = getattr(evaluation, measure)
    if evaluation.out_of_fold.repeats > 1:
        return _rounds(evaluation, measure, estimate)
    found = evaluation.out_of_fold
    return explain_numbers(measure, found.rows, found.actual, found.predicted, found.weights, estimate)


def _ranked(evaluation: Evaluation, name: str, estimate: Estimate) -> Workings:
    found = evaluation.out_of_fold
    if evaluation.positive is None and len(evaluation.classes) != 2:
        return explain_by_class(name, found.actual, found.probabilities, found.weights, evaluation.classes, estimate)
    explain = explain_auc if name == "auc" else explain_average_precision
    return explain(evaluation.ranking, evaluation.positive_class, estimate)


def _probable(evaluation: Evaluation, name: str, estimate: Estimate) -> Workings:
    found = evaluation.out_of_fold
    weights = np.asarray(found.weights, np.float64)
    if name != "calibration_error":
        tested = Tested(found.rows, found.actual, found.probabilities, weights, evaluation.classes)
        return (explain_log_loss if name == "log_loss" else explain_brier)(tested, estimate)
    if evaluation.positive is None:
        came, p = called_rows(found.actual, found.probabilities)
        return explain_calibration(came, p, weights, "the probabilities of the answers", estimate)
    code = evaluation.confusion.code(evaluation.positive)
    came, p = class_rows(found.actual, found.probabilities, code)
    return explain_calibration(came, p, weights, f"the probabilities of {evaluation.positive}", estimate)


def _rounds(evaluation: Evaluation | NumberEvaluation, name: str, estimate: Estimate) -> Workings:
    """Each round measured by itself, then the mean; the interval knows that the training parts overlap."""
    said = name.replace("_", " ")
    measured = [getattr(part, name) for part in evaluation.by_repeat()]
    rows = tuple((str(r + 1), f"{each:.4f}") for r, each in enumerate(measured))
    section = Section(f"{len(rows)} rounds", tables=(Grid("", ("round", said), rows),))
    if estimate.value is None:
        return page(said, "the mean of the rounds", [section], estimate)
    values = [float(each.value) for each in measured if each.value is not None]
    mean = Step(said, "Σ rounds / number of rounds", f"({terms(list(map(number, values)))})/{len(values)}",
                number(estimate.value))  # fmt: skip
    sections = [section, Section("Mean", (mean,)), _over_folds(evaluation, name, estimate)]
    return page(said, "the mean of the rounds", sections, estimate)


def _over_folds(evaluation: Evaluation | NumberEvaluation, name: str, estimate: Estimate) -> Section:
    """Nadeau and Bengio's interval with its numbers."""
    if estimate.interval is None or "Nadeau" not in estimate.method:
        return told(estimate)
    values = [each.value for part in evaluation.by_fold() if (each := getattr(part, name)).value is not None]
    J, ratio = len(values), tested_to_learned(evaluation) or 0.0  # type: ignore[arg-type]
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


def _bootstrapped(evaluation: Evaluation, found: BootstrapTerms, name: str, estimate: Estimate) -> Workings:
    """The .632 estimates: the error out of the bag and that on the training rows, put together."""
    error: Estimate = evaluation.error
    value, training = float(error), float(found.training_error.mean())
    rounds = evaluation.out_of_fold.repeats
    if found.estimate == "632-lecture":
        steps = _lecture(evaluation, training, value, rounds)
    else:
        steps = _weighted(evaluation, found, training, value)
    if name == "accuracy":
        steps = (*steps, Step("accuracy", "1 − error", f"1 − {number(value)}", number(float(estimate))))
    section = Section(f"Bootstrap, {rounds} samples", steps)
    return page(name, "rows out of the bag and training rows together", [section, told(estimate)], estimate)


def _lecture(evaluation: Evaluation, training: float, value: float, rounds: int) -> tuple[Step, ...]:
    out = float(np.mean([float(part.error) for part in evaluation.by_repeat()]))
    return (
        Step("error out of the bag", "the mean over the samples", "", number(out), f"{rounds} samples"),
        Step("error on all rows", "the mean over the samples", "", number(training)),
        Step("error", "0.632·out + 0.368·all", f"0.632 × {number(out)} + 0.368 × {number(training)}", number(value)),
    )


def _weighted(evaluation: Evaluation, found: BootstrapTerms, training: float, value: float) -> tuple[Step, ...]:
    out = error_by_row(evaluation.out_of_fold)
    first = Step("err₁", "error of rows out of the bag, by row", "", number(out))
    if found.estimate == "out-of-bag":
        return (first, Step("error", "err₁", "", number(value)))
    second = Step("err", "error on the training rows", "", number(training))
    if found.estimate == "632":
        return (
            first,
            second,
            Step(
                "error", "0.632·err₁ + 0.368·err", f"0.632 × {number(out)} + 0.368 × {number(training)}", number(value)
            ),
        )
    gamma = found.no_information
    w = plus_weight(out, training, gamma)
    held = min(out, gamma)
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
            f"{number(w)} × {number(held)} + (1 − {number(w)}) × {number(training)}",
            number(value),
        ),
    )


def _unknown(measure: str, known: tuple[str, ...]) -> str:
    return f"measure {measure!r} cannot be explained.{did_you_mean(measure, known)} Expected one of {', '.join(known)}"
