"""Predictions of Spark's data frames: those of rows in memory, and refusals before a task runs."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.engines.test_spark import made

import crake
from crake.errors import SchemaError

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")


@pytest.fixture(scope="module")
def rows() -> pa.Table:
    return made()


@pytest.fixture(scope="module")
def frame(spark: Any, rows: pa.Table) -> Any:
    return spark.createDataFrame(rows)


def test_predictions_are_a_data_frame(frame: Any, rows: pa.Table) -> None:
    table = crake.read(rows, "y", ignore=["id"])
    whole = frame.filter("id >= 0").withColumnRenamed("id", "Predicted Y")
    for learner in (crake.NaiveBayesClassifier(), crake.C45Classifier()):
        model = learner.fit(table)
        found = model.predict_proba(whole.repartition(3)).orderBy("Predicted Y").toArrow()
        assert found.column_names == ["Predicted Y", "Colour", "place", "size", "y", "predicted y_", "P(no)", "P(yes)"]
        np.testing.assert_array_equal(found["P(no)"].to_numpy(), model.predict_proba(table)[:, 0])
        assert found["predicted y_"].to_pylist() == model.predict(table).tolist()
        assert found["Colour"].to_pylist() == rows["Colour"].to_pylist()
    answered = model.predict(frame.drop("y", "id")).columns
    assert answered == ["Colour", "place", "size", "predicted y"]
    with pytest.raises(SchemaError, match="size"):
        model.predict(frame.drop("size"))


def test_what_cannot_be_predicted_is_said_at_once(frame: Any, rows: pa.Table) -> None:
    """Types are known before a task runs: the error is that of an Arrow table of these columns."""
    model = crake.NaiveBayesClassifier().fit(crake.read(rows, "y", ignore=["id"]))
    others = {
        "size": "array(size) as size",
        "place": "binary(place) as place",
        "Colour": "Colour as colour",  # names are told apart by case
    }
    for name, expression in others.items():
        odd = frame.selectExpr(*(expression if each == name else f"`{each}`" for each in frame.columns))
        found = []
        for predict in (model.predict, model.predict_proba, lambda each: model.predict(crake.read(each.toArrow()))):
            with pytest.raises(SchemaError, match=name) as raised:
                predict(odd)
            found.append(str(raised.value).replace(" not null", ""))
        assert found == found[:1] * 3
    with pytest.raises(SchemaError, match=r"columns are missing: Colour, size\. Columns found: id, place, y"):
        model.predict(frame.drop("size", "Colour"))
    with pytest.raises(SchemaError, match="2 columns of X are called 'size'"):
        model.predict(frame.select("*", "size"))


def test_columns_that_the_model_does_not_read_do_not_matter(frame: Any, rows: pa.Table) -> None:
    """Spark takes names that differ in case for one, and hands over no two columns of one name."""
    model = crake.NaiveBayesClassifier().fit(crake.read(rows, "y", ignore=["id"]))
    wide = frame.selectExpr("*", "id", "y as SIZE", "array(id) as several")
    found = model.predict(wide)
    assert found.columns == [*frame.columns, "id", "SIZE", "several", "predicted y"]
    answers = [row[-1] for row in sorted(found.collect(), key=lambda row: row[0])]
    assert answers == model.predict(crake.read(rows)).tolist()


def test_a_cell_that_cannot_be_read_ends_the_task_in_our_words(frame: Any, rows: pa.Table) -> None:
    """Texts that are numbers are read as such; of another one Spark's lines end with the error."""
    from pyspark.errors import PythonException  # noqa: PLC0415 (an extra)

    model = crake.NaiveBayesClassifier().fit(crake.read(rows, "y", ignore=["id"]))
    as_text = frame.withColumn("size", frame["size"].cast("string"))
    answers = [row[-1] for row in sorted(model.predict(as_text).collect(), key=lambda row: row[0])]
    assert answers == model.predict(crake.read(rows)).tolist()
    with pytest.raises(PythonException) as raised:
        model.predict(frame.withColumn("size", frame["place"])).collect()
    last = [line for line in str(raised.value).splitlines() if line.strip()][-1]
    assert last.startswith("crake.errors.CellError: column 'size' holds 'p")
    assert "which is not a number; expected numbers" in last


def test_numbers_and_dates_are_predicted(spark: Any) -> None:
    days = [dt.datetime(2024, 1 + i % 12, 1 + i % 28, tzinfo=dt.UTC) for i in range(120)]
    data = pa.table(
        {"day": pa.array(days, pa.timestamp("us", "UTC")), "n": list(range(120)), "kind": [i % 3 for i in range(120)]}
    )
    frame = spark.createDataFrame(data)
    model = crake.CARTRegressor(max_depth=3).fit(crake.read(data, "n", numeric=["n"]))
    found = model.predict(frame).toArrow()["predicted n"].to_numpy()
    np.testing.assert_array_equal(found, model.predict(crake.read(data, "n", numeric=["n"])))
    classifier = crake.CARTClassifier(max_depth=3).fit(crake.read(data, "kind"))
    predicted = classifier.predict(frame).toArrow()["predicted kind"]
    assert predicted.type == pa.int64()
    assert predicted.to_pylist() == classifier.predict(crake.read(data, "kind")).tolist()
