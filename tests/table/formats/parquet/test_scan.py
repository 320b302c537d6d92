"""Parquet files that are scanned: kinds, levels, faults, names, and what needs rows in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.table.sources.rows import arrow_table, write_parquet

import crake
from crake.errors import ColumnNotFound, CrakeError, DataError, ReadError, SchemaError
from crake.statistics import distinct_counts
from crake.table.column_options import ColumnOptions
from crake.table.convert.frames import from_frame
from crake.table.formats.parquet.scan import ParquetFiles
from crake.table.sources import levels as levels_met
from crake.table.sources.scanned_table import scanned


def scan(tmp_path: Path, columns: dict[str, Any] | pa.Table, target: str | None = None, **wishes: Any) -> crake.Table:
    table = columns if isinstance(columns, pa.Table) else pa.table(columns)
    path = write_parquet(tmp_path / "t.parquet", table, row_group_size=64)
    return scanned(ParquetFiles([path], "t.parquet", rows_per_portion=50), ColumnOptions.of(target=target, **wishes))


def fitted(table: crake.Table) -> Any:
    return crake.NaiveBayesClassifier().fit(table)


def test_declared_levels_keep_their_order(tmp_path: Path) -> None:
    size = pa.DictionaryArray.from_arrays([2, 0, None, 2] * 50, ["small", "large", "medium"])
    table = scan(tmp_path, {"size": size, "y": ["n", "y", "n", "y"] * 50}, "y")
    model = fitted(table)
    assert model.schema_["size"].levels == ("small", "large", "medium")
    assert model.schema_["size"].declared
    assert model.schema_ == fitted(crake.read(tmp_path / "t.parquet", "y")).schema_


def test_levels_without_a_row_do_not_count(tmp_path: Path) -> None:
    colour = pa.DictionaryArray.from_arrays([0] * 100, ["red", "never"])
    pq.write_table(pa.table({"colour": colour, "y": ["a", "b"] * 50}), tmp_path / "t.parquet", store_schema=False)
    for in_memory in (True, False):
        table = crake.read(tmp_path / "t.parquet", "y", in_memory=in_memory)
        assert fitted(table).schema_["colour"].levels == ("red",)


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.float64(), pa.decimal128(21, 2)])
def test_few_whole_numbers_are_classes(tmp_path: Path, kind: pa.DataType) -> None:
    y = pa.array([2, 10, None, 2] * 50, pa.int64()).cast(kind)
    table = scan(tmp_path, {"x": range(200), "y": y}, "y")
    model = fitted(table)
    assert model.classes_.tolist() == [2, 10]
    assert [type(label) for label in model.schema_.classes] == [int, int]
    assert model.left_out_ == 50
    assert any("whole numbers" in note for note in table.notes)
    assert model.schema_ == fitted(crake.read(tmp_path / "t.parquet", "y")).schema_


def test_other_numeric_targets_are_refused_when_met(tmp_path: Path) -> None:
    for y, found in ((np.arange(200), "more than 50 different"), (np.arange(200) % 3 + 0.5, "fractions")):
        with pytest.raises(SchemaError, match=rf"target 'y' is numeric: it holds {found}.*nominal=\['y'\]"):
            fitted(scan(tmp_path, {"x": ["a", "b"] * 100, "y": y}, "y"))
    classes = fitted(scan(tmp_path, {"x": ["a", "b"] * 100, "y": np.arange(200)}, "y", nominal=["y"])).classes_
    assert len(classes) == 200
    with pytest.raises(SchemaError, match="the target 'y' is numeric"):
        fitted(scan(tmp_path, {"x": ["a", "b"] * 100, "y": np.arange(200) % 2}, "y", numeric=["y"]))


def test_faults_name_the_row_or_the_column(tmp_path: Path) -> None:
    y = ["a", "b"] * 100
    late = np.zeros(200)
    late[170] = np.inf
    with pytest.raises(SchemaError, match=r"column 'x' holds infinity \(inf in row 170\)"):
        fitted(scan(tmp_path, {"x": late, "y": y}, "y"))
    with pytest.raises(SchemaError, match=r"column 'x' holds 9007199254740993.*nominal=\['x'\]"):
        fitted(scan(tmp_path, {"x": [0] * 199 + [2**53 + 1], "y": y}, "y"))
    exact = fitted(scan(tmp_path, {"x": [0] * 199 + [2**53 + 1], "y": y}, "y", nominal=["x"]))
    assert exact.schema_["x"].levels == (0, 2**53 + 1)
    with pytest.raises(ReadError, match=r"t\.parquet, column 'x': its cells are of type list"):
        scan(tmp_path, {"x": [[1]] * 200, "y": y})
    with pytest.raises(DataError, match=r"no row of t\.parquet has a known 'y'"):
        fitted(scan(tmp_path, {"x": range(200), "y": pa.nulls(200, pa.string())}, "y"))
    with pytest.raises(SchemaError, match="has no target"):
        fitted(scan(tmp_path, {"x": range(200), "y": y}))


def test_memory_is_bounded_by_distinct_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels_met, "MOST_LEVELS", 100)
    with pytest.raises(DataError, match=r"column 'id' has more than 100 distinct values.*ignore=\['id'\]"):
        fitted(scan(tmp_path, {"id": [f"i{i}" for i in range(200)], "y": ["a", "b"] * 100}, "y"))


def test_distinct_numbers_are_bounded_where_they_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distinct_counts, "MOST_CELLS", 100)
    table = scan(tmp_path, {"x": np.arange(200) / 7, "y": ["a", "b"] * 100}, "y")
    with pytest.raises(DataError, match=r"column 'x' has too many distinct numbers \(\d+ by class.*table\.sample"):
        crake.OneRuleClassifier().fit(table)
    assert fitted(table).class_count_.tolist() == [100, 100]


def test_truncated_and_flipped_files_end_in_a_model_or_a_named_error(tmp_path: Path) -> None:
    columns = {"a": range(300), "b": [f"v{i % 5}" for i in range(300)], "y": ["n", "y", "y"] * 100}
    pq.write_table(pa.table(columns), tmp_path / "whole.parquet", row_group_size=100, write_page_checksum=True)
    data, refused = (tmp_path / "whole.parquet").read_bytes(), 0
    for place in range(0, len(data), 23):
        flipped = data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]
        for broken in (data[:place], flipped):
            path = tmp_path / "broken.parquet"
            path.write_bytes(broken)
            try:
                assert fitted(crake.read(path, "y", in_memory=False)).class_count_.sum() <= 300
            except CrakeError:
                refused += 1
    assert refused > len(data) // 23


def test_names_of_columns_are_only_names(tmp_path: Path) -> None:
    """Dots, doubles and prefixes: Arrow selects columns by paths, we do not."""
    arrays = [pa.array([i, i + 1] * 20) for i in range(4)] + [pa.array(["n", "y"] * 20)]
    table = pa.Table.from_arrays(arrays, names=["a", "a.b", "a", "", "a.y"])
    path = write_parquet(tmp_path / "t.parquet", table)
    made = crake.read(path, "a.y", ignore=["a.b"], in_memory=False)
    assert made.schema.names == ("a", "a.b", "a_2", "column_4", "a.y")
    model = fitted(made)
    np.testing.assert_array_equal(model.mean_, [[0, 2, 3], [1, 3, 4]])
    assert any("a second 'a'" in note for note in made.notes)


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    folder = tmp_path / "clicks"
    (folder / "year=2024").mkdir(parents=True)
    (folder / "_temporary").mkdir()
    write_parquet(folder / "year=2024" / "a.parquet", pa.table({"x": [1, 2], "y": ["n", "y"]}))
    write_parquet(folder / "b.parquet", pa.table({"x": pa.array([], pa.int64()), "y": pa.array([], pa.string())}))
    (folder / "_temporary" / "c.parquet").write_bytes(b"half written")
    table = crake.read(folder, "y", in_memory=False)
    assert (len(table), table.name) == (2, "clicks")
    assert any("year=2024" in note for note in table.notes)
    assert len(crake.read(folder, "y")) == 2
    write_parquet(folder / "d.parquet", pa.table({"x": ["one"], "y": ["n"]}))
    with pytest.raises(ReadError, match=r"d\.parquet: column 'x' is string; expected the columns of b\.parquet"):
        crake.read(folder, "y")
    with pytest.raises(ReadError, match=r"no file has a name of this pattern"):
        crake.read(str(tmp_path / "*.parquet"))
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ReadError, match=r"x\.csv is no Parquet file"):
        crake.read(str(tmp_path / "*.csv"))


def test_what_needs_rows_says_so(tmp_path: Path) -> None:
    table = crake.read(write_parquet(tmp_path / "t.parquet", arrow_table(500)), "plan", in_memory=False)
    for work in (table.to_xy, table.to_arrow, lambda: table.target):
        with pytest.raises(DataError, match=r"t\.parquet is scanned.* needs rows in memory.*table\.sample\(100_000\)"):
            work()
    with pytest.raises(DataError, match="weighting rows needs rows in memory"):
        table.with_weights(np.ones(500))
    with pytest.raises(DataError, match="is scanned"):
        crake.NaiveBayesClassifier(precision="estimated").fit(table)


def test_a_sample_is_rows_of_the_table(tmp_path: Path) -> None:
    rows = arrow_table(5000)
    held = from_frame(rows, target="plan", name="t.parquet")
    table = scan(tmp_path, rows, "plan")
    for wanted in (1, 700, 5000, 10**9):
        some, same = table.sample(wanted, random_state=4), held.sample(wanted, random_state=4)
        assert some.in_memory
        assert len(some) == min(wanted, 5000) == len(same)
        assert some.schema == held.schema
        assert some.to_arrow().equals(same.to_arrow().select(some.to_arrow().column_names))
    assert table.sample(700).column("age").tolist() != table.sample(700, 2).source.column("age").tolist()
    assert crake.compare(table.sample(700), learners=["majority"]).best.accuracy.value > 0.3
    texts = scan(tmp_path, rows, "plan", text=["city"]).sample(10)
    assert texts.to_arrow().column_names == ["colour", "city", "member", "age", "income", "joined", "plan"]


def test_progress_by_rows_and_bytes(tmp_path: Path) -> None:
    told: list[tuple[int, int, int, int]] = []
    table = scan(tmp_path, arrow_table(500), "plan").with_progress(lambda *done: told.append(done))
    fitted(table)
    size = (tmp_path / "t.parquet").stat().st_size
    assert told == sorted(told)
    assert told[-1] == (500, 500, size, size)
    assert {(total, whole) for _, total, _, whole in told} == {(500, size)}


def test_new_rows_are_matched_by_name_and_as_written(tmp_path: Path) -> None:
    model = fitted(
        from_frame(pa.table({"code": ["1", "2", "x"], "x": [1.0, 2.0, 3.0], "y": ["a", "b", "b"]}), target="y")
    )
    new = {"extra": [0] * 4, "x": [1, 2, None, 4], "code": [1, 2, 7, None]}
    held = from_frame(pa.table(new))
    table = scan(tmp_path, new)
    np.testing.assert_array_equal(model.predict_proba(table), model.predict_proba(held))
    assert len(set(model.predict_proba(table)[:, 0].tolist())) == 4
    with pytest.raises(ColumnNotFound, match="there is no column 'code'"):
        model.predict(scan(tmp_path, {"x": [1, 2]}))
    with pytest.raises(SchemaError, match="column 'code' is needed but was ignored"):
        model.predict(scan(tmp_path, new, ignore=["code"]))


@pytest.mark.parametrize("in_memory", [True, False])
def test_of_two_columns_of_one_name_the_one_named_is_ignored(tmp_path: Path, in_memory: bool) -> None:
    rows = pa.Table.from_arrays([pa.array([1, 2]), pa.array(["u", "v"]), pa.array([7, 8])], names=["a", "a", "b"])
    path = write_parquet(tmp_path / "t.parquet", rows)
    table = crake.read(path, ignore=["a"], in_memory=in_memory).sample(10)
    assert [column.kind for column in table.schema.columns] == ["ignored", "nominal", "numeric"]
    assert table.schema["a_2"].levels == ("u", "v")


@pytest.mark.parametrize("in_memory", [True, False])
def test_folders_named_like_columns_are_told(tmp_path: Path, in_memory: bool) -> None:
    (tmp_path / "year=2024").mkdir()
    write_parquet(tmp_path / "year=2024" / "t.parquet", pa.table({"a": [1, 2]}))
    assert crake.read(tmp_path, in_memory=in_memory).notes == (
        "names of folders such as year=2024 are not read as columns",
    )


def two_files(folder: Path, one: pa.Array, other: pa.Array) -> Path:
    for number, cells in enumerate((one, other)):
        write_parquet(folder / f"{number}.parquet", pa.table({"a": cells}))
    return folder


@pytest.mark.parametrize("in_memory", [True, False])
@pytest.mark.parametrize("one", [pa.array([1], pa.date32()), pa.array([86_400], pa.timestamp("s", "UTC"))])
def test_files_may_hold_dates_of_several_types(tmp_path: Path, in_memory: bool, one: pa.Array) -> None:
    folder = two_files(tmp_path, one, pa.array([86_400_000_000], pa.timestamp("us")))
    assert crake.read(folder, in_memory=in_memory).sample(10).column("a").tolist() == [1.0] * 2


@pytest.mark.parametrize("in_memory", [True, False])
def test_truth_values_and_texts_are_not_one_column(tmp_path: Path, in_memory: bool) -> None:
    folder = two_files(tmp_path, pa.array([True, False]), pa.array(["a", "b"]))
    with pytest.raises(ReadError, match=r"1\.parquet: column 'a' is string; expected the columns of 0\.parquet"):
        crake.read(folder, in_memory=in_memory)


def test_of_many_columns_fewer_rows_are_read_at_a_time(tmp_path: Path) -> None:
    """A scan holds several portions at once: 131,072 rows of 200 numbers are 200 MB each."""
    pq.write_table(pa.table({f"x{j}": np.zeros(12_000, np.float32) for j in range(200)}), tmp_path / "wide.parquet")
    file = ParquetFiles([tmp_path / "wide.parquet"], "wide")
    names = [column.name for column in file.columns]
    assert [portion.rows for portion in file.portions(names)] == [8192, 3808]
    assert [portion.rows for portion in file.portions(names[:9])] == [12_000]
