"""A rare class: average precision, cost and lift of every learner, before an accuracy that says little."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from crake.evaluation.checks.rare_classes import rare_class_to_measure, useless_accuracy
from crake.evaluation.comparison.criterion import ByCost
from crake.evaluation.report.material import Material
from crake.evaluation.report.sections.cutoff import has_panel
from crake.evaluation.result.classification import Evaluation
from crake.metrics.cost.matrix import CostMatrix
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.render.report.blocks import Block, Paragraph
from crake.render.report.report import Section

MEASURES = ("average_precision", "mean_cost", "lift", "recall", "precision")
LIFT = "lift of the top tenth"


def rare_class_section(material: Material) -> Section | None:
    """Return the measures that speak of the rarest class; None where no class is rare."""
    if not material.classifications:
        return None
    totals = material.classifications[0].confusion.actual_totals
    rarest = rare_class_to_measure(totals)
    if rarest is None:
        return None
    label = material.classifications[0].classes[rarest]
    share = float(totals[rarest] / totals.sum())
    costs = _costs(material, totals)
    lines = [_line(each, label, costs) for each in material.classifications]
    blocks: list[Block] = [Paragraph(check.sentence) for check in useless_accuracy(material.classifications[0])]
    header = ("learner", "average precision", _cost_title(material), LIFT, "recall", "precision")
    blocks.append(Grid("", header, tuple(line for line, _ in lines), _caption(material, share, costs, label)))
    data = {"class": str(label), "share": share, "learners": [numbers for _, numbers in lines]}
    return Section("rare_class", f"The rare class: {shown(label, 40)}", tuple(blocks), data)


def _cost_title(material: Material) -> str:
    return "cost as given" if isinstance(material.criterion, ByCost) else "cost by rarity"


def _caption(material: Material, share: float, costs: CostMatrix, label: Any) -> str:
    """Return what the columns count, and what the cutoff panel counts under the same names."""
    said = [f"Average precision of a random order would be {share:.3g}, the share of the class."]
    if not isinstance(material.criterion, ByCost):
        said.append(f"Cost by rarity is the mean cost where all classes count the same: {_by_rarity(costs, label)}.")
    said.append("Lift is that of the tenth of the rows with the highest probabilities.")
    if has_panel(material):
        own = isinstance(material.criterion, ByCost) and len(costs.labels) == 2
        errors = "" if own else ", mean cost by the costs typed in there, 1 to begin with"
        said.append(f"The cutoff panel counts otherwise: lift of the rows called at its cutoff{errors}.")
    return " ".join(said)


def _by_rarity(costs: CostMatrix, label: Any) -> str:
    """Return the cost of an error of the rare class, and of the others where they cost the same."""
    rare = costs.labels.index(label)
    off = [max(row) for row in costs.costs.tolist()]
    others = [cost for k, cost in enumerate(off) if k != rare]
    missed = f"a missed row of {shown(label, 30)} costs {off[rare]:.3g}"
    same = f"one of {shown(costs.labels[1 - rare], 30)} {others[0]:.3g}" if len(others) == 1 else "others less"
    return f"{missed}, {same}"


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
    if estimate.interval is None or f"{estimate.low:.3f}" == f"{estimate.high:.3f}":
        return f"{estimate:.3f}"
    return f"{estimate:.3f} [{estimate.low:.3f},\N{NO-BREAK SPACE}{estimate.high:.3f}]"
