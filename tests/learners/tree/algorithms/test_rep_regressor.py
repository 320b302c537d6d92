"""REPTree for numbers: predictions that WEKA 3.9.7 printed, empty branches, weights, parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import crake
from crake.learners.ensemble.bagging.samples import samples
from crake.table.schema import Kind

PRUNED = [14.469785082, 14.469785082, 32.960375147, 46.471797077, 19.758760815, 32.960375147, 46.471797077,
          14.469785082, 14.469785082, 46.471797077, 14.469785082, 14.469785082]  # fmt: skip
WHOLE = [15.681321487, 10.028412902, 32.800109649, 46.415554511, 19.48080203, 32.800109649, 46.415554511, 12.029732701,
         17.068106618, 46.415554511, 3.277250136, 24.784375]  # fmt: skip
OTHER = [10.275583149, 10.275583149, 32.862309368, 46.405116133, 19.927803195, 32.862309368, 46.405116133,
         12.867364588, 22.136216216, 46.405116133, 10.275583149, 12.791107518]  # fmt: skip
BAG = [11.895692672, 11.895692672, 30.548100756, 47.354929738, 19.859316044, 29.154410639, 45.339217932, 12.783198586,
       16.810536556, 45.339217932, 11.895692672, 11.450606641]  # fmt: skip


def made() -> crake.Table:
    """Return 48 rows of two numbers and a name, with gaps."""
    x = [None if i % 9 == 4 else i * 7 % 23 + 0.5 * (i % 2) for i in range(48)]
    c = [None if i % 11 == 7 else "abc"[i * 5 % 3 if i % 4 else 2] for i in range(48)]
    add = {"a": 9, "b": 0, "c": -6, None: 1}
    y = [round(2 * (x[i] or 10) + add[c[i]] + (i * 29 % 7 - 3) + 0.1 * i, 2) for i in range(48)]
    columns = {"x": x, "c": c, "z": [float(i * 13 % 17) for i in range(48)], "y": y}
    return crake.read(pa.table(columns), target="y", numeric=["y", "z"])


@pytest.mark.parametrize(
    ("learner", "printed"),
    [
        (crake.REPTreeRegressor(), PRUNED),
        (crake.REPTreeRegressor(pruning=None), WHOLE),
        (crake.REPTreeRegressor(folds=4, random_state=5, max_depth=3), OTHER),
    ],
    ids=["", "-P", "-N 4 -S 5 -L 3"],
)
def test_the_predictions_are_those_of_weka(learner: Any, printed: list[float]) -> None:
    table = made()
    assert [table.schema[name].kind for name in "xcz"] == [Kind.NUMERIC, Kind.NOMINAL, Kind.NUMERIC]
    np.testing.assert_allclose(learner.fit(table).predict(table)[:12], printed, atol=1e-9)


def test_wekas_bag_of_three() -> None:
    table, each = made(), []
    for sample in samples(np.ones(48), 48, 3, "weka", 1):
        member = crake.REPTreeRegressor(random_state=sample.seed).fit(table.take(sample.rows))
        each.append(member.predict(table))
    np.testing.assert_allclose(np.mean(each, axis=0)[:12], BAG, atol=1e-9)


def test_it_can_be_bagged() -> None:
    table = made()
    model = crake.BaggingRegressor(crake.REPTreeRegressor(), n_estimators=3).fit(table)
    each = [member.predict(table) for member in model.estimators_]
    np.testing.assert_allclose(model.predict(table), np.mean(each, axis=0), atol=1e-12)
    assert model.oob_score_.value > 0.5


def test_a_branch_without_rows_predicts_the_mean_above() -> None:
    rows = pa.table({"c": pa.array(["a", "a", "b", "b"]).dictionary_encode(), "y": [1.0, 2.0, 5.0, 6.0]})
    levels = pa.DictionaryArray.from_arrays(pa.array([0, 0, 1, 1]), ["a", "b", "never"])
    table = crake.read(rows.set_column(0, "c", levels), target="y", numeric=["y"])
    model = crake.REPTreeRegressor(pruning=None).fit(table)
    assert model.predict(pa.table({"c": ["a", "b", "never"]})).tolist() == [1.5, 5.5, 3.5]


def test_a_node_of_little_variance_is_a_leaf() -> None:
    x = np.arange(8.0)[:, None]
    y = np.array([0.0, 0.0, 0.1, 0.1, 9.0, 9.0, 9.0, 9.0])
    assert crake.REPTreeRegressor(pruning=None).fit(x, y).n_leaves_ == 2
    assert crake.REPTreeRegressor(pruning=None, min_variance=0).fit(x, y).n_leaves_ == 3


def test_unpruned_a_row_of_weight_2_is_two_rows_and_units_do_not_matter() -> None:
    table = made()
    twice = np.repeat(np.arange(48), 1 + np.arange(48) % 2)
    learner = crake.REPTreeRegressor(pruning=None)
    by_rows = learner.fit(table.take(twice)).predict(table)
    by_weight = learner.fit(table.with_weights(1.0 + np.arange(48) % 2)).predict(table)
    np.testing.assert_allclose(by_weight, by_rows, atol=1e-9)
    X, y = table.matrix(["z"], float), np.asarray(table.column("y"))
    small = crake.REPTreeRegressor(pruning=None).fit(X, 1e-9 * y).predict(X)
    np.testing.assert_allclose(small, 1e-9 * crake.REPTreeRegressor(pruning=None).fit(X, y).predict(X))


@pytest.mark.parametrize("pruning", [None, "reduced-error"])
@pytest.mark.parametrize("power", [-340, -600, -1000])
def test_tiny_numbers_are_told_apart(pruning: str | None, power: int) -> None:
    X = np.arange(20.0)[:, None]
    y = np.where(X[:, 0] > 9, 1.0, 0.25)
    plain, tiny = (crake.REPTreeRegressor(pruning=pruning).fit(X, np.ldexp(y, by)) for by in (0, power))
    assert plain.tree_.kind.tolist() == tiny.tree_.kind.tolist()
    assert len(tiny.tree_) > 1
    np.testing.assert_array_equal(tiny.predict(X), np.ldexp(plain.predict(X), power))
