"""What is written in a hand calculation, worked out as a student would."""

from __future__ import annotations

import re
from math import log2, prod

import numpy as np
from tests import arithmetic

from crake.learners.tree.tree import Tree
from crake.render.workings import Step


def worked(text: str) -> float:
    """−9/14·log2(9/14) − 5/14·log2(5/14), 5/14 × 2/5 + 0.3, 1 − (9/14)², 0.94 − 0.69, 0.2 / 1.5, (3 + 1)/(5 + 2)."""
    if laplace := re.fullmatch(r"\((\S+) \+ 1\)/\((\S+) \+ (\d+)\)", text):
        return (float(laplace[1]) + 1) / (float(laplace[2]) + float(laplace[3]))
    if "log2" in text:
        shares = re.findall(r"−\s?(\S+)·log2\((\S+?)\)", text)
        assert all(one == other for one, other in shares)
        return -sum(worked(one) * log2(worked(one)) for one, _ in shares)
    if "²" in text:
        return 1 - sum(worked(share) ** 2 for share in re.findall(r"\((\S+)\)²", text))
    if " − " in text:
        one, other = text.split(" − ")
        return worked(one) - worked(other)
    if " / " in text:
        one, other = text.split(" / ")
        return worked(one) / worked(other)
    terms = re.split(r" \+ (?![^(]*\))", text)
    return sum(prod(_factor(factor) for factor in term.split(" × ")) for term in terms)


def _factor(text: str) -> float:
    if text.startswith("("):
        return worked(text)
    above, _, below = text.partition("/")
    return float(above.replace("−", "-")) / float(below or 1)


def assert_works_out(step: Step) -> None:
    """Four digits of the terms give about three of the value; differences of two lose some."""
    if step.statement in ("chi-square", "G"):
        assert arithmetic.assert_works_out(step) or not step.substitution
    elif step.substitution and step.value:
        assert abs(worked(step.substitution) - worked(step.value)) < 2e-3 * max(1.0, abs(worked(step.value))), step


def chain(depth: int) -> Tree:
    """A tree in which every question has a leaf on its left: x ≤ 0, x ≤ 1, …; two classes."""
    nodes = 2 * depth + 1
    number = np.arange(nodes)
    inner = (number % 2 == 0) & (number < nodes - 1)
    counts = np.ones((nodes, 2))
    counts[inner] += (depth - number[inner, None] // 2) * 2
    return Tree(
        kind=np.where(inner, 1, 0).astype(np.int32),
        feature=np.where(inner, 0, -1).astype(np.int32),
        threshold=np.where(inner, number / 2.0, np.nan),
        value=np.full(nodes, -1, np.int64),
        first=np.where(inner, number + 1, -1),
        branches=np.where(inner, 2, 0),
        counts=counts,
        missing=np.full(nodes, -1, np.int32),
        groups=np.zeros(0, np.int32),
        cuts=np.zeros(0),
    )
