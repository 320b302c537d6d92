"""An experiment put into words and figures: what is shown, and the JSON document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from crake.errors import CrakeError
from crake.evaluation.experiment.measures import measures_in, title_of
from crake.evaluation.experiment.result import ExperimentResult
from crake.evaluation.report.leaderboard import versions
from crake.metrics.measures import MEASURES, find_measure
from crake.render.experiment.board import ExperimentBoard
from crake.render.experiment.critical_difference import CriticalDifference
from crake.render.experiment.score_table import BETTER, WORSE
from crake.render.sentences import capital, first_word, listed


def board_of(result: ExperimentResult, reproduce: tuple[tuple[str, str], ...] = ()) -> ExperimentBoard:
    """Everything that is shown."""
    tables, learners = len(result.tables), len(result.learners)
    return ExperimentBoard(
        title=f"{learners} learners on {tables} {'table' if tables == 1 else 'tables'}",
        headline=headline(result),
        scores=result.table(),
        diagram=diagram_of(result),
        tests=_tests(result),
        notes=result.notes,
        protocol=_protocol(result),
        reproduce=reproduce,
        versions=versions(),
    )


def headline(result: ExperimentResult) -> str:
    """One sentence: who ranks best over the tables and from whom that cannot be told apart; then who failed."""
    return " ".join([_ranking(result), *(f"{failure}." for failure in result.failures)])


def _ranking(result: ExperimentResult) -> str:
    title = title_of(find_measure(result.measure, MEASURES))
    diagram = diagram_of(result)
    if diagram is None:
        return _headline_of_one(result)
    best = diagram.order[0]
    rivals = [result.learners[k] for k in diagram.order[1:] if any({best, k} <= set(group) for group in diagram.groups)]
    text = f"{first_word(result.learners[best], result.titles)} ranks best by {title}: "
    text += f"mean rank {diagram.mean_ranks[best]:.2f} "
    text += f"of {len(result.learners)} over {diagram.tables} tables"
    return (
        f"{text}; not distinguishable from {listed(rivals)}." if rivals else f"{text}; distinguishable from all others."
    )


def diagram_of(result: ExperimentResult) -> CriticalDifference | None:
    """The diagram, where there are tables and learners enough for it."""
    return _possible(result.critical_difference) if len(result.learners) > 1 else None


def document(result: ExperimentResult) -> dict[str, Any]:
    """For JSON, under the schema "crake-experiment/1"."""
    several = len(result.learners) > 1
    tests = {
        "friedman": _possible(result.friedman) if several else None,
        "nemenyi": _possible(result.nemenyi) if several else None,
        "holm": _possible(result.holm) if several else None,
    }
    fit, predict = result.seconds
    return {
        "schema": "crake-experiment/1",
        "tables": list(result.tables),
        "learners": list(result.learners),
        "failures": [failure.to_dict() for failure in result.failures],
        "plan": result.plan,
        "repeats": result.repeats,
        "seed": result.seed,
        "measure": result.measure,
        "headline": headline(result),
        "scores": result.table().to_dict(),
        "means": {measure.name: _nulls(result.means(measure.name)) for measure in measures_in(result.folds.values())},
        **{name: None if test is None else test.to_dict() for name, test in tests.items()},
        "fit_seconds": fit,
        "predict_seconds": predict,
        "notes": list(result.notes),
        "versions": dict(versions()),
    }


def _headline_of_one(result: ExperimentResult) -> str:
    """Too few tables or learners for ranks: what stands against the baseline."""
    scores = result.table()
    base = result.learners[scores.baseline]
    marks = [
        (name, row.scores[k].mark)
        for row in scores.rows
        for k, name in enumerate(result.learners)
        if k != scores.baseline
    ]
    better = list(dict.fromkeys(name for name, mark in marks if mark == BETTER))
    worse = list(dict.fromkeys(name for name, mark in marks if mark == WORSE))
    parts = [f"{listed(better)} better" if better else "", f"{listed(worse)} worse" if worse else ""]
    text = " and ".join(part for part in parts if part) or "No learner is shown to be better or worse"
    where = f"on {result.tables[0]}" if len(result.tables) == 1 else f"over {len(result.tables)} tables"
    if next(iter((*better, *worse)), "") in result.titles:
        text = capital(text)
    return f"{text} than {base} by {title_of(find_measure(result.measure, MEASURES))} {where}."


def _tests(result: ExperimentResult) -> tuple[str, ...]:
    if len(result.learners) < 2 or len(result.tables) < 2:
        return ()
    tests = (_possible(result.friedman), _possible(result.holm))
    return tuple(capital(str(test)) + "." for test in tests if test is not None)


def _protocol(result: ExperimentResult) -> str:
    means = result.means()
    unranked = int((~np.isfinite(means).all(axis=1)).sum())
    few = (
        f"; {unranked} of {len(result.tables)} tables are not ranked: a learner has no value there" if unranked else ""
    )
    fit, predict = result.seconds
    return f"{result.plan}; the same folds for every learner{few}; fit {fit:.2f} s, predict {predict:.2f} s"


def _possible(test: Callable[[], Any]) -> Any:
    """The test, or None where there are too few tables for it or no values."""
    try:
        return test()
    except CrakeError:
        return None


def _nulls(means: np.ndarray[Any, np.dtype[np.float64]]) -> list[list[float | None]]:
    return [[None if np.isnan(value) else float(value) for value in row] for row in means]
