"""Network classifiers: sums over missing values against all completions, TAN's own answers, given arcs, bad input."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import crake
from crake.errors import CrakeError, ModelFileError
from crake.learners.base.state import StateReader
from crake.learners.bayes_network.gaps import log_joints
from crake.learners.network import conditional
from crake.learners.network.graph import Graph
from crake.learners.structure import families, ordered
from crake.table.examples import load


def chain(rows: int = 80) -> tuple[Any, Any]:
    """Four columns, each like the one before it, with gaps; the class shifts the first."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, rows)
    columns = [(rng.random(rows) < 0.3 + 0.4 * y).astype(int)]
    for _ in range(3):
        columns.append(np.where(rng.random(rows) < 0.8, columns[-1], rng.integers(0, 3, rows)))
    X = np.array([[f"v{value}" for value in column] for column in columns], object).T.copy()
    X[rng.random(X.shape) < 0.15] = None
    return X, np.where(y == 1, "yes", "no")


ARCS = [("x0", "target"), ("target", "x1"), ("x2", "x1"), ("x0", "x2"), ("x1", "x3")]


@pytest.mark.parametrize("structure", [ARCS, "hill-climb", "kdb"], ids=str)
def test_missing_values_are_summed_over(structure: Any) -> None:
    X, y = chain()
    model = crake.BayesNetworkClassifier(structure, criterion="aic").fit(X, y)
    tables, target = model.tables_, model.variables_.target
    levels = [column.levels for column in model.variables_.columns]
    for row in [*X[:8], np.array([None] * 4, object), np.array(["new", None, "v1", "v0"], object)]:
        known = [[levels[j].index(cell)] if cell in levels[j] else range(len(levels[j])) for j, cell in enumerate(row)]
        joint = np.zeros(2)
        for codes in product(*known, range(2)):
            terms = [
                tables.tables[at][tuple(codes[v] for v in (*own, at))] for at, own in enumerate(tables.graph.parents)
            ]
            joint[codes[target]] += np.prod(terms)
        expected = joint / joint.sum()
        np.testing.assert_allclose(model.predict_proba([row])[0], expected, rtol=1e-10)
        assert [share for _, share in model.explain(list(row)).answer] == pytest.approx(expected.tolist(), rel=1e-10)


def test_a_missing_value_with_hundreds_of_columns_below_is_summed_over() -> None:
    graph = Graph.of_arcs([("y", "h"), *(("h", f"x{at}") for at in range(700))])
    tables = [np.array([[0.75, 0.25], [0.25, 0.75]])] * len(graph)
    tables[graph.place("y")], tables[graph.place("h")] = np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.2, 0.8]])
    codes = np.zeros((2, len(graph)), np.int32)
    codes[0, [graph.place(f"x{at}") for at in range(350)]] = 1
    codes[1, [graph.place(f"x{at}") for at in range(349)]] = 1
    codes[:, graph.place("h")] = -1
    logs = log_joints(graph, [table / 8 for table in tables], graph.place("y"), codes)  # lines need not sum to 1
    ratio = np.exp(logs[:, 0] - logs[:, 1])
    assert ratio == pytest.approx([(0.9 + 0.1) / (0.2 + 0.8), (0.9 * 9 + 0.1) / (0.2 * 9 + 0.8)])


@pytest.mark.parametrize("missing", ["marginalise", "mode"])
@pytest.mark.parametrize("criterion", ["entropy", "bdeu"])
def test_a_network_that_is_a_tree_answers_as_tan(missing: str, criterion: str) -> None:
    X, y = chain()
    network = crake.BayesNetworkClassifier("tan", criterion=criterion, missing=missing).fit(X, y)
    tan = crake.TANClassifier(criterion=criterion, missing=missing).fit(X, y)
    np.testing.assert_allclose(network.predict_proba(X), tan.predict_proba(X), rtol=1e-10)
    assert {name: (own[1:] or (None,))[0] for name, own in network.parents_.items() if own} == tan.parents_


def test_a_network_in_which_all_depend_on_the_class_alone_is_naive_bayes() -> None:
    tax = load("weather")
    network = crake.BayesNetworkClassifier("naive", alpha=1).fit(tax)
    naive = crake.NaiveBayesClassifier(alpha=1, prior="laplace").fit(tax)
    np.testing.assert_allclose(network.predict_proba(tax), naive.predict_proba(tax), rtol=1e-12)
    arcs = [("play", column.name) for column in tax.schema.features]
    np.testing.assert_array_equal(
        crake.BayesNetworkClassifier(arcs, alpha=1).fit(tax).predict_proba(tax), network.predict_proba(tax)
    )


@pytest.mark.parametrize("structure", ["hill-climb", "naive"])
@pytest.mark.parametrize("name", ["iris", "weather"])
def test_rows_are_merged_and_forgotten(structure: str, name: str) -> None:
    table = load(name)
    some, others = table.take(np.arange(0, len(table), 2)), table.take(np.arange(1, len(table), 2))
    learner = crake.BayesNetworkClassifier(structure, criterion="aic")
    whole, half = clone(learner).fit(table), clone(learner).fit(some)
    merged = half.merge(clone(learner).fit(others))
    np.testing.assert_array_equal(merged.predict_proba(table), whole.predict_proba(table))
    np.testing.assert_array_equal(whole.forget(others).predict_proba(table), half.predict_proba(table))


def test_the_network_can_be_asked_for_any_variable() -> None:
    iris = load("iris")
    model = crake.BayesNetworkClassifier("kdb").fit(iris)
    given = {"petal width (cm)": 1.9, "sepal length (cm)": 5.0}
    answer = model.network_.query("species", given=given)
    np.testing.assert_allclose(list(answer.values()), [share for _, share in model.explain(given).answer], rtol=1e-9)
    assert len(model.network_.query("petal length (cm)", given={"species": "setosa"})) == 3


def test_k2_keeps_to_the_order() -> None:
    weather, order = load("weather"), ["windy", "humidity", "temp", "outlook"]
    model = crake.BayesNetworkClassifier("k2", criterion="entropy", max_parents=3, order=order).fit(weather)
    before: set[str] = {"play"}
    for name in order:
        assert set(model.parents_[name]) <= before
        before.add(name)
    empty = crake.BayesNetworkClassifier("k2", start="empty", criterion="entropy", max_parents=1).fit(weather)
    assert max(map(len, empty.parents_.values())) == 1
    with pytest.raises(CrakeError, match=r"there is no column 'humidty'\. Did you mean 'humidity'"):
        crake.BayesNetworkClassifier("k2", order=["humidty"]).fit(weather)
    with pytest.raises(CrakeError, match="each column once in order, got 'temp' twice"):
        crake.BayesNetworkClassifier("k2", order=["temp", "temp"]).fit(weather)


@pytest.mark.parametrize("extreme", [{"tabu": 10**30}, {"sample_size": 1e-320}, {"alpha": 1.7e308}])
@pytest.mark.filterwarnings("error")
def test_extreme_parameters_are_answered(extreme: dict[str, Any]) -> None:
    shares = crake.BayesNetworkClassifier(**extreme).fit(load("weather")).predict_proba(load("weather"))
    np.testing.assert_allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize("before", [2, 4])
def test_k2_with_the_class_later_in_the_order_begins_without_a_cycle(before: int) -> None:
    names = ["windy", "humidity", "temp", "outlook"]
    order = [*names[:before], "play", *names[before:]]
    model = crake.BayesNetworkClassifier("k2", criterion="entropy", max_parents=2, order=order).fit(load("weather"))
    for at, name in enumerate(order):
        assert set(model.parents_[name]) <= set(order[:at])
        assert (model.parents_[name][:1] == ("play",)) == (at > before)


@pytest.mark.parametrize(
    ("arcs", "message"),
    [
        ([("play", "outlok")], "there is no column 'outlok'. Did you mean 'outlook'"),
        (
            [("play", "temp"), ("temp", "windy"), ("windy", "play")],
            "expected arcs without a cycle, got temp → windy → play → temp",
        ),
        (["play"], r"expected an arc as \(parent, child\), got 'play'"),
        ([("play", "temp"), ("play", "temp")], "play → temp twice"),
    ],
)
def test_arcs_that_make_no_network_are_refused(arcs: Any, message: str) -> None:
    with pytest.raises(CrakeError, match=message):
        crake.BayesNetworkClassifier(arcs).fit(load("weather"))


def test_a_table_that_does_not_fit_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditional, "MOST_CELLS", 20)
    arcs = [("play", "temp"), ("outlook", "temp"), ("windy", "temp")]
    with pytest.raises(CrakeError, match=r"the table of 'temp' given play, outlook, windy would have 36 cells"):
        crake.BayesNetworkClassifier(arcs).fit(load("weather"))


def test_a_table_of_too_many_columns_is_refused() -> None:
    rows = pd.DataFrame({f"x{i}": ["a", "a"] for i in range(70)})
    with pytest.raises(CrakeError, match=r"the table of 'target' given 70 parents would have 71 axes"):
        crake.BayesNetworkClassifier([(f"x{i}", "target") for i in range(70)]).fit(rows, ["u", "v"])


@pytest.mark.parametrize("structure", ["hill-climb", "kdb"])
def test_a_search_says_which_tables_it_passed_by(structure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "MOST_CELLS", 12)
    monkeypatch.setattr(ordered, "MOST_CELLS", 12)
    model = crake.BayesNetworkClassifier(structure, criterion="entropy").fit(load("weather"))
    assert max(counts.size for counts in model.tables_.counts) <= 12
    assert "temp" in str(model).split("passed by parents whose tables would be too large: ")[1]


def test_the_blanket_correction_lets_every_column_speak() -> None:
    weather = load("weather")
    plain = crake.BayesNetworkClassifier(criterion="bdeu").fit(weather)
    assert not any("play" in own for own in plain.parents_.values())  # 14 rows pay for no arc to the class
    linked = crake.BayesNetworkClassifier(criterion="bdeu", markov_blanket=True).fit(weather)
    assert linked.parents_["outlook"] == ("play",)
    assert linked.parents_["temp"] == ("humidity", "play")  # so humidity is a parent of a child of the class
    assert "say nothing of play" in str(plain.explain({"temp": "Hot"}))
    assert "say nothing" not in str(linked.explain({"temp": "Hot"}))


def test_a_forged_network_is_refused() -> None:
    state = crake.BayesNetworkClassifier("tan").fit(load("weather")).state()
    assert crake.BayesNetworkClassifier("tan").restore(StateReader(state)).parents_["play"] == ()
    parents = state["parents"].copy()
    widths = state["parent_widths"].copy()
    for forged, message in [
        ({"parents": parents[::-1].copy()}, "make no network|has .* cells"),
        ({"counts": state["counts"][:-1]}, "cells; expected"),
        ({"counts": state["counts"] + 100}, "more rows than there are"),
        ({"parent_widths": widths + 1}, "shares out"),
        ({"modes": np.full(5, 2, np.int32)}, "a level that is not there"),
    ]:
        with pytest.raises(ModelFileError, match=message):
            crake.BayesNetworkClassifier("tan").restore(StateReader({**state, **forged}))


def test_a_search_without_columns_that_help_answers_the_shares() -> None:
    X, y = np.arange(20.0)[:, None] % 3, np.array(["a", "b"] * 10)
    model = crake.BayesNetworkClassifier().fit(X, y)
    assert model.parents_ == {"target": ()}  # no cut of the number pays, so it is no variable
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.5, 0.5]])
    one = crake.BayesNetworkClassifier("naive").fit(X, np.array(["a"] * 20))
    assert one.predict_proba(X[:1]).tolist() == [[1.0]]


def test_given_arcs_of_a_table_with_numbers() -> None:
    """Numbers are cut by all rows first, so that no family is counted on the way."""
    iris = load("iris")
    model = crake.BayesNetworkClassifier([(iris.schema.target, name) for name in iris.schema.names[:4]]).fit(iris)
    naive = crake.BayesNetworkClassifier("naive").fit(iris)
    np.testing.assert_allclose(model.predict_proba(iris), naive.predict_proba(iris), atol=1e-12)
