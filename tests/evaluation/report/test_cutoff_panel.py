"""The counts of a report's cutoff panel, checked without a browser: against the rows themselves."""

from __future__ import annotations

import json
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crake import Balanced, CostMatrix, Evaluation, WithCutoff, compare, evaluate, read
from crake.evaluation.comparison.criterion import ByCost
from crake.evaluation.report.sections.cutoff import MOST, MOST_TOGETHER, Scale, chosen_steps, cutoff_panel, series_of
from crake.metrics.cutoffs import choose_cutoff
from crake.metrics.probability.calibration import calibration_table
from crake.metrics.ranking.ranking import rank_scores
from crake.render.report.cutoffs import Costs, Counts, CutoffPanel, Series
from crake.render.report.embedded_json import document, island
from crake.render.report.plots import plots

PROBABILITIES = Scale("probability", 0.0, 1.0, 0.5)
SCORES = st.one_of(st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.5, 0.7, 0.95, 1.0]), st.floats(0, 1))


def _counted(is_positive, scores, weights, cutoff) -> list[float]:
    called = scores >= cutoff
    return [float(np.sum(weights[is_positive & called])), float(np.sum(weights[~is_positive & called]))]


@settings(max_examples=60)
@given(st.lists(st.tuples(st.booleans(), SCORES, st.sampled_from([1.0, 2.0, 0.25])), min_size=2, max_size=40))
def test_at_every_cutoff_the_counts_are_those_of_the_rows(rows):
    is_positive, scores, weights = (np.array(column) for column in zip(*rows, strict=True))
    ranking = rank_scores(is_positive, scores, weights)
    if ranking.missing_side:
        return
    series = series_of(ranking, PROBABILITIES)
    assert series.is_exact
    for step, cutoff in enumerate(series.cutoffs, 1):
        at = series.at(step)
        assert [at.true_positives, at.false_positives] == pytest.approx(_counted(is_positive, scores, weights, cutoff))
        assert series.step_of(cutoff) == step
    default = series.at(series.step_of(0.5))
    assert [default.true_positives, default.false_positives] == pytest.approx(
        _counted(is_positive, scores, weights, 0.5)
    )


@settings(max_examples=40)
@given(st.lists(st.tuples(st.booleans(), SCORES), min_size=2, max_size=60))
def test_the_bins_are_those_of_the_calibration(rows):
    is_positive, scores = (np.array(column) for column in zip(*rows, strict=True))
    ranking = rank_scores(is_positive, scores)
    if ranking.missing_side:
        return
    series = series_of(ranking, PROBABILITIES)
    table = calibration_table(is_positive, scores)
    edges = (0, *series.edges)[::-1]
    kept = [bin_ for bin_, mean in enumerate(series.predicted) if mean is not None]
    assert [series.predicted[bin_] for bin_ in kept] == pytest.approx(table.predicted.tolist(), abs=1e-9)
    sides = [(series.at(edges[2 * bin_]), series.at(edges[2 * bin_ + 2])) for bin_ in kept]
    assert [upper.called - lower.called for upper, lower in sides] == table.rows.tolist()


def test_of_many_scores_some_are_chosen_and_counted_exactly():
    random = np.random.default_rng(1)
    is_positive = random.random(30_000) < 0.2
    scores = random.beta(1 + 2 * is_positive, 4)
    ranking = rank_scores(is_positive, scores)
    series = series_of(ranking, PROBABILITIES, 500)
    assert series.distinct == 30_000
    assert 250 < len(series.cutoffs) <= 500
    assert not series.is_exact
    for step, cutoff in list(enumerate(series.cutoffs, 1))[::7]:
        at = series.at(step)
        assert [at.true_positives, at.false_positives] == _counted(is_positive, scores, np.ones(30_000), cutoff)
    assert series.at(len(series.cutoffs)).called == 30_000
    assert 0.5 in series.cutoffs
    # The best cutoff of those kept is nearly that of all.
    best = max(series.at(step).f1 for step in range(len(series.cutoffs) + 1))
    assert best == pytest.approx(choose_cutoff(ranking, "f").reached, abs=0.003)


def test_shares_of_the_rows_are_all_within_reach():
    ranking = rank_scores(np.arange(9000) % 3 == 0, np.arange(9000) / 9000)
    taken = chosen_steps(ranking, 300) / 9000
    assert np.max(np.diff(taken)) < 0.011


def _written(panel: CutoffPanel) -> dict:
    return json.loads(str(island(panel)))


def _panel(evaluations, criterion=None) -> CutoffPanel:
    found = cutoff_panel(evaluations, criterion)
    assert isinstance(found, CutoffPanel)
    return found


def test_what_the_page_holds_is_what_was_counted():
    comparison = compare(read("golf"), learners=["naive-bayes", "majority"])
    panel = _panel(comparison.evaluations)
    held = _written(panel)
    assert held == json.loads(json.dumps(document(panel)))
    for written, series in zip(held["series"], panel.series, strict=True):
        assert tuple(accumulate(written[0]["p"])) == series[0].true_positives
        assert tuple(accumulate(written[0]["n"])) == series[0].false_positives
        assert tuple(map(_read, written[0]["c"].split())) == series[0].cutoffs


def _read(cutoff: str) -> float:
    """As the page's script reads it."""
    return float(cutoff[1:] if cutoff.startswith("=") else f".{cutoff}")


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_cutoffs_are_read_as_they_were(cutoffs):
    series = Series(tuple(cutoffs), (1.0,), (1.0,), (1,), (), 0.5, len(cutoffs))
    panel = CutoffPanel(("a",), ("yes",), ("no",), ((series,),), 0.5, Costs())
    assert tuple(map(_read, _written(panel)["series"][0][0]["c"].split())) == tuple(cutoffs)


def test_text_cannot_end_the_island():
    label = "</script><script>alert(1)</script><!--\u2028&"
    evaluation = Evaluation.from_scores(["a", label, label], [0.1, 0.7, 0.4], positive=label, name=label)
    text = str(island(_panel([evaluation])))
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text)["classes"] == [label.replace("\u2028", "\\u2028")]


def test_costs_and_the_cutoff_they_ask_for():
    y, scores = ["no", "no", "yes", "yes"], [0.1, 0.3, 0.2, 0.9]
    evaluation = Evaluation.from_scores(y, scores, positive="yes")
    costs = CostMatrix.of_errors(("no", "yes"), "yes", false_positive=1, false_negative=4)
    panel = _panel([evaluation], ByCost(costs))
    assert (panel.costs.false_positive, panel.costs.false_negative) == (1, 4)
    assert panel.cutoff == 0.2
    assert panel.default_counts(0) == Counts(2, 0, 1, 1)
    assert panel.default_counts(0).mean_cost(panel.costs) == float(evaluation.at_cutoff(0.2).mean_cost(costs))


def test_scores_that_are_no_probabilities_have_no_calibration():
    evaluation = Evaluation.from_scores([0, 0, 1, 1], [-3.0, 1.5, 0.5, 8.0])
    panel = _panel([evaluation])
    assert (panel.scores, panel.low, panel.high, panel.cutoff) == ("score", -3.0, 8.0, 0.0)
    assert [plot.name for plot in plots(panel)] == ["roc", "recall", "lift", "cost", "histogram"]


def test_answers_alone_have_no_cutoff():
    answers = Evaluation.from_predictions(["a", "b"], ["a", "a"])
    assert "no scores" in str(cutoff_panel([answers]))


def test_the_class_most_often_confused_is_shown_first():
    panel = _panel(compare(read("iris"), learners=["naive-bayes"]).evaluations)
    assert panel.classes[panel.first_class] in ("versicolor", "virginica")
    named = _panel(compare(read("iris"), learners=["naive-bayes"], positive="setosa").evaluations)
    assert named.classes[named.first_class] == "setosa"


def test_of_very_many_classes_the_most_confused_are_kept():
    random = np.random.default_rng(4)
    y, shares = random.integers(0, 60, 600), random.dirichlet(np.ones(60), 600)
    evaluations = [Evaluation.from_scores(y, shares, positive=59, name=f"model {k}") for k in range(5)]
    panel = _panel(evaluations)
    assert len(panel.classes) == 40
    assert len(panel.models) == 3
    assert panel.classes[panel.first_class] == "59"
    assert "last 2 models of the leaderboard and the 20 least confused classes are not" in panel.left_out
    assert "the last model of the leaderboard and the 20 least" in _panel(evaluations[:4]).left_out


def test_scores_from_end_to_end_of_all_floats():
    panel = _panel([Evaluation.from_scores([0, 1, 0, 1], [-1.7e308, 1.7e308, 0.0, -1e-300])])
    assert np.isfinite(panel.high - panel.low)
    assert all(np.isfinite(bar.above) and np.isfinite(bar.below) for bar in plots(panel)[-1].bars)


@pytest.mark.parametrize("classes", [2, 26])
def test_twenty_thousand_rows_stay_small(classes):
    random = np.random.default_rng(2)
    y = random.integers(0, classes, 20_000)
    evaluations = []
    for k in range(10):
        odds = random.normal(0, 1, (20_000, classes)) + 2 * (y[:, None] == np.arange(classes))
        shares = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
        evaluations.append(Evaluation.from_scores(y, shares, name=f"model {k}"))
    panel = _panel(evaluations)
    lengths = [len(series.cutoffs) for each in panel.series for series in each]
    assert max(lengths) <= MOST
    assert sum(lengths) <= MOST_TOGETHER
    assert len(str(island(panel))) < 200_000


def test_a_panel_of_many_classes_does_not_open_empty() -> None:
    rng = np.random.default_rng(1)
    y = np.arange(120) % 6
    P = rng.dirichlet(np.ones(6) * 30, 120)  # no class ever gets half of the probability
    panel = cutoff_panel([Evaluation.from_scores(y, P, classes=range(6))])
    counts = panel.default_counts(0)
    assert panel.cutoff < 0.5
    assert 15 <= counts.called <= 25  # about as many as there are
    sure = P.copy()
    sure[y == 4] = [0.05, 0.05, 0.05, 0.05, 0.75, 0.05]
    opened = cutoff_panel([Evaluation.from_scores(y, sure, classes=range(6))])
    assert (opened.classes[opened.first_class], opened.cutoff) == ("4", 0.5)


def test_the_panel_of_a_constant_begins_with_its_own_answers() -> None:
    evaluation = compare(read("golf"), learners=["majority"]).evaluations[0]
    panel = cutoff_panel([evaluation])
    assert (panel.cutoff, panel.default_counts(0).called) == (0.5, 0)


def test_models_of_another_kind_are_named() -> None:
    y = np.array(["no", "yes"] * 10)
    p = np.linspace(0.1, 0.9, 20)
    probabilities = Evaluation.from_scores(y, p, positive="yes", name="one")
    scores = Evaluation.from_scores(y, 4 * p - 2, positive="yes", name="two")
    labels = Evaluation.from_predictions(y, y, positive="yes", name="three")
    panel = cutoff_panel([probabilities, scores, labels])
    assert panel.models == ("one",)
    assert panel.left_out == "two and three give no probabilities: not in this panel, as no cutoff fits both."
    assert panel.to_dict()["left_out"] == panel.left_out
    assert cutoff_panel([scores, probabilities]).left_out.startswith("one gives no scores")


@pytest.mark.parametrize("learner", [Balanced(), WithCutoff(cutoff=0.2, positive="yes")], ids=repr)
def test_the_panel_begins_where_the_model_itself_cuts(learner) -> None:
    """A balanced learner, or one with a cutoff, answers with yes far below ½."""
    rng = np.random.default_rng(0)
    is_rare = rng.random(400) < 0.1
    evaluation = evaluate(learner, rng.normal(is_rare[:, None] * [1.0, 1.0]), np.where(is_rare, "yes", "no"))
    panel, counts = _panel([evaluation]), evaluation.confusion.counts
    assert panel.cutoff < 0.3
    at = panel.default_counts(0)
    assert abs(at.true_positives - counts[1, 1]) <= 1
    assert abs(at.false_positives - counts[0, 1]) <= 4
    by_cost = ByCost(CostMatrix(("no", "yes"), np.array([[0.0, 1.0], [1.0, 0.0]])))
    assert _panel([evaluation], by_cost).cutoff == 0.5


def test_a_panel_of_many_classes_begins_where_the_model_itself_cuts() -> None:
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b", "c"], 400, p=[0.6, 0.3, 0.1])
    X = rng.normal(np.searchsorted(["a", "b", "c"], y)[:, None] * [1.0, 1.0])
    evaluation = evaluate(Balanced(), X, y, positive="c", plan="cv3")
    panel, counts = _panel([evaluation]), evaluation.confusion.counts
    assert panel.classes[panel.first_class] == "c"
    at = panel.default_counts(0)
    assert panel.cutoff < 0.4
    assert abs(at.called - counts[:, 2].sum()) <= 8
    assert _panel([evaluate("naive-bayes", X, y, positive="c", plan="cv3")]).cutoff == 0.5
