"""The panel's numbers as JSON inside the page: compact, and text in it stays text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from crake.render.plain_text import shown
from crake.render.report.cutoffs import CutoffPanel, Series
from crake.render.report.words import cutoff_text

NAME = 60
"""Characters of a name in a sentence."""
_ESCAPED = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def island(panel: CutoffPanel) -> Markup:
    """For a script element that is not run: no character in it can end the element."""
    text = json.dumps(document(panel), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return Markup(text.translate(_ESCAPED))  # noqa: S704 (nothing in it is markup any more)


def document(panel: CutoffPanel) -> dict[str, Any]:
    """Return the numbers that the script reads; whole counts as differences, since those are short.

    `c` cutoffs in a row, `p` and `n` true and false positives, `e` the edges of bars, `m` mean scores in thousandths
    of a percent, `a` the AUC, `d` the number of distinct scores; `w` says that counts are sums of weights as they are.
    """
    costs = panel.costs
    return {
        "models": [shown(name, NAME) for name in panel.models],
        "classes": [shown(name, NAME) for name in panel.classes],
        "others": [shown(name, NAME) for name in panel.others],
        "scores": panel.scores,
        "low": panel.low,
        "high": panel.high,
        "cutoff": panel.cutoff,
        "class": panel.first_class,
        "costs": [costs.true_positive, costs.false_negative, costs.false_positive, costs.true_negative],
        "series": [[_series(series) for series in of_classes] for of_classes in panel.series],
    }


def _series(series: Series) -> dict[str, Any]:
    counts = (*series.true_positives, *series.false_positives)
    is_whole = all(count.is_integer() for count in counts)
    written = _differences if is_whole else list
    return {
        "c": _in_a_row(series.cutoffs),
        "p": written(series.true_positives),
        "n": written(series.false_positives),
        "e": _differences(series.edges),
        "m": [None if mean is None else round(1e5 * mean) for mean in series.predicted],
        "a": round(series.auc, 4),
        "d": series.distinct,
        **({} if is_whole else {"w": 1}),
    }


def _differences(values: Sequence[float]) -> list[int]:
    """Return each value less the one before: [3, 5, 9] → [3, 2, 4]."""
    whole = [int(value) for value in values]
    return [value - before for value, before in zip(whole, [0, *whole], strict=False)]


def _in_a_row(cutoffs: Sequence[float]) -> str:
    """Return the digits behind the point of each decimal between 0 and 1; any other number follows "=".

    >>> _in_a_row([1.0, 0.75, 0.0025, 1.5e-07, -3.25])
    '=1 75 0025 =1.5e-7 =-3.25'
    """
    texts = map(cutoff_text, cutoffs)
    return " ".join(text[2:] if text.startswith("0.") else f"={text}" for text in texts)
