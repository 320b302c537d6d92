"""Selective naive Bayes: each row left out is refitting without it, and each choice is the best one."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import crake
from crake.errors import ModelFileError
from crake.learners.base.state import StateReader
from crake.learners.naive_bayes.selective import learner as module
from crake.learners.naive_bayes.selective.without_row import Rows, column_logs, log_priors
from crake.table.convert.frames import from_xy
from crake.table.examples import load

GENERATOR = np.random.default_rng(11)
Y = np.array(["a", "b", "c"], object)[GENERATOR.integers(0, 3, 24)]
X = np.empty((24, 4), object)
X[:, 0] = [{"a": "u", "b": "v", "c": "w"}[y] if GENERATOR.random() < 0.6 else "u" for y in Y]
X[:, 1] = GENERATOR.normal(size=24) + (Y == "b")
X[:, 2] = GENERATOR.normal(size=24)
X[5, 2] = 1e7  # takes the digits of all others with it if it is subtracted
X[:, 3] = GENERATOR.choice(["s", "t"], 24)
X[3, 0], X[4, 1], X[4, 3] = None, None, None
WEIGHTS = np.array([1.0, 2.0, 0.5] * 8)
NOMINAL = [0, 3]


def without_each(weights: np.ndarray[Any, Any], columns: list[int], alpha: float) -> np.ndarray[Any, Any]:
    """P(class) of every row by naive Bayes fitted without it: of a row that weighs more, one unit is left out."""
    nominal = [at for at, j in enumerate(columns) if j in NOMINAL]
    answers = []
    for i in range(len(X)):
        rest = weights.copy()
        rest[i] -= min(1.0, rest[i])
        table = from_xy(X[:, columns], Y, nominal=nominal, sample_weight=rest)
        answers.append(crake.NaiveBayesClassifier(alpha, nominal=nominal).fit(table).predict_proba(table)[i])
    return np.array(answers)


@pytest.mark.parametrize("weights", [np.ones(24), WEIGHTS], ids=["plain", "weighted"])
def test_leaving_a_row_out_is_refitting_without_it(weights: np.ndarray[Any, Any]) -> None:
    table = from_xy(X, Y, nominal=NOMINAL, sample_weight=weights)
    rows = Rows.of(table)
    logs = log_priors(rows, "empirical", table) + sum(
        column_logs(table, column, rows, 0.5, 1, 0.01) for column in table.schema.features
    )
    found = np.exp(logs - logs.max(axis=1, keepdims=True))
    found /= found.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found, without_each(weights, [0, 1, 2, 3], 0.5), rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("measure", ["accuracy", "log-loss"])
def test_each_choice_is_the_best_one(measure: str) -> None:
    def score(columns: list[int]) -> tuple[float, float]:
        prior = np.array([[(c == Y).sum() - (c == y) for c in "abc"] for y in Y]) / 23
        p = without_each(np.ones(24), columns, 1.0) if columns else prior
        own = p[np.arange(24), [list("abc").index(y) for y in Y]]
        accuracy, loss = np.mean(np.array(list("abc"))[p.argmax(axis=1)] == Y), -np.mean(np.log(np.maximum(own, 1e-15)))
        return (-accuracy, loss) if measure == "accuracy" else (loss, -accuracy)

    taken: list[int] = []
    while len(taken) < 4:
        found = {j: tuple(np.round(score([*taken, j]), 10)) for j in range(4) if j not in taken}
        best = min(found, key=lambda j: (found[j], j))
        if not found[best][0] < round(score(taken)[0], 10):
            break
        taken.append(best)
    model = crake.SelectiveNaiveBayesClassifier(measure=measure, nominal=NOMINAL).fit(X, Y)
    assert list(model.path_.columns) == taken
    assert taken
    scores = model.path_.accuracy if measure == "accuracy" else [-each for each in model.path_.log_loss]
    assert all(a < b for a, b in pairwise(scores))


def test_copies_of_a_column_do_harm_and_are_left_out() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 300)
    weak, strong = y ^ (rng.random(300) < 0.35), y ^ (rng.random(300) < 0.25)
    data = np.column_stack([*[weak] * 5, strong]).astype(str)
    model = crake.SelectiveNaiveBayesClassifier(nominal="all").fit(data, y)
    assert model.selected_[0] == "x5"
    assert model.score(data, y) > crake.NaiveBayesClassifier(nominal="all").fit(data, y).score(data, y)
    assert "x5" in str(model)
    assert "columns were chosen by the accuracy without each row" in str(model.explain(data[0]))


def test_no_column_helps() -> None:
    weather = load("weather")
    model = crake.SelectiveNaiveBayesClassifier().fit(weather)
    assert model.selected_ == ()
    np.testing.assert_allclose(model.predict_proba(weather), [[5 / 14, 9 / 14]] * 14)
    assert len(model.pictures()) == 1
    assert "0 of 4 columns" in str(model)


def test_a_large_table_is_looked_at_anew_in_every_round(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = crake.SelectiveNaiveBayesClassifier(nominal=NOMINAL).fit(X, Y)
    monkeypatch.setattr(module, "MOST_BYTES", 0)
    assert crake.SelectiveNaiveBayesClassifier(nominal=NOMINAL).fit(X, Y).path_ == expected.path_


@pytest.mark.parametrize("name", ["iris", "weather"])
def test_a_model_file_keeps_the_way(name: str, tmp_path: Path) -> None:
    model = crake.SelectiveNaiveBayesClassifier().fit(load(name))
    crake.save(model, tmp_path / "m.crake")
    again = crake.load(tmp_path / "m.crake")
    assert (again.path_, again.selected_) == (model.path_, model.selected_)
    np.testing.assert_array_equal(again.predict_proba(load(name)), model.predict_proba(load(name)))


def test_a_forged_file_is_refused() -> None:
    model = crake.SelectiveNaiveBayesClassifier().fit(load("iris"))
    other = crake.NaiveBayesClassifier().fit(load("iris"))
    for name, value, message in (
        ("order", np.array([3, 3]), "names a column twice"),
        ("order", np.array([3, 9]), "order"),
        ("learner", other, "was fitted on other columns"),
        ("accuracy", np.array([0.1, 0.2]), "accuracy"),
    ):
        with pytest.raises(ModelFileError, match=message):
            crake.SelectiveNaiveBayesClassifier().restore(StateReader({**model.state(), name: value}))


def test_a_scan_is_refused_with_a_way_to_choose_on_a_sample(tmp_path: Path) -> None:
    pq.write_table(load("iris").to_arrow(), tmp_path / "iris.parquet")
    table = crake.read(tmp_path / "iris.parquet", target="species", in_memory=False)
    with pytest.raises(crake.CrakeError, match=r"goes through the rows for each column .* take a sample, .*select\("):
        crake.SelectiveNaiveBayesClassifier().fit(table)
