"""The description of a table in a browser: relations to the target and histograms by class."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.browser.conftest import HOSTILE, REVERSED

import crake


@dataclass(frozen=True)
class Written:
    """A page in a file."""

    path: Path

    @property
    def address(self) -> str:
        return self.path.as_uri()


@pytest.fixture(scope="module")
def described(tmp_path_factory) -> Written:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 150)
    frame = pd.DataFrame({HOSTILE: rng.choice([HOSTILE, REVERSED, "x" * 1024], 150), "size": y + rng.normal(size=150)})
    frame.loc[::9, "size"] = np.nan
    frame["class & <b>"] = np.array(["a", HOSTILE, REVERSED])[y]
    path = tmp_path_factory.mktemp("pages") / "description.html"
    path.write_text(crake.describe(frame, target="class & <b>").to_html(), "utf-8")
    return Written(path)


def test_description_axe_finds_nothing(open_page, described):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    page = open_page(described, color_scheme="light")
    found = axe.run(page).response["violations"]
    page.emulate_media(color_scheme="dark")
    found += axe.run(page, options={"runOnly": ["color-contrast"]}).response["violations"]
    assert not found, [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found]


def test_description_on_a_phone_scrolls_in_one_direction_and_runs_nothing(open_page, described):
    page = open_page(described, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("figure svg").count() == 2
    assert page.faults == []
