from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crake import bayes
from crake.errors import CrakeError

probability = st.fractions(0, 1, max_denominator=50)


@st.composite
def worlds(draw: st.DrawFn) -> dict[tuple[bool, bool], Fraction]:
    """Joint probabilities of A and B, each cell k/n."""
    counts = draw(st.lists(st.integers(0, 20), min_size=4, max_size=4).filter(any))
    cells = [(a, b) for a in (True, False) for b in (True, False)]
    return {cell: Fraction(count, sum(counts)) for cell, count in zip(cells, counts, strict=True)}


@given(worlds())
def test_every_rule_agrees_with_the_joint_table(world: dict[tuple[bool, bool], Fraction]) -> None:
    p_a = world[True, True] + world[True, False]
    p_b = world[True, True] + world[False, True]
    assume(0 < p_a < 1 and p_b > 0)
    p_b_given_a, p_b_given_not_a = world[True, True] / p_a, world[False, True] / (1 - p_a)
    expected = float(world[True, True] / p_b)

    assert bayes.product_rule(p_a, p_b_given_a)["P(A and B)"] == float(world[True, True])
    assert bayes.sum_rule(p_a, p_b, world[True, True])["P(A or B)"] == float(1 - world[False, False])
    assert bayes.theorem(p_b_given_a, p_a, p_b)["P(A | B)"] == expected
    assert bayes.theorem(p_b_given_a, p_a, p_b_given_not_a=p_b_given_not_a)["P(A | B)"] == expected
    priors, likelihoods = {"A": p_a, "not A": 1 - p_a}, {"not A": p_b_given_not_a, "A": p_b_given_a}
    assert bayes.posterior(priors, likelihoods)["A"] == expected
    assert bayes.total_probability(priors, likelihoods)["P(E)"] == float(p_b)


@given(st.lists(st.tuples(st.integers(1, 9), probability), min_size=1, max_size=6))
def test_posteriors_sum_to_1(rows: list[tuple[int, Fraction]]) -> None:
    assume(any(likelihood for _, likelihood in rows))
    total = sum(count for count, _ in rows)
    priors = {f"h{i}": count / total for i, (count, _) in enumerate(rows)}
    worked = bayes.posterior(priors, {f"h{i}": likelihood for i, (_, likelihood) in enumerate(rows)})
    assert sum(value for _, value in worked.answer) == pytest.approx(1, abs=1e-12)


def test_the_test_for_a_disease_by_its_false_positives() -> None:
    worked = bayes.theorem(0.98, 0.008, p_b_given_not_a=0.03, a="cancer", b="positive")
    formula = "P(positive | cancer) × P(cancer) + P(positive | not cancer) × P(not cancer)"
    assert str(worked.steps[0]) == f"P(positive) = {formula} = 0.98 × 0.008 + 0.03 × (1 − 0.008) = 0.0376"
    assert worked.steps[1].substitution == "0.98 × 0.008 / 0.0376"
    assert worked["P(cancer | positive)"] == 0.00784 / 0.0376


def test_fractions_are_shown_as_fractions() -> None:
    worked = bayes.theorem(0.5, Fraction(1, 50000), Fraction(1, 20))
    assert worked.steps[-1].substitution == "0.5 × 1/50000 / (1/20)"


def test_many_kinds_of_numbers_are_taken() -> None:
    for p in (np.float64(0.1), np.float32(0.1), 0.1, Fraction(1, 10)):
        assert bayes.product_rule(p, 1)["P(A and B)"] == 0.1


def test_equally_probable_hypotheses_are_all_named() -> None:
    worked = bayes.posterior({"x": 0.5, "y": 0.5}, {"x": 0.2, "y": 0.2})
    assert worked.notes == ("equally probable hypotheses: 'x', 'y'",)


def test_thirds_as_floats_are_a_whole() -> None:
    third = dict.fromkeys("abc", 1 / 3)
    assert bayes.posterior(third, {"a": 1, "b": 0.5, "c": 0.5})["a"] == pytest.approx(0.5)
    assert bayes.theorem(1, 0.1 + 0.2, 0.3)["P(A | B)"] == 1


@pytest.mark.parametrize("wrong", [-0.1, 1.5, float("nan"), float("inf"), "0.5", None, True, 12.5, Decimal("0.5")])
def test_what_is_no_probability_is_refused(wrong: object) -> None:
    with pytest.raises(CrakeError, match=r"P\(A\) = .* expected a probability, a number from 0 to 1"):
        bayes.product_rule(wrong, 0.5)  # type: ignore[arg-type]
    with pytest.raises(CrakeError, match=r"P\(E \| y\) = .* expected a probability"):
        bayes.posterior({"x": 0.5, "y": 0.5}, {"x": 0.5, "y": wrong})  # type: ignore[dict-item]


def test_impossible_combinations_are_refused() -> None:
    with pytest.raises(CrakeError, match=r"P\(cloud\) = 0.04 cannot be: .* lies between 0.05 and 0.95"):
        bayes.theorem(0.5, 0.1, 0.04, a="rain", b="cloud")
    with pytest.raises(CrakeError, match=r"P\(B\) = 0.96 cannot be"):
        bayes.theorem(0.5, 0.1, 0.96)
    with pytest.raises(CrakeError, match=r"P\(A and B\) = 0.3 cannot be: .* between 0 and 0.2"):
        bayes.sum_rule(0.2, 0.5, 0.3)
    with pytest.raises(CrakeError, match=r"P\(A and B\) = 0 cannot be: .* between 0.4 and 0.6"):
        bayes.sum_rule(0.6, 0.8, 0)
    with pytest.raises(CrakeError, match=r"P\(B\) = 1e-12 cannot be"):
        bayes.theorem(1, 1e-10, 1e-12)


def test_nothing_follows_from_the_impossible() -> None:
    with pytest.raises(CrakeError, match=r"P\(B\) is 0"):
        bayes.theorem(0, 0.5, 0)
    with pytest.raises(CrakeError, match=r"P\(E\) is 0"):
        bayes.posterior({"x": 0.5, "y": 0.5}, {"x": 0, "y": 0})


def test_hypotheses_must_match_and_be_exhaustive() -> None:
    with pytest.raises(CrakeError, match="priors are given for 'x', 'y', likelihoods for 'x', 'z'"):
        bayes.posterior({"x": 0.5, "y": 0.5}, {"x": 0.5, "z": 0.5})
    with pytest.raises(CrakeError, match=r"the priors sum to 0.9; expected 1: exactly one hypothesis"):
        bayes.total_probability({"x": 0.5, "y": 0.4}, {"x": 0.5, "y": 0.5})
    with pytest.raises(CrakeError, match="priors are given for nothing"):
        bayes.posterior({}, {})


def test_the_evidence_is_given_in_one_way() -> None:
    with pytest.raises(CrakeError, match="neither of p_b and p_b_given_not_a"):
        bayes.theorem(0.5, 0.1)
    with pytest.raises(CrakeError, match="both of p_b and p_b_given_not_a"):
        bayes.theorem(0.5, 0.1, 0.4, p_b_given_not_a=0.3)
