"""One rule for the names of columns, whichever format a table is stored in."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Return one table in every format, with spaces around two of its names."""
    names = [" a", "b ", "y"]
    pq.write_table(pa.table([[1.5, 2.5], ["u ", "v"], ["p", "q"]], names=names), tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text(' a,b ,y\n1.5,"u ",p\n2.5,v,q\n')
    (tmp_path / "quoted.csv").write_text('" a","b ",y\n1.5,"u ",p\n2.5,v,q\n')
    declared = "@attribute ' a' numeric\n@attribute 'b ' {'u ', v}\n@attribute y {p, q}\n"
    (tmp_path / "t.arff").write_text(f"@relation t\n{declared}@data\n1.5,'u ',p\n2.5,v,q\n")
    with duckdb.connect(tmp_path / "t.duckdb") as connection:
        connection.execute(
            """create table t as select * from (values (1.5::double, 'u ', 'p'), (2.5, 'v', 'q')) t(" a", "b ", y)"""
        )
    return sorted(tmp_path.iterdir())


def test_spaces_around_a_name_are_not_part_of_it_in_any_format(files: list[Path]) -> None:
    model = crake.NaiveBayesClassifier().fit(crake.read(files[0], "y"))
    for path in files:
        table = crake.read(path, "y")
        assert table.schema.names == ("a", "b", "y"), path
        assert table.schema["b"].levels == ("u ", "v"), path
        assert model.predict(table).tolist() == ["p", "q"]
    for path in files[-1:]:
        assert crake.read(path, "y", in_memory=False).schema.names == ("a", "b", "y")
