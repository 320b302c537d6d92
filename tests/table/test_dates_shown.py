"""Dates are dates wherever a person sees them: descriptions, models, explanations, drawings, files."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import crake
from crake.render.drawing.axis import Axis
from crake.table.formats.arff.reader import read_arff
from crake.table.formats.arff.writer import write_arff
from crake.table.formats.csv.reader import read_csv
from crake.table.formats.csv.writer import csv_pieces
from crake.table.table import Table

DAYS = re.compile(r"\b(1[89]\d{3}|1\.9\d*e\+04)\b")
"""Days since 1970 of the years in the table, which nobody can read."""


@pytest.fixture(scope="module")
def table() -> Table:
    rng = np.random.default_rng(3)
    days = [dt.date(2021, 1, 4) + dt.timedelta(days=4 * i) for i in range(180)]
    rows = [
        f"{day},{x:.3f},{'hi' if day.month in (6, 7, 8) else 'lo'}"
        for day, x in zip(days, rng.random(180), strict=True)
    ]
    return read_csv("\n".join(["day,x,y", *rows]).encode(), target="y")


@pytest.mark.parametrize(
    "model",
    [
        crake.NaiveBayesClassifier(),
        crake.NaiveBayesClassifier(numeric="kernel"),
        crake.NaiveBayesClassifier(numeric="discretised"),
        crake.OneRuleClassifier(),
        crake.NeighborsClassifier(3),
        crake.C45Classifier(),
        crake.CHAIDClassifier(),
    ],
    ids=str,
)
def test_a_model_and_its_arithmetic_show_dates(model: object, table: Table) -> None:
    fitted = model.fit(table)  # type: ignore[attr-defined]
    one = table.take(np.array([7]))
    texts = [str(fitted), str(fitted.explain(one)), str(fitted.changes(one, table))]
    assert not [text for text in texts if DAYS.search(text)]
    assert "2021-" in texts[1]


def test_a_linear_score_names_the_date_beside_its_days(table: Table) -> None:
    one = table.take(np.array([7]))
    assert "day (2021-02-01) = " in str(crake.LogisticClassifier().fit(table).explain(one))


def test_the_discretizer_names_its_cuts_as_dates(table: Table) -> None:
    cut = crake.Discretizer("frequency", bins=4).fit(table)
    assert cut.intervals_["day"][0] == "≤ 2021-07-01"
    assert cut.transform(table).schema["day"].levels == cut.intervals_["day"]
    near = crake.Discretizer("given", cuts={"day": [19000.0, 19000.000001]}).fit(table)
    assert len(set(near.intervals_["day"])) == 3


def test_a_description_shows_dates_in_every_form(table: Table) -> None:
    description = table.describe()
    column = description.to_dict()["columns"][0]
    middle = {"mean": "2021-12-28", "median": "2021-12-28"}
    assert column["dates"] == {"minimum": "2021-01-04", **middle, "maximum": "2022-12-21"}
    assert column["minimum"] == 18631.0
    assert "dates" not in description.to_dict()["columns"][1]
    html = description.to_html()
    assert "<span>2021-01-04</span><span>mean 2021-12-28</span><span>2022-12-21</span>" in html
    assert ">date</td>" in html
    assert "2021-01-04" in str(table)


def test_drawings_have_axes_of_dates(table: Table) -> None:
    drawing = table.draw("day")
    assert "The mean is 20" in drawing.finding
    assert ">2022-01<" in drawing.svg()
    assert not DAYS.search(drawing.finding)
    model = crake.NaiveBayesClassifier().fit(table)
    for svg in (model.draw("nomogram", table=table).svg(), model.draw("column", column="day", table=table).svg()):
        assert "2022" in svg
    assert Axis.over("day", 0.0, 0.4, is_date=True).labels[1] == "1970-01-01 02:24"


def test_wrong_rows_show_dates(table: Table) -> None:
    wrong = crake.evaluate(crake.MajorityClassifier(), table).errors()
    assert "2021-06-" in str(wrong)


def test_frames_have_dates_and_searches_have_numbers(table: Table) -> None:
    assert table.to_arrow().schema.field("day").type == pa.timestamp("us")
    assert str(table.to_pandas()["day"].iloc[0]) == "2021-01-04 00:00:00"
    assert crake.read(table.to_arrow(), "y").column("day").tolist() == table.column("day").tolist()
    X, _ = table.to_xy()
    assert X.schema.field("day").type == pa.float64()


@pytest.mark.parametrize(
    ("days", "declared", "text"),
    [
        ([19783.0, np.nan], "date yyyy-MM-dd", "2024-03-01"),
        ([19783.4375, np.nan], "date 'yyyy-MM-dd\\'T\\'HH:mm:ss'", "2024-03-01T10:30:00"),
        ([19783.0 + 1 / 86_400_000, np.nan], "date 'yyyy-MM-dd\\'T\\'HH:mm:ss.SSS'", "2024-03-01T00:00:00.001"),
        ([1e9, np.nan], "numeric", "1000000000"),
    ],
)
def test_files_hold_dates_and_give_them_back(days: list[float], declared: str, text: str, tmp_path: Path) -> None:
    frame = read_csv(b"day,x\n2024-03-01,1\n,2\n")
    source = frame.require_memory().with_columns({"day": np.array(days)})
    table = Table(frame.schema, source)
    write_arff(table, tmp_path / "a.arff")
    written = (tmp_path / "a.arff").read_text()
    assert f"@attribute day {declared}\n" in written
    assert f"\n{text},1\n?,2" in written
    back = read_arff(tmp_path / "a.arff").column("day")
    assert np.array_equal(back, days, equal_nan=True)
    lines = b"".join(bytes(piece) for piece in csv_pieces(table)).decode().splitlines()
    assert lines[1].removesuffix(",1").removesuffix("000" if "." in text else "") == text.replace("T", " ")
    assert np.allclose(read_csv("\n".join(lines).encode()).column("day"), days, rtol=0, atol=1e-9, equal_nan=True)


def test_new_rows_beside_predictions_keep_their_dates(tmp_path: Path, table: Table) -> None:
    from crake.workbench.predictions import TableColumns  # noqa: PLC0415  # private to the workbench

    path = tmp_path / "a.csv"
    path.write_bytes(b"".join(bytes(piece) for piece in csv_pieces(table.head(3))))
    for in_memory in (True, False):
        columns = TableColumns(crake.read(path, in_memory=in_memory), raw=False)
        assert columns.lines(columns.take(3)).to_pylist()[0].startswith("2021-01-04,")
