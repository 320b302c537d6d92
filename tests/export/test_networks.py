"""Networks and averages of dependences: long chains, many missing values, and models that are too large."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.export.test_code import loaded
from tests.export.test_sql import in_duckdb, in_sqlite

import crake
from crake.errors import CrakeError
from crake.export.sql import layers
from crake.learners.semi_naive import form


def chain(columns: int, rows: int = 120) -> pa.Table:
    """Return columns of names, each like the one before it, with gaps; the class shifts the first."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, rows)
    values = [(rng.random(rows) < 0.3 + 0.4 * y).astype(int)]
    for _ in range(columns - 1):
        values.append(np.where(rng.random(rows) < 0.85, values[-1], rng.integers(0, 3, rows)))
    gap = rng.random((columns, rows)) < 0.3
    named = {
        f"c{j}": [None if gap[j, i] else f"v{value}" for i, value in enumerate(own)] for j, own in enumerate(values)
    }
    return pa.table({**named, "y": np.where(y == 1, "yes", "no")})


def shares(model: Any, engine: Any, dialect: str, rows: pa.Table) -> np.ndarray:
    names, lines = engine(model.to_sql(dialect=dialect), rows)
    return np.array([[line[names.index(f"P({label})")] for label in model.classes_] for line in lines])


def test_a_chain_of_twelve_columns(tmp_path: Path) -> None:
    rows = chain(12)
    model = crake.TANClassifier().fit(crake.read(rows, target="y"))
    assert sum(parent is None for parent in model.parents_.values()) == 1
    rows = rows.drop_columns(["y"])
    expected = model.predict_proba(rows)
    (tmp_path / "chain.py").write_text(model.to_python(), encoding="ascii")
    module = loaded(tmp_path / "chain.py")
    for found in (
        [module.predict_proba(row) for row in rows.to_pylist()],
        shares(model, in_sqlite, "sqlite", rows),
        shares(model, in_duckdb, "duckdb", rows),
    ):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_queries_that_engines_would_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    model = crake.TANClassifier().fit(crake.read(chain(6), target="y"))
    monkeypatch.setattr(layers, "MOST_LAYERS", 4)
    with pytest.raises(CrakeError, match=r"queries within each other, and engines refuse more than 4: take to_python"):
        model.to_sql(dialect="duckdb")
    monkeypatch.setattr(layers, "MOST_LAYERS", 60)
    monkeypatch.setattr(layers, "MOST_COLUMNS", 30)
    with pytest.raises(CrakeError, match=r"the query needs \d+ columns on the way, and engines take some 30"):
        model.to_sql(dialect="postgres")
    assert model.to_sql(dialect="duckdb")


@pytest.mark.parametrize("learner", [crake.TANClassifier(), crake.AODEClassifier(), crake.BayesNetworkClassifier()])
def test_too_many_probabilities(learner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(form, "MOST_NUMBERS", 10)
    with pytest.raises(CrakeError, match=r"cannot be exported: it holds \d+ probabilities, and a file of code .* 10;"):
        learner.fit(crake.read(chain(3), target="y")).to_python()


def test_a_column_with_two_parents_says_what_to_do() -> None:
    arcs = [("y", "c0"), ("c0", "c2"), ("c1", "c2")]
    table = crake.read(chain(3), target="y")
    with pytest.raises(CrakeError, match=r"'c2' has 2 parents beside the class.* fit it with missing='mode'"):
        crake.BayesNetworkClassifier(arcs).fit(table).exported()
    assert crake.BayesNetworkClassifier(arcs, missing="mode").fit(table).to_c()
