"""The cutoff panel in a browser: at every cutoff its numbers are Python's."""

from __future__ import annotations

import numpy as np
import pytest

from crake.metrics.cutoffs import choose_cutoff
from crake.render.report.cutoffs import Costs, Counts, CutoffPanel, Series
from crake.render.report.plots import POINTS, cost_point, cost_top, place_x, place_y
from crake.render.report.words import money, sentence

# Moves the slider over every step, from the lowest cutoff to none called, and reads what the page then says.
WALK = """
([names]) => {
  const slider = document.querySelector('[data-in="step"]');
  const read = (name) => document.querySelector(`[data-out="${name}"]`).textContent;
  const seen = [];
  for (let value = 0; value <= Number(slider.max); value += 1) {
    slider.value = value;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    const dot = (plot) => {
      const found = document.querySelector(`[data-plot="${plot}"] .at`);
      const place = ["cx", "cy"].map((name) => Number(found.getAttribute(name)));
      return [plot, found.getAttribute("display") === "none" ? null : place];
    };
    const line = (plot) => Number(document.querySelector(`[data-plot="${plot}"] .at-line`)?.getAttribute("x1"));
    seen.push({
      cutoff: document.querySelector('[data-in="cutoff"]').value,
      dots: Object.fromEntries(["roc", "recall", "lift", "cost"].map(dot)),
      lines: [line("histogram"), line("calibration")],
      ...Object.fromEntries(names.map((name) => [name, read(name)])),
    });
  }
  return seen;
}
"""
NAMES = [
    "sentence",
    "tp",
    "fn",
    "fp",
    "tn",
    "precision",
    "recall",
    "specificity",
    "f1",
    "accuracy",
    "lift",
    "share",
    "cost",
]


def _counts(evaluation, code: int, cutoff: float) -> Counts:
    """Straight from the rows, without any ranking."""
    found = evaluation.out_of_fold
    positive, called = found.actual == code, found.probabilities[:, code] >= cutoff
    sides = (positive & called, positive & ~called, ~positive & called, ~positive & ~called)
    return Counts(*(float(np.sum(found.weights[side])) for side in sides))


def _is_same(text: str, value: float | None, decimals: int) -> bool:
    if value is None:
        return text == "–"
    return abs(float(text.replace(",", "")) - value) <= 0.5 * 10**-decimals + 1e-9


def _agrees(seen: dict, counts: Counts, costs: Costs, *, whole: bool = True) -> None:
    cells = dict(zip(("tp", "fn", "fp", "tn"), counts.__dict__.values(), strict=True))
    for name, rows in cells.items():
        assert _is_same(seen[name], rows, 0 if whole else 1), (name, seen, counts)
    for name in ("precision", "recall", "specificity", "f1", "accuracy"):
        assert _is_same(seen[name], getattr(counts, name), 3), (name, seen, counts)
    assert _is_same(seen["lift"], counts.lift, 2)
    assert _is_same(seen["cost"], counts.mean_cost(costs), 3)
    for name, point_of in POINTS.items():
        point = point_of(counts)
        assert seen["dots"][name] == (
            None if point is None else pytest.approx([place_x(point[0]), place_y(point[1])], abs=0.11)
        )


def _curves_agree(walked: list[dict], panel: CutoffPanel, series: Series) -> None:
    """At every step the dot of the costs, and the lines in the pictures of scores and probabilities."""
    point_of = cost_point(panel.costs, cost_top(series, panel.costs))
    for seen, step in zip(walked, range(len(series.cutoffs), -1, -1), strict=True):
        x, y = point_of(series.at(step))
        assert seen["dots"]["cost"] == pytest.approx([place_x(x), place_y(y)], abs=0.11)
        share = series.cutoffs[step - 1] if step else 1.0
        assert seen["lines"] == pytest.approx([place_x(min(1.0, share))] * 2, abs=0.11)


@pytest.mark.parametrize("name", ["naive Bayes", "C4.5", "majority class"])
def test_every_cutoff_shows_what_python_counts(open_page, cancer, name):
    page = open_page(cancer)
    page.select_option('[data-in="model"]', label=name)
    evaluation = cancer.comparison[name]
    code = evaluation.classes.index("malignant")
    walked = page.evaluate(WALK, [NAMES])
    distinct = len(np.unique(evaluation.as_ranked.probabilities[:, code]))
    assert len(walked) == distinct + 1
    for seen in walked:
        cutoff = float(seen["cutoff"]) if seen["cutoff"] else np.inf
        counts = _counts(evaluation, code, cutoff)
        _agrees(seen, counts, Costs())
        plain = seen["sentence"].replace("\u2068", "").replace("\u2069", "")
        assert plain == sentence(name, "malignant", None if np.isinf(cutoff) else cutoff, counts, Costs())
    assert walked[0]["fn"] == walked[-1]["tp"] == "0"
    panel = cancer.panel
    _curves_agree(walked, panel, panel.series[panel.models.index(name)][0])
    assert page.faults == []


def test_one_class_of_three_is_held_against_the_others(open_page, iris):
    page = open_page(iris)
    evaluation = iris.comparison["naive Bayes"]
    page.select_option('[data-in="model"]', label="naive Bayes")
    for code, label in enumerate(evaluation.classes):
        page.select_option('[data-in="class"]', label=label)
        walked = page.evaluate(WALK, [NAMES])
        assert len(walked) > 20
        for seen in walked:
            _agrees(seen, _counts(evaluation, code, float(seen["cutoff"] or "inf")), Costs())
        assert page.inner_text(".panel .matrix thead th >> nth=1") == f"not {label}"
        assert f"F1 of {label}" in page.inner_text(".panel .measures")


def test_weights_are_summed(open_page, weighted):
    page = open_page(weighted)
    evaluation = weighted.comparison.evaluations[0]
    for seen in page.evaluate(WALK, [NAMES]):
        _agrees(seen, _counts(evaluation, 1, float(seen["cutoff"] or "inf")), Costs(), whole=False)


def test_what_python_drew_is_what_the_script_draws(open_page, cancer):
    """Nothing moves when the script starts: both put every curve, bar and word in the same place."""
    script_off = open_page(cancer, java_script_enabled=False)
    read = """
    () => [...document.querySelectorAll('.panel svg, .panel .sentence, .panel .measures, .panel .matrix')].map((part) =>
      part.textContent + [...part.querySelectorAll('*')].map((each) => ['d', 'cx', 'cy', 'x', 'y', 'x1', 'x2', 'y1',
        'y2', 'width', 'height'].map((name) => {
          const value = each.getAttribute(name);
          return value === null || name === 'd' ? value : Math.round(Number(value) * 10);
      }).join()).join(';'))
    """
    before = script_off.evaluate(read)
    after = open_page(cancer).evaluate(read)
    assert len(before) == len(after) == 9
    assert before == after


def test_costs_move_the_cost_and_the_cheapest_cutoff(open_page, cancer):
    page = open_page(cancer)
    page.select_option('[data-in="model"]', label="naive Bayes")
    page.fill('[data-in="fp"]', "1")
    page.fill('[data-in="fn"]', "25")
    ranking = cancer.comparison["naive Bayes"].ranking
    ways = {"cost": {"cost_fp": 1, "cost_fn": 25}, "f1": {}, "youden": {}}
    for way, options in ways.items():
        page.click(f'[data-jump="{way}"]')
        chosen = choose_cutoff(ranking, "f" if way == "f1" else way, **options)
        assert page.inner_text('[data-out="tp"]') == f"{chosen.true_positives:.0f}"
        assert page.inner_text('[data-out="fp"]') == f"{chosen.false_positives:.0f}"
    page.click('[data-jump="cost"]')
    costs = Costs(1, 25)
    cheapest = choose_cutoff(ranking, "cost", cost_fp=1, cost_fn=25)
    assert page.inner_text('.measures [data-out="cost"]') == money(cheapest.reached)
    series = cancer.panel.series[cancer.panel.models.index("naive Bayes")][0]
    top = cost_top(series, costs)
    counts = Counts(
        cheapest.true_positives, cheapest.false_negatives, cheapest.false_positives, cheapest.true_negatives
    )
    x, y = cost_point(costs, top)(counts)
    dot = page.locator('[data-plot="cost"] .at')
    assert float(dot.get_attribute("cx")) == place_x(x)
    assert float(dot.get_attribute("cy")) == place_y(y)
    page.click('[data-jump="default"]')
    assert page.input_value('[data-in="cutoff"]') == "0.5"


def test_a_cost_that_is_no_number_changes_nothing(open_page, cancer):
    page = open_page(cancer)
    before = page.inner_text('[data-out="sentence"]')
    page.fill('[data-in="fn"]', "")
    assert page.inner_text('[data-out="sentence"]') == before
    assert page.get_attribute('[data-in="fn"]', "aria-invalid") == "true"


def test_the_keyboard_moves_the_cutoff_by_one_score(open_page, cancer):
    page = open_page(cancer)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.in") == "step":
            break
    else:
        pytest.fail("the slider is not reached with the Tab key")
    before, said = page.input_value('[data-in="step"]'), page.inner_text('[data-out="sentence"]')
    page.keyboard.press("ArrowLeft")
    assert int(page.input_value('[data-in="step"]')) == int(before) - 1
    assert page.inner_text('[data-out="sentence"]') != said
    assert page.get_attribute('[data-in="step"]', "aria-valuetext").startswith(page.input_value('[data-in="cutoff"]'))
    page.keyboard.press("End")
    assert page.inner_text('[data-out="sentence"]').startswith("Above all scores")
    page.keyboard.press("Home")
    assert page.inner_text('[data-out="recall"]') == "1.000"


def test_a_cutoff_and_a_share_may_be_typed(open_page, cancer):
    page = open_page(cancer)
    page.select_option('[data-in="model"]', label="naive Bayes")
    page.fill('[data-in="share"]', "37")
    page.keyboard.press("Enter")
    assert abs(float(page.input_value('[data-in="share"]')) - 37) < 0.2
    page.fill('[data-in="cutoff"]', "0.123")
    page.keyboard.press("Enter")
    cutoff = float(page.input_value('[data-in="cutoff"]'))
    scores = cancer.comparison["naive Bayes"].ranking.scores
    assert abs(cutoff - 0.123) <= np.min(np.abs(scores - 0.123)) + 0.05
    counts = _counts(cancer.comparison["naive Bayes"], 1, cutoff)
    assert page.inner_text('[data-out="tp"]') == f"{counts.true_positives:.0f}"


def test_a_point_on_a_curve_may_be_dragged(open_page, cancer):
    page = open_page(cancer)
    page.select_option('[data-in="model"]', label="naive Bayes")
    for plot in ("roc", "recall", "lift", "cost", "histogram"):
        page.click('[data-jump="default"]')
        said = page.inner_text('[data-out="sentence"]')
        svg = page.locator(f'[data-plot="{plot}"] svg')
        svg.scroll_into_view_if_needed()
        box = svg.bounding_box()
        page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.5 * box["height"])
        page.mouse.down()
        page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 0.5 * box["height"])
        page.mouse.up()
        assert page.inner_text('[data-out="sentence"]') != said, plot
    assert page.faults == []
