"""The one entrance: every kind of source, and what is said where there is none."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake
from crake.errors import ReadError, SchemaError, TargetNotFound
from crake.learners.naive_bayes import NaiveBayesClassifier
from crake.table.describe.warnings import warnings_about
from crake.table.read import read
from crake.table.schema import Kind

CSV = b"temp,play\n85,no\n?,yes\n70,yes\n"
ARFF = b"% golf\n\n@relation golf\n@attribute temp numeric\n@attribute play {yes, no}\n@data\n85,no\n?,yes\n70,yes\n"


def parquet_bytes() -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"temp": [85, None, 70], "play": ["no", "yes", "yes"]}), sink)
    return bytes(sink.getvalue())


CONTENTS = {
    "golf.csv": CSV,
    "golf.CSV": CSV,
    "golf.tsv": CSV.replace(b",", b"\t"),
    "golf.txt": CSV,
    "golf.data": CSV,
    "golf.csv.gz": gzip.compress(CSV, mtime=0),
    "golf.tsv.gz": gzip.compress(CSV.replace(b",", b"\t"), mtime=0),
    "golf.arff": ARFF,
    "golf.arff.gz": gzip.compress(ARFF, mtime=0),
    "golf.parquet": parquet_bytes(),
}


def check_golf(source: object) -> None:
    table = read(source, "play")
    np.testing.assert_array_equal(table.column("temp"), [85, np.nan, 70])
    assert table.labels(table.target) == ["no", "yes", "yes"]


@pytest.mark.parametrize("name", CONTENTS)
def test_files_by_their_ending(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(CONTENTS[name])
    check_golf(path)
    check_golf(str(path))
    assert read(path).name == name
    assert read(path).schema.target is None


@pytest.mark.parametrize("data", [*CONTENTS.values(), ARFF.decode().encode("utf-16")], ids=[*CONTENTS, "utf-16"])
def test_standard_input_by_its_content(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    check_golf("-")


def test_standard_input_is_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CSV)))
    with pytest.raises(ReadError, match="stdin: more than the 10 bytes"):
        read("-", max_bytes=10)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_data_frames(library: type) -> None:
    check_golf(library({"temp": [85.0, None, 70.0], "play": ["no", "yes", "yes"]}))


def test_arrays_and_tables() -> None:
    table = read(np.array([[1.5, 0], [2.5, 1], [3.5, 1]]), target="x1")
    assert table.schema.classes == (0, 1)
    again = read(table, nominal=["x0"], target="x0")
    assert again.schema.classes == (1.5, 2.5, 3.5)
    assert read(table).schema == table.schema
    with pytest.raises(SchemaError, match="found a dict"):
        read({"a": [1]})


def test_a_target_of_few_whole_numbers_holds_classes_in_every_format(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,y\n1.5,0\n2.5,1\n3.5,1\n")
    pq.write_table(pa.table({"a": [1.5, 2.5, 3.5], "y": [0, 1, 1]}), tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        assert read(tmp_path / name, target="y").schema.classes == (0, 1)
        assert read(tmp_path / name, target="y", numeric="y").schema["y"].kind is Kind.NUMERIC


def test_overrides_reach_every_format(tmp_path: Path) -> None:
    for name, content in CONTENTS.items():
        (tmp_path / name).write_bytes(content)
        table = read(tmp_path / name, nominal="temp", ignore=["play"])
        assert table.schema["temp"].kind is Kind.NOMINAL
        assert len(table.schema["temp"].levels) == 2
        assert table.schema["play"].kind is Kind.IGNORED
        with pytest.raises(TargetNotFound, match=f"no column 'plya' in {name}. Did you mean 'play'"):
            read(tmp_path / name, target="plya")


def test_bundled_examples_unless_a_file_has_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read("golf").schema.target == "play"
    assert read("golf", target="windy").schema.target == "windy"
    assert read("tax", ignore=["refund"]).schema["refund"].kind is Kind.IGNORED
    (tmp_path / "golf").mkdir()
    assert len(read("golf")) == 14
    (tmp_path / "tax").write_text("a,b\n1,2\n")
    with pytest.raises(ReadError, match="tax: no ending tells the format; crake reads"):
        read("tax")


def test_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "loans.csv").write_bytes(CSV)
    with pytest.raises(ReadError, match=r"there is no such file\. Did you mean 'loans\.csv'"):
        read(tmp_path / "lones.csv")
    with pytest.raises(ReadError, match=r"Did you mean 'golf'\? Bundled examples: golf"):
        read("glof")
    with pytest.raises(ReadError, match="there is no folder"):
        read(tmp_path / "none" / "loans.csv")
    with pytest.raises(ReadError, match="this is a folder"):
        read(tmp_path)
    with pytest.raises(ReadError, match="there is no"):
        read("x" * 10_000)
    with pytest.raises(ReadError, match="there is no"):
        read("a\0b.csv")


def test_unknown_endings_list_the_known_ones(tmp_path: Path) -> None:
    (tmp_path / "loans.sav").write_bytes(b"PK")
    (tmp_path / "loans.parquet.gz").write_bytes(b"")
    with pytest.raises(ReadError, match=r"the ending '\.sav' is not known; crake reads \.csv, .*\.parquet"):
        read(tmp_path / "loans.sav")
    with pytest.raises(ReadError, match=r"'\.gz' is not known"):
        read(tmp_path / "loans.parquet.gz")


def test_options_of_csv_are_not_passed_over_in_silence(tmp_path: Path) -> None:
    (tmp_path / "golf.arff").write_bytes(ARFF)
    with pytest.raises(ReadError, match=r"golf\.arff: delimiter= is for CSV files, and this is ARFF"):
        read(tmp_path / "golf.arff", delimiter=";")
    with pytest.raises(ReadError, match="bad_rows= is for CSV files, and this is data in memory"):
        read(read("golf"), bad_rows="skip")
    (tmp_path / "golf.csv").write_bytes(b"85;no\n-;yes\n7\n")
    table = read(tmp_path / "golf.csv", delimiter=";", missing=["-"], bad_rows="skip", header=False)
    assert table.schema.names == ("column_1", "column_2")
    np.testing.assert_array_equal(table.column("column_1"), [85, np.nan])


def test_what_means_missing_is_one_word_or_several_of_any_kind(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n-9,a\n9,b\n1,a\n")
    for missing in ("-9", ["-9"], iter(["-9"])):
        table = read(path, missing=missing)
        assert np.isnan(table.column("x")).tolist() == [True, False, False]
        assert table.missing == ("-9",)


def test_an_encoding_is_refused_where_nothing_is_decoded(tmp_path: Path) -> None:
    path = tmp_path / "golf.parquet"
    path.write_bytes(parquet_bytes())
    for source in (path, tmp_path / "*.parquet", "golf", pd.DataFrame({"a": [1]})):
        with pytest.raises(ReadError, match="encoding= is for CSV, ARFF and JSON files"):
            read(source, encoding="latin-1")


def test_an_untrusted_file_is_not_scanned(tmp_path: Path) -> None:
    path = tmp_path / "golf.csv"
    path.write_bytes(CSV)
    with pytest.raises(ReadError, match="in_memory=False is for files that can be scanned, and this is an untrusted"):
        read(path, untrusted=True, in_memory=False)


def test_a_table_is_read_as_a_model_or_its_training_table_expects(tmp_path):
    training, new = tmp_path / "training.csv", tmp_path / "new.csv"
    training.write_text("code,size,y\n1,2.5,no\nx,3.5,yes\n2,1.5,no\n")
    new.write_text("size,note,code,y\n9,a,1,no\n8,b,2,yes\n")
    table = read(training, "y")
    model = NaiveBayesClassifier().fit(table)
    for expected in (model, table):
        found = read(new, expected=expected)
        assert {column.name for column in found.schema.features} == {"code", "size"}
        assert found.schema["code"].kind is Kind.NOMINAL
        # The column to predict may be there: it is not read, and not needed.
        assert model.predict(found).tolist() == model.predict(found.select(["code", "size"])).tolist()
        labelled = read(new, "y", expected=expected)
        assert labelled.schema.classes == ("no", "yes")
        assert {column.name for column in labelled.schema.features} == {"code", "size"}


def test_a_model_reads_values_alike_from_formats_that_keep_blanks_and_from_those_that_do_not(tmp_path):
    """CSV files are read without blanks around a cell; Parquet, Feather, ARFF, DuckDB and frames keep them."""
    clean = {"x": ["a", "b", "a", "b"] * 3, "y": ["p", "q", "p", "q"] * 3}
    padded = {name: [f"{value} " for value in column] for name, column in clean.items()}
    for name, columns in (("clean", clean), ("padded", padded)):
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
        rows = "".join(f"{x},{y}\n" for x, y in zip(columns["x"], columns["y"], strict=True))
        (tmp_path / f"{name}.csv").write_text("x,y\n" + rows)
    for trained in ("clean.csv", "padded.csv", "padded.parquet"):
        model = crake.NaiveBayesClassifier().fit(crake.read(tmp_path / trained, target="y"))
        expected = model.predict_proba(crake.read(tmp_path / trained, expected=model)).tolist()
        for asked in ("clean.csv", "padded.csv", "clean.parquet", "padded.parquet"):
            for in_memory in (True, False):
                table = crake.read(tmp_path / asked, target="y", expected=model, in_memory=in_memory)
                assert model.predict_proba(table).tolist() == expected
                assert float(crake.Evaluation.of_model(model, table).accuracy) == 1
        for frame in (clean, padded):
            assert model.predict_proba(pa.table({"x": frame["x"]})).tolist() == expected


def test_a_cell_like_two_levels_is_the_same_one_in_a_file_and_in_a_frame(tmp_path):
    """Files, frames and Arrow tables match by one rule: the first of several levels, and numbers as written."""
    training = pa.table({"x": ["a ", " a", "a ", " a", "1 ", "b"] * 3, "y": ["p", "q", "p", "q", "p", "q"] * 3})
    model = crake.NaiveBayesClassifier().fit(crake.read(training, target="y"))
    for cell, same in (("a", " a"), (1, "1 ")):
        asked = pa.table({"x": [cell, cell]})
        pq.write_table(asked, tmp_path / "asked.parquet")
        expected = model.predict_proba(pa.table({"x": [same, same]})).tolist()
        assert expected[0][0] != 0.5
        for rows in (asked, asked.to_pandas(), crake.read(asked), crake.read(tmp_path / "asked.parquet")):
            assert model.predict_proba(rows).tolist() == expected
        scanned = crake.read(tmp_path / "asked.parquet", expected=model, in_memory=False)
        assert model.predict_proba(scanned).tolist() == expected


def test_values_that_differ_in_blanks_only_are_warned_of():
    columns = {"x": ["b", "b ", " b", "c"] * 3, "z": [" d", "e"] * 6, "y": ["p", "q"] * 6}
    table = crake.read(pa.table(columns), target="y")
    found = [warning for warning in warnings_about(table) if "blanks" in warning]
    assert len(found) == 1
    assert found[0].startswith("'b' and ' b' of 'x' differ in blanks only (and 1 more pair): here they are two")
    assert found[0] in crake.compare(table, learners=["majority", "1r"], plan="cv2").warnings
