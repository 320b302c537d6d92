"""Files that are written anew between two scans: their tables are read again, not from two states."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import crake
from crake.errors import ReadError
from crake.table.sources.file_states import FileStates

WRITERS = {"csv": pyarrow.csv.write_csv, "parquet": pq.write_table, "feather": pyarrow.feather.write_feather}


@pytest.mark.parametrize("ending", WRITERS)
def test_other_rows_in_the_place_of_a_file_are_noticed(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"rows.{ending}"
    rows = pa.table({"x": [1.5, 2.5, 3.5, 4.5] * 5, "y": ["a", "b", "b", "a"] * 5})
    WRITERS[ending](rows, file)
    table = crake.read(file, "y", in_memory=False)
    crake.NaiveBayesClassifier().fit(table)
    WRITERS[ending](rows.take(list(range(19, -1, -1))), file)
    os.utime(file, ns=(0, file.stat().st_mtime_ns + 1))  # a clock may be too coarse to tell
    with pytest.raises(
        ReadError, match=r"rows\.\w+: the file was changed after it was opened: .* read the table again"
    ):
        crake.NaiveBayesClassifier().fit(table)
    crake.NaiveBayesClassifier().fit(crake.read(file, "y", in_memory=False))


def test_a_file_that_is_gone_is_another_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    states = FileStates.of([tmp_path / "a"])
    states.check()
    (tmp_path / "a").unlink()
    with pytest.raises(ReadError, match="a: the file was changed"):
        states.check()
