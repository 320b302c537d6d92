"""The calibration of one answer, as a student would write it after the learner's own calculation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.learners.calibrate.odds import log_odds
from crake.learners.calibrate.sigmoid import Sigmoid
from crake.render.workings import Section, Step, Workings, number

Floats = NDArray[np.float64]


def explained(
    inner: Workings, before: Floats, after: Floats, maps: Sequence[Callable[[Floats], Floats]], labels: NDArray[Any]
) -> Workings:
    """The learner's workings, its log odds, the map of each class, and the answer."""
    which = [1] if len(maps) == 1 else list(range(len(maps)))
    odds = [float(log_odds(before[None], k)[0]) for k in which]
    mapped = [float(each(np.array([f]))[0]) for each, f in zip(maps, odds, strict=True)]
    section = Section("Calibrated: log odds f of the answer, through the map of the class", tuple(_steps(
        which, odds, mapped, maps, labels)))  # fmt: skip
    normal = Section("To sum to 1", tuple(_sums(mapped, after, labels)))
    return Workings(
        f"{inner.title}; then calibrated",
        (*inner.sections, section, normal),
        tuple(zip(map(str, labels), map(float, after), strict=True)),
        inner.notes,
    )


def _steps(
    which: Sequence[int], odds: Sequence[float], mapped: Sequence[float], maps: Sequence[Any], labels: NDArray[Any]
) -> list[Step]:
    steps = []
    for k, f, p, each in zip(which, odds, mapped, maps, strict=True):
        steps.append(Step(f"f({labels[k]})", f"log(P({labels[k]}) / P(others))", "", number(f)))
        if isinstance(each, Sigmoid):
            written = each.written(number(f))
        else:
            written = f"the line through {len(each.log_odds)} corners at f"
        steps.append(Step(f"P({labels[k]})", "", written, number(p)))
    return steps


def _sums(mapped: Sequence[float], after: Floats, labels: NDArray[Any]) -> list[Step]:
    if len(mapped) == 1:
        return [Step(f"P({labels[0]})", f"1 − P({labels[1]})", f"1 − {number(mapped[0])}", number(float(after[0])))]
    total = sum(mapped)
    return [
        Step(f"P({label})", "", f"{number(p)} / {number(total)}", number(float(share)))
        for label, p, share in zip(labels, mapped, after, strict=True)
    ]
