"""Training on a table that is scanned: the model and its estimate in two scans of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from crake.cli.progress import Report, telling
from crake.cli.requests.model import is_regressor
from crake.errors import DataError

if TYPE_CHECKING:
    from crake.cli.requests.estimate import Estimated
    from crake.evaluation.protocol.scan_together import Learned
    from crake.table.table import Table

Fitted: TypeAlias = "tuple[Any, Estimated | None, str]"
"""A model, its estimate, and why there is none where none is."""


def fitted_in_scans(learner: Any, table: Table, plan: Any, report: Report | None) -> Fitted:
    """One scan without an estimate; with one, the folds are learned in the same scan and tested in a second."""
    from crake.evaluation.protocol.scan_together import learn, reads_statistics  # noqa: PLC0415 (numba only for work)
    from crake.learners.majority.learner import MajorityClassifier  # noqa: PLC0415

    if is_regressor(learner):
        why = "" if plan is None else str(table.not_in_memory("a regressor's estimate"))
        return learner.fit(telling(table, report)), None, why
    if plan is None or not reads_statistics(learner):
        return learner.fit(telling(table, report)), None, ""
    both = [learner, MajorityClassifier()]
    learned = learn(both, table, plan, _rows(table, report), fitted=learner, sample_rows=0)
    for error in learned.refused.values():
        return learned.model, None, _reason(error)
    return _tested(both, table, learned, plan, report)


def _tested(both: list[Any], table: Table, learned: Learned, plan: Any, report: Report | None) -> Fitted:
    """A model that was learned is not lost because a second scan gave the rows in another order."""
    from crake.cli.requests.estimate import ClassEstimate  # noqa: PLC0415
    from crake.evaluation.protocol.scan_together import put_to_test  # noqa: PLC0415

    try:
        found, majority = put_to_test(both, table, learned, plan, progress=_rows(table, report))
    except DataError as error:
        return learned.model, None, _reason(error)
    return learned.model, ClassEstimate(found, majority), ""


def _reason(error: Exception) -> str:
    return str(error).rstrip(".")


def _rows(table: Table, report: Report | None) -> Any:
    return None if report is None else lambda done, total: report(f"rows of {table.name}, in two scans", done, total)
