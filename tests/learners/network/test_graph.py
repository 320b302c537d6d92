"""The graph of a network: order, cycles, names."""

import numpy as np
import pytest

from crake.errors import CrakeError
from crake.learners.network.conditional import check_cells, checked_probabilities, count_family, smoothed
from crake.learners.network.graph import Graph


def test_every_variable_comes_behind_its_parents():
    graph = Graph.of_arcs([("c", "d"), ("a", "c"), ("b", "c"), ("a", "d")], names=["d"])
    assert graph.names == ("d", "c", "a", "b")
    assert [graph.names[at] for at in graph.order] == ["a", "b", "c", "d"]
    assert graph.arcs == (("c", "d"), ("a", "d"), ("a", "c"), ("b", "c"))


@pytest.mark.parametrize(
    ("arcs", "message"),
    [
        ([("a", "a")], "got a → a;"),
        (
            [("x", "a"), ("a", "b"), ("b", "c"), ("c", "a")],
            "without a cycle, got (a → b → c → a|b → c → a → b|c → a → b → c);",
        ),
        ([("a", "b"), ("a", "b")], "a → b twice"),
        (["ab"], "expected an arc"),
        ([("a", 1)], "names of variables"),
        ([(str(i), str((i + 1) % 5_000)) for i in range(5_000)], "…"),
    ],
)
def test_arcs_that_make_no_network_are_named(arcs, message):
    with pytest.raises(CrakeError, match=message):
        Graph.of_arcs(arcs)


def test_an_unknown_variable_is_answered_with_the_nearest():
    with pytest.raises(CrakeError, match=r"no column 'Strom' in the network\. Did you mean 'Storm'"):
        Graph.of_arcs([("Storm", "Campfire")]).place("Strom")


def test_family_counts_and_smoothing_equal_plain_counting():
    random = np.random.default_rng(1)
    codes = random.integers(-1, 3, (200, 3))
    weights = random.integers(0, 4, 200).astype(float)
    counts = count_family(list(codes.T), (3, 3, 3), weights)
    plain = np.zeros((3, 3, 3))
    for row, weight in zip(codes, weights, strict=True):
        if (row >= 0).all():
            plain[tuple(row)] += weight
    assert (counts == plain).all()
    assert np.allclose(smoothed(counts, 2.0)[0, 1], (plain[0, 1] + 2) / (plain[0, 1].sum() + 6))
    assert np.allclose(smoothed(counts, 2.0, "bdeu")[0, 1], (plain[0, 1] + 2 / 27) / (plain[0, 1].sum() + 2 / 9))


@pytest.mark.parametrize("wrong", [[0.5, 0.6], [-0.1, 1.1], [np.nan, 1.0], [0.2, 0.3, 0.5]])
def test_lines_that_are_no_probabilities_are_refused(wrong):
    with pytest.raises(CrakeError, match="expected"):
        checked_probabilities(np.array(wrong), (2,), "the table of 'x'")


def test_a_table_that_would_not_fit_is_refused_with_its_size():
    with pytest.raises(CrakeError, match=r"1,099,511,627,776 cells .* 8,796.1 GB"):
        check_cells([2] * 40, "the table of 'x'")
    with pytest.raises(CrakeError, match=r"about 10\^6000 cells .* about 10\^5992 GB"):
        check_cells([10] * 6000, "the table of 'x'")
    with pytest.raises(CrakeError, match="would have 61 axes; expected at most 60"):
        check_cells([1] * 61, "the table of 'x'")
