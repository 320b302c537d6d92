"""Structures of networks, in processor time: hill climbing and TAN beside pgmpy and pyAgrum."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.lines import HEADER, line
from crake import BayesNetworkClassifier, Table
from crake.learners.structure.families import CodedRows, FamilyScores
from crake.table.convert.frames import from_xy

COLUMNS, MOST_PARENTS = 20, 3
Arcs = set[tuple[int, int]]


def main() -> None:
    print(HEADER)
    codes = made_rows(50_000)
    score = _score_of(codes)
    table = _table(codes)
    learner = BayesNetworkClassifier(criterion="bic", max_parents=MOST_PARENTS, start="empty")
    learner.fit(table)  # compiled once
    seconds, model = _timed(lambda: learner.fit(table), 3)
    names = {name: int(name.removeprefix("x")) for name in model.variables_.names}
    ours = score({(names[parent], names[child]) for parent, child in model.arcs_})
    print(f"hill climbing, 50k × {COLUMNS}: BIC {ours:,.1f} with {len(model.arcs_)} arcs")
    for peer, climb in (("pyAgrum", _agrum), ("pgmpy", _pgmpy)):
        found = climb(codes)
        if found is None:
            print(f"{peer} is not installed: not compared")
            continue
        peer_seconds, arcs = found
        bar = "≥ 20× faster" if peer == "pgmpy" else "not slower"
        print(
            line(f"hill climbing, BIC, ≤ 3 parents; peer: {peer}", seconds, peer_seconds, peer_seconds / seconds, bar)
        )
        print(f"  {peer}: BIC {score(arcs):,.1f} with {len(arcs)} arcs; crake's is {ours - score(arcs):+,.1f}")
    _tan()


def _tan() -> None:
    codes = made_rows(100_000)
    table = _table(codes)
    learner = BayesNetworkClassifier("tan", criterion="entropy")
    learner.fit(table)
    seconds, _ = _timed(lambda: learner.fit(table), 3)
    peer = _pgmpy_tan(codes)
    if peer is None:
        print("pgmpy is not installed: TAN is not compared")
        return
    print(line("TAN fit, 100k × 20; peer: pgmpy", seconds, peer, peer / seconds, "≥ 20× faster"))


def made_rows(rows: int) -> Any:
    """Return codes of columns that depend on up to three before them, with 2 to 4 levels."""
    generator = np.random.default_rng(1)
    columns: list[Any] = []
    for j in range(COLUMNS):
        levels = int(generator.integers(2, 5))
        parents = generator.permutation(j)[: generator.integers(0, 4)] if j else []
        configuration = np.zeros(rows, np.int64)
        for parent in parents:
            configuration = configuration * 4 + columns[parent]
        lines = generator.dirichlet(np.full(levels, 0.7), 4 ** len(parents)).cumsum(axis=1)
        drawn = (generator.random(rows)[:, None] > lines[configuration]).sum(axis=1)
        columns.append(np.minimum(drawn, levels - 1))
    return np.column_stack(columns)


def _table(codes: Any) -> Table:
    """Return the rows with the last column as the target, under the names x0, x1, …"""
    table = from_xy(codes[:, :-1], codes[:, -1], nominal="all", target_name=f"x{COLUMNS - 1}")
    next(table.batches())
    return table


def _score_of(codes: Any) -> Callable[[Arcs], float]:
    sizes = tuple(int(column.max()) + 1 for column in codes.T)
    names = tuple(f"x{j}" for j in range(COLUMNS))
    rows = CodedRows(names, sizes, np.ascontiguousarray(codes.T, np.int32), np.ones(len(codes)))
    scores = FamilyScores(rows, "bic")
    return lambda arcs: sum(scores.score(j, sorted(p for p, child in arcs if child == j)) for j in range(COLUMNS))


def _timed(work: Callable[[], Any], times: int = 1) -> tuple[float, Any]:
    """Return the least processor seconds, and the last result."""
    least, result = np.inf, None
    for _ in range(times):
        start = time.process_time()
        result = work()
        least = min(least, time.process_time() - start)
    return float(least), result


def _frame(codes: Any) -> Any:
    pandas = import_module("pandas")
    return pandas.DataFrame({f"x{j}": column.astype(str) for j, column in enumerate(codes.T)}).astype("category")


def _agrum(codes: Any) -> tuple[float, Arcs] | None:
    try:
        gum = import_module("pyagrum")
    except ImportError:
        return None
    frame = _frame(codes)

    def climb() -> Any:
        learner = gum.BNLearner(frame)
        learner.useScoreBIC()
        learner.useGreedyHillClimbing()
        learner.setMaxIndegree(MOST_PARENTS)
        return learner.learnDAG()

    seconds, dag = _timed(climb, 3)
    return seconds, set(dag.arcs())


def _pgmpy(codes: Any) -> tuple[float, Arcs] | None:
    try:
        estimators = import_module("pgmpy.estimators")
    except ImportError:
        return None
    frame = _frame(codes)

    def climb() -> Any:
        search = estimators.HillClimbSearch(frame)
        return search.estimate("bic-d", max_indegree=MOST_PARENTS, show_progress=False)

    seconds, dag = _timed(climb)
    return seconds, {(int(p[1:]), int(c[1:])) for p, c in dag.edges()}


def _pgmpy_tan(codes: Any) -> float | None:
    try:
        estimators = import_module("pgmpy.estimators")
    except ImportError:
        return None
    frame, target = _frame(codes), f"x{COLUMNS - 1}"

    def grow() -> Any:
        search = estimators.TreeSearch(frame, root_node="x0", n_jobs=1)
        return search.estimate("tan", class_node=target, show_progress=False)

    return _timed(grow)[0]
