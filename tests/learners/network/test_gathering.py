"""Rows of a network come in portions, go again, and are scanned: the tables are those of all rows at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.learners.network.networks import ASIA, network

import crake
from crake.errors import CrakeError, DataError
from crake.learners.network.fitting import learn_tables
from crake.learners.network.graph import Graph

ARCS = [("a", "b"), ("a", "c"), ("b", "c")]


def frame(rows: int = 60, *, gaps: float = 0.0) -> pd.DataFrame:
    random = np.random.default_rng(7)
    names = {"a": list("xyz"), "b": ["no", "yes"], "c": list("pqr")}
    made = pd.DataFrame({name: random.choice(levels, rows) for name, levels in names.items()})
    return made.mask(random.random(made.shape) < gaps)


def assert_same(one: crake.BayesNetwork, other: crake.BayesNetwork, within: float = 0.0) -> None:
    for name in other.graph.names:
        assert one.levels(name) == other.levels(name)
        difference = np.abs(one.conditional(name).probabilities - other.conditional(name).probabilities).max()
        assert difference <= within, name


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_portions_are_the_whole(gaps: float) -> None:
    rows = frame(gaps=gaps)
    rows = rows.sort_values("a", na_position="last", kind="stable")  # later portions bring new levels
    whole = crake.BayesNetwork(ARCS).fit(rows)
    net = crake.BayesNetwork(ARCS)
    for start in (0, 20, 40):
        net.partial_fit(rows.iloc[start : start + 20])
    assert_same(net, whole, 1e-12 if gaps else 0.0)
    halves = [crake.BayesNetwork(ARCS).fit(part) for part in (rows.iloc[:30], rows.iloc[30:])]
    assert_same(halves[0].merge(halves[1]), whole, 1e-12 if gaps else 0.0)


def test_rows_are_forgotten() -> None:
    rows = frame(gaps=0.1)
    net = crake.BayesNetwork(ARCS).fit(rows).forget(rows.iloc[:20])
    assert_same(net, crake.BayesNetwork(ARCS).fit(rows.iloc[20:]), 1e-12)
    with pytest.raises(CrakeError, match="only rows that were learned can be forgotten"):
        net.forget(rows)


def test_what_cannot_be_added_to_says_so() -> None:
    typed = crake.BayesNetwork.from_tables([], {"coin": {"head": 0.5, "tail": 0.5}})
    with pytest.raises(CrakeError, match="the counts behind them are not known; call fit with all rows"):
        typed.partial_fit({"coin": ["head"]})
    with pytest.raises(CrakeError, match="the same arcs and parameters"):
        crake.BayesNetwork(ARCS).fit(frame()).merge(crake.BayesNetwork(ARCS, alpha=2).fit(frame()))


def test_numbers_stay_cut_where_the_first_rows_had_them() -> None:
    iris = crake.read("iris").to_pandas()
    target, number = iris.columns[-1], iris.columns[0]
    whole = crake.BayesNetwork([(target, number)], bins=3).fit(iris)
    twice = crake.BayesNetwork([(target, number)], bins=3, alpha=2).fit(iris).partial_fit(iris.iloc[:0:-1])
    assert twice.levels(number) == whole.levels(number)
    assert twice.counts_[1].sum() == 2 * len(iris) - 1


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_a_scan_is_the_table_in_memory(gaps: float, tmp_path: Path) -> None:
    rows = frame(gaps=gaps)
    rows["n"] = np.random.default_rng(1).normal(size=len(rows))
    rows.to_csv(tmp_path / "rows.csv", index=False)
    arcs = [*ARCS, ("c", "n")]
    held, scanned = (crake.read(tmp_path / "rows.csv", in_memory=each) for each in (True, False))
    assert not scanned.in_memory
    one, other = (crake.BayesNetwork(arcs, bins=3).fit(each) for each in (scanned, held))
    assert_same(one, other)
    assert (one.log_probability(scanned) == other.log_probability(held)).all()


def test_a_row_without_any_value_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = frame(gaps=0.2)
    with_empty = pd.concat([rows, pd.DataFrame({name: [None] * 3 for name in rows})])
    assert_same(crake.BayesNetwork(ARCS).fit(with_empty), crake.BayesNetwork(ARCS).fit(rows.dropna(how="all")))
    # In a dense network the sums over such a row would not fit.
    monkeypatch.setattr("crake.learners.network.inference.plan.MOST_CELLS", 1)
    graph = Graph.of_arcs(ARCS)
    codes = np.array([[0, 1, 2], [1, 0, 0], [-1, -1, -1]], np.int32)
    learned = learn_tables(graph, [3, 2, 3], codes, np.ones(3), alpha=1)
    assert learned.objective == ()
    assert learned.counts[0].sum() == 2


def test_rows_with_gaps_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crake.learners.network.gathering.MOST_GAPS", 3)
    with pytest.raises(DataError, match="at most 3 distinct rows with missing values"):
        crake.BayesNetwork(ARCS).fit(frame(gaps=0.5))


def test_the_graph_is_made_once() -> None:
    net = network(ASIA)
    assert net.graph is net.graph
    before = net.graph
    net.arcs = net.arcs[:-1]
    assert net.graph is not before
    assert len(net.graph.arcs) == len(before.arcs) - 1
