"""Mitchell's EnjoySport, the lectures' vote of three hypotheses, MDL against MAP; bad input."""

from __future__ import annotations

from itertools import product
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crake
from crake import concepts
from crake.concepts import version_space
from crake.errors import CrakeError

NAMES = ("sky", "temp", "humidity", "wind", "water", "forecast")
SPORT = [
    ("Sunny", "Warm", "Normal", "Strong", "Warm", "Same"),
    ("Sunny", "Warm", "High", "Strong", "Warm", "Same"),
    ("Rainy", "Cold", "High", "Strong", "Warm", "Change"),
    ("Sunny", "Warm", "High", "Strong", "Cool", "Change"),
]
ENJOY = [True, True, False, True]


def test_enjoy_sport() -> None:
    """Mitchell (1997), Machine learning, figures 2.4 to 2.6."""
    space = concepts.candidate_elimination(SPORT, ENJOY, names=NAMES)
    assert space.S == (("Sunny", "Warm", "?", "Strong", "?", "?"),)
    assert set(space.G) == {("Sunny", "?", "?", "?", "?", "?"), ("?", "Warm", "?", "?", "?", "?")}
    _, after_three, general = space.history[3]
    assert after_three == (("Sunny", "Warm", "?", "Strong", "Warm", "Same"),)
    assert len(general) == 3
    assert space.classify(("Sunny", "Warm", "Normal", "Strong", "Cool", "Change")) is True
    assert space.classify(("Rainy", "Cold", "Normal", "Light", "Warm", "Same")) is False
    assert space.classify(("Sunny", "Warm", "Normal", "Light", "Warm", "Same")) is None
    assert "S: {⟨Sunny, Warm, ?, Strong, ?, ?⟩}" in str(space)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.booleans()), min_size=1, max_size=6))
def test_boundaries_hold_every_conjunction_that_fits(examples: list[tuple[str, str, bool]]) -> None:
    rows, labels = [example[:2] for example in examples], [example[2] for example in examples]
    values = (("a", "b"), ("x", "y", "z"))
    space = concepts.candidate_elimination(rows, labels, values=values)
    fits = [
        h
        for h in [*product(("a", "b", "?"), ("x", "y", "z", "?")), ("∅", "∅")]
        if all(version_space._covers(h, row) == label for row, label in zip(rows, labels, strict=True))
    ]
    assert space.is_collapsed == (not fits)
    if fits:
        for row in product(*values):
            answers = {version_space._covers(h, row) for h in fits}
            assert space.classify(row) == (answers.pop() if len(answers) == 1 else None)


def test_noise_makes_the_space_collapse() -> None:
    space = concepts.candidate_elimination([*SPORT, SPORT[0]], [*ENJOY, False])
    assert space.is_collapsed
    assert "the version space has collapsed" in str(space)
    with pytest.raises(CrakeError, match="conjunction that fits all examples, got none"):
        space.classify(SPORT[0])


def test_the_most_general_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version_space, "MOST", 2)
    with pytest.raises(CrakeError, match="more than 2 most general hypotheses"):
        concepts.candidate_elimination(SPORT, ENJOY)


def test_map_and_bayes_optimal_differ() -> None:
    """The lectures: h1 .4 (+), h2 .3 (−), h3 .3 (−): MAP says +, Bayes-optimal says − (0.6)."""
    posteriors, votes = {"h1": 0.4, "h2": 0.3, "h3": 0.3}, {"h1": "+", "h2": "−", "h3": "−"}
    worked = concepts.bayes_optimal(posteriors, votes)
    assert worked["−"] == pytest.approx(0.6)
    assert "h1, answers +; all together answer −" in worked.notes[0]
    mixed = concepts.bayes_optimal({"a": 0.5, "b": 0.5}, {"a": {"+": 0.9, "−": 0.1}, "b": {"+": 0.2, "−": 0.8}})
    assert mixed["+"] == pytest.approx(0.55)
    drawn = [concepts.gibbs(posteriors, votes, seed).notes[0].split()[1] for seed in range(300)]
    assert drawn.count("h1,") / 300 == pytest.approx(0.4, abs=0.1)


def test_classes_of_one_text_are_one_class() -> None:
    worked = concepts.bayes_optimal({"h1": 0.6, "h2": 0.4}, {"h1": {True: 0.9, False: 0.1}, "h2": True})
    assert dict(worked.answer) == pytest.approx({"True": 0.94, "False": 0.06})


def test_noise_is_shared_by_the_other_classes() -> None:
    """Three classes: a miss has 0.2/2."""
    rules = {"a": lambda _: "a", "b": lambda _: "b"}
    worked = concepts.brute_force_map(rules, [0, 1, 2, 3], ["a", "a", "b", "c"], noise=0.2)
    assert worked["a"] == pytest.approx(0.8**2 * 0.1**2 / (0.8**2 * 0.1**2 + 0.8 * 0.1**3))


def test_arrays_are_rows_too() -> None:
    rows, labels = np.array([("sun", "warm"), ("sun", "cold"), ("rain", "cold")]), np.array([True, True, False])
    space = concepts.candidate_elimination(rows, labels)
    assert space.S == space.G == (("sun", "?"),)
    assert space.classify(rows[1]) is True


def test_brute_force_with_and_without_noise() -> None:
    rules = {"low": lambda x: x < 3, "even": lambda x: x % 2 == 0, "never": lambda _: False}
    exact = concepts.brute_force_map(rules, [1, 2, 4], [True, True, False])
    assert exact.answer == (("low", 1.0), ("even", 0.0), ("never", 0.0))
    noisy = concepts.brute_force_map(rules, [1, 2, 4], [True, True, False], noise=0.1)
    likelihoods = {"low": 0.9**3, "even": 0.9 * 0.1**2, "never": 0.9 * 0.1**2}
    assert noisy["low"] == pytest.approx(likelihoods["low"] / sum(likelihoods.values()))
    many = concepts.brute_force_map(rules, [1, 2, 4] * 1000, [True, True, False] * 1000, noise=0.4)
    assert many["low"] == pytest.approx(1.0)  # likelihoods below all floats
    with pytest.raises(CrakeError, match=r"P\(D\) is 0; allow noise"):
        concepts.brute_force_map(rules, [1, 1], [True, False])


def test_fitted_models_are_hypotheses() -> None:
    """1R errs on 4 of the 14 days, the majority on 5: with noise 0.2 the odds are 0.8/0.2."""
    X, y = crake.read("weather").to_xy()
    rows = [tuple(row.values()) for row in X.to_pylist()]
    one, other = (m.fit(np.array(rows, object), y) for m in (crake.OneRuleClassifier(), crake.MajorityClassifier()))
    rules = {"1R": lambda row: one.predict([row])[0], "majority": lambda row: other.predict([row])[0]}
    assert concepts.brute_force_map(rules, rows, list(y), noise=0.2)["1R"] == pytest.approx(0.8)


def test_the_shortest_description_is_the_most_probable_hypothesis() -> None:
    """Under the optimal code bits(h) = −log2 P(h); with equal errors the larger prior wins."""
    prior = {"h1": 0.5, "h2": 0.25}
    worked = concepts.minimum_description_length({name: (-log2(p), 3) for name, p in prior.items()}, 20)
    assert worked.notes == ("h_MDL = h1",)
    assert worked["h2"] - worked["h1"] == pytest.approx(1.0)
    assert worked["h1"] == pytest.approx(1 + log2(21) + log2(1140))


@pytest.mark.parametrize(
    "call",
    [
        lambda: concepts.bayes_optimal({"h": 0.5}, {"h": "+"}),
        lambda: concepts.bayes_optimal({"h": 1.0}, {"g": "+"}),
        lambda: concepts.candidate_elimination([("a",)], []),
        lambda: concepts.candidate_elimination([("a",), ("a", "b")], [True, False]),
        lambda: concepts.candidate_elimination([("a",), ("?",)], [True, False]),
        lambda: concepts.candidate_elimination([("a",), ("∅",)], [True, False]),
        lambda: concepts.candidate_elimination([("a",)], [False], values=[("a", "?")]),
        lambda: concepts.candidate_elimination([("a",)], [False], values=["ab"]).classify(("∅",)),
        lambda: concepts.candidate_elimination([("a",)], [True]).classify(("a", "b")),
        lambda: concepts.candidate_elimination([("a",), ("b",)], ["yes", "no"]),
        lambda: concepts.candidate_elimination([("a",)], [True], names=["x", "y"]),
        lambda: concepts.candidate_elimination([("a", "b")], [True], values=[("a",)]),
        lambda: concepts.minimum_description_length({"h": (1, 9)}, 5),
        lambda: concepts.gibbs({"h": 2.0}, {"h": "+"}),
    ],
)
def test_what_cannot_be_is_refused(call: object) -> None:
    with pytest.raises(CrakeError, match="expected"):
        call()  # type: ignore[operator]
