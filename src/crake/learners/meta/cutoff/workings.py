"""The decision after the learner's own calculation: its probability beside the cutoff, or the expected costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.meta.cutoff.rule import Rule
from crake.render.workings import Section, Step, Workings, number


def explained(inner: Workings, rule: Rule, p: Floats, labels: NDArray[Any]) -> Workings:
    """Return the learner's workings and the decision; the probabilities stay the answer."""
    answer = labels[int(rule.decide(p[None])[0])]
    if rule.cutoff is not None and rule.positive is not None:
        section = _beside_cutoff(rule, p, labels, answer)
    elif rule.costs is not None:
        section = _expected_costs(rule.costs, p, labels, answer)
    else:
        return replace(inner, notes=(*inner.notes, f"no cutoff: {rule.why_not}; the answer is {answer}"))
    return replace(inner, title=f"{inner.title}; then the cutoff", sections=(*inner.sections, section))


def _beside_cutoff(rule: Rule, p: Floats, labels: NDArray[Any], answer: Any) -> Section:
    assert rule.cutoff is not None  # noqa: S101 (asked for by `explained`)
    positive, value = labels[rule.positive], rule.cutoff.value
    probability = p[rule.positive]
    sign = "≥" if probability >= value else "<"
    compared = Step(f"P({positive})", "", f"{number(float(probability))} {sign} {number(value)}, the cutoff")
    return Section(f"Cutoff: {positive} if P({positive}) ≥ c", (compared, Step("answer", "", "", str(answer))))


def _expected_costs(costs: Floats, p: Floats, labels: NDArray[Any], answer: Any) -> Section:
    steps = tuple(
        Step(
            f"cost of calling it {called}",
            "Σ P(actual) · C(called given actual)",
            " + ".join(f"{number(float(p[i]))}·{number(float(costs[i, j]))}" for i in range(len(labels))),
            number(float(p @ costs[:, j])),
        )
        for j, called in enumerate(labels)
    )
    return Section("Least expected cost", (*steps, Step("answer", "", "", str(answer))))
