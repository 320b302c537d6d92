"""Learning tables: counting, smoothing, and EM where values are missing."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from tests.learners.network.networks import ASIA, network

import crake
from crake.errors import CrakeError
from crake.learners.network.conditional import count_family
from crake.learners.network.fitting import learn_tables, log_probabilities
from crake.learners.network.graph import Graph
from crake.learners.network.inference.patterns import expect, patterns

GRAPH = Graph.of_arcs([("a", "c"), ("b", "c"), ("c", "d"), ("b", "e"), ("e", "d")], ["a", "b", "c", "d", "e"])
SIZES = [2, 3, 2, 3, 1]


def rows_with_gaps(rows: int = 80) -> np.ndarray:
    random = np.random.default_rng(5)
    codes = np.column_stack([random.integers(0, size, rows) for size in SIZES]).astype(np.int32)
    codes[:, 2] = codes[:, 0]
    codes[random.random(codes.shape) < 0.3] = -1
    return codes


def test_counting_gives_the_smoothed_shares_of_the_rows():
    frame = pd.DataFrame({"s": [True, True, False, None], "c": ["x", "y", "y", "y"]}).astype({"s": "boolean"})
    net = crake.BayesNetwork([("s", "c")]).fit(frame.iloc[:3])
    assert net.conditional("s").probabilities.tolist() == [2 / 5, 3 / 5]
    assert net.conditional("c").probabilities.tolist() == [[1 / 3, 2 / 3], [2 / 4, 2 / 4]]
    plain = crake.BayesNetwork([("s", "c")], alpha=0).fit(frame.iloc[:3])
    assert plain.conditional("c").probabilities.tolist() == [[0, 1], [0.5, 0.5]]
    assert plain.log_probability(frame).tolist() == pytest.approx(np.log([1 / 3, 1 / 3, 1 / 3, 2 / 3]).tolist())


def test_weights_are_copies_and_the_target_is_a_variable_like_others():
    table = crake.read("weather")
    arcs = [("play", "outlook"), ("play", "windy"), ("outlook", "windy")]
    weights = np.arange(len(table)) % 3
    copies = table.take(np.repeat(np.arange(len(table)), weights))
    one, other = (crake.BayesNetwork(arcs).fit(each, w) for each, w in ((table, weights), (copies, None)))
    for name in one.graph.names:
        assert (one.conditional(name).probabilities == other.conditional(name).probabilities).all()


@pytest.mark.parametrize(("alpha", "prior"), [(0, "cells"), (1, "cells"), (4, "bdeu")])
def test_the_objective_of_em_never_falls(alpha, prior):
    codes = rows_with_gaps()
    learned = learn_tables(GRAPH, SIZES, codes, np.ones(len(codes)), alpha=alpha, prior=prior)
    assert len(learned.objective) > 3
    assert learned.converged
    assert np.diff(learned.objective).min() > -1e-9
    if alpha == 0:
        log_p = log_probabilities(GRAPH, learned.tables, codes)
        assert learned.objective[-1] == pytest.approx(log_p.sum(), abs=1e-3)
        assert learned.objective[-1] <= log_p.sum() + 1e-9


def test_em_equals_counting_where_nothing_is_missing():
    codes = rows_with_gaps()
    codes[codes < 0] = 0
    learned = learn_tables(GRAPH, SIZES, codes, np.ones(len(codes)), alpha=1)
    assert learned.objective == ()
    assert (learned.counts[2] == count_family([codes[:, 0], codes[:, 1], codes[:, 2]], [2, 3, 2])).all()


def test_expected_counts_and_row_probabilities_equal_those_over_all_completions():
    codes = rows_with_gaps()
    codes[:, 4] = 0
    tables = learn_tables(GRAPH, SIZES, codes, np.ones(len(codes)), alpha=1).tables
    families = [(*own, at) for at, own in enumerate(GRAPH.parents)]
    plain, log_p = [np.zeros_like(table) for table in tables], []
    for row in codes:
        full = [
            each
            for each in itertools.product(*map(range, SIZES))
            if all(c in (-1, f) for c, f in zip(row, each, strict=True))
        ]
        weights = [np.prod([tables[f[-1]][tuple(each[v] for v in f)] for f in families]) for each in full]
        log_p.append(np.log(sum(weights)))
        for each, weight in zip(full, weights, strict=True):
            for at, family in enumerate(families):
                plain[at][tuple(each[v] for v in family)] += weight / sum(weights)
    counts = [count_family([codes[:, v] for v in family], [SIZES[v] for v in family]) for family in families]
    for group in patterns(GRAPH, SIZES, codes, np.ones(len(codes))):
        expect(group, tables, counts)
    assert max(np.abs(a - b).max() for a, b in zip(counts, plain, strict=True)) < 1e-10
    assert np.abs(log_probabilities(GRAPH, tables, codes) - log_p).max() < 1e-10


def test_no_row_is_lost_to_underflow():
    graph = Graph.of_arcs([("c", f"x{at}") for at in range(350)])
    random = np.random.default_rng(0)
    c = graph.place("c")
    sizes = [2 if at == c else 10 for at in range(351)]
    codes = np.column_stack([random.integers(0, size, 30) for size in sizes]).astype(np.int32)
    codes[:10, c] = -1
    learned = learn_tables(graph, sizes, codes, np.ones(30), alpha=1, max_iter=2)
    assert learned.counts[c].sum() == pytest.approx(30)
    expected = []
    for level in range(2):
        filled = np.where(codes < 0, level, codes)
        expected.append(log_probabilities(graph, learned.tables, filled))
    assert log_probabilities(graph, learned.tables, codes)[:10] == pytest.approx(np.logaddexp(*expected)[:10])
    assert np.isfinite(learned.objective).all()


def test_the_probability_of_a_row_needs_no_variable_without_known_ones_below(monkeypatch):
    codes = rows_with_gaps()
    tables = learn_tables(GRAPH, SIZES, codes, np.ones(len(codes)), alpha=1).tables
    counted = np.zeros(len(codes))
    for group in patterns(GRAPH, SIZES, codes, np.ones(len(codes))):
        counted[group.rows] += expect(group, tables, None)
    pruned = np.zeros(len(codes))
    for group in patterns(GRAPH, SIZES, codes, np.ones(len(codes)), counted=False):
        pruned[group.rows] += expect(group, tables, None)
    assert np.abs(counted - pruned).max() < 1e-12
    monkeypatch.setattr("crake.learners.network.inference.plan.MOST_CELLS", 1)
    assert log_probabilities(GRAPH, tables, np.full((1, 5), -1, np.int32)).tolist() == [0]


def test_em_recovers_what_gaps_hide():
    net = network(ASIA)
    frame = net.sample(4000, random_state=2).to_pandas()
    random = np.random.default_rng(1)
    holed = frame.mask(random.random(frame.shape) < 0.1)
    learned = crake.BayesNetwork(net.arcs).fit(holed)
    skipped = crake.BayesNetwork(net.arcs).fit(holed.dropna())
    whole = crake.BayesNetwork(net.arcs).fit(frame)

    def distance(one: crake.BayesNetwork) -> float:
        return sum(
            np.abs(one.conditional(n).probabilities - whole.conditional(n).probabilities).sum()
            for n in ("lung", "bronc", "dysp")
        )

    assert distance(learned) < 0.6 * distance(skipped)
    assert learned.objective_[-1] > learned.objective_[0]


def test_numbers_are_cut_only_when_asked():
    iris = crake.read("iris")
    arcs = [("species", "petal length (cm)"), ("petal length (cm)", "petal width (cm)")]
    arcs = [(iris.schema.target if a == "species" else a, b) for a, b in arcs]
    with pytest.raises(CrakeError, match=r"expected names in column 'petal length \(cm\)', got numbers; .* bins=3"):
        crake.BayesNetwork(arcs).fit(iris)
    net = crake.BayesNetwork(arcs, bins=3).fit(iris)
    assert len(net.levels("petal length (cm)")) == 3
    assert net.query(iris.schema.target, {"petal length (cm)": 1.4}).most_probable == iris.schema.classes[0]
    assert np.isfinite(net.log_probability(iris)).all()
    sample = net.sample(5)
    rows = [{n: v for n, v in row.items() if n in net.graph.names} for row in sample.to_pandas().to_dict("records")]
    assert np.allclose(net.log_probability(sample), [np.log(net.probability(row)) for row in rows], atol=1e-12)
    with pytest.raises(CrakeError, match=r"expected numbers in column 'petal length \(cm\)', got nominal"):
        net.log_probability({**sample.to_pandas(), "petal length (cm)": ["short"] * 5})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: crake.BayesNetwork([("outlook", "plya")]).fit(crake.read("weather")), "Did you mean 'play'"),
        (lambda: crake.BayesNetwork().fit(crake.read("weather")), "expected arcs or variables"),
        (lambda: crake.BayesNetwork([("a", "b"), ("b", "a")]), "got (a → b → a|b → a → b);"),
        (lambda: crake.BayesNetwork([("a", "b")]).fit([[1, 2]]), "finds its variables by name"),
        (lambda: crake.BayesNetwork([("a", "b")], alpha=-1), "alpha"),
        (lambda: crake.BayesNetwork([("a", "b")]).fit({"a": ["x", "y"], "b": ["x"]}), "each a list of as many values"),
        (lambda: crake.BayesNetwork([("a", "b")]).fit({"a": 1, "b": 2}), "each a list of as many values"),
        (lambda: crake.BayesNetwork([("a", "b")]).fit({"a": ["x"], "b": [None]}), "'b'"),
        (
            lambda: crake.BayesNetwork([(f"x{i}", "y") for i in range(30)]).fit(
                {f"x{i}": ["a", "b"] for i in range(30)} | {"y": ["u", "v"]}
            ),
            "cells",
        ),
    ],
)
def test_bad_input_of_a_network_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_em_does_not_stop_early_for_small_weights():
    frame = {"a": ["x", "y", None, "x"], "b": ["u", None, "v", "v"]}
    whole, small = (crake.BayesNetwork([("a", "b")], alpha=0).fit(frame, [w] * 4) for w in (1, 1e-6))
    assert abs(len(small.objective_) - len(whole.objective_)) <= 3  # the first tables differ
    assert np.allclose(small.conditional("b").probabilities, whole.conditional("b").probabilities, atol=1e-3)


@pytest.mark.parametrize("prior", ["cells", "bdeu"])
def test_the_largest_pseudo_count_makes_all_levels_equal(prior):
    frame = {"a": ["x", "y", None, "x"], "b": ["u", None, "v", "v"]}
    net = crake.BayesNetwork([("a", "b")], alpha=1.7e308, prior=prior).fit(frame)
    assert net.query(["a", "b"]).values() == [0.25] * 4


def test_em_that_stops_early_says_so():
    frame = {"a": ["x", "y", None, "x"], "b": ["u", None, "v", "v"]}
    with pytest.warns(crake.CrakeWarning, match="EM did not converge in 2 steps"):
        crake.BayesNetwork([("a", "b")], max_iter=2).fit(frame)


def test_a_value_that_was_never_seen_counts_as_missing():
    net = crake.BayesNetwork([("a", "b")]).fit({"a": ["x", "y"], "b": ["u", "v"]})
    seen, unseen = net.log_probability({"a": [None, "zz"], "b": ["u", "u"]})
    assert seen == unseen == pytest.approx(np.log(net.probability({"b": "u"})))
