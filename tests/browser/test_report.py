"""The report as a page: for everybody, on a phone, without scripts, whatever the table holds."""

from __future__ import annotations

import pytest

WIDER = """
() => [...document.querySelectorAll('body *')].filter((each) => {
  if (each.closest('.scroll, pre') !== null && !each.matches('.scroll, pre')) return false;
  if (each.getClientRects().length === 0 || each.closest('svg')) return false;
  return each.getBoundingClientRect().right > innerWidth + 0.5;
}).map((each) => each.outerHTML.slice(0, 120))
"""


def _opened(page):
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    return page


@pytest.mark.parametrize("subject", ["cancer", "hostile"])
def test_report_axe_finds_nothing(open_page, request, subject):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    page = _opened(open_page(request.getfixturevalue(subject), color_scheme="light"))
    found = axe.run(page).response["violations"]
    page.emulate_media(color_scheme="dark")
    found += axe.run(page, options={"runOnly": ["color-contrast"]}).response["violations"]
    assert not found, [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found]


@pytest.mark.parametrize("subject", ["cancer", "iris", "hostile", "weighted"])
def test_a_phone_scrolls_in_one_direction_only_and_nothing_is_fetched_or_fails(open_page, request, subject):
    page = _opened(open_page(request.getfixturevalue(subject), width=400))
    assert page.evaluate("document.documentElement.scrollWidth") <= 400, page.evaluate(WIDER)
    page.wait_for_timeout(50)
    assert page.faults == []


def test_without_scripts_everything_is_there_to_read(open_page, cancer):
    page = open_page(cancer, java_script_enabled=False)
    assert page.locator(".controls").is_hidden()
    assert page.locator(".settings").is_hidden()
    assert page.locator(".curves svg").count() == 6
    assert "At cutoff 0.5" in page.inner_text(".sentence")
    assert page.locator("details tr").count() >= 1 + len(cancer.panel.models)
    drawn = page.locator('[data-plot="roc"] .curve').bounding_box()
    assert drawn["width"] > 100
    assert drawn["height"] > 50


def test_hostile_text_stays_text(open_page, hostile):
    page = _opened(open_page(hostile))
    assert page.locator("script").count() == 2
    assert page.locator("img").count() == 0
    text = page.inner_text("body")
    assert "<script>alert(1)</script>" in text
    assert "\\u202e" in text
    assert "\u202e" not in text
    for label in range(3):
        page.select_option('[data-in="class"]', index=label)
    assert page.locator("script").count() == 2
    assert "</script><script>alert(3)</script>" in page.inner_text(".sentence")
    assert page.faults == []


def test_only_the_scripts_of_the_report_run(open_page, cancer):
    """The page's policy knows one script by its hash: another one that got in is refused."""
    page = open_page(cancer)
    page.evaluate("""() => {
      const script = document.createElement('script');
      script.textContent = 'document.title = "run"';
      document.body.append(script);
    }""")
    assert page.title() != "run"
    assert any("Content Security Policy" in fault for fault in page.faults)


def test_print_leaves_the_controls_out(open_page, cancer):
    page = open_page(cancer, width=690)
    assert page.locator(".board thead th").last.bounding_box()["width"] <= 1
    page.emulate_media(media="print")
    assert page.locator(".board thead th").last.bounding_box()["width"] > 30, "on paper the leaderboard is a table"
    assert page.locator(".panel details tbody tr").last.is_visible(), "what is folded in is printed"
    assert page.evaluate("document.documentElement.scrollWidth") <= 690
    assert page.locator(".controls").is_hidden()
    assert page.locator(".sentence").is_visible()
    assert len(page.pdf()) > 10_000


def test_other_models_keep_the_cutoff(open_page, cancer):
    page = open_page(cancer)
    for model in cancer.panel.models[:2]:
        page.select_option('[data-in="model"]', label=model)
        assert f"At cutoff 0.5, \u2068{model}\u2069" in page.inner_text(".sentence")
