"""Curves of one evaluation or several: one curve per model, or one per class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from crake.errors import CrakeError, UndefinedMeasure
from crake.evaluation.drawing.curve_kinds import Kind
from crake.evaluation.result.classification import Evaluation
from crake.metrics.curves.averaging import AveragedCurve, averaged
from crake.metrics.curves.thinning import thin
from crake.metrics.measure import NO_SCORES
from crake.render.drawing.curves import Line
from crake.table.schema import Label

MOST_POINTS = 120
"""Points of a drawn line: others lie within a few thousandths of the picture."""


@dataclass(frozen=True, eq=False)
class Named:
    """A curve with the name it has in the legend."""

    name: str
    curve: Any

    def line(self, style: int, kind: Kind) -> Line:
        """Return the curve as it is drawn, named with the number that sums it up."""
        number = f"{kind.number} {kind.sums_up(self.curve):.3f}"
        x, y = points(self.curve)
        return Line(f"{self.name}, {number}", x, y, style, title=f"{self.name}: {number}")


def points(curve: Any, most: int = MOST_POINTS) -> tuple[list[float], list[float]]:
    """Return the few points that draw the same picture."""
    if isinstance(curve, AveragedCurve):
        return curve.x.tolist(), curve.mean.tolist()
    few = thin(curve, most=most)
    return few.x.tolist(), few.y.tolist()


def one_class(evaluation: Evaluation, positive: Label | None) -> Evaluation | None:
    """Return the evaluation with one class to speak of; None where there are several and none is named."""
    if positive is not None:
        if positive not in evaluation.classes:
            raise CrakeError(f"positive = {positive!r}; expected one of the classes {list(evaluation.classes)[:20]}")
        return replace(evaluation, positive=positive)
    return evaluation if evaluation.positive is not None or len(evaluation.classes) == 2 else None


def by_class(evaluation: Evaluation, kind: Kind, most: int) -> tuple[list[Named], tuple[str, ...]]:
    """Return one curve per class against all others; of many classes, those that are told apart worst."""
    named_curves = []
    for label in evaluation.classes:
        part = replace(evaluation, positive=label)
        try:
            named_curves.append(Named(str(label), curve_of(part, kind)))
        except UndefinedMeasure:
            continue
    if not named_curves:
        raise UndefinedMeasure("undefined: no class has rows of its own and rows of others")
    notes = ["Each class against all others; rows of all folds together."]
    if len(named_curves) > most:
        named_curves.sort(key=lambda each: kind.sums_up(each.curve), reverse=not kind.is_more_better)
        notes.append(f"The {most} of {len(named_curves)} classes that are told apart worst.")
        named_curves = named_curves[:most]
    return named_curves, tuple(notes)


def by_model(
    evaluations: Iterable[Evaluation], kind: Kind, positive: Label | None
) -> tuple[list[Named], tuple[str, ...]]:
    """Return one curve a model; with more than two classes and none named, the mean over the classes."""
    named_curves, without, is_mean = [], [], False
    for evaluation in evaluations:
        part = one_class(evaluation, positive)
        try:
            named_curves.append(
                Named(evaluation.name, curve_of(part, kind) if part else _over_classes(evaluation, kind))
            )
        except UndefinedMeasure:
            without.append(evaluation.name)
        is_mean = is_mean or part is None
    notes = ["Mean over the classes, each against all others." if is_mean else "Rows of all folds together."]
    if without:
        notes.append(f"Without such a curve: {', '.join(without)}.")
    return named_curves, tuple(notes)


def curve_of(evaluation: Evaluation, kind: Kind) -> Any:
    """Return the curve of all tested rows."""
    if evaluation.answers == "labels":
        raise UndefinedMeasure(f"undefined: {NO_SCORES}")
    return kind.curve(evaluation.ranking)


def _over_classes(evaluation: Evaluation, kind: Kind) -> AveragedCurve:
    if evaluation.answers == "labels":
        raise UndefinedMeasure(f"undefined: {NO_SCORES}")
    rankings = [replace(evaluation, positive=label).ranking for label in evaluation.classes]
    return averaged(rankings, kind.curve)


def chosen(
    evaluations: Sequence[Evaluation], learners: Sequence[str] | None, most: int
) -> tuple[list[Evaluation], str]:
    """Return the evaluations to draw, best first, without baselines unless named; and what is said of the others."""
    if learners is not None:
        named = {each.name: each for each in evaluations}
        for name in learners:
            if name not in named:
                raise CrakeError(f"there is no {name!r} in this comparison: {list(named)}")
        return [named[name] for name in learners], ""
    able = [each for each in evaluations if not each.is_baseline] or list(evaluations)
    omitted = len(able) - most
    return able[:most], f"The best {most} of {len(able)} learners." if omitted > 0 else ""
