"""The report on a regressor as a page: for everybody, on a phone, in print, whatever the table holds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.browser.conftest import HOSTILE, REVERSED
from tests.browser.test_report import WIDER, _opened

import crake


@dataclass(frozen=True)
class Written:
    """A file to open."""

    path: Path

    @property
    def address(self) -> str:
        return self.path.as_uri()


@pytest.fixture(scope="module")
def numbers(tmp_path_factory) -> Written:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({HOSTILE: rng.choice([HOSTILE, REVERSED, "x" * 1024], 200), "size": rng.normal(50, 10, 200)})
    frame["price & <b>"] = 1e5 * frame["size"] + rng.normal(0, 1e5, 200)
    path = tmp_path_factory.mktemp("reports") / "numbers.html"
    table = crake.read(frame, target="price & <b>")
    crake.evaluate(crake.LinearRegressor(), table).to_html(path, show_rows=True)
    return Written(path)


def test_regression_report_axe_finds_nothing(open_page, numbers):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    page = _opened(open_page(numbers, color_scheme="light"))
    found = axe.run(page).response["violations"]
    page.emulate_media(color_scheme="dark")
    found += axe.run(page, options={"runOnly": ["color-contrast"]}).response["violations"]
    assert not found, [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found]


def test_a_phone_scrolls_in_one_direction_only_and_nothing_is_fetched_or_run(open_page, numbers):
    page = _opened(open_page(numbers, width=400))
    assert page.evaluate("document.documentElement.scrollWidth") <= 400, page.evaluate(WIDER)
    assert page.locator("script").count() == 0
    assert page.locator("img").count() == 0
    assert "<script>alert(1)</script>" in page.inner_text("body")
    page.wait_for_timeout(50)
    assert page.faults == []


def test_words_at_the_ticks_lie_beside_each_other(open_page, numbers):
    """Ticks of seven digits: the name of the axis stands left of them, and none leaves the drawing."""
    page = open_page(numbers)
    outside = page.evaluate("""() => [...document.querySelectorAll('.pair svg')].flatMap((svg) => {
      const box = svg.getBoundingClientRect();
      const ticks = [...svg.querySelectorAll('text.cd-q')].map((each) => each.getBoundingClientRect());
      const names = [...svg.querySelectorAll('text[transform]')].map((each) => each.getBoundingClientRect());
      const out = ticks.filter((each) => each.left < box.left || each.right > box.right);
      const under = names.flatMap((a) => ticks.filter((b) => a.right > b.left && b.right > a.left && a.bottom > b.top
        && b.bottom > a.top));
      return [...out, ...under].map((each) => [each.left, each.right]);
    })""")
    assert outside == []
    assert page.locator(".pair svg").count() == 2
