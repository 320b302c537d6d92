"""Every command that reads a table without a header says so in its first lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from crake.cli.run import run


@pytest.mark.parametrize("command", ["describe FILE", "compare FILE -t column_2 -l 1r", "evaluate 1r FILE -t column_2"])
def test_the_first_line_says_that_there_is_no_header(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rows.data").write_text("".join(f"{i % 7},{'ab'[i % 2]}\n" for i in range(40)))
    monkeypatch.chdir(tmp_path)
    run(command.replace("FILE", "rows.data").split())
    said = capsys.readouterr()
    first = " ".join(" ".join(said.out.splitlines()[:5]).split())
    assert (
        "No header: the first row looks like data; columns are called column_1 and column_2 "
        "(--header takes it as names)." in first
    )
    assert said.out.lower().count("no header:") == 1
    assert "no header" not in said.err
