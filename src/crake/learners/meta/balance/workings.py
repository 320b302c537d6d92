"""The prior correction of one prediction, after the learner's own calculation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from crake.arrays import Floats
from crake.balance.facts import Balance
from crake.render.workings import Section, Step, Workings, number


def explained(
    inner: Workings, balance: Balance, before: Floats, after: Floats, factors: Floats, answer: Any
) -> Workings:
    """Return the learner's workings, then each probability times π/π', divided by their sum, and the answer."""
    raised = before * factors
    total = float(raised.sum())
    steps = [
        Step(
            f"P'({label})·π/π'",
            "",
            f"{number(float(before[k]))} × {number(float(balance.before[k]))}/{number(float(balance.after[k]))}",
            number(float(raised[k])),
            f"share {number(float(balance.before[k]))} of the training rows, {number(float(balance.after[k]))} after",
        )
        for k, label in enumerate(balance.labels)
        if balance.after[k] > 0
    ]
    absent = [
        Step(f"P'({label})·π/π'", "", "", "0", "no training row has the class")
        for k, label in enumerate(balance.labels)
        if not balance.after[k] > 0
    ]
    steps += absent
    steps += [
        Step(f"P({label})", "", f"{number(float(raised[k]))} / {number(total)}", number(float(after[k])))
        for k, label in enumerate(balance.labels)
    ]
    section = Section(
        "Put back to the shares before balancing: P(c) = P'(c)·(π/π') / Σ",
        (*steps, Step("answer", "", "", str(answer))),
    )
    return replace(
        inner,
        title=f"{inner.title}; then the prior correction",
        sections=(*inner.sections, section),
        answer=tuple(zip(map(str, balance.labels), map(float, after), strict=True)),
    )
