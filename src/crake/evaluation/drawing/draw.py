"""`evaluation.draw("roc")`, `comparison.draw("roc")`: from what is asked for to the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from crake.errors import CrakeError
from crake.evaluation.drawing.calibration import calibration_picture, calibrations_picture
from crake.evaluation.drawing.curve_kinds import KINDS, Kind
from crake.evaluation.drawing.series import Named, by_class, by_model, chosen, curve_of, one_class, points
from crake.evaluation.result.classification import Evaluation
from crake.metrics.confusion.matrix import ConfusionMatrix
from crake.metrics.cost.matrix import costs_for
from crake.metrics.curves.roc import IsoCost, RocCurve
from crake.render.drawing.curves import Band, CurvePicture, Line, Mark, curve_drawing
from crake.render.drawing.drawing import Drawing
from crake.render.leaderboard import Matrix
from crake.table.schema import Label

if TYPE_CHECKING:
    from crake.evaluation.compare import Comparison


from crake.render.drawing.matrix import MatrixPicture, matrix_drawing
from crake.render.format_numbers import count, percent

WHAT = (*KINDS, "calibration", "confusion")


_AVERAGED = {"roc": "roc", "precision-recall": "precision_recall", "gains": "lift", "cost": "cost_curve"}
"""The methods of an Evaluation that average these curves over the folds."""


def draw_evaluation(
    evaluation: Evaluation,
    what: str = "roc",
    *,
    positive: Label | None = None,
    folds: bool = True,
    hull: bool = True,
    cost: Any = None,
    bins: int = 10,
    by: Any = "width",
    most: int = 6,
    width: float = 420,
) -> Drawing:
    """Return a picture of one evaluation: "roc", "precision-recall", "gains", "lift", "cost", "calibration" or
    "confusion".

    positive : the class that curves speak of; without it more than two classes have a curve each.
    folds : whether the curve of each fold and their mean with its band are drawn too.
    hull, cost : of ROC curves: the convex hull, and the line of equal cost of (false positive, false negative), or of
        anything that `crake.compare` takes for costs.
    bins, by : of calibration: see `Evaluation.calibration`.
    """
    _refuse_unknown(what)
    if what == "confusion":
        return draw_matrix(evaluation)
    if what == "calibration":
        return curve_drawing(calibration_picture(evaluation, positive, bins, by), width)
    kind = KINDS[what]
    part = one_class(evaluation, positive)
    if part is None:
        curves, notes = by_class(evaluation, kind, most)
        title = f"{evaluation.name}, {evaluation.table}"
        return curve_drawing(_overlaid(title, curves, kind, None, notes), width)
    return curve_drawing(_one_curve(part, what, folds=folds, hull=hull, cost=_two_costs(part, cost)), width)


def draw_comparison(
    comparison: Comparison,
    what: str = "roc",
    *,
    positive: Label | None = None,
    learners: Sequence[str] | None = None,
    bins: int = 10,
    by: Any = "width",
    most: int = 6,
    width: float = 420,
) -> Drawing:
    """Return the learners of a comparison in one picture, best first: at most `most`, or those named.

    "confusion" draws the matrix of the first of them. With more than two classes and no `positive` a curve is the mean
    over the classes, each against all others.
    """
    _refuse_unknown(what)
    best_first = [standing.evaluation for standing in comparison.standings]
    evaluations, left_out = chosen(best_first, learners, most)
    if what == "confusion":
        return draw_matrix(evaluations[0])
    if what == "calibration":
        return curve_drawing(calibrations_picture(evaluations, positive, bins, by, left_out), width)
    kind = KINDS[what]
    curves, notes = by_model(evaluations, kind, positive)
    if not curves:
        raise CrakeError(f"none of {[each.name for each in evaluations]} has a {kind.title}: they give answers only")
    first = one_class(evaluations[0], positive)
    title = evaluations[0].table + (f", class {first.positive_class}" if first is not None else "")
    notes = (*notes, left_out) if left_out else notes
    return curve_drawing(_overlaid(title, curves, kind, first, notes), width)


def _overlaid(
    about: str, curves: list[Named], kind: Kind, of_class: Evaluation | None, notes: tuple[str, ...]
) -> CurvePicture:
    across, up = kind.axes([each.curve for each in curves])
    lines = tuple(each.line(k, kind) for k, each in enumerate(curves))
    ranked = sorted(curves, key=lambda each: kind.sums_up(each.curve), reverse=kind.is_more_better)
    best, worst = ranked[0], ranked[-1]
    finding = f"{kind.number}: best {best.name} with {kind.sums_up(best.curve):.3f}"
    if len(curves) > 1:
        finding += f", last {worst.name} with {kind.sums_up(worst.curve):.3f}"
    references = kind.references(None if of_class is None else of_class.ranking)
    return CurvePicture(kind.title, about, f"{finding}.", across, up, lines, references, notes=notes)


def _one_curve(
    evaluation: Evaluation, what: str, *, folds: bool, hull: bool, cost: tuple[float, float] | None
) -> CurvePicture:
    kind, curve, label = KINDS[what], curve_of(evaluation, KINDS[what]), evaluation.positive_class
    named = Named("all folds together" if folds and _has_folds(evaluation) else evaluation.name, curve)
    lines = [replace(named.line(0, kind), kind="plain")]
    references = list(kind.references(evaluation.ranking))
    marks: list[Mark] = []
    if isinstance(curve, RocCurve):
        if hull:
            x, y = points(curve.hull())
            lines.append(Line("convex hull", x, y, 1, "dotted"))
        if cost is not None:
            line = curve.iso_cost(*cost)
            references.append(_iso_cost(line, cost))
            marks.append(Mark(line.false_positive_rate, line.true_positive_rate, f"cutoff {line.score:.3g}"))
        elif evaluation.answers == "probabilities":
            marks += _at_half(curve)
    faint, bands = _of_folds(evaluation, what, kind) if folds and _has_folds(evaluation) else ((), ())
    across, up = kind.axes([curve])
    about = f"{evaluation.name}, {evaluation.table}, class {label}"
    return CurvePicture(
        kind.title, about, _finding(kind, curve, evaluation), across, up, tuple(lines), tuple(references), faint, bands,
        marks=tuple(marks),
    )  # fmt: skip


def _has_folds(evaluation: Evaluation) -> bool:
    fold = evaluation.out_of_fold.fold
    return len(fold) > 0 and 2 <= int(fold.max()) + 1 <= 100 and evaluation.out_of_fold.repeats == 1


def _of_folds(evaluation: Evaluation, what: str, kind: Kind) -> tuple[tuple[Line, ...], tuple[Band, ...]]:
    """Return the curve of each fold, and the band around their mean; folds without both classes have none."""
    if what == "lift":
        return (), ()
    rankings = [part.ranking for part in evaluation.by_fold()]
    able = [kind.curve(ranking) for ranking in rankings if not ranking.missing_side]
    if len(able) < 2:
        return (), ()
    faint = tuple(Line("each fold", *points(curve, 40), 0) for curve in able)
    average = getattr(evaluation, _AVERAGED[what])("average")
    if average.band is None:
        return faint, ()
    low, high = average.band
    every = slice(None, None, 2)
    band = Band("mean of the folds, 95 % band", average.x[every].tolist(), low[every].tolist(), high[every].tolist(), 0)
    return faint, (band,)


def _two_costs(evaluation: Evaluation, cost: Any) -> tuple[float, float] | None:
    """Return how much more a false positive and a false negative cost than the right prediction."""
    if cost is None or (isinstance(cost, tuple) and len(cost) == 2 and all(np.isscalar(each) for each in cost)):
        return cost
    if len(evaluation.classes) != 2:
        raise CrakeError("a line of equal cost has two costs, cost=(false positive, false negative)")
    costs = costs_for(cost, evaluation.classes)
    assert costs is not None  # noqa: S101 - None is answered above
    yes = evaluation.confusion.code(evaluation.positive_class)
    no = 1 - yes
    return float(costs.costs[no, yes] - costs.costs[no, no]), float(costs.costs[yes, no] - costs.costs[yes, yes])


def _iso_cost(line: IsoCost, cost: tuple[float, float]) -> Line:
    """Return the line within the frame: y from 0 to 1."""
    ends = [(0.0, line.intercept), (1.0, line.intercept + line.slope)]
    if ends[0][1] < 0:
        ends[0] = (-line.intercept / line.slope, 0.0)
    if ends[1][1] > 1:
        ends[1] = ((1 - line.intercept) / line.slope, 1.0)
    name = f"equal cost (false positive {cost[0]:g}, false negative {cost[1]:g})"
    return Line(name, tuple(x for x, _ in ends), tuple(y for _, y in ends))


def _at_half(curve: RocCurve) -> list[Mark]:
    """Return the place where a probability of one half is the cutoff."""
    at = int((curve.scores >= 0.5).sum()) - 1
    return [Mark(float(curve.x[at]), float(curve.y[at]), "cutoff 0.5")] if math.isfinite(curve.scores[-1]) else []


def _finding(kind: Kind, curve: Any, evaluation: Evaluation) -> str:
    text = f"{evaluation.name}: {kind.number} {kind.sums_up(curve):.3f} for class {evaluation.positive_class}."
    if isinstance(curve, RocCurve):
        rate = float(curve.at([0.1])[0])
        text += f" At a false positive rate of 0.1 the true positive rate is {rate:.3f}."
    return text


def _refuse_unknown(what: str) -> None:
    if what not in WHAT:
        raise CrakeError(f"draw({what!r}); expected one of {', '.join(WHAT)}")


def draw_matrix(evaluation: Evaluation) -> Drawing:
    """Return rows actual, columns predicted; the finding names the most frequent mistake."""
    confusion = evaluation.confusion
    matrix = matrix_of(evaluation.name, confusion)
    wrong = confusion.counts.copy()
    np.fill_diagonal(wrong, 0)
    total, errors = float(confusion.counts.sum()), float(wrong.sum())
    finding = (
        f"{count(total - errors)} of {count(total)} rows are right ({percent((total - errors) / max(total, 1e-300))})"
    )
    if errors:
        actual, called = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        labels = matrix.labels
        finding += (
            f"; most frequent mistake: {labels[actual]} called {labels[called]}, {count(float(wrong.max()))} rows"
        )
    about = f"{evaluation.name}, {evaluation.table}"
    return matrix_drawing(MatrixPicture("Confusion matrix", about, f"{finding}.", matrix))


def matrix_of(name: str, confusion: ConfusionMatrix) -> Matrix:
    """Return a confusion matrix as it is drawn."""
    return Matrix(
        name,
        tuple(str(label) for label in confusion.labels),
        tuple(tuple(float(count) for count in row) for row in confusion.counts),
        recall=tuple(confusion.recall(label).value for label in confusion.labels),
        precision=tuple(confusion.precision(label).value for label in confusion.labels),
    )
