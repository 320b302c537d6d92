"""The bundled tables against the counts that the textbooks print."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn import datasets

from crake.errors import ColumnNotFound, CrakeError
from crake.table import examples
from crake.table.schema import Kind
from crake.table.table import Table


def counts(table: Table, column: str) -> dict[tuple[object, object], int]:
    arrow = table.to_arrow()
    return dict(Counter(zip(arrow.column(column).to_pylist(), arrow.column("play").to_pylist(), strict=True)))


SHARED = {
    "temp": {
        ("Hot", "Yes"): 2, ("Hot", "No"): 2, ("Mild", "Yes"): 4,
        ("Mild", "No"): 2, ("Cool", "Yes"): 3, ("Cool", "No"): 1,
    },
    "humidity": {("High", "Yes"): 3, ("High", "No"): 4, ("Normal", "Yes"): 6, ("Normal", "No"): 1},
    "windy": {("False", "Yes"): 6, ("False", "No"): 2, ("True", "Yes"): 3, ("True", "No"): 3},
}  # fmt: skip


@pytest.mark.parametrize(("name", "sunny", "rainy"), [("golf", (3, 2), (2, 3)), ("weather", (2, 3), (3, 2))])
def test_play_counts(name: str, sunny: tuple[int, int], rainy: tuple[int, int]) -> None:
    table = examples.load(name)
    assert counts(table, "outlook") == {
        ("Sunny", "Yes"): sunny[0], ("Sunny", "No"): sunny[1],
        ("Rainy", "Yes"): rainy[0], ("Rainy", "No"): rainy[1],
        ("Overcast", "Yes"): 4,
    }  # fmt: skip
    for column, expected in SHARED.items():
        assert counts(table, column) == expected
    assert table.schema.names == ("outlook", "temp", "humidity", "windy", "play")
    assert table.schema.classes == ("No", "Yes")


def test_tax_moments() -> None:
    table = examples.load("tax")
    assert table.schema.names == ("refund", "marital_status", "taxable_income", "evade")
    income = table.column("taxable_income")[table.target == 0]
    assert income.mean() == 110
    assert income.var(ddof=1) == 2975
    married = table.to_arrow().column("marital_status").to_pylist()
    assert sum(m == "Married" and t == 0 for m, t in zip(married, table.target, strict=True)) == 4


@pytest.mark.parametrize(
    ("name", "rows", "features", "classes"),
    [("iris", 150, 4, 3), ("breast-cancer", 569, 30, 2), ("wine", 178, 13, 3), ("digits", 1797, 64, 10)],
)
def test_tables_of_scikit_learn(name: str, rows: int, features: int, classes: int) -> None:
    table = examples.load(name)
    assert (len(table), len(table.schema.numeric), len(table.schema.classes)) == (rows, features, classes)
    assert table.schema[str(table.schema.target)].kind is Kind.NOMINAL
    assert np.all(table.target >= 0)


def test_iris_has_its_names() -> None:
    schema = examples.load("iris").schema
    assert schema.names[0] == "sepal length (cm)"
    assert schema.classes == ("setosa", "versicolor", "virginica")


def test_every_example_is_described_in_one_line() -> None:
    assert all(examples.about(name).strip() and "\n" not in examples.about(name) for name in examples.names())


def test_another_target_and_unknown_names() -> None:
    assert examples.load("golf", target="windy").schema.classes == ("False", "True")
    with pytest.raises(ColumnNotFound, match="Did you mean 'windy'"):
        examples.load("golf", target="wind")
    with pytest.raises(CrakeError, match=r"no example called 'glof'. Did you mean 'golf'"):
        examples.load("glof")


@pytest.mark.parametrize("has_file", [True, False])
def test_iris_is_scikit_learns(has_file: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_file:
        monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    iris, theirs = examples.load("iris"), datasets.load_iris()
    X, y = iris.to_xy()
    np.testing.assert_array_equal(X.to_numpy(dtype=float) if hasattr(X, "to_numpy") else X, theirs.data)
    assert [column.name for column in iris.schema.features] == theirs.feature_names
    assert list(y) == theirs.target_names[theirs.target].tolist()
    assert iris.schema.classes == ("setosa", "versicolor", "virginica")
