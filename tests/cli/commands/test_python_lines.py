"""`--python`: the lines of Python that do what the command does, printed instead of running it."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest

import crake as library


@pytest.fixture
def model(tmp_path: Path, golf: Path) -> Path:
    file = tmp_path / "golf.crake"
    library.save(library.NaiveBayesClassifier().fit(library.read(golf, "play")), file)
    return file


def executed(lines: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(lines, {})
    return printed.getvalue()


def test_describe(crake, golf: Path) -> None:
    lines = crake("describe", golf, "-t", "play", "--python").out
    assert f'table = crake.read("{golf}", target="play")\n' in lines
    assert executed(lines).strip() == crake("describe", golf, "-t", "play").out.strip()


def test_predict(crake, golf: Path, model: Path) -> None:
    lines = crake("predict", model, golf, "--python").out
    assert lines.splitlines() == [
        "import crake",
        f'model = crake.load("{model}")',
        f'table = crake.read("{golf}", expected=model)',
        "result = model.predict(table)",
        "print(result)",
    ]
    predicted = [line.split(",")[-1] for line in crake("predict", model, golf, "-q").out.splitlines()[1:]]
    assert executed(lines).translate(str.maketrans("[]'", "   ")).split() == predicted


def test_explain(crake, golf: Path, model: Path) -> None:
    lines = crake("explain", model, golf, "--row", 3, "--python").out
    assert lines.splitlines()[-2:] == [
        "print(model.explain(table.take([3])))",
        "print(model.changes(table.take([3]), table))",
    ]
    text = crake("explain", model, golf, "--row", 3, "-q").out
    for part in executed(lines).replace("\nWhat would", "\n\nWhat would").strip().split("\n\n"):
        assert part in text


def test_nothing_is_read(crake) -> None:
    ended = crake("describe", "not_there.csv", "--python")
    assert (ended.code, ended.err) == (0, "")
