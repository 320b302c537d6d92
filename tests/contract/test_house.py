"""The house: sizes of files and folders, names, first words of docstrings, and paths in documents."""

from __future__ import annotations

import ast
import re
import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "crake"
FILES = sorted(SOURCE.rglob("*.py"))
OTHERS = [path for folder in ("tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")]

MOST_FILES, MOST_LINES, MEDIAN_LINES = 25, 400, 130

PARTICIPLES = {
    "asked", "drawn", "found", "given", "held", "kept", "made", "met", "said", "seen", "taken", "told", "wanted", "way",
    "wishes", "within",
}  # fmt: skip
"""Words that name no thing of the field; none of them is the whole name of a module, class or public function."""

QUESTIONS = re.compile(r"^(What|How|Of|The same|Whether|Where|Which|Who|Why) ")
"""Beginnings that make a docstring a riddle: a function says what it does, verb first."""


Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def lines_of(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def test_no_folder_is_wide():
    files = Counter(path.parent.relative_to(ROOT) for path in (*FILES, *OTHERS))
    assert {str(folder): count for folder, count in files.items() if count > MOST_FILES} == {}


def test_no_file_is_long_and_most_are_short():
    lengths = {path.relative_to(ROOT): lines_of(path) for path in (*FILES, *OTHERS)}
    assert {str(path): lines for path, lines in lengths.items() if lines > MOST_LINES} == {}
    assert statistics.median(lengths[path.relative_to(ROOT)] for path in FILES) <= MEDIAN_LINES


def definitions(node: ast.AST) -> Iterator[Definition]:
    """The classes and functions within a module, class, function or block; expressions are not looked into."""
    for part in ("body", "orelse", "handlers", "finalbody"):
        for child in getattr(node, part, ()):
            if isinstance(child, Definition):
                yield child
            yield from definitions(child)


@pytest.mark.parametrize("room", sorted({path.relative_to(SOURCE).parts[0] for path in FILES}))
def test_names_and_docstrings_are_plain(room):
    faults = []
    for path in FILES:
        if path.relative_to(SOURCE).parts[0] != room:
            continue
        tree = ast.parse(path.read_text("utf-8"))
        inside = list(definitions(tree))
        public = [node.name for node in inside if not node.name.startswith("_")]
        faults += [f"{path}: {name}" for name in (path.stem, *public) if name.lower() in PARTICIPLES]
        for node in (tree, *inside):
            text = ast.get_docstring(node) or ""
            if QUESTIONS.match(text):
                faults.append(f"{path}: {text.splitlines()[0]}")
    assert faults == []


def test_definitions_are_found_wherever_they_stand():
    text = """
if True:
    def a(): ...
else:
    class B:
        def c(self):
            for _ in ():
                def d(): ...
try:
    def e(): ...
except ImportError:
    def f(): ...
"""
    assert {node.name for node in definitions(ast.parse(text))} == set("aBcdef")


@pytest.mark.parametrize("document", ["docs/how_it_works.md", "CONTRIBUTING.md"])
def test_paths_in_documents_exist(document):
    text = (ROOT / document).read_text("utf-8")
    paths = {path for path in re.findall(r"`([\w./-]+/[\w./-]*|[\w-]+\.py)`", text) if "<" not in path}
    paths = {path for path in paths if not path.startswith("../")}  # reference data need not lie beside a checkout
    assert paths
    places = (ROOT, SOURCE, *(folder for folder in SOURCE.rglob("*") if folder.is_dir()))
    assert [path for path in sorted(paths) if not any((place / path).exists() for place in places)] == []
