"""Texts of tests: p-values and verdicts."""

from __future__ import annotations

LEVEL = 0.05
"""Below this p-value two learners are called different."""


def p_words(p: float) -> str:
    """As p = 0.041 or p < 0.001.

    >>> p_words(0.0407), p_words(1e-9)
    ('p = 0.041', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def verdict(names: tuple[str, str], difference: float, p: float, level: float = LEVEL) -> str:
    """Return the text that says which of the two is better, if that can be said.

    >>> verdict(("C4.5", "1R"), 0.02, 0.003)
    'C4.5 is better than 1R (p = 0.003)'
    >>> verdict(("C4.5", "1R"), 0.02, 0.3)
    'C4.5 and 1R are not distinguishable (p = 0.300)'
    """
    if p >= level or difference == 0:
        return f"{names[0]} and {names[1]} are not distinguishable ({p_words(p)})"
    better, worse = names if difference > 0 else names[::-1]
    return f"{better} is better than {worse} ({p_words(p)})"
