"""Bayes' theorem and the three rules behind it, worked as a student would write them.

Every function returns `Workings`: print it to see the calculation, take the number by its label. Probabilities may be
floats, whole numbers or Fractions; they are multiplied and added exactly, and rounded once at the end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from numbers import Real

from crake.errors import CrakeError
from crake.render.workings import Section, Step, Workings, exact, number

Probability = float | Fraction

TOLERANCE = Fraction(1, 10**9)
"""The largest error of sums and bounds: 1/3 as a float, three times, is not 1."""


def product_rule(p_a: Probability, p_b_given_a: Probability, *, a: str = "A", b: str = "B") -> Workings:
    """P(A and B) = P(B | A) · P(A).

    >>> product_rule(0.008, 0.98, a="cancer", b="positive")["P(cancer and positive)"]
    0.00784
    """
    joint = _checked(p_b_given_a, f"P({b} | {a})") * _checked(p_a, f"P({a})")
    step = Step(
        f"P({a} and {b})", f"P({b} | {a}) × P({a})", f"{_shown(p_b_given_a)} × {_shown(p_a)}", number(float(joint))
    )
    return _worked("Product rule", step, joint)


def sum_rule(p_a: Probability, p_b: Probability, p_a_and_b: Probability, *, a: str = "A", b: str = "B") -> Workings:
    """P(A or B) = P(A) + P(B) − P(A and B); P(A and B) is 0 where the two exclude each other.

    >>> sum_rule(Fraction(1, 2), Fraction(1, 6), 0, a="odd", b="six")["P(odd or six)"]         # one die
    0.6666666666666666
    """
    A, B = _checked(p_a, f"P({a})"), _checked(p_b, f"P({b})")
    joint = _checked(p_a_and_b, f"P({a} and {b})")
    least = A + B - 1 if A + B - 1 > TOLERANCE else Fraction(0)
    _refuse_unless_within(joint, least, min(A, B), f"P({a} and {b})", f"P({a}) and P({b})")
    either = A + B - joint
    step = Step(
        f"P({a} or {b})",
        f"P({a}) + P({b}) − P({a} and {b})",
        f"{_shown(p_a)} + {_shown(p_b)} − {_shown(p_a_and_b)}",
        number(float(either)),
    )
    return _worked("Sum rule", step, either)


def total_probability(
    priors: Mapping[str, Probability], likelihoods: Mapping[str, Probability], *, evidence: str = "E"
) -> Workings:
    """P(E) = Σ_h P(E | h) · P(h), over hypotheses of which exactly one is true.

    >>> worked = total_probability({"cancer": 0.008, "healthy": 0.992}, {"cancer": 0.98, "healthy": 0.03})
    >>> worked["P(E)"]
    0.0376
    """
    joints = _joint_terms(priors, likelihoods, evidence)
    total = sum(joints.values(), Fraction(0))
    sections = (_joint_section(priors, likelihoods, joints, evidence), _total_section(joints, total, evidence))
    return Workings("Total probability", sections, ((f"P({evidence})", float(total)),))


def theorem(
    p_b_given_a: Probability,
    p_a: Probability,
    p_b: Probability | None = None,
    *,
    p_b_given_not_a: Probability | None = None,
    a: str = "A",
    b: str = "B",
) -> Workings:
    """P(A | B) = P(B | A) · P(A) / P(B).

    Where P(B) is not known, give `p_b_given_not_a` (of a test: its false positives); P(B) is then the total
    P(B | A) · P(A) + P(B | not A) · P(not A).

    >>> print(theorem(0.5, 0.1, 0.4, a="rain", b="cloud"))
    Bayes' theorem
    <BLANKLINE>
    Posterior
      P(rain | cloud) = P(cloud | rain) × P(rain) / P(cloud) = 0.5 × 0.1 / 0.4 = 0.125
    <BLANKLINE>
    Answer
      P(rain | cloud): 0.125
    >>> meningitis = theorem(Fraction(1, 2), Fraction(1, 50000), Fraction(1, 20), a="meningitis", b="stiff neck")
    >>> meningitis["P(meningitis | stiff neck)"]
    0.0002
    """
    likelihood, prior = _checked(p_b_given_a, f"P({b} | {a})"), _checked(p_a, f"P({a})")
    joint = likelihood * prior
    sections: tuple[Section, ...] = ()
    if p_b is not None and p_b_given_not_a is None:
        evidence, shown = _checked(p_b, f"P({b})"), _divisor(p_b)
        _refuse_unless_within(evidence, joint, joint + 1 - prior, f"P({b})", f"P({b} | {a}) and P({a})")
    elif p_b is None and p_b_given_not_a is not None:
        evidence = joint + _checked(p_b_given_not_a, f"P({b} | not {a})") * (1 - prior)
        sections, shown = (_both_ways(p_b_given_a, p_a, p_b_given_not_a, evidence, a, b),), number(float(evidence))
    else:
        count = "neither" if p_b is None else "both"
        raise CrakeError(f"{count} of p_b and p_b_given_not_a given; expected one of them, P({b}) follows from either")
    posterior = min(joint / _not_zero(evidence, b), Fraction(1))
    step = Step(
        f"P({a} | {b})",
        f"P({b} | {a}) × P({a}) / P({b})",
        f"{_shown(p_b_given_a)} × {_shown(p_a)} / {shown}",
        number(float(posterior)),
    )
    return Workings("Bayes' theorem", (*sections, Section("Posterior", (step,))), ((step.statement, float(posterior)),))


def posterior(
    priors: Mapping[str, Probability], likelihoods: Mapping[str, Probability], *, evidence: str = "E"
) -> Workings:
    """P(h | E) = P(E | h) · P(h) / Σ_k P(E | k) · P(k), over hypotheses of which exactly one is true.

    >>> cancer = posterior(
    ...     {"cancer": 0.008, "no cancer": 0.992}, {"cancer": 0.98, "no cancer": 0.03}, evidence="positive"
    ... )
    >>> print(cancer)
    Bayes' theorem over 2 hypotheses
    <BLANKLINE>
    Joint terms
      P(cancer and positive) = P(positive | cancer) × P(cancer) = 0.98 × 0.008 = 0.00784
      P(no cancer and positive) = P(positive | no cancer) × P(no cancer) = 0.03 × 0.992 = 0.02976
    <BLANKLINE>
    Total probability
      P(positive) = 0.00784 + 0.02976 = 0.0376
    <BLANKLINE>
    Posterior
      P(cancer | positive) = P(cancer and positive) / P(positive) = 0.00784 / 0.0376 = 0.2085
      P(no cancer | positive) = P(no cancer and positive) / P(positive) = 0.02976 / 0.0376 = 0.7915
    <BLANKLINE>
    Answer
      cancer: 0.2085
      no cancer: 0.7915
    <BLANKLINE>
    Note: the most probable hypothesis (MAP) is 'no cancer'
    """
    joints = _joint_terms(priors, likelihoods, evidence)
    total = _not_zero(sum(joints.values(), Fraction(0)), evidence)
    posteriors = {h: joint / total for h, joint in joints.items()}
    return Workings(
        f"Bayes' theorem over {len(joints)} hypotheses",
        (
            _joint_section(priors, likelihoods, joints, evidence),
            _total_section(joints, total, evidence),
            _posterior_section(joints, total, posteriors, evidence),
        ),
        tuple((h, float(p)) for h, p in posteriors.items()),
        (_most_probable(posteriors),),
    )


def _joint_terms(
    priors: Mapping[str, Probability], likelihoods: Mapping[str, Probability], evidence: str
) -> dict[str, Fraction]:
    if set(priors) != set(likelihoods) or not priors:
        raise CrakeError(
            f"priors are given for {_names(priors)}, likelihoods for {_names(likelihoods)}; "
            "expected a prior and a likelihood for each hypothesis"
        )
    prior = {h: _checked(p, f"P({h})") for h, p in priors.items()}
    total = sum(prior.values(), Fraction(0))
    if abs(total - 1) > TOLERANCE:
        raise CrakeError(f"the priors sum to {float(total):.10g}; expected 1: exactly one hypothesis must be true")
    return {h: _checked(likelihoods[h], f"P({evidence} | {h})") * p for h, p in prior.items()}


def _joint_section(
    priors: Mapping[str, Probability],
    likelihoods: Mapping[str, Probability],
    joints: Mapping[str, Fraction],
    evidence: str,
) -> Section:
    steps = [
        Step(
            f"P({h} and {evidence})",
            f"P({evidence} | {h}) × P({h})",
            f"{_shown(likelihoods[h])} × {_shown(priors[h])}",
            number(float(joint)),
        )
        for h, joint in joints.items()
    ]
    return Section("Joint terms", tuple(steps))


def _total_section(joints: Mapping[str, Fraction], total: Fraction, evidence: str) -> Section:
    terms = " + ".join(number(float(joint)) for joint in joints.values())
    return Section("Total probability", (Step(f"P({evidence})", "", terms, number(float(total))),))


def _posterior_section(
    joints: Mapping[str, Fraction], total: Fraction, posteriors: Mapping[str, Fraction], evidence: str
) -> Section:
    steps = [
        Step(
            f"P({h} | {evidence})",
            f"P({h} and {evidence}) / P({evidence})",
            f"{number(float(joint))} / {number(float(total))}",
            number(float(posteriors[h])),
        )
        for h, joint in joints.items()
    ]
    return Section("Posterior", tuple(steps))


def _both_ways(
    p_b_given_a: Probability, p_a: Probability, p_b_given_not_a: Probability, p_b: Fraction, a: str, b: str
) -> Section:
    step = Step(
        f"P({b})",
        f"P({b} | {a}) × P({a}) + P({b} | not {a}) × P(not {a})",
        f"{_shown(p_b_given_a)} × {_shown(p_a)} + {_shown(p_b_given_not_a)} × (1 − {_shown(p_a)})",
        number(float(p_b)),
    )
    return Section("Total probability", (step,))


def _worked(title: str, step: Step, value: Fraction) -> Workings:
    return Workings(title, (Section("Rule", (step,)),), ((step.statement, float(value)),))


def _most_probable(posteriors: Mapping[str, Fraction]) -> str:
    largest = max(posteriors.values())
    names = [repr(h) for h, p in posteriors.items() if p == largest]
    if len(names) > 1:
        return f"equally probable hypotheses: {', '.join(names)}"
    return f"the most probable hypothesis (MAP) is {names[0]}"


def _checked(probability: Probability, name: str) -> Fraction:
    """Return the probability as an exact fraction: 0.1 is 1/10."""
    number: object = probability
    if not isinstance(number, bool) and isinstance(number, Real) and math.isfinite(number):
        value = probability if isinstance(probability, Fraction) else exact(probability)
        if 0 <= value <= 1:
            return value
    raise CrakeError(f"{name} = {number!r}; expected a probability, a number from 0 to 1")


def _refuse_unless_within(value: Fraction, low: Fraction, high: Fraction, name: str, others: str) -> None:
    if not low * (1 - TOLERANCE) <= value <= high * (1 + TOLERANCE):
        raise CrakeError(
            f"{name} = {number(float(value))} cannot be: with these {others} it lies between "
            f"{number(float(low))} and {number(float(high))}"
        )


def _not_zero(evidence: Fraction, name: str) -> Fraction:
    if evidence == 0:
        raise CrakeError(f"P({name}) is 0: nothing follows from what cannot happen; expected a probability above 0")
    return evidence


def _shown(probability: Probability) -> str:
    return str(probability) if isinstance(probability, Fraction) else number(probability)


def _divisor(probability: Probability) -> str:
    shown = _shown(probability)
    return f"({shown})" if "/" in shown else shown


def _names(mapping: Mapping[str, Probability]) -> str:
    return ", ".join(repr(name) for name in mapping) or "nothing"
