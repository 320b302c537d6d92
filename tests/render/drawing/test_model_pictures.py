"""Nomograms, coefficients, rules and histograms: names of strangers, and no word on another in a browser."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pytest

import crake
from crake.render.drawing.coefficients import CoefficientPicture, CoefficientRow, Estimated, coefficient_svg
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.histogram import ClassHistogram, HistogramPicture, histogram_svg
from crake.render.drawing.label_lanes import ends_first, in_lanes
from crake.render.drawing.nomogram import Attribute, NomogramPicture, Value, nomogram_svg
from crake.render.drawing.rule import Rule, RulePicture, rule_svg
from crake.table.examples import load


def nomogram(names) -> NomogramPicture:
    rng = np.random.default_rng(0)
    attributes = tuple(
        Attribute(name, tuple(Value(v, float(e)) for v, e in zip(names, rng.normal(0, k + 1, len(names)), strict=True)))
        for k, name in enumerate(names)
    )
    certain = Attribute("certain", (Value("never", -math.inf), Value("always", math.inf), Value("maybe", 0.3)))
    return NomogramPicture("Nomogram", names[0], "found", (*attributes, certain), -1.0, f"P({names[0]})", (names[1],))


def coefficients(names, series=1) -> CoefficientPicture:
    rows = tuple(
        CoefficientRow(name, tuple(Estimated(k - 3.0, k - 4.0, k * 9.0) for _ in range(series)))
        for k, name in enumerate(names)
    )
    return CoefficientPicture(
        "Coefficients", names[0], "found", "log odds", rows, tuple(map(str, range(series))), names[:2]
    )


def rule(names) -> RulePicture:
    rules = tuple(Rule(name, name, tuple(range(len(names))), "1/2 wrong") for name in names)
    return RulePicture("1R", names[0], "found", rules, tuple(names))


def histogram(names, *, levels=True) -> HistogramPicture:
    heights = tuple(np.linspace(0, 1, len(names)).tolist())
    classes = tuple(ClassHistogram(name, 7.0, heights, ((0.0, 3.0), (0.1, 0.9))) for name in names)
    edges = () if levels else tuple(np.linspace(0, 3, len(names) + 1).tolist())
    return HistogramPicture("Histogram", names[0], "found", names[1], classes, edges, tuple(names) if levels else ())


def test_model_pictures_hostile_names_stay_text(taken, hostile):
    for svg in (
        nomogram_svg(nomogram(hostile)),
        coefficient_svg(coefficients(hostile)),
        coefficient_svg(coefficients(hostile, 3)),
        rule_svg(rule(hostile)),
        histogram_svg(histogram(hostile)),
        histogram_svg(histogram(hostile, levels=False)),
    ):
        found = taken(svg)
        found.is_whole()
        assert all(len(word) < 150 for word in found.words())


def test_words_in_a_lane_keep_apart():
    rng = np.random.default_rng(3)
    places = [(float(x), float(w)) for x, w in zip(rng.uniform(0, 600, 60), rng.uniform(5, 90, 60), strict=True)]
    for found in (in_lanes(places, 3), ends_first(places)):
        for lane in set(found) - {-1}:
            own = sorted((x - w / 2, x + w / 2) for (x, w), at in zip(places, found, strict=True) if at == lane)
            assert all(b[0] - a[1] >= 6 - 1e-9 for a, b in pairwise(own))
    assert (
        min(ends_first(places)[k] for k in (np.argmin([x for x, _ in places]), np.argmax([x for x, _ in places]))) == 0
    )


def test_an_interval_beyond_the_scale_ends_in_an_arrow(taken):
    wide = CoefficientPicture("c", "", "f", "x", (CoefficientRow("a", (Estimated(1.0, -500.0, 500.0),)),))
    usual = CoefficientPicture("c", "", "f", "x", (CoefficientRow("a", (Estimated(1.0, 0.5, 1.5),)),))
    assert len(taken(coefficient_svg(wide)).all("path")) == 2
    assert len(taken(coefficient_svg(usual)).all("path")) == 0


def test_no_points_where_no_attribute_has_influence(taken):
    flat = NomogramPicture("Nomogram", "", "f", (Attribute("a", (Value("x", 0.5), Value("y", 0.5))),), 0.0, "P(yes)")
    taken(nomogram_svg(flat)).is_whole()
    assert flat.probability(0) == pytest.approx(1 / (1 + math.exp(-0.5)))
    assert flat.total(flat.probability(0)) == pytest.approx(0)


LAID_OUT = """() => {
    const svg = document.querySelector("svg").getBoundingClientRect();
    const texts = [...document.querySelectorAll("svg text")].filter(t => t.textContent.trim());
    const own = t => { const r = t.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom, t.textContent]; };
    return {svg: [svg.left, svg.top, svg.right, svg.bottom], texts: texts.map(own)};
}"""


def misplaced(seen, slack=2.5):
    """Texts that leave the drawing, and pairs that lie on each other: boxes of letters are higher than letters."""
    left, top, right, bottom = seen["svg"]
    texts = seen["texts"]
    out = [t for t in texts if t[0] < left - 1 or t[1] < top - 1 or t[2] > right + 1 or t[3] > bottom + 1]
    pairs = [
        (a[4], b[4])
        for k, a in enumerate(texts)
        for b in texts[k + 1 :]
        if min(a[2], b[2]) - max(a[0], b[0]) > slack and min(a[3], b[3]) - max(a[1], b[1]) > slack
    ]
    return out, pairs


@lru_cache(maxsize=1)
def _drawings() -> list[tuple[str, Drawing]]:
    return list(_made())


def _made() -> Iterator[tuple[str, Drawing]]:
    weather, iris, cancer = load("weather"), load("iris"), load("breast-cancer")
    bayes, logistic = crake.NaiveBayesClassifier(), crake.LogisticClassifier(penalty="ridge")
    evaluation = crake.evaluate(crake.NaiveBayesClassifier(), cancer, plan=crake.CrossValidation(3))
    yield "nomogram of the weather", bayes.fit(weather).draw()
    yield "nomogram of breast cancer", bayes.fit(cancer).draw(table=cancer)
    yield "column", bayes.fit(iris).draw(column="petal length (cm)", table=iris)
    yield "levels", weather.draw("outlook")
    yield "coefficients", logistic.fit(cancer).draw("coefficients")
    yield "coefficients of three classes", logistic.fit(iris).draw("coefficients")
    yield "nomogram of logistic regression", logistic.fit(iris).draw()
    yield "rule", crake.OneRuleClassifier().fit(iris).draw()
    yield "tree", crake.C45Classifier().fit(iris).draw()
    for what in ("roc", "precision-recall", "gains", "lift", "cost", "calibration", "confusion"):
        yield what, evaluation.draw(what)


def test_words_that_lie_on_each_other_would_be_found(page):
    page.set_content(
        '<body><svg width="99" height="50"><text x="5" y="20">one</text><text x="9" y="22">two</text></svg>'
    )
    assert misplaced(page.evaluate(LAID_OUT)) == ([], [("one", "two")])


def test_no_word_lies_on_another_in_a_browser(page):
    for name, drawing in _drawings():
        page.set_content(f"<body>{drawing.svg()}</body>")
        assert misplaced(page.evaluate(LAID_OUT)) == ([], []), name


def test_not_even_with_names_of_strangers(page, hostile):
    for picture, svg_of in (
        (nomogram(hostile), nomogram_svg),
        (coefficients(hostile), coefficient_svg),
        (rule(hostile), rule_svg),
        (histogram(hostile), histogram_svg),
    ):
        page.set_content(f"<body>{svg_of(picture)}</body>")
        assert misplaced(page.evaluate(LAID_OUT)) == ([], []), svg_of


def test_colours_follow_the_scheme_of_the_reader(page):
    svg = crake.OneRuleClassifier().fit(load("weather")).draw().svg()
    seen = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.set_content(f"<body>{svg}</body>")
        seen.append(page.evaluate("['.cd-paper', '.cd-t'].map(c => getComputedStyle(document.querySelector(c)).fill)"))
    page.emulate_media(color_scheme="dark", media="print")
    printed = page.evaluate("['.cd-paper', '.cd-t'].map(c => getComputedStyle(document.querySelector(c)).fill)")
    page.emulate_media(color_scheme="light", media="screen")
    assert seen[0] == ["rgb(255, 255, 255)", "rgb(29, 33, 38)"]
    assert seen[1] == ["rgb(26, 30, 34)", "rgb(233, 235, 237)"]
    assert printed == seen[0]


def test_a_browser_finds_the_title_and_the_finding(page):
    drawing = crake.OneRuleClassifier().fit(load("weather")).draw()
    page.set_content(f"<body>{drawing.svg()}</body>")
    found = page.get_by_role("img", name=f"{drawing.title} {drawing.finding}")
    assert found.count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_model_pictures_axe_finds_nothing(page, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page.emulate_media(color_scheme=scheme)
    shown = "".join(f"<section>{drawing._repr_html_()}</section>" for _, drawing in _drawings())
    page.set_content(
        f"<!doctype html><html lang='en'><title>Drawings</title><main><h1>Drawings</h1>{shown}</main></html>"
    )
    found = axe.Axe().run(page)
    page.emulate_media(color_scheme="light")
    assert found.violations_count == 0, found.generate_report()


def test_a_phone_shows_letters_of_nine_pixels(page):
    page.set_viewport_size({"width": 400, "height": 800})
    for name, drawing in _drawings():
        page.set_content(f"<!doctype html><body style='margin:16px'>{drawing._repr_html_()}</body>")
        sizes = page.evaluate("""() => [...document.querySelectorAll("svg text")].map(t => {
            const m = t.getScreenCTM(); return parseFloat(getComputedStyle(t).fontSize) * Math.hypot(m.b, m.d); })""")
        assert min(sizes) >= 9, name
        assert page.evaluate("document.documentElement.scrollWidth <= 400"), name
    page.set_viewport_size({"width": 1200, "height": 900})


def test_a_page_that_reads_from_right_to_left_changes_nothing(page):
    svg = crake.OneRuleClassifier().fit(load("weather")).draw().svg()
    seen = []
    for way in ("ltr", "rtl"):
        page.set_content(f"<!doctype html><body dir='{way}' style='margin:0'>{svg}</body>")
        found = page.evaluate(LAID_OUT)
        left = found["svg"][0]
        seen.append([(round(t[0] - left), round(t[1]), t[4]) for t in found["texts"]])
    assert seen[0] == seen[1]
