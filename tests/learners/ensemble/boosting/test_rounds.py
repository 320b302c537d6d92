"""Boosting as arithmetic: against scikit-learn and our own tree, and laws of sums, rows, weights and threads."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from tests.lines_run import lines_run

import crake
from crake.kernels import threads
from crake.kernels.boosting.arrays import Rules
from crake.kernels.boosting.gradients import logistic_gradients
from crake.kernels.boosting.splits import differ_by_chance
from crake.learners.base import foreseen
from crake.learners.ensemble.boosting import binning, growing, losses, rounds
from crake.learners.ensemble.boosting.weights import RowWeights
from crake.table.convert.frames import from_xy
from crake.table.table import Table

RANDOM = np.random.default_rng(3)
ROWS = 600
X = RANDOM.integers(0, 100, (ROWS, 4)).astype(float)
SIGNAL = np.sin(X[:, 0] / 15) + X[:, 1] / 50 * (X[:, 2] > 50)
X[RANDOM.random(X.shape) < 0.1] = np.nan
NUMBERS = SIGNAL + 0.3 * RANDOM.normal(size=ROWS)
TWO = (SIGNAL + RANDOM.normal(size=ROWS) > 1).astype(int)
THREE = np.digitize(SIGNAL + 0.5 * RANDOM.normal(size=ROWS), [0.5, 1.2])


def same_trees(one: Any, other: Any) -> bool:
    arrays = [(getattr(one.trees_, each.name), getattr(other.trees_, each.name)) for each in fields(one.trees_)]
    return all(np.array_equal(a, b) for a, b in arrays) and np.array_equal(one.base_, other.base_)


@pytest.mark.parametrize("least", [1, 20])
def test_numbers_are_predicted_as_by_scikit_learn(least: int) -> None:
    """Its gradients are float32, so agreement ends where two splits are nearly as good."""
    mine = crake.BoostedTreesRegressor(10, min_samples_leaf=least).fit(X, NUMBERS)
    peer = HistGradientBoostingRegressor(max_iter=10, early_stopping=False, min_samples_leaf=least).fit(X, NUMBERS)
    np.testing.assert_allclose(mine.predict(X), peer.predict(X), atol=1e-6)


def test_leaves_of_a_split_of_names_divide_by_so_many_more_rows() -> None:
    names, numbers = [["a"]] * 30 + [["b"]] * 10, np.repeat([1.0, 5.0], [30, 10])
    model = crake.BoostedTreesRegressor(1, learning_rate=1.0, min_samples_leaf=5, level_smoothing=6).fit(names, numbers)
    np.testing.assert_allclose(model.predict([["a"], ["b"]]), [2 - 30 / 36, 2 + 30 / 16], rtol=1e-12)


def test_medians_are_those_of_scikit_learn() -> None:
    mine = crake.BoostedTreesRegressor(1, min_samples_leaf=1, loss="absolute_error").fit(X, NUMBERS)
    peer = HistGradientBoostingRegressor(max_iter=1, early_stopping=False, min_samples_leaf=1, loss="absolute_error")
    np.testing.assert_allclose(mine.predict(X), peer.fit(X, NUMBERS).predict(X), atol=1e-9)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["logistic", "multinomial"])
def test_probabilities_are_those_of_scikit_learn(y: Any) -> None:
    """Weights keep two splits from being equally good, which all gradients of a first round are apt to be."""
    weights = np.random.default_rng(4).uniform(0.5, 1.5, ROWS)
    mine = crake.BoostedTreesClassifier(3, min_samples_leaf=1e-9).fit(X, y, weights)
    peer = HistGradientBoostingClassifier(max_iter=3, early_stopping=False, min_samples_leaf=1).fit(X, y, weights)
    np.testing.assert_allclose(mine.predict_proba(X), peer.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("nominal", [(), (0, 1)], ids=["numbers", "names"])
def test_one_round_of_squared_loss_is_our_regression_tree(nominal: tuple[int, ...]) -> None:
    cells, y = RANDOM.integers(0, 9, (300, 3)).astype(float), RANDOM.normal(size=300)
    mine = crake.BoostedTreesRegressor(
        1, learning_rate=1.0, max_leaf_nodes=8, min_samples_leaf=5, level_smoothing=0, nominal=nominal
    ).fit(cells, y)
    tree = crake.CARTRegressor(max_leaf_nodes=8, min_samples_leaf=5, nominal=nominal).fit(cells, y)
    np.testing.assert_allclose(mine.predict(cells), tree.predict(cells), rtol=1e-12)
    assert mine.trees_.leaves.tolist() == [8]
    assert mine.trees_.tree(0).weight[0] == 300


def test_the_squared_error_on_the_training_rows_never_rises() -> None:
    coarse = np.round(X[:, :1] / 50)  # three values: soon nothing is left but noise
    for cells in (X, coarse):
        model = crake.BoostedTreesRegressor(60, learning_rate=0.7).fit(cells, NUMBERS)
        errors = [float(((NUMBERS - answer) ** 2).sum()) for answer in model.staged_predict(cells)]
        assert np.all(np.diff(errors) <= 1e-12 * errors[0])


def mixed(seed: int = 1, rows: int = 400) -> Table:
    random = np.random.default_rng(seed)
    names, weights = random.choice(["a", "b", "c", "d", None], rows), random.integers(1, 4, rows).astype(float)
    cells = np.column_stack([random.normal(size=rows), names, random.normal(size=rows)]).astype(object)
    cells[random.random(rows) < 0.2, 0] = np.nan
    y = np.where((cells[:, 1] == "b") ^ (cells[:, 2].astype(float) > 0.3), "p", "q")
    return from_xy(cells, y, nominal=[1]).with_weights(weights)


def test_neither_the_order_of_rows_nor_threads_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    table = mixed()
    whole = crake.BoostedTreesClassifier(8, max_bins=20).fit(table)
    shuffled = table.take(np.random.default_rng(2).permutation(len(table)))
    assert same_trees(whole, crake.BoostedTreesClassifier(8, max_bins=20).fit(shuffled))
    for module, name in ((growing, "MANY_CELLS"), (growing, "MANY_ROWS"), (rounds, "PART"), (losses, "PART")):
        monkeypatch.setattr(module, name, 7)
    monkeypatch.setattr(binning, "TOGETHER", 2)  # two groups of columns
    for number in (1, 3):
        with threads.limited(number):
            assert same_trees(whole, crake.BoostedTreesClassifier(8, max_bins=20).fit(table))


def test_balanced_classes_do_not_depend_on_the_order_of_rows() -> None:
    """Fractional weights of a class add up to the same in any order."""
    weights, order = np.random.default_rng(1).choice([0.1, 0.2, 0.3, 0.7], ROWS), np.random.default_rng(2)
    models = [
        crake.BoostedTreesClassifier(2, class_weight="balanced").fit(X[rows], TWO[rows], weights[rows])
        for rows in (order.permutation(ROWS) for _ in range(6))
    ]
    assert all(same_trees(models[0], other) for other in models)


def test_rows_that_weigh_next_to_nothing_make_no_leaf() -> None:
    """Beside 1e30 a weight of 1 is none; the least weight of a leaf is none in their units, too."""
    row = np.arange(ROWS)
    cells, weights = np.where(row < 300, row, np.nan)[:, None], np.where(row < 300, 1e30, 1.0)
    model = crake.BoostedTreesRegressor(3, min_samples_leaf=1e-300).fit(cells, (row > 150) * 1.0, weights)
    assert np.isfinite(model.predict(cells)).all()
    assert model.trees_.weight.min() > 1e20


def test_a_weight_is_a_number_of_copies() -> None:
    table = mixed(4, 150)
    places = np.repeat(np.arange(len(table)), table.weights.astype(int))
    copied = table.take(places).with_weights(np.ones(len(places)))
    one, other = (crake.BoostedTreesClassifier(5, max_bins=20).fit(each) for each in (table, copied))
    np.testing.assert_array_equal(one.trees_.feature, other.trees_.feature)
    np.testing.assert_allclose(one.trees_.answer, other.trees_.answer, rtol=1e-12)
    np.testing.assert_allclose(one.trees_.weight, other.trees_.weight)


def test_weights_of_any_size() -> None:
    """Only their ratios count, but for the least weight of a leaf."""
    first = crake.BoostedTreesRegressor(4, min_samples_leaf=1e-15).fit(X, NUMBERS).predict(X)
    for weight in (1e-12, 0.37, 1e12):
        model = crake.BoostedTreesRegressor(4, min_samples_leaf=1e-15).fit(X, NUMBERS, np.full(ROWS, weight))
        np.testing.assert_allclose(model.predict(X), first, rtol=1e-6)


def test_weights_are_in_the_units_of_what_draws_sums_to_zero() -> None:
    """λ and the smoothing of levels are weights, too: four times all of them is the same model."""
    plain = mixed(7, 60).with_weights(np.ones(60))
    models = [
        crake.BoostedTreesClassifier(
            2, min_samples_leaf=2 * weight, l2_regularization=3 * weight, level_smoothing=5 * weight
        ).fit(plain.with_weights(np.full(60, weight)))
        for weight in (1.0, 2.0**-9, 2.0**40)
    ]
    assert {int(feature) for feature in models[0].trees_.feature} >= {1, 2}  # names and numbers
    for other in models[1:]:
        np.testing.assert_array_equal(other.trees_.feature, models[0].trees_.feature)
        np.testing.assert_allclose(other.trees_.answer, models[0].trees_.answer, rtol=1e-6)


def test_the_median_does_not_depend_on_the_order_of_rows() -> None:
    """Sums of these weights round to half of all in some orders, and to less or more in others."""
    values, weights = np.array([2.0, 2.0, 1.0, 2.0, 1.0, 2.0]), np.array([0.2, 0.3, 0.5, 0.1, 0.4, 0.3])
    draw = np.random.default_rng(1)
    assert len({losses.median(values[rows], weights[rows]) for rows in (draw.permutation(6) for _ in range(40))}) == 1
    zeros = np.array([-0.0, 0.0, 0.0])
    for own in (np.zeros(0), np.ones(3)):
        found = [losses.median(np.roll(zeros, by), own) for by in range(3)]
        assert not np.signbit(found).any()


def test_rows_held_out_have_no_say_in_the_median() -> None:
    assert losses.median(np.array([1.0, 2.0, 4.0]), np.array([1.0, 0.0, 1.0])) == 2.5


@pytest.mark.parametrize("make", [lambda y: losses.Logistic(y % 2), lambda y: losses.Multinomial(y, 3)])
def test_the_score_without_trees_does_not_depend_on_the_order_of_rows(make: Any) -> None:
    weights, order = np.random.default_rng(1).uniform(0.1, 3, ROWS), np.random.default_rng(2).permutation(ROWS)
    target = THREE.astype(np.int32)
    assert make(target).base(weights).tolist() == make(target[order]).base(weights[order]).tolist()


def test_rounds_end_alike_for_numbers_of_any_size() -> None:
    """Squares of such numbers are no numbers any more; the largest number, or 0, stands for them."""
    cells, y = X[:80], NUMBERS[:80]
    kept = [
        crake.BoostedTreesRegressor(8, n_iter_no_change=2).fit(cells, np.ldexp(y, power)) for power in (0, -600, 600)
    ]
    assert kept[0].n_estimators_ > 0
    assert [model.n_estimators_ for model in kept] == [kept[0].n_estimators_] * 3
    assert kept[2].held_out_losses_[0] == np.finfo(float).max
    assert f"{kept[0].n_estimators_} are kept" in kept[1].draw_losses().title


def test_weights_that_are_next_to_nothing_are_refused() -> None:
    with pytest.raises(crake.CrakeError, match=r"add up to 9\.88131e-324; expected at least 2e-300: multiply them"):
        RowWeights.of(np.array([5e-324, 5e-324]), 2)


def test_leaves_take_no_more_memory_than_rows_can_fill(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = crake.BoostedTreesRegressor(1, max_leaf_nodes=65_536, min_samples_leaf=1)
    monkeypatch.setattr(foreseen, "machine_memory", lambda: 8.0 * 256 * 4 * 50)
    learner.fit(X[:50], NUMBERS[:50])
    with pytest.raises(crake.CrakeError, match="trees of 51 leaves would take about"):
        learner.fit(X[:51], NUMBERS[:51])


def test_numbers_of_any_size() -> None:
    first = crake.BoostedTreesRegressor(5).fit(X, NUMBERS)
    for power in (-900, 900):
        model = crake.BoostedTreesRegressor(5).fit(X, np.ldexp(NUMBERS, power))
        np.testing.assert_array_equal(np.ldexp(model.predict(X), -power), first.predict(X))


def test_no_leaf_is_lighter_than_asked_for() -> None:
    """Hessians are small where the score is sure, so the weight that they suggest is wrong there."""
    rare = (X[:, 0] > 96).astype(int)
    model = crake.BoostedTreesClassifier(30, min_samples_leaf=9, learning_rate=0.5).fit(X, rare)
    assert model.trees_.weight.min() >= 9


def test_a_class_of_one_row_does_not_swing_the_scores() -> None:
    """Newton's step for it would be a hundred and more, and the other classes would follow."""
    y = THREE.copy()
    y[17] = 3
    for target in (y, (y == 3).astype(int)):
        model = crake.BoostedTreesClassifier(60).fit(X, target)
        assert np.abs(model.trees_.answer).max() <= 1.0
        right = model.predict_proba(X)[np.arange(ROWS), target]
        assert -np.log(right).mean() < 0.3


def test_the_exponential_of_the_gradients_is_exact_to_the_last_places() -> None:
    score = np.linspace(-745, 745, 4001)
    gradient = np.empty_like(score)
    logistic_gradients(score, np.zeros_like(score), 0, len(score), gradient)
    expected = 1 / (1 + np.exp(np.clip(-score, -700, 700)))
    np.testing.assert_allclose(gradient, expected, rtol=2e-14)


def test_twice_the_leaves_are_twice_the_work() -> None:
    cells, y = np.random.default_rng(1).normal(size=(450, 2)), np.random.default_rng(2).normal(size=450)
    work = []
    for leaves in (100, 100, 200, 400):  # what is loaded or made once is not counted
        learner = crake.BoostedTreesRegressor(1, max_leaf_nodes=leaves, min_samples_leaf=1)
        work.append(lines_run(lambda learner=learner: learner.fit(cells, y)))  # type: ignore[misc]
    assert work[3] - work[2] < 2.2 * (work[2] - work[1])


def test_more_rounds_than_memory_are_refused_before_the_start() -> None:
    with pytest.raises(crake.CrakeError, match=r"1,000,000,000,000 rounds would take about .* of memory; expected"):
        crake.BoostedTreesClassifier(n_estimators=10**12).fit(crake.read("golf"))


@pytest.mark.parametrize("of", ["classes", "numbers"])
def test_names_that_mean_nothing_do_little_harm(of: str) -> None:
    """Forty levels offer more sets than 800 rows can tell apart: without a limit the trees learn them by heart."""
    random = np.random.default_rng(5)
    names, x = random.integers(0, 40, (1600, 2)), random.normal(size=1600)
    cells = np.column_stack([np.array([f"v{i}" for i in range(40)], object)[names], x])
    learned, tested = slice(0, 800), slice(800, 1600)
    if of == "classes":
        y = (x + random.normal(size=1600) > 0).astype(int)
        model, alone = crake.BoostedTreesClassifier(60), crake.BoostedTreesClassifier(60)
        p = [
            each.fit(own[learned], y[learned]).predict_proba(own[tested])[np.arange(800), y[tested]]
            for each, own in ((model, cells), (alone, cells[:, 2:]))
        ]
        harmed, unharmed = (-np.log(each).mean() for each in p)
    else:
        y = x + random.normal(size=1600)
        answers = [
            crake.BoostedTreesRegressor(60).fit(own[learned], y[learned]).predict(own[tested])
            for own in (cells, cells[:, 2:])
        ]
        harmed, unharmed = (((each - y[tested]) ** 2).mean() for each in answers)
    assert harmed < 1.1 * unharmed


def test_two_columns_that_only_count_together_are_found() -> None:
    """Neither column of few levels tells more than chance by itself."""
    random = np.random.default_rng(6)
    names = random.integers(0, 4, (1000, 4))
    y = ((names[:, 0] < 2) ^ (names[:, 1] < 2)).astype(int)
    cells = np.array(["a", "b", "c", "d"], object)[names]
    model = crake.BoostedTreesClassifier(60).fit(cells[:500], y[:500])
    assert np.mean(model.predict(cells[500:]) == y[500:]) > 0.95


def test_levels_that_differ_by_chance_are_told_as_by_the_formula() -> None:
    random = np.random.default_rng(7)
    told = []
    for levels in range(2, 40):
        g, h = random.normal(size=levels).round(2) * 2.0**8, random.uniform(0.5, 1.5, levels).round(2) * 2.0**12
        g, h = np.rint(g), np.rint(h)
        histogram = np.zeros(256, np.int64)
        histogram[:levels] = (g.astype(np.int64) << 32) + h.astype(np.int64)
        g, h = g / 2.0**8, h / 2.0**12
        rules = Rules(2.0**-8, 2.0**-12, 1e-3, 0.0, 20.0, 0.9)
        node = np.array([g.sum() * 2.0**8, h.sum() * 2.0**12, 1.0, -np.inf, np.inf, 1.0])
        differing = np.sum((g - h * g.sum() / h.sum()) ** 2 / h)
        assert differ_by_chance(histogram, 0, rules, node) == (differing <= 0.9 * (levels - 1))
        told.append(differing <= 0.9 * (levels - 1))
    assert 0 < sum(told) < len(told)


def test_chance_is_the_same_for_any_order_threads_copies_and_units(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(8)
    names = np.array([f"v{i}" for i in range(12)], object)[random.integers(0, 12, (300, 2))]
    cells, weights = np.column_stack([names, random.normal(size=300)]), random.integers(1, 4, 300).astype(float)
    y = (random.normal(size=300) + (names[:, 0] > "v3") > 0).astype(int)

    def grown(rows: Any, weights: Any, unit: float = 1.0) -> Any:
        learner = crake.BoostedTreesClassifier(4, min_samples_leaf=10 * unit, level_smoothing=20 * unit)
        return learner.fit(cells[rows], y[rows], weights)

    whole = grown(slice(None), weights)
    order = random.permutation(300)
    assert {0, 2} <= {int(feature) for feature in whole.trees_.feature}
    assert same_trees(whole, grown(order, weights[order]))
    monkeypatch.setattr(rounds, "PART", 7)
    with threads.limited(3):
        assert same_trees(whole, grown(slice(None), weights))
    copies = np.repeat(np.arange(300), weights.astype(int))
    for other in (grown(copies, None), grown(slice(None), weights * 2.0**-7, 2.0**-7)):
        np.testing.assert_array_equal(other.trees_.feature, whole.trees_.feature)
        np.testing.assert_allclose(other.trees_.answer, whole.trees_.answer, rtol=1e-9)
