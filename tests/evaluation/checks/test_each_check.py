"""Every check has a table on which it speaks and one on which it is silent."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import crake
from crake.evaluation.checks.baselines import beats_majority, beats_one_rule
from crake.evaluation.checks.duplicates_across_folds import duplicates_across_folds, rows_with_duplicates
from crake.evaluation.checks.folds import class_without_recall, odd_fold, two_sided
from crake.evaluation.checks.leaking_columns import data_checks, perfect_columns
from crake.evaluation.checks.overfitting import optimistic_gap
from crake.evaluation.checks.unstable_root import unsteady_root
from crake.table.examples import load


def table_of(**columns):
    return crake.read(pa.table({name: np.asarray(values) for name, values in columns.items()}), target="y")


def codes(found):
    return [check.code for check in found]


@pytest.fixture(scope="module")
def noise():
    """Six columns that say nothing of y."""
    rng = np.random.default_rng(7)
    return table_of(**{f"x{k}": rng.normal(size=200) for k in range(6)}, y=rng.choice(["no", "yes"], 200))


@pytest.fixture(scope="module")
def plain():
    """One column that says much, two that say a little; 400 rows that all differ."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 400)
    x = {f"x{k}": y * shift + rng.normal(size=400) for k, shift in enumerate((2.0, 1.0, 1.0))}
    return table_of(**x, y=np.array(["no", "yes"])[y])


def test_majority(noise, plain):
    (check,) = beats_majority(crake.evaluate("naive-bayes", noise))
    assert (check.code, check.severity) == ("not-above-majority", "warning")
    assert "(p = " in check.sentence
    assert "is not shown to do better than one answer" in check.sentence
    assert not codes(beats_majority(crake.evaluate("naive-bayes", plain)))
    wrong = crake.Evaluation.from_predictions(["a"] * 30 + ["b"] * 10, ["b"] * 30 + ["a"] * 10)
    assert next(beats_majority(wrong)).sentence.startswith("Predictions does worse than one answer to all rows")


def test_one_rule(plain):
    bayes, rule = crake.evaluate("naive-bayes", plain), crake.evaluate("1r", plain)
    assert not codes(beats_one_rule(bayes, rule))
    iris = load("iris")
    (check,) = beats_one_rule(crake.evaluate("c4.5", iris), crake.evaluate("1r", iris))
    assert check.code == "not-above-1r"
    assert not codes(beats_one_rule(rule, rule))


def test_optimistic_gap(noise, plain):
    (check,) = optimistic_gap(crake.evaluate("id3", noise))
    assert "right in 100 % of the rows it learned from" in check.sentence.replace("\N{NO-BREAK SPACE}", " ")
    assert not codes(optimistic_gap(crake.evaluate("naive-bayes", plain)))
    (check,) = optimistic_gap(crake.evaluate(crake.ForestClassifier(n_estimators=9), noise))
    assert "Prune" not in str(check)  # its trees are whole on purpose


def test_an_odd_fold(plain):
    """A source of its own: forty rows in a row whose labels are turned about."""
    y = np.array(plain.to_xy()[1])
    y[:40] = np.where(y[:40] == "yes", "no", "yes")
    frame = plain.to_arrow().to_pandas().assign(y=y)
    folds = crake.GivenFolds(np.arange(400) // 40)
    (check,) = odd_fold(crake.evaluate("naive-bayes", crake.read(frame, target="y"), plan=folds))
    assert check.sentence.startswith("Fold 1 of 10 is odd: naive Bayes is right in ")
    assert "its 40 rows" in check.sentence
    assert not codes(odd_fold(crake.evaluate("naive-bayes", plain, plan=folds)))
    assert not codes(odd_fold(crake.evaluate("naive-bayes", plain, plan=crake.LeaveOneOut())))
    assert not codes(odd_fold(crake.evaluate("naive-bayes", plain, plan=crake.Holdout())))


def test_odd_folds_are_found_by_chance_in_one_of_a_hundred_tables_at_most():
    rng = np.random.default_rng(0)
    alarms = 0
    for _ in range(1000):
        right = rng.binomial(50, 0.8, size=10)
        alarms += 10 * min(two_sided(r, 50, right.sum(), 500) for r in right) < 0.01
    assert alarms <= 17  # P(binomial(1000, 0.01) > 17) < 0.02


@pytest.mark.parametrize(("k", "n", "K", "N"), [(3, 10, 20, 50), (0, 5, 5, 10), (40, 50, 400, 500), (7, 7, 30, 33)])
def test_the_exact_test_is_scipys_hypergeometric(k, n, K, N):
    tails = stats.hypergeom.cdf(k, N, K, n), stats.hypergeom.sf(k - 1, N, K, n)
    assert two_sided(k, n, K, N) == pytest.approx(min(1.0, 2 * min(tails)), rel=1e-9)


def test_a_class_that_is_never_found(plain):
    y = np.array(plain.to_xy()[1], dtype=object)
    y[[5, 100, 200]] = "rare"
    table = crake.read(plain.to_arrow().to_pandas().assign(y=y), target="y")
    (check,) = class_without_recall(crake.evaluate("naive-bayes", table))
    assert "never finds class 'rare' (3 rows, recall at most 0.56)" in check.sentence
    assert not codes(class_without_recall(crake.evaluate("naive-bayes", plain)))
    assert not codes(class_without_recall(crake.evaluate("majority", plain)))


def test_a_column_that_knows_too_much(plain):
    y = np.array(plain.to_xy()[1])
    late = np.where(y == "yes", "paid", "open")
    late[:2] = "open"  # no copy: it errs in two rows
    frame = plain.to_arrow().to_pandas()
    (check,) = perfect_columns(crake.read(frame.assign(status=late), target="y"))
    assert (check.code, check.what_to_do) == ("perfect-column", "If not, leave it out: --ignore status")
    assert "'status' alone tells the target" in check.sentence
    assert not codes(perfect_columns(plain))
    copies = crake.read(frame.assign(copy=y, number=np.arange(400)), target="y")
    assert not codes(perfect_columns(copies))  # said already
    assert codes(data_checks(copies)) == ["copy-of-target", "id-column"]
    assert next(data_checks(copies)).what_to_do == "Leave it out: --ignore copy"
    assert not codes(data_checks(plain))


def test_twins_across_folds(noise):
    frame = noise.to_arrow().to_pandas()
    twice = crake.read(frame.iloc[np.r_[np.arange(200), np.arange(60)]], target="y")
    found = crake.evaluate("id3", twice)
    (check,) = duplicates_across_folds(found)
    assert (check.code, check.severity) == ("twins-across-folds", "warning")
    assert not codes(duplicates_across_folds(crake.evaluate("id3", noise)))
    group = np.r_[np.arange(200), np.arange(60)]
    apart = crake.evaluate("id3", twice, plan=crake.GroupedCrossValidation(group))
    assert not rows_with_duplicates(apart).any()


def test_twins_are_counted_as_a_plain_loop_does():
    golf = load("golf")
    rows = crake.read(golf.to_arrow().to_pandas().iloc[[0, 1, 2, 3, 0, 1, 5, 6, 7, 8, 2, 9]], target="play")
    found = crake.evaluate("naive-bayes", rows, plan=crake.CrossValidation(3))
    X = [tuple(row.values()) for row in rows.to_xy()[0].to_pylist()]
    fold = found.out_of_fold.fold
    expected = [any(X[i] == X[j] and fold[i] != fold[j] for j in range(12)) for i in range(12)]
    assert rows_with_duplicates(found).tolist() == expected
    assert any(expected)
    assert not all(expected)


def test_twins_in_a_test_table(noise):
    test = noise.take(np.arange(50))
    found = crake.evaluate("id3", noise, test=test)
    assert rows_with_duplicates(found).all()
    assert codes(duplicates_across_folds(found)) == ["twins-across-folds"]
    halves = crake.evaluate("id3", noise.take(np.arange(100)), test=noise.take(np.arange(100, 200)))
    assert not rows_with_duplicates(halves).any()


def test_rows_of_nothing_but_a_number_of_each_row_have_no_twins():
    """A number that runs on by one in each row is like an id: nothing is left by which rows could be equal."""
    table = table_of(x=np.arange(1, 13), y=np.tile(["no", "yes"], 6))
    found = crake.compare(table, test=table.take(np.arange(5)), learners=["majority", "1r"])
    assert all(rows_with_duplicates(each) is None for each in found)
    assert "twins-across-folds" not in codes(found.checks())


def test_a_root_that_changes(noise):
    (check,) = unsteady_root(crake.evaluate("id3", noise))
    assert (check.code, check.severity) == ("unsteady-root", "note")
    assert "of 10 trees" in check.sentence
    assert not codes(unsteady_root(crake.evaluate("c4.5", load("iris"))))
    assert not codes(unsteady_root(crake.evaluate("naive-bayes", noise)))
