"""`crake.Experiment`: tables × learners × repeats, resumable."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from crake.errors import CrakeError
from crake.evaluation.experiment.cell import Cell, Folds
from crake.evaluation.experiment.fingerprint import table_fingerprint
from crake.evaluation.experiment.measures import extra_measure, measure_of
from crake.evaluation.experiment.result import ExperimentResult, position
from crake.evaluation.experiment.results_file import ResultsFile
from crake.evaluation.experiment.settings import settings_of
from crake.evaluation.experiment.workers import work_on
from crake.evaluation.protocol.arguments import has_numeric_target, learner_of, refuse_mixed
from crake.evaluation.protocol.timing import Progress
from crake.evaluation.protocol.trials import Failure, Trials
from crake.learners.registry import title_of
from crake.metrics.measures import MEASURES, find_measure
from crake.plans import CrossValidation, HashedFolds, Holdout, LeaveOneOut
from crake.plans.dealing import whole_number
from crake.table.read import read
from crake.table.table import Table
from crake.table.target import check_target

Plans = CrossValidation | Holdout | HashedFolds | LeaveOneOut


class Experiment:
    """Every learner on every table, as often as `repeats` says.

    Repeat r (from 1) draws its folds with the plan's seed + r − 1.

    `tables` are Tables, names of bundled examples or files that name their target; a mapping gives them names.
    `learners` are names, crake's learners or scikit-learn classifiers; a mapping names them. The plan is stratified
    10-fold cross-validation unless given. `measure` (any measure of classes in docs/measures.md, accuracy by default)
    and `baseline` (a learner's name or number) are what `print` shows. The result has all measures of counts, AUC and
    log loss; others, such as "brier", where `measure` names them. Tables with numeric targets take regressors, and
    have RMSE, MAE and R².

    >>> experiment = Experiment(["golf", "iris"], ["majority", "1r", "naive-bayes"], repeats=2)
    >>> result = experiment.run(path=None)                          # a path would keep it: run("results.duckdb")
    >>> print(result.table("accuracy", baseline="1R"))
    accuracy, mean of the folds (standard deviation)
      table         folds  (1)              (2)            (3)
      golf             20  0.700 (0.340)    0.350 (0.401)  0.625 (0.425)
      iris             20  0.333 (0.000) *  0.923 (0.050)  0.950 (0.048)
      v / same / *         0/1/1                           0/2/0
      mean rank            2.00             2.50           1.50
    v better, * worse than (2) by the corrected resampled t test at 0.05
    ...
    """

    def __init__(
        self,
        tables: Iterable[Any] | Mapping[str, Any],
        learners: Iterable[Any] | Mapping[str, Any],
        *,
        plan: Plans | None = None,
        repeats: int = 10,
        measure: str | None = None,
        baseline: str | int = 0,
    ) -> None:
        self.tables = _named_tables(tables)
        numbers = _predict_numbers(self.tables)
        self.learners = _named_learners(learners, numbers=numbers)
        usual = CrossValidation(stratified=not numbers)
        self.plan = _checked_plan(plan or usual, whole_number(repeats, "repeats", 1))
        self.repeats = repeats
        self.measure = measure_of(measure or ("rmse" if numbers else "accuracy"), numbers=numbers).name
        self.baseline = position(baseline, tuple(self.learners), "learner")

    def run(
        self, path: str | Path | None = "results.duckdb", *, progress: Progress | None = None, n_jobs: int | None = None
    ) -> ExperimentResult:
        """Work on the cells that the file does not have yet, and give the result of all.

        Each cell is in the file once it is finished: a run that is stopped or killed goes on where it was, and ends
        with the same numbers. Cells with another table, parameter, plan, seed or version of crake are other cells.
        `n_jobs` cells are worked on at a time through joblib, each with one thread. `path=None` keeps nothing.
        A learner that fails on any table is left out of the result and named with the reason, in the headline and in
        `result.failures`; its cells that are finished stay in the file. What the only learner raises is raised, and so
        are Ctrl-C and errors of memory.
        """
        cells = self.cells()
        opened: Any = nullcontext(None) if path is None else ResultsFile(path)
        with opened as file:
            finished = {} if file is None else file.finished([cell.key for cell in cells], cells[0].measure)
            open_cells = [cell for cell in cells if cell.key not in finished]
            done, left = len(cells) - len(open_cells), cells
            _report(progress, "", done, len(left))
            trials, failed = Trials(tuple(self.learners.values())), set[int]()
            for cell, folds in self._worked((cell for cell in open_cells if cell.place[1] not in failed), n_jobs):
                if cell.place[1] in failed:  # another worker had begun it
                    continue
                if isinstance(folds, Exception):
                    trials.note(cell.place[1], folds, cell.where)
                    failed.add(cell.place[1])
                    left = [each for each in left if each.place[1] not in failed]
                    done = sum(each.key in finished for each in left)
                else:
                    if file is not None:
                        file.append(cell, folds)
                    finished[cell.key] = folds
                    done += 1
                _report(progress, str(cell), done, len(left))
        failures = trials.finished()
        return self._result({cell.place: finished[cell.key] for cell in left}, failures)

    def cells(self) -> list[Cell]:
        """All cells, repeat after repeat: a learner that cannot do a table fails early."""
        tables = {name: table_fingerprint(table) for name, table in self.tables.items()}
        learners = {name: _text(settings_of(learner)) for name, learner in self.learners.items()}
        _refuse_duplicates(tables, "hold the same rows")
        _refuse_duplicates(learners, "are the same learner with the same parameters")
        extra = extra_measure(find_measure(self.measure, MEASURES))
        return [
            Cell((t, l, r), tables[table], learners[learner], _text(settings_of(plan)), seed, table, learner, extra)
            for r, (plan, seed) in enumerate(self._plans())
            for t, table in enumerate(self.tables)
            for l, learner in enumerate(self.learners)
        ]

    def _plans(self) -> Iterator[tuple[Plans, int]]:
        for repeat in range(self.repeats):
            if isinstance(self.plan, LeaveOneOut):
                yield self.plan, 1
            else:
                seed = self.plan.random_state + repeat
                yield replace(self.plan, random_state=seed), seed

    def _worked(self, cells: Iterable[Cell], n_jobs: int | None) -> Iterator[tuple[Cell, Folds | Exception]]:
        tables, learners = list(self.tables.values()), list(self.learners.values())
        plans = [plan for plan, _ in self._plans()]
        tasks = ((cell, tables[cell.place[0]], learners[cell.place[1]], plans[cell.place[2]]) for cell in cells)
        return work_on(tasks, n_jobs)

    def _result(self, folds: dict[tuple[int, int, int], Folds], failures: tuple[Failure, ...]) -> ExperimentResult:
        """Return the result of the learners that are left; without its baseline, the first of them is that."""
        names = tuple(self.learners)
        failed = {each.place: each for each in failures}
        left = [place for place in range(len(names)) if place not in failed]
        described = self.plan.describe()
        seeds = f"{self.repeats} repeats, repeat r with the seed + r − 1" if self.repeats > 1 else "1 repeat"
        return ExperimentResult(
            tables=tuple(self.tables),
            learners=tuple(names[place] for place in left),
            folds={(t, left.index(place), r): each for (t, place, r), each in folds.items()},
            plan=f"{described}, {seeds}",
            repeats=self.repeats,
            seed=getattr(self.plan, "random_state", 1),
            measure=self.measure,
            baseline=left.index(self.baseline) if self.baseline in left else 0,
            failed_baseline="" if self.baseline in left else names[self.baseline],
            failures=tuple(replace(each, name=names[place]) for place, each in failed.items()),
            titles=tuple(name for name, learner in self.learners.items() if name == title_of(learner)),
        )


def _named_tables(tables: Iterable[Any] | Mapping[str, Any]) -> dict[str, Table]:
    if isinstance(tables, Table | str | Path):
        raise CrakeError("tables = one table; expected several, in a list: an experiment compares over tables")
    items = tables.items() if isinstance(tables, Mapping) else ((None, table) for table in tables)
    named: dict[str, Table] = {}
    for name, source in items:
        table = source if isinstance(source, Table) else read(source)
        if not has_numeric_target(table):
            check_target(table)
        _add(named, str(name or table.name), table, "table")
    return _not_empty(named, "tables")


def _predict_numbers(tables: Mapping[str, Table]) -> bool:
    """Return True if the targets of all tables are numeric, False if none is; raise if only some are."""
    kinds = {name: has_numeric_target(table) for name, table in tables.items()}
    if any(kinds.values()) != all(kinds.values()):
        number = next(name for name, is_numeric in kinds.items() if is_numeric)
        other = next(name for name, is_numeric in kinds.items() if not is_numeric)
        raise CrakeError(f"the target of {number!r} is numeric and that of {other!r} is not; expected one kind")
    return any(kinds.values())


def _named_learners(learners: Iterable[Any] | Mapping[str, Any], *, numbers: bool) -> dict[str, Any]:
    if isinstance(learners, str) or hasattr(learners, "get_params"):
        raise CrakeError("learners = one learner; expected several, in a list: an experiment compares learners")
    items = learners.items() if isinstance(learners, Mapping) else ((None, learner) for learner in learners)
    named: dict[str, Any] = {}
    for name, each in items:
        learner = learner_of(each, numbers=numbers)
        _add(named, str(name or title_of(learner)), learner, "learner")
    if refuse_mixed(list(_not_empty(named, "learners").values())) != numbers:
        kind, learner = ("numeric", "a regressor") if numbers else ("not numeric", "a classifier")
        raise CrakeError(f"the target of the tables is {kind}, and {next(iter(named))} is not {learner}")
    return named


def _add(named: dict[str, Any], name: str, value: Any, what: str) -> None:
    if name in named:
        raise CrakeError(f"two {what}s are called {name!r}; give a mapping with a name of its own for each")
    named[name] = value


def _not_empty(named: dict[str, Any], what: str) -> dict[str, Any]:
    if not named:
        raise CrakeError(f"there are no {what}; expected at least one")
    return named


def _refuse_duplicates(fingerprints: dict[str, str], why: str) -> None:
    names: dict[str, str] = {}
    for name, fingerprint in fingerprints.items():
        if fingerprint in names:
            raise CrakeError(f"{names[fingerprint]!r} and {name!r} {why}; leave one out")
        names[fingerprint] = name


def _checked_plan(plan: object, repeats: int) -> Plans:
    if not isinstance(plan, CrossValidation | Holdout | HashedFolds | LeaveOneOut):
        raise CrakeError(
            f"the plan is {plan!r}; expected CrossValidation, Holdout (with repeats: random subsampling) or "
            "LeaveOneOut: tests of significance know no others"
        )
    if isinstance(plan, CrossValidation) and plan.repeats != 1:
        raise CrakeError(f"the plan repeats {plan.repeats} times by itself; give repeats to the experiment instead")
    if isinstance(plan, LeaveOneOut) and repeats > 1:
        raise CrakeError(f"leave-one-out draws nothing: {repeats} repeats would be the same; expected repeats=1")
    return plan


def _text(settings: Any) -> str:
    return json.dumps(settings, sort_keys=True, ensure_ascii=False)


def _report(progress: Progress | None, text: str, done: int, total: int) -> None:
    if progress is not None:
        progress(text, done, total)
