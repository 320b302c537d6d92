"""The calibration of one answer, as a student would write it after the learner's own calculation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.base.sigmoid import Sigmoid
from crake.learners.meta.calibrate.isotonic import Isotonic
from crake.learners.meta.calibrate.odds import FARTHEST, log_odds
from crake.render.workings import Section, Step, Workings, added_up, bracketed, number


def explained(
    inner: Workings, before: Floats, after: Floats, maps: Sequence[Callable[[Floats], Floats]], labels: NDArray[Any]
) -> Workings:
    """Return the learner's workings, its log odds, the map of each class, and the answer."""
    which = [1] if len(maps) == 1 else list(range(len(maps)))
    odds = [float(log_odds(before[None], k)[0]) for k in which]
    mapped = [float(each(np.array([f]))[0]) for each, f in zip(maps, odds, strict=True)]
    steps = [
        step
        for k, f, p, each in zip(which, odds, mapped, maps, strict=True)
        for step in (_odds(before, k, f, labels), _mapped(each, f, p, labels[k]))
    ]
    section = Section("Calibrated: log odds f of the answer, through the map of the class", tuple(steps))
    normal = Section("To sum to 1", tuple(_sums(mapped, after, labels)))
    return Workings(
        f"{inner.title}; then calibrated",
        (*inner.sections, section, normal),
        tuple(zip(map(str, labels), map(float, after), strict=True)),
        inner.notes,
    )


def _odds(before: Floats, k: int, f: float, labels: NDArray[Any]) -> Step:
    others = float(np.delete(before, k).sum())
    formula = f"log(P({labels[k]}) / P(others))"
    if abs(f) == FARTHEST:  # the quotient is beyond it, or has a 0
        return Step(f"f({labels[k]})", f"{formula}, held within ±{number(FARTHEST)}", "", number(f))
    written = f"log({number(float(before[k]))} / {number(others)})"
    return Step(f"f({labels[k]})", formula, written, number(f))


def _mapped(each: Any, f: float, p: float, label: Any) -> Step:
    if isinstance(each, Sigmoid):
        return Step(f"P({label})", "1/(1 + exp(−(a·f + b)))", each.written(bracketed(f)), number(p))
    return _on_the_line(each, f, p, label)


def _on_the_line(line: Isotonic, f: float, p: float, label: Any) -> Step:
    """Interpolate between two corners; level beyond the first and the last."""
    corners = f"corner {{}} of {len(line.log_odds)}"
    at = int(np.searchsorted(line.log_odds, f))
    if at in (0, len(line.log_odds)):
        end = min(at, len(line.log_odds) - 1)
        where = "the first" if at == 0 else "the last"
        return Step(f"P({label})", "level beyond the corners", "", number(p), f"{where}, {corners.format(end + 1)}")
    (f_1, f_2), (p_1, p_2) = line.log_odds[at - 1 : at + 1], line.probability[at - 1 : at + 1]
    if p_1 == p_2:
        return Step(f"P({label})", "level there", "", number(p), f"{corners.format(at)} and the next")
    share = f"({number(f)} − {bracketed(f_1)})/({number(f_2)} − {bracketed(f_1)})"
    written = f"{number(p_1)} + {number(p_2 - p_1)} × {share}"
    source = f"the line from {corners.format(at)} to the next"
    return Step(f"P({label})", "p_1 + (p_2 − p_1)·(f − f_1)/(f_2 − f_1)", written, number(p), source)


def _sums(mapped: Sequence[float], after: Floats, labels: NDArray[Any]) -> list[Step]:
    if len(mapped) == 1:
        return [Step(f"P({labels[0]})", f"1 − P({labels[1]})", f"1 − {number(mapped[0])}", number(float(after[0])))]
    total = sum(mapped)
    written = added_up(mapped) if len(mapped) <= 12 else "the sum of these"
    return [
        Step("Σ", "", written, number(total)),
        *(
            Step(f"P({label})", "", f"{number(p)} / {number(total)}", number(float(share)))
            for label, p, share in zip(labels, mapped, after, strict=True)
        ),
    ]
