"""The output of the commands in documents, written anew: `python -m tests.write_documents docs/tutorial.md`.

A test run compares the documents with what the commands print; this writes them after output has changed on purpose.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from unittest import mock

from tests.document_commands import COMMAND, DATA, FENCE, WIDTH, shell

VERSIONS = re.compile(r"^crake \d[\w.]*, Python .*$", re.MULTILINE)


def printed(command: str) -> str:
    """Return what a command prints, with `...` for what differs from run to run: seconds and versions."""
    screen = io.StringIO()
    with contextlib.redirect_stdout(screen), mock.patch("crake.render.format_numbers.seconds", return_value="..."):
        shell(command)
    return VERSIONS.sub("crake ..., Python ...", screen.getvalue()).rstrip()


def rewritten(text: str) -> str:
    """Return a document with the output of each command as it is now. An output that is cut with `...` stays."""
    parts: list[str] = []
    is_code, is_output, output = False, False, list[str]()
    for line in [*text.split("\n"), FENCE]:
        ends = line.startswith((COMMAND, FENCE))
        if is_output and ends:
            is_cut = any(each.strip() == "..." for each in output)
            parts += output if is_cut else printed(parts[-1].removeprefix(COMMAND)).split("\n")
            is_output, output = False, []
        if line.startswith(FENCE):
            is_code = not is_code
        if is_output:
            output.append(line)
        else:
            parts.append(line)
            is_output = is_code and line.startswith(COMMAND)
    return "\n".join(parts[:-1])


def main(names: list[str]) -> None:
    """Rewrite the documents of these names, and all documents in folders of these names."""
    files = [file for name in names for file in ([Path(name)] if Path(name).is_file() else Path(name).rglob("*.md"))]
    for file in (each.resolve() for each in files):
        text = file.read_text("utf-8")
        if f"\n{COMMAND}crake" not in text:
            continue
        with (
            tempfile.TemporaryDirectory() as folder,
            contextlib.chdir(shutil.copytree(DATA, Path(folder) / "docs")),
            mock.patch.dict(os.environ, {"COLUMNS": WIDTH, "NO_COLOR": "1"}),
        ):
            file.write_text(rewritten(text), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
