"""C4.5rules of release 8 on its golf table, as the program printed it.

Source: University of Regina, CS 831, listing of `c4.5rules -f golf -v 2`, 15 June 2000
(http://www2.cs.uregina.ca/~dbd/cs831/notes/ml/dtrees/c4.5/golf.r2, table in c4.5_prob1.html beside it).
"""

from __future__ import annotations

import pyarrow as pa
import pytest

import crake
from crake.kernels.tree.pruning.pessimistic_errors import added_errors
from crake.learners.rules.c45rules.generalising import Generaliser, paths_of
from crake.learners.rules.coded_rows import coded_rows
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.pessimistic import level_and_quantile

ROWS = """sunny 85 85 false stay, sunny 80 90 true stay, overcast 83 78 false play, rain 70 96 false play,
rain 68 80 false play, rain 65 70 true stay, overcast 64 65 true play, sunny 72 95 false stay,
sunny 69 70 false play, rain 75 80 false play, sunny 75 70 true play, overcast 72 90 true play,
overcast 81 75 false play, rain 71 80 true stay"""
PESSIMISTIC = {
    (0, 2): 50.0,
    (1, 5): 45.4,
    (3, 5): 81.9,
    (5, 14): 48.5,
    (0, 3): 37.0,
    (5, 9): 71.5,
    (2, 5): 64.8,
    (0, 4): 29.3,
    (3, 6): 71.1,
    (2, 8): 43.4,
}
"""The columns Err, Used and Pess of all rules that the listing weighs."""


def golf() -> crake.Table:
    cells = [row.split() for row in ROWS.replace("\n", " ").split(", ")]
    outlook, temperature, humidity, windy, play = zip(*cells, strict=True)
    columns = {"outlook": outlook, "temperature": map(int, temperature), "humidity": map(int, humidity)}
    return crake.read(
        pa.table({name: list(values) for name, values in {**columns, "windy": windy, "play": play}.items()}),
        target="play",
        numeric=["temperature", "humidity"],
        nominal=["windy"],
    )


def generaliser(table: crake.Table) -> Generaliser:
    (batch,) = table.batches()
    training = Training.of(table.schema, batch)
    return Generaliser(coded_rows(training), training.row_weights, 0.25)


def test_pessimistic_errors() -> None:
    """The program's normal quantile at 25 % is 0.6925, which it interpolates in a table; the exact one is 0.6745."""
    level, _ = level_and_quantile(0.25)
    weigh = generaliser(golf())
    for (e, n), printed in PESSIMISTIC.items():
        assert 100 * (e + added_errors(float(n), float(e), level, 0.6925)) / n == pytest.approx(printed, abs=0.0501)
        assert 0 <= printed - 100 * weigh.error_share(n, e) + 0.0501 < 0.5


def test_generalised_rules() -> None:
    table = golf()
    weigh = generaliser(table)
    tree = crake.C45Classifier(pruning=None, collapse=False).fit(table).tree_
    found = [round(100 * (1 - rule.error)) for rule in weigh.candidates(paths_of(tree, weigh.coded))]
    # The listing has these four, and a fifth of 54.6 % that it calls too inaccurate: humidity <= 75, for Play.
    assert sorted(found) == [50, 55, 63, 63, 71]


def test_rules_in_the_end() -> None:
    table = golf()
    model = crake.C45RulesClassifier().fit(table)
    # Both classes have no false positives: the first one, Play, comes first.
    assert [f"{rule.premise} -> {rule.answer}" for rule in model.rules()] == [
        "outlook = overcast -> play",
        "outlook = rain and windy = false -> play",
        "outlook = sunny and humidity > 75 -> stay",
        "outlook = rain and windy = true -> stay",
        "otherwise -> play",
    ]
    assert model.score(*table.to_xy()) == pytest.approx(1.0)
