"""Examples in documents: Python after `>>>`, commands after `$`, each with the output that it prints.

Output may hold blank lines as it does on a screen, without doctest's mark for them.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestItem

PROMPT, COMMAND, FENCE = ">>>", "$ ", "```"
DATA = Path(__file__).parent / "docs" / "data"
WIDTH = "100"
"""Columns of the terminal in which documents show commands."""

_parse = doctest.DocTestParser.parse


def marked(text: str) -> str:
    """Return Markdown as doctest reads it: commands as calls of `shell`, and a mark for each blank line of output.

    A blank line before the next prompt, or before the end of the code block, ends the output.
    """
    lines = text.split("\n")
    is_code, has_prompt = False, False
    for at, line in enumerate(lines):
        if line.startswith(FENCE):
            lines[at] = "" if has_prompt else line  # the fence ends the output, with or without a blank line before it
            is_code, has_prompt = not is_code, False
        elif line.startswith(COMMAND) and is_code:
            lines[at], has_prompt = f"{PROMPT} shell({line.removeprefix(COMMAND)!r})", True
        elif line.startswith(PROMPT):
            has_prompt = is_code
        elif has_prompt and not line.strip():
            following = next((later for later in lines[at + 1 :] if later.strip()), FENCE)
            if not following.startswith((PROMPT, COMMAND, FENCE)):
                lines[at] = "<BLANKLINE>"
    return "\n".join(lines)


def _parse_markdown(self: doctest.DocTestParser, string: str, name: str = "<string>") -> list[str | doctest.Example]:
    return _parse(self, marked(string) if name.endswith(".md") else string, name)


doctest.DocTestParser.parse = _parse_markdown  # type: ignore[method-assign]


def shell(line: str) -> None:
    """Run `crake …` in this process, with `> FILE` where it stands, and print what a terminal would show."""
    from crake.cli.run import run  # noqa: PLC0415 (only where a document has a command)

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


@pytest.fixture(autouse=True)
def _folder_of_commands(request: pytest.FixtureRequest, doctest_namespace: dict[str, object]) -> Iterator[None]:
    """Run a document that has commands in a folder of its own, with the tables of docs/data."""
    item = request.node
    if (
        not isinstance(item, DoctestItem)
        or item.path.suffix != ".md"
        or f"\n{COMMAND}crake" not in item.path.read_text()
    ):
        yield
        return
    doctest_namespace["shell"] = shell
    folder = request.getfixturevalue("tmp_path") / "docs"
    shutil.copytree(DATA, folder)
    with pytest.MonkeyPatch.context() as patch, contextlib.chdir(folder):
        patch.setenv("COLUMNS", WIDTH)
        patch.setenv("NO_COLOR", "1")
        yield
