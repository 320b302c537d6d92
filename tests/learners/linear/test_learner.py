"""Linear regression of tables: nominal columns, gaps, collinear columns, weights, files, scans."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.arithmetic import value_of

import crake
from crake.errors import DataError
from crake.statistics.blocks import BLOCK
from crake.table.convert.frames import from_frame


def prices(rows: int = 200, seed: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "area": rng.uniform(30, 200, rows),
            "town": rng.choice(["Bonn", "Kiel", "Ulm"], rows),
            "age": np.where(rng.random(rows) < 0.1, np.nan, rng.integers(0, 90, rows)),
        }
    )
    frame["price"] = (
        50 + 3 * frame.area + frame.town.map({"Bonn": 0, "Kiel": -40, "Ulm": 25}) - 0.5 * frame.age.fillna(30)
    ) + rng.normal(0, 5, rows)
    return frame


def dummies(frame: pd.DataFrame) -> np.ndarray:
    """The columns as a textbook writes them."""
    age = frame.age.fillna(frame.age.mean())
    columns = [np.ones(len(frame)), frame.area, frame.town == "Kiel", frame.town == "Ulm", age, frame.age.isna()]
    return np.column_stack([np.asarray(column, float) for column in columns])


def test_against_lstsq_on_columns_written_out() -> None:
    frame = prices()
    model = crake.LinearRegressor().fit(frame.drop(columns="price"), frame.price)
    X = dummies(frame)
    expected, squares, *_ = np.linalg.lstsq(X, frame.price.to_numpy(), rcond=None)
    assert model.terms_ == ("(intercept)", "area", "town = Kiel", "town = Ulm", "age", "age missing")
    np.testing.assert_allclose(model.coefficients_, expected, rtol=1e-9)
    variance = squares[0] / (len(frame) - 6) * np.linalg.inv(X.T @ X)
    np.testing.assert_allclose(model.standard_errors_, np.sqrt(np.diagonal(variance)), rtol=1e-8)
    np.testing.assert_allclose(model.predict(frame.drop(columns="price")), X @ expected, rtol=1e-10)
    assert model.summary().references == (("town", "Bonn"),)


@pytest.mark.parametrize("missing", ["indicator", "mean", "drop"])
def test_scatter_is_the_same_as_orthogonal(missing: str) -> None:
    frame = prices()
    X, y = frame.drop(columns="price"), frame.price
    one = crake.LinearRegressor(missing=missing, solver="orthogonal").fit(X, y)
    other = crake.LinearRegressor(missing=missing, solver="scatter").fit(X, y)
    np.testing.assert_allclose(other.coefficients_, one.coefficients_, rtol=1e-9)
    np.testing.assert_allclose(other.standard_errors_, one.standard_errors_, rtol=1e-8)
    assert other.r2_ == pytest.approx(one.r2_, rel=1e-10)
    assert one.dropped_ == (frame.age.isna().sum() if missing == "drop" else 0)
    assert np.isfinite(one.predict(X)).all()


def test_without_an_intercept_both_ways() -> None:
    frame = prices()
    X, y = frame[["area", "town"]], frame.price
    one, other = (crake.LinearRegressor(fit_intercept=False, solver=s).fit(X, y) for s in ("orthogonal", "scatter"))
    assert one.terms_ == ("area", "town = Kiel", "town = Ulm")
    np.testing.assert_allclose(other.coefficients_, one.coefficients_, rtol=1e-9)
    np.testing.assert_allclose(other.standard_errors_, one.standard_errors_, rtol=1e-8)
    constant = crake.LinearRegressor(fit_intercept=False).fit([[2.0, 1.0], [2.0, 3.0], [2.0, 4.0]], [1.0, 2.0, 4.0])
    assert constant.aliased_ == (), "without an intercept a constant column is one"


def test_a_weight_is_a_number_of_copies() -> None:
    frame = prices(60)
    X, y = frame.drop(columns="price"), frame.price
    weights = np.random.default_rng(5).integers(0, 4, len(frame))
    places = np.repeat(np.arange(len(frame)), weights)
    for solver in ("orthogonal", "scatter"):
        one = crake.LinearRegressor(solver=solver).fit(X, y, sample_weight=weights)
        other = crake.LinearRegressor(solver=solver).fit(X.iloc[places], y.iloc[places])
        np.testing.assert_allclose(one.coefficients_, other.coefficients_, rtol=1e-9)
        np.testing.assert_allclose(one.standard_errors_, other.standard_errors_, rtol=1e-9)


def test_collinear_columns_are_named_and_left_out() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 30))
    X = pd.DataFrame({"a": a, "b": b, "sum": a + b, "twice": 2 * a, "same": np.full(30, 7.0)})
    y = 1 + a - b + rng.normal(0, 0.1, 30)
    expected = crake.LinearRegressor().fit(X[["a", "b"]], y)
    for solver in ("orthogonal", "scatter"):
        model = crake.LinearRegressor(solver=solver).fit(X, y)
        assert model.aliased_ == ("sum", "twice", "same")
        np.testing.assert_allclose(model.coefficients_[:3], expected.coefficients_, rtol=1e-8)
        assert np.isnan(model.coefficients_[3:]).all()
        np.testing.assert_allclose(model.predict(X), expected.predict(X[["a", "b"]]), rtol=1e-8)
        assert "sum, twice, same" in str(model.summary())


def test_linear_with_more_columns_than_rows() -> None:
    X = np.random.default_rng(1).normal(size=(5, 12))
    y = np.arange(5.0)
    model = crake.LinearRegressor().fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-10)
    assert len(model.aliased_) == 8
    with pytest.raises(crake.CrakeError, match="no degree of freedom"):
        _ = model.standard_errors_
    assert "–" not in str(model.summary().lines())


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e308, 1e-306])
def test_columns_at_the_ends_of_the_floats(scale: float) -> None:
    x = np.array([1.0, 2.0, 3.0, 5.0, 8.0]) / 10
    model = crake.LinearRegressor().fit((x * scale)[:, None], 3 + 2 * x)
    np.testing.assert_allclose(model.predict((x * scale)[:, None]), 3 + 2 * x, rtol=1e-12)
    assert np.isfinite(model.standard_errors_).all()
    if scale > 1:
        with pytest.raises(crake.CrakeError, match="divide the target"):
            crake.LinearRegressor().fit(x[:, None], (3 + 2 * x) * 1e300)


def test_one_predictor_by_hand() -> None:
    model = crake.LinearRegressor().fit([[1.0], [2.0], [3.0], [4.0]], [1.0, 3.0, 4.0, 6.0])
    workings = model.explain([2.5])
    assert [str(step) for step in workings.steps] == [
        "w = Σ x·(y − mean of y) / (Σ x² − (Σ x)²/n) = 8 / (30 − 10²/4) = 1.6",
        "b = mean of y − w·mean of x = 3.5 − 1.6 × 10/4 = −0.5",
        "intercept = −0.5",
        "x0 = 1.6 × 2.5 = 4",
        "target = −0.5 + 4 = 3.5",
    ]
    assert float(workings) == pytest.approx(3.5)


def test_new_values_and_gaps_are_explained() -> None:
    frame = prices()
    model = crake.LinearRegressor().fit(frame.drop(columns="price"), frame.price)
    workings = model.explain({"area": 100.0, "town": "Jena", "age": None})
    assert "counts as the reference level Bonn" in workings.notes[0]
    total = sum(value_of(step.value) for step in workings.steps[:-1])
    assert float(workings) == pytest.approx(total, rel=1e-3)


def test_files(tmp_path: Path) -> None:
    frame = prices()
    X = frame.drop(columns="price")
    for model in (
        crake.LinearRegressor().fit(X, frame.price),
        crake.LinearRegressor(missing="mean", reference="frequent").fit(X, frame.price),
        crake.LinearRegressor().fit(X[["area"]], frame.price),
    ):
        crake.save(model, tmp_path / "model.crake")
        again = crake.load(tmp_path / "model.crake")
        used = X[list(model.feature_names_in_)]
        assert again.predict(used).tobytes() == model.predict(used).tobytes()
        assert str(again) == str(model)
        row = used.iloc[0].to_dict()
        assert str(again.explain(row)) == str(model.explain(row))


def test_linear_of_a_scanned_table(tmp_path: Path) -> None:
    frame = prices(3 * BLOCK + 17)
    frame.loc[5, "price"] = np.nan
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / "prices.parquet", row_group_size=1000)
    held = crake.read(tmp_path / "prices.parquet", target="price", numeric=["price"])
    scanned = crake.read(tmp_path / "prices.parquet", target="price", in_memory=False)  # a number without being told so
    assert not scanned.in_memory
    one = crake.LinearRegressor(solver="scatter").fit(held)
    model = crake.LinearRegressor().fit(scanned)
    np.testing.assert_array_equal(model.coefficients_, one.coefficients_)
    np.testing.assert_allclose(model.coefficients_, crake.LinearRegressor().fit(held).coefficients_, rtol=1e-9)
    assert model.left_out_ == 1
    assert model.schema_.classes == ()
    with pytest.raises(crake.CrakeError, match="orthogonal"):
        crake.LinearRegressor(solver="orthogonal").fit(scanned)


@pytest.mark.parametrize("count", [3, 40])
def test_columns_without_a_coefficient(count: int) -> None:
    y = np.arange(50.0)
    constant = crake.LinearRegressor().fit(np.full((50, count), 3.3), y)
    nothing = crake.LinearRegressor(fit_intercept=False).fit(np.zeros((50, count)), y)
    assert [len(model.aliased_) for model in (constant, nothing)] == [count, count]
    assert (constant.intercept_, constant.r2_, constant.squares_) == (24.5, 0.0, constant.total_)
    assert (nothing.r2_, nothing.squares_) == (0.0, nothing.total_)


@pytest.mark.parametrize("count", [3, 40])
def test_errors_beyond_the_floats(count: int, tmp_path: Path) -> None:
    X = np.random.default_rng(6).normal(size=(60, count)) * 1e-310
    model = crake.LinearRegressor().fit(X, 1e-200 * np.arange(60.0))
    assert np.isfinite(model.coefficient_).all()
    crake.save(model, tmp_path / "model.crake")
    assert crake.load(tmp_path / "model.crake").coefficient_.tobytes() == model.coefficient_.tobytes()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("columns", [["area", "town", "age"], ["area"]])
def test_the_order_of_the_rows_changes_no_bit(columns: list[str], weighted: bool, tmp_path: Path) -> None:
    """Compare model files of shuffled rows; the table has gaps, outliers and fractional weights."""
    frame = prices(2000)
    frame.loc[7, "area"] = 1e200
    weights = np.random.default_rng(4).random(len(frame)) if weighted else np.ones(len(frame))

    def bytes_of(order: np.ndarray) -> bytes:
        some = frame.iloc[order]
        model = crake.LinearRegressor().fit(some[columns], some.price, sample_weight=weights[order])
        crake.save(model, tmp_path / "model.crake")
        return (tmp_path / "model.crake").read_bytes()

    expected = bytes_of(np.arange(len(frame)))
    assert bytes_of(np.arange(len(frame))[::-1]) == expected
    assert bytes_of(np.random.default_rng(5).permutation(len(frame))) == expected


def test_both_ways_of_solving_give_the_same_coefficients(monkeypatch: pytest.MonkeyPatch) -> None:
    """In whole numbers and in refined floats, with names, gaps and terms that are sums of others."""
    frame = prices(300)
    frame["twice"], frame["region"] = 2 * frame.area, np.where(frame.town == "Kiel", "north", "south")
    X, y = frame.drop(columns="price"), frame.price
    for intercept, aliased in ((True, ("twice", "region = south")), (False, ("twice",))):
        monkeypatch.setattr("crake.learners.linear.exact_solution.FEW", 1000)
        one = crake.LinearRegressor(fit_intercept=intercept).fit(X, y)
        monkeypatch.setattr("crake.learners.linear.exact_solution.FEW", 0)
        other = crake.LinearRegressor(fit_intercept=intercept).fit(X, y)
        assert one.aliased_ == other.aliased_ == aliased
        np.testing.assert_array_equal(one.coefficient_, other.coefficient_)
        np.testing.assert_allclose(one.standard_errors_, other.standard_errors_, rtol=1e-12)
        assert one.condition_ == pytest.approx(other.condition_, rel=1e-9)
        assert one.squares_ == pytest.approx(other.squares_, rel=1e-14)


@pytest.mark.parametrize("solver", ["auto", "orthogonal", "scatter"])
def test_names_of_single_rows_are_refused_before_they_fill_the_memory(solver: str) -> None:
    frame = pd.DataFrame({"id": [f"r{k}" for k in range(20_000)], "x": np.arange(20_000.0)})
    with pytest.raises(crake.CrakeError, match=r"20,001 terms \('id' has 20,000 levels\) are too many.*3\.2 GB"):
        crake.LinearRegressor(solver=solver).fit(frame, frame.x)


def test_many_more_columns_than_rows_are_solved_by_rows() -> None:
    """Their cross-products would take 400 MB; of 12 rows 12 columns have a coefficient."""
    X = np.random.default_rng(2).normal(size=(12, 7000))
    model = crake.LinearRegressor().fit(X, X[:, 0] + X[:, 1])
    assert len(model.aliased_) == 7001 - 12
    np.testing.assert_allclose(model.predict(X), X[:, 0] + X[:, 1], atol=1e-9)


def test_weights_that_are_no_numbers() -> None:
    for learner in (crake.LinearRegressor(), crake.LogisticClassifier(), crake.NeighborsRegressor()):
        with pytest.raises(crake.CrakeError, match="sample_weight holds what is not a number"):
            learner.fit([[1.0], [2.0], [3.0]], [1, 2, 2], sample_weight=["x", "y", "z"])


def test_linear_raises_on_bad_requests() -> None:
    frame = prices(40)
    with pytest.raises(crake.CrakeError, match="missing='error'"):
        crake.LinearRegressor(missing="error").fit(frame.drop(columns="price"), frame.price)
    table = from_frame(frame, target="town")
    with pytest.raises(crake.CrakeError, match="not numeric"):
        crake.LinearRegressor().fit(table)
    with pytest.raises(crake.CrakeError, match="confidence"):
        crake.LinearRegressor().fit(frame[["area"]], frame.price).summary(confidence=95)


def test_a_scan_says_what_a_table_in_memory_says(tmp_path: Path) -> None:
    """The marks of missing values, which new rows are read by, and the rows that were left out."""
    path = tmp_path / "prices.csv"
    path.write_text("size,town,price\n" + "".join(f"{i},{'bcn'[i % 3]},{i * i}\n" for i in range(30)) + "7,b,\nn,b,4\n")
    read = {"target": "price", "numeric": ["size", "price"], "missing": ["", "n"]}
    said = []
    for in_memory in (True, False):
        model = crake.LinearRegressor(missing="drop").fit(crake.read(path, in_memory=in_memory, **read))
        said.append((model.missing_, model.left_out_, model.dropped_, model.notes_))
    assert said[0] == said[1] == (("", "n"), 1, 11, ("11 rows with missing values were left out",))
    model.fit([[1.0], [2.0]], [1.0, 2.0])
    assert model.missing_ is None


@pytest.mark.parametrize("count", [3, 40])
def test_columns_that_are_nearly_sums_keep_their_digits(count: int) -> None:
    """Few terms are solved in whole numbers, more in floats where they can be, in whole numbers where they cannot."""
    draw = np.random.default_rng(1)
    x = draw.normal(0, 1, (200, count))
    x[:, 1] = x[:, 0] + 1e-9 * x[:, 1]
    y = x[:, 2] + draw.normal(0, 1, 200)
    model = crake.LinearRegressor().fit(x, y)
    assert model.free_.all()
    rotated = np.column_stack([x[:, 0], (x[:, 1] - x[:, 0]) * 1e9, x[:, 2:]])  # well conditioned, of the same span
    expected = crake.LinearRegressor(solver="orthogonal").fit(rotated, y)
    np.testing.assert_allclose(model.coef_[2:], expected.coef_[2:], rtol=1e-12)
    assert model.squares_ == pytest.approx(expected.squares_, rel=1e-12)


def test_many_columns_that_are_nearly_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many for whole numbers: rows in memory are factorised, a scan is refused with a way out."""
    monkeypatch.setattr("crake.learners.linear.exact_solution.MANY", 35)
    draw = np.random.default_rng(1)
    x = draw.normal(0, 1, (200, 40))
    x[:, 1] = x[:, 0] + 1e-5 * x[:, 1]
    y = x[:, 2] + draw.normal(0, 1, 200)
    model = crake.LinearRegressor().fit(x, y)
    np.testing.assert_array_equal(model.coef_, crake.LinearRegressor(solver="orthogonal").fit(x, y).coef_)
    with pytest.raises(DataError, match="take solver='orthogonal': an orthogonal factorisation keeps them"):
        crake.LinearRegressor(solver="scatter").fit(x, y)
