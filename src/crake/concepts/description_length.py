"""Minimum description length: bits of a hypothesis, and bits of the examples that it gets wrong."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb, log2

from crake.errors import CrakeError
from crake.render.workings import Section, Step, Workings, number


def minimum_description_length(hypotheses: Mapping[str, tuple[float, int]], rows: int) -> Workings:
    """Return bits(h) + bits(D given h) of each hypothesis; the least is h_MDL.

    hypotheses : for each its own bits, such as −log2 P(h), and the number k of examples that it gets wrong.
    rows : the number n of examples. Exceptions cost log2(n + 1) for k, and log2 C(n, k) for which they are.

    >>> worked = minimum_description_length({"small": (10, 4), "large": (60, 0)}, 100)
    >>> round(worked["small"], 2), round(worked["large"], 2), worked.notes[0]
    (38.56, 66.66, 'h_MDL = small')

    n·H(k/n), the entropy of the exceptions, is an upper bound of log2 C(n, k).
    """
    if rows < 1 or not hypotheses:
        raise CrakeError(f"expected at least one row and one hypothesis, got {rows} and {len(hypotheses)}")
    steps, answer = [], {}
    for name, (bits, wrong) in hypotheses.items():
        if not 0 <= wrong <= rows or not bits >= 0:
            raise CrakeError(
                f"{name} has {bits} bits and {wrong} errors; expected 0 bits or more, and 0 to {rows} errors"
            )
        which = log2(comb(rows, wrong))
        answer[name] = bits + log2(rows + 1) + which
        formula = "bits(h) + log2(n + 1) + log2 C(n, k)"
        written = f"{number(bits)} + {number(log2(rows + 1))} + {number(which)}"
        source = f"{wrong} of {rows} wrong; n·H(k/n) = {number(rows * _entropy(wrong / rows))} bits"
        steps.append(Step(name, formula, written, number(answer[name]), source))
    best = min(answer, key=answer.__getitem__)
    section = Section("Bits of each hypothesis and of its exceptions", tuple(steps))
    return Workings("Minimum description length", (section,), tuple(answer.items()), (f"h_MDL = {best}",))


def _entropy(share: float) -> float:
    """Return −p·log2 p − (1 − p)·log2(1 − p).

    >>> _entropy(0.5), _entropy(0.0)
    (1.0, 0.0)
    """
    return 0.0 - sum(p * log2(p) for p in (share, 1 - share) if p > 0)
