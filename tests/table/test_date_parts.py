"""Year, month and weekday of dates: where they help, in models, in files and in new rows."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from tests.modelfile.repaired import changed

import crake
from crake.errors import CrakeError
from crake.modelfile.writing import model_bytes
from crake.table.column_options import Expected
from crake.table.date_parts import part_array, reasons_against
from crake.table.formats.csv.reader import read_csv
from crake.table.schema import NOTATIONS
from crake.table.table import Table

EPOCH = dt.date(1970, 1, 1)


def text(count: int = 240, step: int = 4, style: str = "%d.%m.%Y") -> str:
    days = [dt.date(2021, 1, 4) + dt.timedelta(days=step * i) for i in range(count)]
    rows = [f"{day.strftime(style)},{i % 5},{'hi' if day.month in (6, 7, 8) else 'lo'}" for i, day in enumerate(days)]
    return "\n".join(["day,x,y", *rows]) + "\n"


@pytest.fixture(scope="module")
def table() -> Table:
    return read_csv(text().encode(), target="y")


@pytest.fixture(scope="module")
def model(table: Table) -> crake.C45Classifier:
    return crake.C45Classifier().fit(table.with_date_parts())


def test_parts_are_those_of_the_calendar() -> None:
    dates = [
        dt.date(1969, 12, 31),
        dt.date(1970, 1, 1),
        dt.date(2024, 2, 29),
        dt.date(1600, 3, 1),
        dt.date(9999, 12, 31),
    ]
    days = np.array([*((date - EPOCH).days + 0.9 for date in dates), np.nan, 1e9])
    assert part_array(days, "year").tolist()[:5] == [date.year for date in dates]
    assert part_array(days, "month").tolist() == [*(date.month - 1 for date in dates), -1, -1]
    assert part_array(days, "weekday").tolist() == [*(date.weekday() for date in dates), -1, -1]
    assert np.isnan(part_array(days, "year")[5:]).all()


@pytest.mark.parametrize(
    ("days", "helpful"),
    [
        (np.arange(0.0, 1100.0, 5), ["year", "month", "weekday"]),
        (np.arange(0.0, 700.0, 5), ["month", "weekday"]),
        (np.arange(0.0, 300.0, 4), ["weekday"]),
        (np.arange(0.0, 1100.0, 7), ["year", "month"]),  # the same weekday throughout
        (np.linspace(0, 4, 100), []),
        ((np.arange("1900", "1980", dtype="datetime64[Y]")).astype("datetime64[D]").astype(float), ["year", "weekday"]),
        (np.arange(0.0, 1100.0, 50), []),
        (np.append(np.arange(0.0, 1100.0, 5), 1e9), []),
        (np.full(100, np.nan), []),
    ],
)
def test_a_part_helps_if_its_values_come_again(days: np.ndarray, helpful: list[str]) -> None:
    assert [part for part, reason in reasons_against(days).items() if not reason] == helpful


def test_a_table_gets_columns_behind_their_source_and_says_so(table: Table) -> None:
    with_parts = table.with_date_parts()
    assert with_parts.schema.names == ("day", "day.year", "day.month", "day.weekday", "x", "y")
    assert with_parts.schema["day.month"].levels[5] == "Jun"
    assert with_parts.notes[-1] == "added of 'day': day.year, day.month, day.weekday; --date-parts none leaves them out"
    short = read_csv(text(80).encode(), target="y").with_date_parts(["day"])
    assert short.schema.names == ("day", "day.weekday", "x", "y")
    assert short.notes[-1].startswith(
        "added of 'day': day.weekday; no year (fewer than 3 years); no month (no month comes again in another year); --"
    )
    assert read_csv(text(10).encode(), target="y").with_date_parts().schema.names == ("day", "x", "y")
    assert with_parts.with_date_parts().schema == with_parts.schema
    with pytest.raises(CrakeError, match="column 'x' is numeric; expected dates"):
        table.with_date_parts(["x"])


def test_a_model_makes_the_parts_of_new_rows_wherever_they_come_from(
    model: crake.C45Classifier, tmp_path: Path
) -> None:
    assert "day.month = Jun: hi" in str(model)
    crake.save(model, tmp_path / "m.crake")
    again = crake.load(tmp_path / "m.crake")
    assert again.schema_ == model.schema_
    (tmp_path / "new.csv").write_text("day,x\n3.7.2025,1\n5.11.2025,1\n,1\n")
    expected = ["hi", "lo", "lo"]
    loaded = crake.read(tmp_path / "new.csv", expected=Expected.of_model(again))
    assert loaded.schema.names == ("day", "x")
    assert again.predict(loaded).tolist() == expected
    assert again.predict(crake.read(tmp_path / "new.csv")).tolist() == expected
    assert again.predict(crake.read(tmp_path / "new.csv", in_memory=False)).tolist() == expected
    frame = pd.DataFrame({"x": [1, 1], "day": pd.to_datetime(["2025-07-03", "2025-11-05"])})
    assert again.predict(frame).tolist() == expected[:2]
    assert again.predict(frame.assign(day=["3.7.2025", "5.11.2025"])).tolist() == expected[:2]
    assert again.predict({"day": ["3.7.2025"], "x": [1]}).tolist() == ["hi"]
    assert "→ day.month = Jul" in str(again.explain({"day": dt.date(2025, 7, 3)}))
    assert again.predict(frame.drop(columns="day").assign(day=pd.NaT)).tolist() == ["lo", "lo"]
    with pytest.raises(CrakeError, match="there is no column 'day'"):
        again.predict(frame[["x"]])


def test_a_model_without_the_dates_themselves_still_reads_them(table: Table, tmp_path: Path) -> None:
    narrow = table.with_date_parts().select(["day.month", "x", "y"])
    model = crake.NaiveBayesClassifier().fit(narrow)
    (tmp_path / "new.csv").write_text("day,x\n2025-07-03,1\n2025-11-05,1\n")
    loaded = crake.read(tmp_path / "new.csv", expected=Expected.of_model(model))
    assert model.predict(loaded).tolist() == ["hi", "lo"]
    assert model._coded(loaded).notes == loaded.notes


def test_a_scan_learns_from_parts_as_memory_does(table: Table, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text())
    scan = crake.read(path, "y", in_memory=False).with_date_parts()
    whole = table.with_date_parts()
    assert scan.schema.names == whole.schema.names
    scanned, loaded = (crake.NaiveBayesClassifier().fit(rows) for rows in (scan, whole))
    assert np.array_equal(scanned.predict_proba(whole), loaded.predict_proba(table))
    assert scan.sample(3).schema["day.month"].levels == whole.schema["day.month"].levels


def test_evaluations_and_searches_learn_from_parts(table: Table) -> None:
    plain = crake.evaluate(crake.C45Classifier(), table).accuracy
    assert crake.evaluate(crake.C45Classifier(), table.with_date_parts()).accuracy > plain
    fitted = crake.Evaluation.of_model(crake.C45Classifier().fit(table.with_date_parts()), table)
    assert float(fitted.accuracy) == 1.0


@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP"])
def test_sql_compares_dates_as_dates(kind: str, table: Table) -> None:
    rng = np.random.default_rng(1)
    days = table.column("day") + (0 if kind == "DATE" else rng.integers(0, 86_400_000, len(table)) / 86_400_000)
    label = np.where((days > 19_000.25) & (days.astype(int) % 7 != 2) ^ (rng.random(len(days)) < 0.05), "a", "b")
    frame = pd.DataFrame({"day": pd.to_datetime(np.rint(days * 86_400_000), unit="ms"), "y": label})
    rows = crake.read(frame, target="y").with_date_parts().select(["day", "day.weekday", "y"])
    tree = crake.CARTClassifier().fit(rows)
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        connection.execute(f"create table t as select cast(day as {kind}) as day from frame")
        lines = connection.sql(tree.to_sql("t")).df()
    assert lines["predicted y"].tolist() == tree.predict(rows).tolist()
    query = tree.to_sql("t")
    assert query.splitlines()[2] == "-- expected: dates or points in time (DATE, TIMESTAMP) in day"
    assert 'EXTRACT(ISODOW FROM "day")' in query
    assert "TIMESTAMP '20" in query


@pytest.mark.parametrize("notation", ["dmy", "year", "point"])
def test_a_model_file_with_a_part_that_is_none_is_refused(
    notation: str, model: crake.C45Classifier, tmp_path: Path
) -> None:
    place = model.schema_.names.index("day.month")

    def change(document: Any, tensors: Any) -> None:
        del document
        tensors["schema/notations"][place] = NOTATIONS.index(notation)

    data = model_bytes(model)
    (tmp_path / "same.crake").write_bytes(changed(data, lambda document, tensors: None))
    assert crake.load(tmp_path / "same.crake").schema_ == model.schema_
    (tmp_path / "m.crake").write_bytes(changed(data, change))
    with pytest.raises(CrakeError, match="a notation of a column that is not numeric"):
        crake.load(tmp_path / "m.crake")
