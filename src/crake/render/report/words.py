"""The effect of a cutoff in a sentence. The script of the page writes it in the same words."""

from __future__ import annotations

import re
from decimal import Decimal

from crake.render import format_numbers as numbers
from crake.render.grid import Grid
from crake.render.plain_text import minus, shown
from crake.render.report.cutoffs import Costs, Counts, CutoffPanel
from crake.render.sentences import class_words


def sentence(model: str, label: str, cutoff: float | None, counts: Counts, costs: Costs) -> str:
    r"""Return a sentence: rows called positive, how many of them are, how many are missed, the cost of a row.

    >>> print(sentence("1R", "yes", 0.5, Counts(8, 1, 3, 2), Costs(1, 5)).replace("\N{NO-BREAK SPACE}", " "))
    At cutoff 0.5, 1R calls 11 of 14 rows yes, and 8 of them are: precision 72.7 %. Of 9 rows that are yes it misses 1:
    recall 88.9 %. A row costs 0.571 on average.
    """
    where = "Above all scores" if cutoff is None else f"At cutoff {cutoff_text(cutoff)}"
    total, missed = numbers.count(counts.total), numbers.count(counts.false_negatives)
    begin = f"{where}, {model} calls none of {total} rows {label}."
    if counts.precision is not None:
        called, right = numbers.count(counts.called), numbers.count(counts.true_positives)
        share = numbers.percent(counts.precision)
        begin = f"{where}, {model} calls {called} of {total} rows {label}, and {right} of them are: precision {share}."
    return (
        f"{begin} Of {numbers.count(counts.positives)} rows that are {label} it misses {missed}: "
        f"recall {numbers.percent(counts.recall)}. A row costs {money(counts.mean_cost(costs))} on average."
    )


def panel_sentence(panel: CutoffPanel) -> str:
    """Return the sentence of what a panel shows first."""
    here = panel.default_counts(0)
    label = shown(class_words(panel.classes[panel.first_class]))
    return sentence(shown(panel.models[0]), label, panel.cutoff if here.called else None, here, panel.costs)


def panel_grid(panel: CutoffPanel) -> Grid:
    """Return every model at the cutoff that a panel shows first."""
    label = shown(class_words(panel.classes[panel.first_class]), 30)
    header = (
        "model",
        "found",
        "missed",
        "false alarms",
        "left alone",
        "precision",
        "recall",
        f"F1 of {label}",
        "mean cost",
    )
    rows = []
    for model, name in enumerate(panel.models):
        at = panel.default_counts(model)
        counts = (at.true_positives, at.false_negatives, at.false_positives, at.true_negatives)
        measures = (numbers.figure(at.precision), numbers.figure(at.recall), numbers.figure(at.f1))
        rows.append((shown(name, 40), *map(numbers.count, counts), *measures, money(at.mean_cost(panel.costs))))
    return Grid(f"All models at cutoff {cutoff_text(panel.cutoff)}: what is called {label}", header, tuple(rows))


def money(cost: float) -> str:
    """Return a cost in groups of three, with three decimals.

    >>> money(1234.5), money(-0.0)
    ('1,234.500', '0.000')
    """
    return minus(f"{cost:z,.3f}")


def cutoff_text(cutoff: float) -> str:
    """Return the number as short as it can be told from others, as a browser writes it.

    >>> [cutoff_text(cutoff) for cutoff in (0.5, 1.0, 0.00025, 1.5e-07, 2e-30, -3.25)]
    ['0.5', '1', '0.00025', '1.5e-7', '2e-30', '-3.25']
    """
    if cutoff == 0:
        return "0"
    if 1e-6 <= abs(cutoff) < 1e21:
        return f"{Decimal(repr(cutoff)):f}".removesuffix(".0")
    return re.sub(r"e([+-])0*(\d)", r"e\1\2", repr(cutoff)).replace(".0e", "e")
