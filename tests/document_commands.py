"""Commands of crake in documents: how they are marked, where and how they are run."""

from __future__ import annotations

import contextlib
import io
import shlex
import sys
from pathlib import Path

from crake.cli.run import run

PROMPT, COMMAND, FENCE = ">>>", "$ ", "```"
DATA = Path(__file__).parents[1] / "docs" / "data"
WIDTH = "100"
"""Columns of the terminal in which documents show commands."""


def shell(line: str) -> None:
    """Run `crake …` in this process, with `> FILE` where it stands, and print what a terminal would show."""
    words = shlex.split(line, comments=True)
    file = words[words.index(">") + 1] if ">" in words else None
    program, *arguments = words[: words.index(">")] if ">" in words else words
    if program != "crake":
        raise ValueError(f"expected a command of crake, got {line!r}")
    screen = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    out = screen if file is None else Path(file).open("w", encoding="utf-8")  # noqa: SIM115
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(screen):
        run(arguments)
    if out is not screen:
        out.close()
    for text in screen.buffer.getvalue().decode().splitlines():
        if not text.startswith("first run: "):  # as anybody sees it from the second run on
            sys.stdout.write(f"{text}\n")
