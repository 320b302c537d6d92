"""The target by its name, its position or as the last column, in every source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import crake
from crake.errors import SchemaError
from crake.table.read_options import ReadOptions
from crake.table.target import default_target
from crake.workbench.compare import CompareRequest
from crake.workbench.table import TableRequest
from crake.workbench.train import TrainRequest

ROWS = "sky,age,play\nsunny,20,yes\nrainy,10,no\nsunny,25,yes\nrainy,11,no\nsunny,19,yes\nrainy,9,yes\n"
ARFF = """@relation r
@attribute sky {sunny,rainy}
@attribute age numeric
@attribute play {yes,no}
@data
sunny,20,yes
rainy,1,no
"""


def sources(folder: Path) -> list[Any]:
    csv, arff, packed = folder / "t.csv", folder / "t.arff", folder / "t.parquet"
    csv.write_text(ROWS)
    arff.write_text(ARFF)
    frame = pa.table({"sky": ["sunny", "rainy"], "age": [20, 10], "play": ["yes", "no"]})
    parquet.write_table(frame, packed)
    return [csv, arff, packed, frame, crake.read(frame)]


@pytest.mark.parametrize(
    ("target", "name"), [("last", "play"), ("1", "sky"), (1, "sky"), (-1, "play"), ("-3", "sky"), ("age", "age")]
)
def test_every_source_takes_a_position(target: Any, name: str, tmp_path: Path) -> None:
    assert [crake.read(each, target).schema.target for each in sources(tmp_path)] == [name] * 5


def test_a_scan_takes_a_position(tmp_path: Path) -> None:
    file = sources(tmp_path)[2]
    assert crake.read(file, "last", in_memory=False).schema.target == "play"


def test_a_column_called_last_or_4_is_meant_by_its_name() -> None:
    frame = pa.table({"last": ["a", "b"], "4": ["c", "d"], "x": [1.0, 2.0]})
    assert crake.read(frame, "last").schema.target == "last"
    assert crake.read(frame, "4").schema.target == "4"


@pytest.mark.parametrize("target", [0, 4, "-4", "99999999999999999999"])
def test_a_position_beyond_the_columns_is_an_error(target: Any, tmp_path: Path) -> None:
    for source in sources(tmp_path):
        with pytest.raises(SchemaError, match=r"there is no column -?\d+.*; expected a position from 1 to 3"):
            crake.read(source, target)


def test_a_position_names_no_column_of_a_file_without_header() -> None:
    assert ReadOptions.of(target="last", ignore=["id"]).named_columns() == {"id"}
    assert ReadOptions.of(target=3).named_columns() == set()


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (["a", "b", "a"], "last"),
        ([1.5, 2.5, 1.0], "last"),
        (["a", "a", "a"], None),
        (["a", "b", "c"], None),
        ([1.0, 1.0, 1.0], None),
        ([None, None, None], None),
    ],
)
def test_the_last_column_is_a_target_if_it_can_be_one(last: list[Any], expected: str | None) -> None:
    table = crake.read(pa.table({"x": [1.0, 2.0, 3.0], "last": last}), nominal=["last"] if last[0] is None else [])
    assert default_target(table) == expected


def test_commands_predict_the_last_column_and_say_so(tmp_path: Path) -> None:
    source = str(sources(tmp_path)[0])
    result = TrainRequest(TableRequest(source), learner="1r", output=str(tmp_path / "m.crake")).run()
    assert result.table.schema.target == "play"
    assert result.table.notes[0] == "no target is named: predicting the last column, 'play' (--target names another)"
    assert "--target play" in result.reproduce["Command line"]
    assert "target='play'" in result.reproduce["Python"] or 'target="play"' in result.reproduce["Python"]


def test_whole_numbers_in_the_last_column_are_classes(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(ROWS.replace("yes", "1").replace("no", "0"))
    request, table = TableRequest(str(file)).read_labelled(1)
    assert (request.target, table.schema.classes) == ("play", (0, 1))


def test_a_column_that_cannot_be_a_target_leaves_the_question_open(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("sky,note\nsunny,a\nrainy,b\nsunny,c\n")
    with pytest.raises(SchemaError, match="has no target; name the column to predict"):
        CompareRequest(TableRequest(str(file)), learners=("majority",)).run()
