"""Dates: one rule over the whole column, days since 1970, the same in every source, in models and in what is shown."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import crake
from crake.errors import CrakeError
from crake.render.date_text import date_text
from crake.render.text.description import description_text
from crake.table.column_options import Expected
from crake.table.dates import find_dates
from crake.table.formats.arff.reader import read_arff
from crake.table.formats.csv.reader import read_csv
from crake.table.schema import Kind

EPOCH = dt.date(1970, 1, 1)
DAYS = [dt.date(2024, 3, 14), dt.date(2023, 12, 31), dt.date(2024, 2, 29), dt.date(1969, 1, 5)]
NUMBERS = [float((day - EPOCH).days) for day in DAYS]
STYLES = {
    "%Y-%m-%d": "ymd",
    "%Y/%m/%d": "ymd",
    "%d.%m.%Y": "dmy",
    "%d/%m/%Y": "dmy",
    "%m/%d/%Y": "mdy",
    "%m-%d-%Y": "mdy",
    "%d %b %Y": "dmy",
    "%B %d, %Y": "dmy",
    "%d.%m.%y": "dmy",
    "%m/%d/%y": "mdy",
    "%d-%b-%Y": "dmy",
}


@pytest.mark.parametrize("style", STYLES)
def test_styles_of_dates(style: str) -> None:
    dates = find_dates([day.strftime(style) for day in DAYS])
    assert dates is not None
    assert dates.rule == STYLES[style]
    assert dates.other == ""
    assert dates.days.tolist() == NUMBERS


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2024-03-01T10:30:00", 19783.4375),
        ("2024-03-01 10:30", 19783.4375),
        ("2024-03-01T10:30:00Z", 19783.4375),
        ("2024-03-01T11:30:00+01:00", 19783.4375),
        ("2024-03-01 10:30:00.000", 19783.4375),
        ("1.3.2024 10:30", 19783.4375),
        ("13/3/2024 10:30 PM", 19795.9375),
    ],
)
def test_points_in_time(text: str, days: float) -> None:
    dates = find_dates([text])
    assert dates is not None
    assert dates.days.tolist() == [days]


@pytest.mark.parametrize(
    "texts",
    [
        *(["2024-02-30"], ["31.04.2024"], ["2024-03-01", "1.3.2024"], ["12:30"], ["1.2.3"], ["1.2.10"], ["2024-03"]),
        *(["3 Foo 2024"], ["2024-03-01T10:00Z", "2024-03-01T10:00"], ["2024-03-01 25:00"], ["0001-01-01"], []),
        *(["20240301"], ["192.168.1.1"], ["2024-13-01"]),
    ],
)
def test_texts_that_are_no_dates(texts: list[str]) -> None:
    assert find_dates(texts) is None


def test_dates_that_two_rules_fit_stay_names_with_both_named() -> None:
    data = b"day,x\n3/4/2024,1\n5/6/2024,2\n7/8/2024,3\n"
    table = read_csv(data)
    assert table.schema["day"].kind is Kind.NOMINAL
    assert table.notes == (
        (
            "column 'day' is nominal: dates such as '3/4/2024' in line 2 may have the day or the month first; "
            "say --dates dmy or --dates mdy"
        ),
    )
    both = r"line 2, column 'day': '3/4/2024' may have the day or the month first; say --dates dmy or --dates mdy"
    with pytest.raises(CrakeError, match=both):
        read_csv(data, numeric=["day"])
    by_day, by_month = read_csv(data, dates="dmy"), read_csv(data, dates="mdy")
    assert date_text(by_day.column("day")[0]) == "2024-04-03"
    assert date_text(by_month.column("day")[0]) == "2024-03-04"
    assert read_csv(b"day\n5/5/2024\n6/6/2024\n").schema["day"].is_date
    with pytest.raises(CrakeError, match="to be ymd, dmy, mdy or text, got 'ydm'"):
        read_csv(data, dates="ydm")


@pytest.mark.parametrize(
    ("cells", "note"),
    [
        (
            ["2024-02-28", "2024-02-30", "2024-02-11"],
            "1 of 3 values is no date as yyyy-mm-dd, first '2024-02-30' in",
        ),
        (
            ["1.2.2024", "soon", "3.2.2024", "?", "never", "4.2.2024"],
            "2 of 5 values are no dates as dd.mm.yyyy (day",
        ),
        (["2024-01-02", "03.02.2024"], "1 of 2 values is no date as yyyy-mm-dd, first '03.02.2024' in line 3"),
    ],
)
def test_a_few_cells_that_are_no_dates_are_named(cells: list[str], note: str) -> None:
    data = "\n".join(["day;y", *(f"{cell};a" for cell in cells)]).encode()
    (found,) = read_csv(data, delimiter=";").notes
    assert found.startswith(f"column 'day' is nominal: {note}")
    assert "--missing" in found
    assert read_csv(data, delimiter=";", dates="text").notes == ()
    assert read_csv(data, target="day", delimiter=";").notes == ()


def test_a_date_with_the_name_of_its_month_has_no_number_first() -> None:
    (note,) = read_csv(b"day;y\nMarch 13, 2024;a\nMay 2, 2024;b\n").notes
    assert note.startswith("column 'day' holds dates, such as 'March 13, 2024': learners")


def test_names_are_kept_as_asked() -> None:
    data = b"day,x\n2024-03-01,1\n2024-03-02,2\n"
    assert read_csv(data).schema["day"].is_date
    assert read_csv(data, dates="text").schema["day"].kind is Kind.NOMINAL
    assert read_csv(data, nominal=["day"]).schema["day"].kind is Kind.NOMINAL
    assert read_csv(data, target="day").schema["day"].kind is Kind.NOMINAL


def test_every_source_gives_the_same_days(tmp_path: Path) -> None:
    text = "day,y\n" + "".join(f"{day},{'ab'[i % 2]}\n" for i, day in enumerate(DAYS))
    (tmp_path / "a.csv").write_text(text)
    arrow = pa.table({"day": DAYS, "y": ["a", "b", "a", "b"]})
    pandas = pd.DataFrame({"day": pd.to_datetime(pd.Series(DAYS)), "y": ["a", "b", "a", "b"]})
    tables = {
        "csv": crake.read(tmp_path / "a.csv", "y"),
        "scan": crake.read(tmp_path / "a.csv", "y", in_memory=False).sample(9),
        "arrow": crake.read(arrow, "y"),
        "pandas": crake.read(pandas, "y"),
        "polars": crake.read(pl.from_arrow(arrow), "y"),
        "lazy": crake.read(pl.from_arrow(arrow).lazy(), "y").sample(9),
        "untrusted": crake.read(tmp_path / "a.csv", "y", untrusted=True),
    }
    for name, table in tables.items():
        assert table.schema["day"].is_date, name
        assert table.column("day").tolist() == NUMBERS, name


def rows(count: int, style: str) -> str:
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=7 * i) for i in range(count)]
    labels = ["old" if i < count / 2 else "new" for i in range(count)]
    lines = [f"{day.strftime(style)},{i % 3},{label}" for i, (day, label) in enumerate(zip(days, labels, strict=True))]
    return "\n".join(["day,x,y", *lines])


def test_a_tree_shows_dates_is_saved_and_reads_new_tables_in_the_same_way(tmp_path: Path) -> None:
    table = read_csv(rows(40, "%d.%m.%Y").encode(), target="y")
    model = crake.C45Classifier().fit(table)
    assert "day <= 2024-05-" in str(model)
    crake.save(model, tmp_path / "m.crake")
    again = crake.load(tmp_path / "m.crake")
    assert again.schema_["day"].notation == "dmy"
    new = read_csv(b"day,x\n3.4.2024,1\n5.9.2024,1\n", expected=Expected.of_model(again))
    assert again.predict(new).tolist() == ["old", "new"]
    typed = pd.DataFrame({"day": pd.to_datetime(["2024-04-03", "2024-09-05"]), "x": [1, 1]})
    assert again.predict(typed).tolist() == ["old", "new"]
    assert again.predict(pd.DataFrame({"day": ["3.4.2024", "5.9.2024"], "x": [1, 1]})).tolist() == ["old", "new"]
    iso = read_csv(b"day,x\n2024-04-03,1\n2024-09-05,1\n", expected=Expected.of_model(again))
    assert again.predict(iso).tolist() == ["old", "new"]
    with pytest.raises(CrakeError, match=r"line 3.*'2024-13-01' is not a date as dd.mm.yyyy"):
        read_csv(b"day,x\n3.4.2024,1\n2024-13-01,1\n", expected=Expected.of_model(again))


def test_a_model_of_milliseconds_still_reads_dates() -> None:
    frame = pd.DataFrame({"day": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-06-01", "2024-06-02"])})
    old = frame["day"].astype("datetime64[ms]").astype("int64").to_frame()
    model = crake.CARTClassifier().fit(old, ["a", "a", "b", "b"])
    assert model.predict(frame).tolist() == ["a", "a", "b", "b"]
    assert model.predict(crake.read(frame)).tolist() == ["a", "a", "b", "b"]


def test_a_rule_and_a_description_show_dates_and_no_id() -> None:
    table = read_csv(rows(40, "%d.%m.%Y").encode(), target="y")
    assert "< 2024-05-16" in str(crake.OneRuleClassifier().fit(table.select(["day", "y"])))
    description = table.describe()
    assert not [warning for warning in description.warnings if "id" in warning.split()]
    assert "2024-01-01 … 2024-09-30" in " ".join(description_text(description).plain.split())


def test_plans_order_by_dates(tmp_path: Path) -> None:
    lines = rows(40, "%d.%m.%Y").splitlines()
    table = read_csv("\n".join([lines[0], *reversed(lines[1:])]).encode(), target="y")
    evaluation = crake.evaluate(crake.MajorityClassifier(), table, plan="time4:day")
    tested = evaluation.out_of_fold
    days, folds = table.column("day")[tested.rows], tested.fold
    ends = [(days[folds == fold].min(), days[folds == fold].max()) for fold in np.unique(folds)]
    assert all(last < first for (_, last), (first, _) in pairwise(ends))


@pytest.mark.parametrize("style", ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"])
def test_the_plan_of_a_command_orders_by_iso_dates(style: str) -> None:
    table = read_csv(rows(40, style).encode(), target="y")
    named = crake.evaluate(crake.MajorityClassifier(), table, plan=crake.TimeOrdered("day", steps=4)).out_of_fold
    short = crake.evaluate(crake.MajorityClassifier(), table, plan="time4:day").out_of_fold
    assert named.rows.tolist() == short.rows.tolist() == list(range(8, 40))


def test_a_plan_takes_texts_of_dates_and_names_two_rules_that_fit() -> None:
    days = ["24.12.2023", "1.3.2024", "2.3.2024", "3.1.2023"]
    tested = [
        test.tolist() for r in crake.TimeOrdered(days, steps=3).rounds([0, 1, 0, 1], "ab") for _, test in r.splits()
    ]
    assert tested == [[0], [1], [2]]
    table = read_csv(b"day,y\n3/4/2024,a\n5/6/2024,b\n7/8/2024,a\n9/8/2024,b\n", target="y")
    with pytest.raises(CrakeError, match=r"expected numbers or dates .*: say --dates dmy or --dates mdy"):
        crake.evaluate(crake.MajorityClassifier(), table, plan="time2:day")


def test_a_model_of_milliseconds_reads_the_dates_of_arff() -> None:
    head = b"@relation r\n@attribute day date yyyy-MM-dd\n@data\n"
    new = read_arff(head + b"2024-01-01\n2024-06-02\n")
    old = np.array([[1704067200000.0], [1704153600000.0], [1717200000000.0], [1717286400000.0]])
    model = crake.CARTClassifier().fit(pd.DataFrame(old, columns=["day"]), ["a", "a", "b", "b"])
    assert model.predict(new).tolist() == ["a", "b"]
