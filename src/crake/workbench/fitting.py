"""A model and an honest estimate of it: from rows in memory, or in two scans of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from crake.errors import DataError
from crake.workbench.estimate import ClassEstimate, Estimate, NumberEstimate
from crake.workbench.models import is_regressor
from crake.workbench.progress import Progress

if TYPE_CHECKING:
    from crake.evaluation.protocol.scan_together import Learned
    from crake.table.table import Table


class Fit(NamedTuple):
    """A fitted model, its estimate, and the reason where there is none."""

    model: Any
    estimate: Estimate | None = None
    reason: str = ""


def fit(learner: Any, table: Table, plan: Any, progress: Progress) -> Fit:
    """Fit the learner to all rows and, where there is a plan, estimate it by that plan."""
    if not table.in_memory:
        return _fit_scanned(learner, table, plan, progress)
    from crake.learners.registry import title_of  # noqa: PLC0415 (numba and numpy only when there is work)

    progress.begin(f"{title_of(learner)}: fitting {len(table):,} rows")
    if plan is None:
        return Fit(learner.fit(table))
    from crake.evaluation.evaluate import evaluate  # noqa: PLC0415
    from crake.evaluation.protocol.arguments import with_its_column  # noqa: PLC0415
    from crake.learners.base.scikit_learn import clone  # noqa: PLC0415

    # What is estimated is what is trained: neither learns from a column that groups the rows.
    model = learner.fit(with_its_column(plan, table)[1])
    evaluation: Any = evaluate(clone(learner), table, plan=plan, progress=progress.over("folds"))
    if is_regressor(learner):
        return Fit(model, NumberEstimate(evaluation))
    return Fit(model, ClassEstimate(evaluation, evaluate("majority", table, plan=plan)))


def _fit_scanned(learner: Any, table: Table, plan: Any, progress: Progress) -> Fit:
    """Fit in one scan; with a plan, learn the folds in the same scan and test them in a second."""
    from crake.evaluation.protocol.scan_together import learn, reads_statistics  # noqa: PLC0415 (numba only for work)
    from crake.learners.majority.learner import MajorityClassifier  # noqa: PLC0415

    if is_regressor(learner):
        reason = "" if plan is None else _reason_of(learner, table, "a regressor's estimate")
        return Fit(learner.fit(progress.watching(table)), None, reason)
    if plan is None or not reads_statistics(learner):
        reason = "" if plan is None else _reason_of(learner, table, "the estimate of this learner")
        return Fit(_of_classes(learner.fit(progress.watching(table)), table), None, reason)
    both = [learner, MajorityClassifier()]
    learned = learn(both, table, plan, progress.steps, fitted=learner, sample_rows=0)
    _of_classes(learned.model, table)
    for error in learned.refused.values():
        return Fit(learned.model, None, _reason(error))
    return _tested(both, table, learned, plan, progress)


def _reason_of(learner: Any, table: Table, what: str) -> str:
    """Return why there is no estimate: rows are not in memory, or each fold takes as long as the model."""
    if getattr(learner, "scans_rows", False):
        return (
            f"{table.name} is scanned, and each fold takes as long as the model: crake evaluate LEARNER TABLE does it"
        )
    return str(table.not_in_memory(what))


def _of_classes(model: Any, table: Table) -> Any:
    """Return a model of a scan; raise if the scan has met one class only."""
    from crake.table.target import constant_target  # noqa: PLC0415

    if len(model.classes_) == 1:
        raise constant_target(table, model.classes_.tolist()[0])
    return model


def _tested(both: list[Any], table: Table, learned: Learned, plan: Any, progress: Progress) -> Fit:
    """Test in a second scan; if it gives the rows in another order, the model stays and the estimate is lost."""
    from crake.evaluation.protocol.scan_together import put_to_test  # noqa: PLC0415

    try:
        evaluation, majority = put_to_test(both, table, learned, plan, progress=progress.steps)
    except DataError as error:
        return Fit(learned.model, None, _reason(error))
    return Fit(learned.model, ClassEstimate(evaluation, majority))


def _reason(error: Exception) -> str:
    return str(error).rstrip(".")
