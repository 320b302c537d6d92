"""Maximum likelihood: to the last digits, against 50-digit arithmetic and against scikit-learn."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import optimize
from sklearn.linear_model import LogisticRegression
from tests.plain.logistic_functions import gradient, log_likelihood, logit, odds, sigmoid
from tests.plain.logistic_twin import maximum_likelihood

import crake
from crake.kernels import threads
from crake.table.convert.frames import from_xy


def overlapping(rows: int, columns: int, classes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns)).round(3)
    return X, np.resize(np.arange(classes), rows)[rng.permutation(rows)]


PROBLEMS = {
    "hours and passing": (np.arange(1.0, 21)[:, None] / 4, np.array([0] * 6 + [1, 0] * 4 + [1] * 6)),
    "two numbers": overlapping(40, 2, 2, 1),
    "three classes": overlapping(30, 2, 3, 2),
    "far from zero": (np.array([1e6 + k for k in range(12)])[:, None], np.array([0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1])),
    "of different size": (overlapping(30, 2, 2, 3)[0] * [1e-8, 1e8], overlapping(30, 2, 2, 3)[1]),
    "nearly collinear": (
        np.column_stack([np.arange(16.0), np.arange(16.0) + np.resize([1e-4, -1e-4, 0], 16)]),
        np.resize([0, 1, 1, 0, 1], 16),
    ),
    "steep": (np.array([0.0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9])[:, None], np.array([0] * 5 + [1] + [0] + [1] * 4)),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_fifty_digits(name: str) -> None:
    X, y = PROBLEMS[name]
    model = crake.LogisticClassifier().fit(X, y)
    rows = np.column_stack([np.ones(len(X)), X])
    beta, errors, value = maximum_likelihood(rows.tolist(), y.tolist(), int(y.max()))
    assert model.converged_
    assert model.separation_ is None
    np.testing.assert_allclose(model.coefficients_.T, beta, rtol=1e-8)
    # The information of columns that differ by 1e-5 has lost ten digits, and its inverse with it.
    np.testing.assert_allclose(model.standard_errors_.T, errors, rtol=2e-6 if name == "nearly collinear" else 1e-8)
    assert model.log_likelihood_ == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("seed", [8, 10, 13, 15, 18])
def test_a_ridge_of_next_to_nothing_under_classes_that_are_separated(seed: int) -> None:
    """All rows are nearly certain: the last steps gain less than the likelihood is rounded, yet they are steps."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (24, 4)).astype(float)
    y = np.digitize(2 * X[:, 0] + X[:, 1] - X[:, 2] + 0.01 * X[:, 3], [0.5, 2.5])
    model = crake.LogisticClassifier("ridge", strength=1e-8, tol=1e-10).fit(X, y)
    assert model.converged_
    shares, standardised = model.predict_proba(X), model.coefficients_[1:] * X.std(axis=0, ddof=1)[:, None]
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    slope = Z.T @ ((y[:, None] == [1, 2]) - shares[:, 1:]) - 2e-8 * standardised
    assert np.abs(slope).max() < 1e-14


@pytest.mark.parametrize("weight", [1e-30, 1e-20, 1e30])
def test_the_maximum_does_not_depend_on_the_unit_of_the_weights(weight: float) -> None:
    X, y = overlapping(40, 2, 3, 1)
    usual, scaled = (crake.LogisticClassifier().fit(X, y, np.full(40, w)) for w in (1.0, weight))
    assert scaled.converged_
    np.testing.assert_allclose(scaled.coefficients_, usual.coefficients_, rtol=1e-8)


@pytest.mark.parametrize("penalty", [None, "ridge"])
def test_weights_that_were_divided_by_their_sum(penalty: str | None) -> None:
    """They weigh 1 together but for the last bit, whatever that is. One gap separates the classes: a slight ridge."""
    rng = np.random.default_rng(0)
    numbers, y = np.where(np.arange(60) == 3, np.nan, rng.random(60)), rng.choice(["no", "yes"], 60)
    table = crake.read(pa.table({"name": rng.choice(["a", "b", "c"], 60), "number": numbers, "y": y}), target="y")
    models = [
        crake.LogisticClassifier(penalty, strength=0.01).fit(table.with_weights(np.full(60, total / 60)))
        for total in (1 - 1e-13, 1 + 1e-13)
    ]
    np.testing.assert_allclose(models[0].coefficients_, models[1].coefficients_, rtol=1e-6)
    assert np.abs(models[0].coefficients_[1:]).min() > 0.01


@pytest.mark.parametrize("classes", [2, 3])
def test_fifty_digits_under_a_ridge(classes: int) -> None:
    X, y = overlapping(24, 2, classes, 7)
    model = crake.LogisticClassifier("ridge", strength=0.3).fit(X, y)
    deviation = X.std(axis=0, ddof=1)
    rows = np.column_stack([np.ones(len(X)), X])
    beta, _, value = maximum_likelihood(rows.tolist(), y.tolist(), classes - 1, [0.0, *(0.3 * deviation**2)])
    np.testing.assert_allclose(model.coefficients_.T, beta, rtol=1e-8)
    assert model.log_likelihood_ == pytest.approx(value, rel=1e-12)
    with pytest.raises(crake.CrakeError, match="penalty moves the coefficients"):
        _ = model.standard_errors_


def test_the_lectures_functions() -> None:
    assert (sigmoid(0.0), odds(0.5), logit(0.5)) == (0.5, 1.0, 0.0)
    p = np.array([0.01, 0.3, 0.5, 0.999])
    np.testing.assert_allclose(sigmoid(np.log(odds(p))), p)
    np.testing.assert_allclose(logit(sigmoid(p)), p)
    X, y = overlapping(40, 2, 2, 1)
    rows = np.column_stack([np.ones(len(X)), X])
    model = crake.LogisticClassifier().fit(X, y)
    w = model.coefficients_[:, 0]
    assert log_likelihood(rows, y, w) == pytest.approx(model.log_likelihood_, rel=1e-12)
    np.testing.assert_allclose(gradient(rows, y, w), 0, atol=1e-10)
    loss = crake.evaluate(model, X, y).log_loss.value
    assert loss is not None
    assert loss > -model.log_likelihood_ / 40, "the log loss of rows not seen is larger than that of rows seen"
    for i in range(3):
        step = np.zeros(3)
        step[i] = 1e-6
        slope = (log_likelihood(rows, y, w + step + 0.1) - log_likelihood(rows, y, w - step + 0.1)) / 2e-6
        assert gradient(rows, y, w + 0.1)[i] == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("classes", [2, 4])
def test_scikit_learn_finds_the_same(classes: int) -> None:
    X, y = overlapping(500, 5, classes, 11)
    model = crake.LogisticClassifier().fit(X, y)
    peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-6)


def test_nominal_columns_are_those_written_out() -> None:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "colour": rng.choice(["blue", "green", "red"], 300),
            "size": rng.normal(10, 3, 300),
            "shape": rng.choice(["round", "square"], 300),
        }
    )
    frame.loc[::9, "size"] = np.nan
    frame.loc[::7, "shape"] = None
    y = np.where(
        rng.random(300) < sigmoid(0.4 * (frame["size"].fillna(10) - 10) + (frame.colour == "red")), "yes", "no"
    )
    model = crake.LogisticClassifier().fit(frame, y)
    size = frame["size"].fillna(frame["size"].mean())
    columns = [frame.colour == "green", frame.colour == "red", size, frame["size"].isna(), frame["shape"] == "square"]
    X = np.column_stack([*columns, frame["shape"].isna()]).astype(float)
    written = crake.LogisticClassifier().fit(X, y)
    assert model.terms_ == (
        "(intercept)", "colour = green", "colour = red", "size", "size missing", "shape = square", "shape missing",
    )  # fmt: skip
    np.testing.assert_allclose(model.coefficients_, written.coefficients_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(model.standard_errors_, written.standard_errors_, rtol=1e-7)
    np.testing.assert_allclose(model.predict_proba(frame), written.predict_proba(X), rtol=1e-9)


def test_the_base_class_turns_the_odds_round() -> None:
    X, y = overlapping(60, 2, 3, 8)
    first = crake.LogisticClassifier().fit(X, y)
    last = crake.LogisticClassifier(base_class=2).fit(X, y)
    np.testing.assert_allclose(first.predict_proba(X), last.predict_proba(X), rtol=1e-9)
    np.testing.assert_allclose(last.coefficients_[:, 0], -first.coefficients_[:, 1], rtol=1e-7)
    with pytest.raises(crake.CrakeError, match="base_class is 9"):
        crake.LogisticClassifier(base_class=9).fit(X, y)


def test_threads_and_batches_do_not_change_a_bit() -> None:
    X, y = overlapping(20_000, 6, 3, 9)
    found = set()
    for number in (1, 2, 3):
        with threads.limited(number):
            found.add(crake.LogisticClassifier().fit(X, y).coefficient_.tobytes())
    assert len(found) == 1


def test_threads_batches_and_narrow_codes_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names and numbers, gaps in both, many blocks; codes of one byte, of four, and in portions."""
    monkeypatch.setattr("crake.learners.logistic.likelihood.LONGEST", 512)
    rng = np.random.default_rng(14)
    frame = pd.DataFrame({"size": rng.normal(size=8_000), "a": rng.integers(0, 9, 8_000).astype(str)})
    frame["b"] = pd.Categorical.from_codes(rng.integers(-1, 4, 8_000), list("wxyz"))
    frame.loc[rng.random(8_000) < 0.1, "size"] = np.nan
    y, found = rng.integers(0, 3, 8_000), set()
    for number in (1, 2, 3):
        with threads.limited(number):
            found.add(crake.LogisticClassifier().fit(frame, y).coefficient_.tobytes())
            found.add(crake.LogisticClassifier().fit(from_xy(frame, y)).coefficient_.tobytes())
    portions = crake.LogisticClassifier()
    monkeypatch.setattr("crake.learners.logistic.likelihood.NarrowRows", type(None))  # read as those of a scan are
    monkeypatch.setattr("crake.learners.encoding.narrow_rows.CELLS", 4096 * 4)
    found.add(portions.fit(frame, y).coefficient_.tobytes())
    assert len(found) == 1


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("blocks", [0, 1e9])
@pytest.mark.parametrize("penalty", [None, "ridge"])
def test_conjugate_gradients_find_the_same_maximum(
    classes: int, blocks: float, penalty: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = overlapping(400, 4, classes, 10)
    frame = pd.DataFrame(X, columns=list("wxyz")).assign(
        level=np.array(["a", "b", "c"])[np.arange(400) % 3], same=X[:, 0]
    )
    expected = crake.LogisticClassifier(penalty).fit(frame, y)
    monkeypatch.setattr("crake.learners.logistic.fitting.MOST_DIRECT", 3)
    monkeypatch.setattr("crake.learners.logistic.fitting.MOST_COEFFICIENTS", 8)
    monkeypatch.setattr("crake.learners.logistic.conjugate_gradients.LARGEST_BLOCKS", blocks)
    model = crake.LogisticClassifier(penalty).fit(frame, y)
    np.testing.assert_allclose(model.coefficients_, expected.coefficients_, atol=1e-9)
    if penalty is None:
        assert model.aliased_ == expected.aliased_ == ("same",)
    if penalty is None and classes > 2:
        with pytest.raises(crake.CrakeError, match="more than 8 coefficients"):
            _ = model.standard_errors_


def test_many_classes_of_few_rows_need_no_matrix_of_all_coefficients(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(*_: Any, **__: Any) -> None:
        raise AssertionError("a matrix of all coefficients was factored")

    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"level": rng.choice(list("abcdefghijklmnopqrstuvwxyz"), 120), "x": rng.normal(size=120)})
    monkeypatch.setattr("crake.learners.logistic.fisher.cholesky_solve", made)
    model = crake.LogisticClassifier().fit(frame, (np.arange(120) % 40).astype(str))
    assert model.coefficient_.size > 1000
    assert model.converged_


def test_correlated_columns_of_many_coefficients_converge_to_the_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    levels = np.minimum(rng.geometric(0.1, 3000), 60)  # some levels are a hundred times as frequent as others
    x = rng.normal(size=(3000, 1)) + 0.05 * rng.normal(size=(3000, 3))
    frame = pd.DataFrame(x, columns=list("xyz")).assign(level=levels.astype(str))
    y = (x[:, 0] + rng.logistic(size=3000) > 0).astype(int)
    expected = crake.LogisticClassifier("ridge").fit(frame, y).predict_proba(frame)
    for name in ("MOST_DIRECT", "MOST_COEFFICIENTS"):
        monkeypatch.setattr(f"crake.learners.logistic.fitting.{name}", 3)
    monkeypatch.setattr("crake.learners.logistic.conjugate_gradients.LARGEST_BLOCKS", 0)
    model = crake.LogisticClassifier("ridge").fit(frame, y)
    assert model.converged_
    assert np.abs(model.predict_proba(frame) - expected).max() < 1e-9


def test_an_unconverged_fit_warns_also_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = overlapping(200, 3, 2, 10)
    monkeypatch.setattr("crake.learners.logistic.fisher.HALVINGS", 0)
    with pytest.warns(crake.CrakeWarning, match="has not converged"):
        crake.LogisticClassifier("ridge").fit(X, y)


@pytest.mark.parametrize("classes", [2, 3])
def test_a_start_from_a_sample_saves_passes_and_changes_nothing(classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = overlapping(20_000, 4, classes, 13)
    X[:, 0] += 3 * (y == 1)
    expected = crake.LogisticClassifier().fit(X, y)
    monkeypatch.setattr("crake.learners.logistic.sample.MANY_ROWS", 10_000)
    monkeypatch.setattr("crake.learners.logistic.sample.SAMPLED_ROWS", 4096)
    model = crake.LogisticClassifier().fit(X, y)
    np.testing.assert_allclose(model.coefficients_, expected.coefficients_, rtol=1e-9, atol=1e-12)
    # The information is that of the point before the last step, as small a step as rounding lets be seen.
    np.testing.assert_allclose(model.standard_errors_, expected.standard_errors_, rtol=1e-6)
    assert model.n_iter_ < expected.n_iter_


def test_weights_are_copies_to_the_last_digits() -> None:
    X, y = overlapping(80, 3, 2, 12)
    weights = np.random.default_rng(1).integers(0, 4, 80)
    places = np.repeat(np.arange(80), weights)
    for asked in ({}, {"penalty": "ridge"}, {"penalty": "firth"}):
        one = crake.LogisticClassifier(**asked).fit(X, y, sample_weight=weights)
        other = crake.LogisticClassifier(**asked).fit(X[places], y[places])
        np.testing.assert_allclose(one.coefficients_, other.coefficients_, rtol=1e-9)


def firth_by_search(X: np.ndarray, y: np.ndarray) -> Any:
    """The penalised likelihood's maximum, found without derivatives that could be wrong in the same way."""
    from scipy.optimize import minimize  # noqa: PLC0415

    K = int(y.max())

    def loss(beta: np.ndarray) -> float:
        scores = np.column_stack([np.zeros(len(X)), X @ beta.reshape(K, -1).T])
        scores -= scores.max(axis=1, keepdims=True)
        p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        blocks = [
            [X.T @ (X * (p[:, a] * ((a == b) - p[:, b]))[:, None]) for b in range(1, K + 1)] for a in range(1, K + 1)
        ]
        return -float(np.log(p[np.arange(len(y)), y]).sum() + 0.5 * np.linalg.slogdet(np.block(blocks))[1])

    return minimize(loss, np.zeros(K * X.shape[1]), method="Powell", options={"xtol": 1e-10, "ftol": 1e-14}).x


@pytest.mark.parametrize("name", ["overlap", "separated", "three classes"])
def test_firth(name: str) -> None:
    x = np.arange(12.0)
    y = {
        "overlap": [0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1],
        "separated": [0] * 6 + [1] * 6,
        "three classes": [0, 1, 2] * 4,
    }
    rows = np.column_stack([np.ones(12), (x - 5.5) / 3])
    model = crake.LogisticClassifier("firth").fit(rows[:, 1:], y[name])
    assert model.converged_
    expected = firth_by_search(rows, np.array(y[name])).reshape(-1, 2).T
    np.testing.assert_allclose(model.coefficients_, expected, atol=2e-5)


def test_gradient_ascent_is_the_lectures() -> None:
    """Each line of the trace is w ← w + η·Σ x·(y − p), done here by hand."""
    X, y = overlapping(30, 2, 2, 4)
    rows, rate = np.column_stack([np.ones(30), X]), 0.05
    model = crake.LogisticClassifier(solver="gradient", learning_rate=rate, tol=1e-6).fit(X, y)
    w = np.zeros(3)
    for step in itertools.islice(model.trace_, 50):
        assert step.log_likelihood == pytest.approx(log_likelihood(rows, y, w), rel=1e-12)
        change = rate * gradient(rows, y, w)
        assert step.largest_change == pytest.approx(np.abs(change).max(), rel=1e-9)
        w = w + change
    expected = crake.LogisticClassifier().fit(X, y)
    np.testing.assert_allclose(model.coefficients_, expected.coefficients_, atol=1e-4)
    np.testing.assert_allclose(model.standard_errors_, expected.standard_errors_, rtol=1e-3)
    assert [step.log_likelihood for step in model.trace_] == sorted(step.log_likelihood for step in model.trace_)


def test_gradient_ascent_by_itself_and_astray() -> None:
    X, y = overlapping(30, 2, 3, 4)
    model = crake.LogisticClassifier(solver="gradient").fit(X, y)
    np.testing.assert_allclose(model.coefficients_, crake.LogisticClassifier().fit(X, y).coefficients_, atol=1e-4)
    with pytest.warns(crake.CrakeWarning, match="not converged: 5 iterations"):
        short = crake.LogisticClassifier(solver="gradient", max_iter=5).fit(X, y)
    with pytest.raises(crake.CrakeError, match="not converged"):
        _ = short.standard_errors_


def test_twenty_six_classes_take_seconds_at_most() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 26, 3000)
    X = rng.normal(size=(26, 8))[y] + rng.normal(0, 2, (3000, 8))
    model = crake.LogisticClassifier().fit(X, y)
    assert model.converged_
    assert model.coefficients_.shape == (9, 25)
    peer = LogisticRegression(C=np.inf, tol=1e-8, max_iter=2000).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-4)


def test_from_xy_and_classes_without_rows() -> None:
    table = from_xy(*overlapping(40, 2, 3, 5))
    model = crake.LogisticClassifier().fit(table.take(np.flatnonzero(table.target != 1)))
    assert model.classes_.tolist() == [0, 1, 2]
    assert (model.predict_proba(table)[:, 1] == 0).all()
    two = crake.LogisticClassifier().fit(*[part[table.target != 1] for part in overlapping(40, 2, 3, 5)])
    np.testing.assert_allclose(model.predict_proba(table)[:, [0, 2]], two.predict_proba(overlapping(40, 2, 3, 5)[0]))


def test_a_base_class_without_rows_leaves_all_others_alike_under_a_ridge() -> None:
    X, y = overlapping(120, 2, 3, 21)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=pd.Categorical(y.astype(str), ["0", "1", "2", "none"]))
    table = crake.read(frame, "y")
    model = crake.LogisticClassifier("ridge", base_class="none").fit(table)
    assert model.converged_
    shares = model.predict_proba(table)
    assert shares[:, 3].max() < 1e-7

    z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)

    def loss(parameters: np.ndarray) -> float:  # every class has coefficients of its own, and all are penalised
        intercept, slope = parameters[:3], parameters[3:].reshape(2, 3)
        scores = z @ slope + intercept
        own = scores[np.arange(len(y)), y] - np.logaddexp.reduce(scores, axis=1)
        return float(-own.sum() + (slope**2).sum())

    best = optimize.minimize(loss, np.zeros(9), tol=1e-12).x
    scores = z @ best[3:].reshape(2, 3) + best[:3]
    expected = np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])
    np.testing.assert_allclose(shares[:, :3], expected, atol=1e-5)
    with pytest.raises(crake.CrakeError, match="or penalty='ridge' for a class without rows"):
        crake.LogisticClassifier(base_class="none").fit(table)
