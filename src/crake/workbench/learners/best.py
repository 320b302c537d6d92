"""`best` in place of a learner's name: compare the usual learners first, then train the winner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crake.errors import CrakeError
from crake.workbench.compare import CompareRequest
from crake.workbench.estimate import ChosenEstimate, ClassEstimate, Estimate, NumberEstimate
from crake.workbench.fitting import Fit
from crake.workbench.learners.saved import reason_for

if TYPE_CHECKING:
    from crake.evaluation.compare import Comparison
    from crake.table.table import Table
    from crake.workbench.progress import Progress
    from crake.workbench.train import TrainRequest

BEST = "best"


def comparison_for(request: TrainRequest) -> CompareRequest:
    """Return the comparison that chooses; raise an error for options that would make its estimate another model's."""
    if not request.estimate:
        raise CrakeError("-l best is chosen by an estimate; leave --no-estimate out, or name a learner")
    if request.cutoff not in (None, "cost") or request.positive is not None:
        option = "--positive" if request.positive is not None else f"--cutoff {request.cutoff}"
        raise CrakeError(f"{option}: -l best takes --cutoff cost with --cost only; name a learner for another cutoff")
    if request.cutoff == "cost" and request.cost is None:
        raise CrakeError("-l best --cutoff cost: expected --cost FILE, by which the learners are ranked")
    return CompareRequest(
        request.table,
        request.plan,
        cost=request.cost,
        seed=request.seed,
        parameters=request.parameters,
        save=request.output,
        measure=request.measure,
        select=request.select,
        balance=request.balance,
    )


def fit_best(request: TrainRequest, table: Table, progress: Progress) -> Fit:
    """Compare the usual learners on the table and fit the best to all rows."""
    comparison = comparison_for(request).comparison_on(table, progress)
    progress.notes(comparison.warnings, "warning")
    progress.notes(map(str, comparison.failures), "warning")
    progress.notes(note for note in comparison.protocol_notes if " is left out, slow with " in note)
    best, reason, learners = comparison.best, reason_for(comparison), len(comparison)
    progress.notes((comparison.measure_reason,) if comparison.measure_reason else ())
    progress.note(f"compared {learners} learners: training {best.name}")
    estimate = ChosenEstimate(_estimate(comparison, best), best.name, reason, learners, comparison.winner)
    progress.begin(f"{best.name}: fitting {len(table):,} rows")
    return Fit(comparison.fit(), estimate)


def _estimate(comparison: Comparison, best: Any) -> Estimate:
    if comparison.is_numeric:
        return NumberEstimate(best)
    return ClassEstimate(best, comparison["majority"], comparison.criterion)
