"""The first row: found out, and never a false alarm on a table that has a header."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import crake
from crake.errors import CrakeError
from crake.table import examples
from crake.table.column_options import Expected
from crake.table.formats.csv.reader import read_csv
from crake.table.formats.csv.writer import write_csv
from crake.table.schema import Kind

SHARED = ("bank.csv.gz", "kddcup99_10pct.csv.gz")
ARFF = (
    "breast-cancer", "car", "contact-lenses", "credit-g", "diabetes", "glass", "hypothyroid", "iris", "labor", "letter",
    "mushroom", "nursery", "supermarket", "unbalanced", "vote", "weather.nominal", "weather.numeric",
)  # fmt: skip


def first_rows(path: Path, rows: int = 1500) -> bytes:
    with gzip.open(path, "rb") as file:
        return b"".join(file.readline() for _ in range(rows))


@pytest.mark.parametrize("name", examples.names())
def test_bundled_tables_have_a_header(name: str, tmp_path: Path) -> None:
    write_csv(examples.load(name), tmp_path / "file.csv", raw=True)
    table = crake.read(tmp_path / "file.csv")
    assert table.schema.names == examples.load(name).schema.names
    assert not [note for note in table.notes if "first row" in note]
    lines = (tmp_path / "file.csv").read_bytes().split(b"\n", 1)[1]
    headless = read_csv(lines)
    assert headless.schema.names[0] == "column_1", headless.notes
    assert len(headless) == len(table)


@pytest.mark.parametrize("name", SHARED)
def test_shared_tables_have_a_header(name: str, shared: Path) -> None:
    head = first_rows(shared / "data" / "csv" / name)
    table = read_csv(head)
    assert "column_1" not in table.schema.names
    assert not [note for note in table.notes if "first row" in note]
    headless = read_csv(head.split(b"\n", 1)[1])
    assert headless.schema.names[0] == "column_1", headless.notes


def test_the_spam_of_the_shared_folder_and_mammography_without_a_header(shared: Path) -> None:
    spam = read_csv(first_rows(shared / "data" / "text" / "sms-spam.tsv.gz"))
    mammography = read_csv(first_rows(shared / "data" / "csv" / "mammography.csv.gz"))
    assert mammography.schema.names[-1] == "column_7"
    assert spam.schema.names == ("class", "text")


@pytest.mark.parametrize("name", ARFF)
def test_tables_of_weka_written_as_csv_have_a_header(name: str, shared: Path, tmp_path: Path) -> None:
    table = crake.read(shared / "data" / "arff" / f"{name}.arff")
    write_csv(table.sample(1200), tmp_path / "file.csv", raw=True)
    again = crake.read(tmp_path / "file.csv")
    assert again.schema.names == table.schema.names
    assert not [note for note in again.notes if "first row" in note]
    headless = read_csv((tmp_path / "file.csv").read_bytes().split(b"\n", 1)[1])
    assert headless.schema.names[0] == "column_1", headless.notes


def test_a_target_that_is_not_found_says_that_the_first_row_is_data(tmp_path: Path) -> None:
    with pytest.raises(CrakeError, match=r"no column 'class' in .*, whose first row looks like data \(--names"):
        read_csv(b"1,2,a\n2,3,a\n4,5,b\n", target="class")


def test_a_model_of_a_file_without_a_header_predicts_one_row(tmp_path: Path) -> None:
    train, new = tmp_path / "train.data", tmp_path / "new.data"
    train.write_text("5,x,yes\n6,y,no\n7,x,yes\n8,y,no\n")
    new.write_text("5,z\n")
    model = crake.NaiveBayesClassifier().fit(*crake.read(train, "column_3").to_xy())
    rows = crake.read(new, expected=Expected.of(model.schema_))
    assert rows.schema.names == ("column_1", "column_2")
    assert len(rows) == 1


def test_a_model_with_names_and_a_file_without_them() -> None:
    expected = Expected({"age": Kind.NUMERIC, "sex": Kind.NOMINAL})
    with pytest.raises(CrakeError, match=r"no column 'age' in .* whose first row looks like data"):
        read_csv(b"31,f\n47,f\n", expected=expected)
    named = read_csv(b"31,f\n47,f\n", expected=expected, names=["age", "sex"])
    assert named.schema.names == ("age", "sex")
    assert len(named) == 2


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"names": ["a"]}, "expected 2 names, one per column, got 1"),
        ({"skip_rows": 9}, "expected more than the 9 lines that --skip-rows passes over"),
        ({"comment": "##"}, "expected one character of ASCII for --comment, got '##'"),
        ({"quote": "x"}, "to be \" or ', got 'x'"),
    ],
)
def test_options_that_do_not_fit(keywords: dict[str, object], message: str) -> None:
    with pytest.raises(CrakeError, match=message):
        read_csv(b"a,b\n1,2\n", **keywords)  # type: ignore[arg-type]
