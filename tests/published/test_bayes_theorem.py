"""The worked examples of Bayes' theorem in the lecture notes."""

from __future__ import annotations

from fractions import Fraction

from crake import bayes


def test_picnic_day() -> None:
    worked = bayes.theorem(0.5, 0.1, 0.4, a="rain", b="cloud")
    assert worked["P(rain | cloud)"] == 0.125
    assert "P(rain | cloud) = P(cloud | rain) × P(rain) / P(cloud) = 0.5 × 0.1 / 0.4 = 0.125" in str(worked)


def test_meningitis() -> None:
    for prior, stiff_neck in ((Fraction(1, 50000), Fraction(1, 20)), (1 / 50000, 1 / 20)):
        assert bayes.theorem(0.5, prior, stiff_neck, a="M", b="S")["P(M | S)"] == 0.0002


def test_the_cancer_test() -> None:
    worked = bayes.posterior(
        {"cancer": 0.008, "not cancer": 0.992}, {"cancer": 0.98, "not cancer": 0.03}, evidence="pos test"
    )
    assert [step.value for step in worked.sections[0]] == ["0.00784", "0.02976"]
    assert round(worked["cancer"], 4) == 0.2085
    assert round(worked["not cancer"], 4) == 0.7915
    assert bayes.product_rule(0.008, 0.98)["P(A and B)"] == 0.00784
    assert bayes.product_rule(0.992, 0.03)["P(A and B)"] == 0.02976
