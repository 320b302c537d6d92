"""Documents show output as a screen does: blank lines are blank."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_shows_the_mark_of_doctest(page: Path) -> None:
    assert "<BLANKLINE>" not in page.read_text(encoding="utf-8")


def test_blank_lines_inside_output_belong_to_it() -> None:
    specification = importlib.util.spec_from_file_location("root_conftest", ROOT / "conftest.py")
    assert specification is not None and specification.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    text = "```python\n>>> f()\none\n\ntwo\n\n>>> g()\nthree\n\n```\n\nprose\n\n>>> quoted\n\nmore\n"
    # The fence that ends the output is a blank line to doctest.
    expected = "```python\n>>> f()\none\n<BLANKLINE>\ntwo\n\n>>> g()\nthree\n\n\n\nprose\n\n>>> quoted\n\nmore\n"
    assert module.marked(text) == expected
