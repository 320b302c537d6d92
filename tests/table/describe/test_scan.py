"""A table that is scanned is described as the same rows in memory are, but for what needs rows side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake
from crake.render.description import Description
from crake.table.column_options import ColumnOptions
from crake.table.describe import column_counts as columns_seen
from crake.table.describe import scan as describe_scan
from crake.table.formats.parquet.scan import ParquetFiles
from crake.table.sources.scanned_table import scanned
from crake.table.table import Table

ROWS = 1200


def columns() -> dict[str, Any]:
    generator = np.random.default_rng(5)
    return {
        "id": [f"n{i:05}" for i in range(ROWS)],
        "size": [None if i % 9 == 0 else float(v) for i, v in enumerate(generator.normal(size=ROWS).round(2))],
        "huge": [1e308 if i % 2 else -1e308 for i in range(ROWS)],
        "colour": [None if i % 7 == 0 else ("red", "blue", "green")[i % 3] for i in range(ROWS)],
        "constant": ["same"] * ROWS,
        "nothing": pa.nulls(ROWS, pa.float64()),
        "copy": [i % 4 for i in range(ROWS)],
        "truth": [i % 5 == 0 for i in range(ROWS)],
        "y": [None if i == 17 else f"c{i % 4}" for i in range(ROWS)],
    }


def both(tmp_path: Path, rows: dict[str, Any], target: str | None, **wishes: Any) -> tuple[Description, Description]:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(rows), path, row_group_size=250)
    scan = scanned(ParquetFiles([path], "t.parquet", rows_per_portion=100), ColumnOptions.of(target=target, **wishes))
    return scan.describe(), crake.read(path, target, in_memory=True, **wishes).describe()


def rounded(description: Description) -> list[Any]:
    return [replace(c, mean=None if c.mean is None else pytest.approx(c.mean, rel=1e-12)) for c in description.columns]


def all_but_repeats(description: Description) -> tuple[str, ...]:
    """The warnings of rows in memory but for the one on repeated rows, which a scan does not look for."""
    *others, last = description.warnings
    assert "repeat an earlier row in every column but 'id'" in last
    return tuple(others)


def test_the_same_as_in_memory(tmp_path: Path) -> None:
    found, expected = both(tmp_path, columns(), "y")
    assert found.columns == tuple(rounded(expected))
    assert found.classes == expected.classes
    assert found.warnings == all_but_repeats(expected)
    assert found.rows == ROWS
    assert found.notes == (*expected.notes, "the file was scanned; repeated rows were not looked for")


def test_text_and_ignored_columns_are_counted_or_left_alone(tmp_path: Path) -> None:
    rows = {"note": [None, *(f"a longer story number {i}" for i in range(ROWS - 1))], "left": [1] * ROWS}
    rows["y"] = ["a", "b"] * (ROWS // 2)
    found, expected = both(tmp_path, rows, "y", text=["note"], ignore=["left"])
    assert found.columns == expected.columns
    assert found.warnings == ("running text is read by naive Bayes; other learners leave it out: 'note'",)


@pytest.mark.parametrize(("labels", "kind"), [([0, 1, 5], "nominal"), ([0.5, 1], "numeric"), (range(60), "numeric")])
def test_a_numeric_target_is_what_it_is_in_memory(tmp_path: Path, labels: Any, kind: str) -> None:
    labels = list(labels)
    rows = {"x": [float(i) for i in range(ROWS)], "y": [float(labels[i % len(labels)]) for i in range(ROWS)]}
    found, expected = both(tmp_path, rows, "y")
    assert found.columns[1].kind == kind
    assert found.columns == tuple(rounded(expected))
    assert (found.classes, found.warnings) == (expected.classes, expected.warnings)
    assert any("classes" in note for note in found.notes) == (kind == "nominal")


def test_a_sample_is_drawn_and_stated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(describe_scan, "SAMPLE_ROWS", 200)
    found, expected = both(tmp_path, columns(), "y")
    assert found.notes[-1] == (
        "one scan of all 1,200 rows; histograms, medians, relations, ids and copies of the target are judged by a "
        "random sample of 200 of them, seed 1; repeated rows were not looked for"
    )
    assert found.classes == expected.classes
    for mine, its in zip(found.columns, rounded(expected), strict=True):
        of_sample = {name: getattr(its, name) for name in ("histogram", "lower_quartile", "median", "upper_quartile")}
        assert replace(mine, **of_sample) == its
    assert sum(found.columns[2].histogram) == 200
    assert found.warnings == all_but_repeats(expected)


def test_a_column_constant_in_the_sample_only_is_not_called_constant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(describe_scan, "SAMPLE_ROWS", 5)
    rows = {"x": [0.0] * (ROWS - 1) + [1.0], "y": ["a", "b"] * (ROWS // 2)}
    found, _ = both(tmp_path, rows, "y")
    assert not any("never changes" in warning for warning in found.warnings)


def test_one_value_and_gaps_are_no_constant(tmp_path: Path) -> None:
    rows = {"x": ["t", None] * (ROWS // 2), "z": [1.0] * ROWS, "y": ["a", "b"] * (ROWS // 2)}
    found, expected = both(tmp_path, rows, "y")
    said = [warning for warning in found.warnings if "gaps" in warning or "never" in warning]
    assert [warning[:30] for warning in said] == ["the value never changes in 'z'", "only gaps differ in 'x': 1R, C"]
    assert set(said) <= set(expected.warnings)


def test_distinct_values_are_counted_up_to_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns_seen, "MOST_DISTINCT", 150)
    found, _ = both(tmp_path, columns(), "y")
    by_name = {column.name: column for column in found.columns}
    assert (by_name["id"].distinct, by_name["id"].is_more_distinct, by_name["id"].levels) == (150, True, ())
    assert (by_name["size"].distinct, by_name["size"].is_more_distinct) == (150, True)
    assert (by_name["colour"].distinct, by_name["colour"].is_more_distinct) == (3, False)
    assert by_name["id"].missing == 0
    assert "> 150" in str(found)
    assert "&gt; 150" in found.to_html()
    assert any("'id' looks like an id" in warning for warning in found.warnings)


def test_a_csv_file_that_is_scanned(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    lines = (f"{i % 7},{'ab'[i % 2]},{i % 3}" for i in range(500))
    file.write_text("\n".join(["x,c,y", *lines]) + "\n")
    found = crake.read(file, "y", in_memory=False).describe()
    expected = crake.read(file, "y").describe()
    assert found.columns == tuple(rounded(expected))
    assert found.classes == expected.classes


def test_progress_is_told(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": range(100)}), tmp_path / "t.parquet")
    told: list[int] = []
    table: Table = crake.read(tmp_path / "t.parquet", in_memory=False)
    table.with_progress(lambda rows, *_: told.append(rows)).describe()
    assert told[-1] == 100


def test_an_empty_column_of_a_text_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,z,y\n1,,a\n2,,b\n3,,a\n")
    found, expected = (crake.read(path, "y", in_memory=held).describe() for held in (False, True))
    assert found.warnings[0] == expected.warnings[0] == "every value is missing in 'z': nothing can be learned from it"
    assert not any("without any value" in note for note in (*found.notes, *expected.notes))
