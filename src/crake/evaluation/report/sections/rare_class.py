"""A rare class: average precision, cost and lift of every learner, before an accuracy that says little."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from crake.evaluation.checks.rare_classes import rarest_class, useless_accuracy
from crake.evaluation.comparison.criterion import ByCost
from crake.evaluation.report.material import Material
from crake.evaluation.result.classification import Evaluation
from crake.metrics.cost.matrix import CostMatrix
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.render.report.blocks import Block, Paragraph
from crake.render.report.report import Section

MEASURES = ("average_precision", "mean_cost", "lift", "recall", "precision")
HEADER = ("learner", "average precision", "{cost}", "lift of the top tenth", "recall", "precision")


def rare_class_section(material: Material) -> Section | None:
    """Return the measures that speak of the rarest class; None where no class is rare."""
    if not material.classifications:
        return None
    totals = material.classifications[0].confusion.actual_totals
    rarest = rarest_class(totals)
    if rarest is None:
        return None
    label = material.classifications[0].classes[rarest]
    share = float(totals[rarest] / totals.sum())
    costs = _costs(material, totals)
    lines = [_line(each, label, costs) for each in material.classifications]
    blocks: list[Block] = [Paragraph(check.sentence) for check in useless_accuracy(material.classifications[0])]
    blocks.append(Grid("", _header(material), tuple(line for line, _ in lines), _caption(material, share)))
    data = {"class": str(label), "share": share, "learners": [numbers for _, numbers in lines]}
    return Section("rare_class", f"The rare class: {shown(label, 40)}", tuple(blocks), data)


def _header(material: Material) -> tuple[str, ...]:
    """Return the headings; the cost panel of the page may have other costs, so that the costs are named."""
    cost = "mean cost" if isinstance(material.criterion, ByCost) else "cost by rarity"
    return tuple(each.format(cost=cost) for each in HEADER)


def _caption(material: Material, share: float) -> str:
    random = f"Average precision of a random order would be {share:.3g}, the share of the class"
    if isinstance(material.criterion, ByCost):
        return f"{random}; the mean cost is that of the costs given."
    return f"{random}; cost by rarity: the mean cost if an error costs the more the rarer its class is."


def _costs(material: Material, totals: Any) -> CostMatrix:
    """Return the costs given, or costs under which all classes count the same."""
    if isinstance(material.criterion, ByCost):
        return material.criterion.costs
    return CostMatrix.by_rarity(material.classifications[0].classes, totals)


def _line(evaluation: Evaluation, label: Any, costs: CostMatrix) -> tuple[tuple[str, ...], dict[str, Any]]:
    of_class = replace(evaluation, positive=label)
    estimates = [of_class.estimate(name, costs if name == "mean_cost" else None) for name in MEASURES]
    numbers = {name: each.value for name, each in zip(MEASURES, estimates, strict=True)}
    return (shown(evaluation.name, 60), *map(_figure, estimates)), {"learner": evaluation.name, **numbers}


def _figure(estimate: Any) -> str:
    if not estimate.is_defined:
        return "–"
    interval = "" if estimate.interval is None else f" [{estimate.low:.3f},\N{NO-BREAK SPACE}{estimate.high:.3f}]"
    return f"{estimate:.3f}{interval}"
