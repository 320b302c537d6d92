"""Columns that stand side by side: where they end is said, and what does not fit is named with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import crake
from crake.cli.option_values import widths
from crake.errors import CrakeError, ReadError
from crake.table.formats.csv.reader import read_csv
from crake.workbench.table import TableRequest


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (
            "abc12\nabc1234\n",
            {"widths": (3, 2)},
            r"line 2: expected at most 5 characters, as --widths add up to, got 7",
        ),
        ("abc\n", {"widths": ()}, "expected widths from 1 on, such as 3,5,2, got none"),
        ("abc\n", {"widths": (2, 0)}, "expected widths from 1 on, such as 3,5,2, got 2,0"),
        ("abc\n", {"widths": (3,), "delimiter": ";"}, "expected --widths, or --delimiter and --quote, got both"),
        ("\n\n", {"widths": (3,)}, "the file is empty"),
    ],
)
@pytest.mark.parametrize("in_memory", [True, False])
def test_what_does_not_fit_is_named(
    data: str, options: dict[str, Any], message: str, in_memory: bool, tmp_path: Path
) -> None:
    (tmp_path / "t.txt").write_text(data)
    with pytest.raises(ReadError, match=message):
        crake.read(tmp_path / "t.txt", in_memory=in_memory, **options)


def test_bytes_and_other_encodings_are_read(tmp_path: Path) -> None:
    assert read_csv("äöüß1\nabcd2\n".encode("cp1252"), widths=(4, 1), encoding="cp1252").column(
        "column_2"
    ).tolist() == [1, 2]
    (tmp_path / "t.txt").write_bytes("äöüß1\n".encode("cp1252"))
    with pytest.raises(ReadError, match=r"line 1: the byte 0xe4 is not UTF-8"):
        crake.read(tmp_path / "t.txt", widths=(4, 1), in_memory=False)
    (tmp_path / "t.arff").write_text("@relation r\n@attribute a numeric\n@data\n1\n")
    with pytest.raises(ReadError, match="widths= is for CSV files, and this is ARFF"):
        crake.read(tmp_path / "t.arff", widths=(1,))


def test_the_option_of_the_command_line_is_repeated() -> None:
    request = TableRequest("t.txt", widths=widths("3,5,2"))
    assert request.words()[1:] == ["--widths", "3,5,2"]
    assert "widths=[3, 5, 2]" in request.python() or "widths=(3, 5, 2)" in request.python()
    with pytest.raises(CrakeError, match="--widths 3;5: expected whole numbers with commas"):
        widths("3;5")
