"""Examples in documents: Python after `>>>`, commands after `$`, each with the output that it prints.

Output may hold blank lines as it does on a screen, without doctest's mark for them.
"""

from __future__ import annotations

import asyncio
import contextlib
import doctest
import importlib
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestItem, DoctestModule
from tests.document_commands import COMMAND, DATA, FENCE, PROMPT, WIDTH, shell

SOURCE = Path(__file__).resolve().parent / "src"

collect_ignore_glob = ["docs/engines/*.md"]
"""Pages whose examples need an engine; tests/engines/test_documents.py runs them."""

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


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, Any, Any]:
    """Look for examples only in the modules that have some: looking means to import a module and walk through it."""
    collectors = yield
    if not any(isinstance(collector, DoctestModule) for collector in collectors):
        return collectors
    if not has_examples(file_path):
        return [collector for collector in collectors if not isinstance(collector, DoctestModule)]
    import_once(file_path)
    return collectors


def import_once(file: Path) -> None:
    """Import a module of crake in Python's own way, so that pytest finds it.

    Pytest would import its package first, which may import the module, and then run the module once more: there would
    be two classes of each name.
    """
    if SOURCE in file.parents:
        with contextlib.suppress(Exception):  # pytest meets the error again, and reports it
            parts = file.relative_to(SOURCE).with_suffix("").parts
            importlib.import_module(".".join(part for part in parts if part != "__init__"))


def has_examples(file: Path) -> bool:
    """Whether the file has a prompt of Python."""
    return PROMPT.encode() in file.read_bytes()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Let examples run coroutines after tests with a browser, which keeps its event loop running."""
    if not isinstance(item, DoctestItem):
        return (yield)
    loop = asyncio.events._get_running_loop()  # noqa: SLF001 (there is no public way to ask without an error)
    asyncio.events._set_running_loop(None)  # noqa: SLF001
    try:
        return (yield)
    finally:
        asyncio.events._set_running_loop(loop)  # noqa: SLF001


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
