"""The page of `crake explain` in a browser: no rule of accessibility broken, no sideways scrolling on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import crake as library
from crake.table.examples import load


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    opened = browser.new_page(viewport={"width": 400, "height": 900})
    yield opened
    opened.close()


def test_the_page_in_a_browser(crake, golf: Path, tmp_path: Path, page: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415

    model, file = tmp_path / "golf.crake", tmp_path / "golf.html"
    library.save(library.C45Classifier().fit(load("golf")), model)
    assert crake("explain", model, golf, "--row", 0, "--row", 5, "--html", file).code == 0
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
