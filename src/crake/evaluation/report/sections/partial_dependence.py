"""The mean prediction of a model that nobody can read, by the columns that matter most."""

from __future__ import annotations

from typing import Any

from crake.errors import CrakeError
from crake.evaluation.columns.partial_dependence import BAND, PartialDependence, partial_dependence
from crake.evaluation.report.material import Material
from crake.evaluation.result.classification import Evaluation
from crake.learners.base.classifier import reads_tables
from crake.learners.base.regressor import TableRegressor
from crake.render.plain_text import shown
from crake.render.report.blocks import Block, Paragraph, Picture, Pictures
from crake.render.report.report import Section

COLUMNS, ROWS, WIDTH = 3, 300, 420.0
"""Columns that are drawn, and rows that a mean is taken over."""


def partial_dependence_section(material: Material) -> Section | None:
    """Return a picture for each of the columns that matter most; None without a model, or where the model shows it."""
    if material.model is None or not _is_closed(material.model[0]):
        return None
    found = _found(material)
    title = f"What the columns do to the answers of {shown(material.best.name, 60)}"
    blocks: tuple[Block, ...] = ()
    if found:
        share = round(100 * (BAND[1] - BAND[0]))
        rows = found[0].individual.shape[1]
        about = (
            f"The mean prediction when one column has the same value in all of {rows:,} rows, and all other columns "
            f"stay as they are; {share} % of the rows have their own curve within the band. Columns that move together "
            "give rows here that do not occur."
        )
        drawn = [each.draw(WIDTH) for each in found]
        pictures = tuple(Picture(each.title, each.svg(styled=False), each.finding) for each in drawn)
        blocks = (Paragraph(about, is_quiet=True), Pictures(pictures))
    return Section("partial_dependence", title, blocks, {"partial_dependence": [_data(each) for each in found]})


def _is_closed(model: Any) -> bool:
    """Return True for a model, or one within a wrapper, whose own picture does not tell what its columns do."""
    card = getattr(getattr(model, "estimator_", model), "card", None)
    return card is not None and not card.is_readable


def _found(material: Material) -> list[PartialDependence]:
    importances = material.importances
    if importances is None or material.model is None:
        return []
    model, table = material.model
    if not table.in_memory or not (isinstance(model, TableRegressor) or reads_tables(model)):
        return []
    positive = None
    if isinstance(material.best, Evaluation) and len(material.best.classes) == 2:
        positive = material.best.positive_class
    names = [name for name, loss in importances.columns[:COLUMNS] if (loss.value or 0.0) > 0]
    try:
        return [partial_dependence(model, table, name, positive=positive, most_rows=ROWS) for name in names]
    except CrakeError:  # a column that the model does not read, such as running text, leaves the rest of the report
        return []


def _data(found: PartialDependence) -> dict[str, object]:
    return {
        "column": found.column.name,
        "values": list(found.values),
        "outputs": list(found.outputs),
        "mean": found.mean.tolist(),
        "low": found.low.tolist(),
        "high": found.high.tolist(),
    }
