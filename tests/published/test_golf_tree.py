"""The numbers that lecture 000 works out for trees on the golf table, from the learners' own counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import crake
from crake import criteria
from crake.table.examples import load

GOLF = load("golf")


def counts(column: str) -> np.ndarray:
    """What a tree of this one column counts in its branches."""
    return crake.ID3Classifier(max_depth=1).fit(GOLF.select([column, "play"])).tree_.counts[1:]


def test_information() -> None:
    root = crake.ID3Classifier().fit(GOLF).tree_.counts[0]
    assert criteria.entropy(root) == pytest.approx(0.940, abs=5e-4)
    assert criteria.gini(root) == pytest.approx(0.459, abs=5e-4)
    assert criteria.information(counts("outlook")) == pytest.approx(0.694, abs=5e-4)


@pytest.mark.parametrize(
    ("column", "gain"), [("outlook", 0.247), ("temp", 0.029), ("humidity", 0.152), ("windy", 0.048)]
)
def test_gains(column: str, gain: float) -> None:
    """The slides print 0.246 and 0.151, from rounded terms."""
    assert criteria.information_gain(counts(column)) == pytest.approx(gain, abs=5e-4)


def test_gain_ratio_of_temperature() -> None:
    assert criteria.split_information(counts("temp")) == pytest.approx(1.557, abs=5e-4)
    assert criteria.gain_ratio(counts("temp")) == pytest.approx(0.019, abs=5e-4)


def test_midpoints() -> None:
    ages = [15, 18, 21, 22, 24, 25, 29, 31]
    assert criteria.midpoints(ages).tolist() == [16.5, 19.5, 21.5, 23, 24.5, 27, 30]


@pytest.mark.parametrize("cut", range(7))
def test_a_tree_cuts_at_midpoints(cut: int) -> None:
    ages = np.array([15, 18, 21, 22, 24, 25, 29, 31])
    model = crake.ID3Classifier().fit(ages.reshape(-1, 1), np.arange(8) > cut)
    assert model.tree_.threshold[0] == [16.5, 19.5, 21.5, 23, 24.5, 27, 30][cut]


def test_the_tree() -> None:
    assert str(crake.ID3Classifier().fit(GOLF)).split("\n\n")[0].split("\n") == [
        "outlook = Overcast: Yes (4)",
        "outlook = Rainy",
        "|   humidity = High: No (3)",
        "|   humidity = Normal: Yes (2)",
        "outlook = Sunny",
        "|   windy = False: Yes (3)",
        "|   windy = True: No (2)",
    ]


def golf_with_id() -> tuple[pd.DataFrame, np.ndarray]:
    X, y = GOLF.to_xy()
    frame = X.to_pandas()
    frame.insert(0, "id", [f"day {i}" for i in range(14)])
    return frame, y


def test_gain_falls_for_an_id() -> None:
    frame, y = golf_with_id()
    tree = crake.ID3Classifier().fit(frame, y).tree_
    assert (tree.feature[0], tree.branches[0]) == (0, 14)
    assert criteria.information_gain(tree.counts[1:]) == pytest.approx(0.940, abs=5e-4)


def test_the_plain_gain_ratio_falls_for_it_too() -> None:
    """0.940 bits gained for log2 14 = 3.807 bits told: 0.247, where outlook has 0.156."""
    frame, y = golf_with_id()
    by_id = crake.ID3Classifier(max_depth=1).fit(frame[["id"]], y).tree_.counts[1:]
    assert criteria.gain_ratio(by_id) == pytest.approx(0.247, abs=5e-4)
    assert criteria.gain_ratio(counts("outlook")) == pytest.approx(0.156, abs=5e-4)


def test_two_branches_of_two_rows_do_not() -> None:
    frame, y = golf_with_id()
    with_id, without = crake.C45Classifier().fit(frame, y), crake.C45Classifier().fit(frame.drop(columns="id"), y)
    assert str(with_id) == str(without)
    assert "outlook" in str(with_id)
    assert crake.C45Classifier(min_samples_leaf=1, pruning=None).fit(frame, y).tree_.feature[0] == 0
