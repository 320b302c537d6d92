"""nominal=, numeric=, text=, ignore= and target= on a table that is already read."""

from __future__ import annotations

import numpy as np
import pytest

from crake.errors import ColumnNotFound, SchemaError, TargetNotFound
from crake.table.column_options import ColumnOptions
from crake.table.convert.recode import apply_options
from crake.table.formats.arff.reader import read_arff
from crake.table.schema import Kind
from crake.table.table import Table


@pytest.fixture
def table() -> Table:
    text = (
        b"@relation t\n@attribute n numeric\n@attribute h numeric\n@attribute x {5,1,9}\n@attribute s string\n@data\n"
    )
    return read_arff(text + b"3,0.5,5,'b b'\n?,1.5,?,?\n10,0.5,1,a\n")


def test_whole_numbers_become_whole_labels(table: Table) -> None:
    changed = apply_options(table, ColumnOptions.of(nominal=["n", "h"], target="n"))
    assert changed.schema.classes == (3, 10)
    assert changed.target.tolist() == [0, -1, 1]
    assert changed.schema["h"].levels == (0.5, 1.5)
    assert table.schema["n"].kind is Kind.NUMERIC


def test_levels_become_numbers_and_text(table: Table) -> None:
    np.testing.assert_array_equal(apply_options(table, ColumnOptions.of(numeric="x")).column("x"), [5, np.nan, 1])
    assert apply_options(table, ColumnOptions.of(text=["x"])).column("x").tolist() == ["5", None, "1"]
    assert apply_options(table, ColumnOptions.of(text=["n"])).column("n").tolist() == ["3", None, "10"]


def test_text_becomes_names(table: Table) -> None:
    changed = apply_options(table, ColumnOptions.of(nominal=["s"]))
    assert changed.schema["s"].levels == ("a", "b b")
    assert changed.column("s").tolist() == [1, -1, 0]


def test_the_same_kind_changes_nothing(table: Table) -> None:
    assert apply_options(table, ColumnOptions.of(nominal=["x"])).schema["x"].levels == ("5", "1", "9")


def test_the_target_stays_unless_another_is_named(table: Table) -> None:
    aimed = apply_options(table, ColumnOptions.of(target="x"))
    assert apply_options(aimed, ColumnOptions.of(nominal=["n"])).schema.target == "x"
    assert apply_options(aimed, ColumnOptions.of(nominal=["n"], target="n")).schema.target == "n"
    with pytest.raises(SchemaError, match="'x' is both the target and ignored"):
        apply_options(aimed, ColumnOptions.of(ignore=["x"]))


def test_errors_name_the_column(table: Table) -> None:
    with pytest.raises(ColumnNotFound, match="no column 'm' in table"):
        apply_options(table, ColumnOptions.of(numeric=["m"]))
    with pytest.raises(TargetNotFound, match="no column 'y' in table"):
        apply_options(table, ColumnOptions.of(target="y"))
    with pytest.raises(SchemaError, match="column 's' holds 'a', which is not a number"):
        apply_options(table, ColumnOptions.of(numeric=["s"]))
    with pytest.raises(SchemaError, match="'n' is asked for as nominal and as text"):
        apply_options(table, ColumnOptions.of(nominal=["n"], text=["n"]))
    with pytest.raises(SchemaError, match="'n' was left out when table was read"):
        apply_options(apply_options(table, ColumnOptions.of(ignore=["n"])), ColumnOptions.of(numeric=["n"]))
