"""The outcome of a protocol, and the one place where it becomes an evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crake.evaluation.protocol.arguments import refuse_unknown_class
from crake.evaluation.protocol.trials import Failure
from crake.evaluation.result.base import Context
from crake.evaluation.result.bootstrap import BootstrapTerms
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.data import ScanPart
from crake.evaluation.result.out_of_fold import ClassPredictions, NumericPredictions
from crake.evaluation.result.regression import NumberEvaluation
from crake.learners.meta.cutoff.learner import WithCutoff
from crake.learners.meta.tune.learner import Tuned
from crake.learners.registry import answers_of, is_baseline, name_of, title_of
from crake.metrics.predictions import Answers
from crake.plans import Plan
from crake.table.schema import Label
from crake.table.table import Table


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """One learner's out-of-fold predictions and what there is to say of them.

    `table`, `target` and `plan` are names. `plan_notes` are those of `notes` that the plan wrote; `warnings` tell of
    values that the model did not know. `name` replaces the learner's title.
    """

    learner: Any
    out_of_fold: ClassPredictions | NumericPredictions
    table: str
    target: str
    plan: str
    classes: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    plan_notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    name: str = ""
    is_fitted: bool = False
    bootstrap: BootstrapTerms | None = None
    context: Context | None = None
    scan_parts: tuple[ScanPart, ...] = ()


@dataclass(frozen=True, eq=False)
class Run:
    """The outcomes of several learners under one protocol, with the table, the plan and the notes they share.

    Learners that failed have no outcome; `failures` names them.
    """

    outcomes: tuple[Outcome, ...]
    table: Table
    plan: Plan
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()


def evaluation_of(outcome: Outcome, positive: Label | None = None) -> Evaluation | NumberEvaluation:
    """Return the evaluation of an outcome, by the kind of its predictions."""
    if isinstance(outcome.out_of_fold, ClassPredictions):
        return class_evaluation(outcome, positive)
    return number_evaluation(outcome)


def class_evaluation(outcome: Outcome, positive: Label | None = None) -> Evaluation:
    """Return the evaluation of predicted classes."""
    assert isinstance(outcome.out_of_fold, ClassPredictions)  # noqa: S101 (the protocol ran classifiers)
    refuse_unknown_class(positive, outcome.classes)
    return Evaluation(
        **_shared(outcome),
        out_of_fold=outcome.out_of_fold,
        classes=outcome.classes,
        positive=positive,
        answers=_answers(outcome, outcome.out_of_fold.kind),
    )


def _answers(outcome: Outcome, kind: Answers) -> Answers:
    """Return what the learner gave: `kind`, unless that calls votes probabilities."""
    learner = outcome.learner
    while isinstance(learner, Tuned | WithCutoff):
        learner = learner.estimator
    return answers_of(learner, len(outcome.classes)) if kind == "probabilities" else kind


def number_evaluation(outcome: Outcome) -> NumberEvaluation:
    """Return the evaluation of predicted numbers."""
    assert isinstance(outcome.out_of_fold, NumericPredictions)  # noqa: S101 (the protocol ran regressors)
    return NumberEvaluation(**_shared(outcome), out_of_fold=outcome.out_of_fold)


def _shared(outcome: Outcome) -> dict[str, Any]:
    return {
        "name": outcome.name or title_of(outcome.learner),
        "table": outcome.table,
        "target": outcome.target,
        "plan": outcome.plan,
        "notes": outcome.notes,
        "is_baseline": is_baseline(outcome.learner),
        "is_fitted": outcome.is_fitted,
        "key": name_of(outcome.learner) or "",
        "bootstrap": outcome.bootstrap,
        "context": outcome.context,
        "learner": outcome.learner,
        "scan_parts": outcome.scan_parts,
    }


def left_out_note(rows: int, target: str) -> tuple[str, ...]:
    """Return a note on rows whose target is unknown; none if there are no such rows.

    >>> left_out_note(1, "price"), left_out_note(1200, "price"), left_out_note(0, "price")
    (('1 row without a known price is left out',), ('1,200 rows without a known price are left out',), ())
    """
    if rows == 0:
        return ()
    if rows == 1:
        return (f"1 row without a known {target} is left out",)
    return (f"{rows:,} rows without a known {target} are left out",)
