"""Pages and docstrings as the site shows them. These tests run without the libraries of `make site`."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import crake

WEBSITE = Path(__file__).resolve().parents[2] / "website"


def module(name: str, **names: Any) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(names)
    return made


@pytest.fixture
def docstrings(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setitem(sys.modules, "griffe", module("griffe", Extension=object, Object=object))
    return runpy.run_path(str(WEBSITE / "docstrings.py"))


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setitem(sys.modules, "mkdocs", module("mkdocs"))
    monkeypatch.setitem(sys.modules, "mkdocs.exceptions", module("mkdocs.exceptions", PluginError=RuntimeError))
    monkeypatch.setitem(sys.modules, "mkdocs.structure", module("mkdocs.structure"))
    monkeypatch.setitem(sys.modules, "mkdocs.structure.files", module("mkdocs.structure.files", File=object))
    return runpy.run_path(str(WEBSITE / "hooks.py"))


@pytest.mark.parametrize("name", ["C45Classifier", "NaiveBayesClassifier", "SVMClassifier", "Discretizer", "Tuned"])
def test_every_parameter_of_a_learner_is_a_row_of_its_table(docstrings: dict[str, Any], name: str) -> None:
    learner = getattr(crake, name)
    rows = docstrings["with_table"](learner.__doc__.replace("\n    ", "\n")).splitlines()
    named = {part.strip(" `") for row in rows if row.startswith("| `") for part in row.split("|")[1].split(",")}
    assert named == set(learner().get_params(deep=False))


def test_an_example_is_a_block_of_code(docstrings: dict[str, Any]) -> None:
    text = docstrings["with_blocks"]("Add.\n\n>>> print(1)\n1\n<BLANKLINE>\n2\n\nDone.\n\n>>> 3\n3")
    assert text == "Add.\n\n```pycon\n>>> print(1)\n1\n\n2\n```\n\nDone.\n\n```pycon\n>>> 3\n3\n```"


def test_links_of_the_pages_above_are_those_of_the_site(hooks: dict[str, Any]) -> None:
    text = "[a](docs/tables.md), [b](CONTRIBUTING.md), [c](https://x.org/docs/)"
    assert hooks["relinked"](text) == "[a](tables.md), [b](contributing.md), [c](https://x.org/docs/)"


@pytest.mark.parametrize(
    ("text", "is_loaded"),
    [
        ('<script src="https://unpkg.com/x.js"></script>', True),
        ("<script src=//cdn.org/x.js></script>", True),
        ('<link rel="stylesheet" href="https://fonts.org/css">', True),
        ('<link href="https://fonts.org" rel="preconnect">', True),
        ('<img alt="" src="http://x.org/a.png">', True),
        ('@import "https://x.org/a.css";', True),
        ("body { background: url(https://x.org/a.png) }", True),
        ('<a href="https://keepachangelog.com">k</a>', False),
        ('<link rel="canonical" href="https://x.org/">', False),
        ('<script src="assets/bundle.js"></script><img src="../a.png">', False),
    ],
)
def test_what_comes_from_elsewhere_is_found(hooks: dict[str, Any], text: str, is_loaded: bool) -> None:
    assert bool(hooks["LOADED"].search(text)) is is_loaded


def test_a_page_that_loads_from_elsewhere_fails_the_build(hooks: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>nothing</p>")
    hooks["on_post_build"](config=module("config", site_dir=tmp_path))
    (tmp_path / "index.html").write_text('<script src="https://unpkg.com/x.js"></script>')
    with pytest.raises(RuntimeError, match="loads from elsewhere"):
        hooks["on_post_build"](config=module("config", site_dir=tmp_path))
