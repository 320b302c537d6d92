"""Balanced classes: their shares before and after, and rows that were made up."""

from __future__ import annotations

from typing import Any

from crake.balance.facts import Balance
from crake.evaluation.report.material import Material
from crake.learners.meta.balance import Balanced
from crake.learners.meta.calibrate.learner import Calibrated
from crake.learners.meta.cutoff.learner import WithCutoff
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.render.report.blocks import Block, Messages, Paragraph
from crake.render.report.report import Section
from crake.render.sentences import counted
from crake.table.convert.export import to_rows

MOST_COLUMNS = 12
"""Columns of a made-up row that are shown."""
WITHOUT_ROWS = (
    "Examples of made-up rows beside the rows they were made from are left out, as a report is passed on; --show-rows "
    "(in Python show_rows=True) shows them."
)


def balance_section(material: Material) -> Section | None:
    """Return the classes before and after balancing, and examples of made-up rows; None for a learner as it is."""
    whole = None if material.model is None else material.model[0]
    model = balanced_in(whole)
    if model is None:
        return None
    balance: Balance = model.balance_
    said = model._correction()  # noqa: SLF001 (its words)
    said = said[:1] if _is_overruled(whole) else said
    blocks: list[Block] = [
        Paragraph("Only rows that were learned from are balanced; tested rows stay as they are.", is_quiet=True),
        balance.grid(),
        *(Paragraph(note) for note in said),
    ]
    if balance.notes:
        blocks.append(Messages("notes", balance.notes))
    examples = example_rows(balance) if material.show_rows else None
    if examples is not None:
        blocks.append(examples)
    elif balance.made.any():
        blocks.append(Paragraph(WITHOUT_ROWS, is_quiet=True))
    data = {**balance.to_dict(), "correct_prior": bool(model.correct_prior), "sampler": repr(model.sampler)}
    return Section("balance", "Balanced classes", tuple(blocks), data)


def balanced_in(model: Any) -> Balanced | None:
    """Return the fitted Balanced among a model and the learners that it wraps; None if there is none."""
    while model is not None and not isinstance(model, Balanced):
        model = getattr(model, "estimator_", None)
    return model


def _is_overruled(model: Any) -> bool:
    """Return True if a wrapper outside the Balanced of a model answers by a rule of its own."""
    while not isinstance(model, Balanced | WithCutoff | Calibrated):
        model = model.estimator_
    return not isinstance(model, Balanced)


def example_rows(balance: Balance) -> Grid | None:
    """Return made-up rows, each followed by the row it was made from; None if none was made up."""
    if balance.examples is None:
        return None
    made, real = balance.examples
    names = [column.name for column in made.schema.columns if column.is_feature][:MOST_COLUMNS]
    lines = []
    originals = None if real is None else to_rows(real)
    for k, cells in enumerate(to_rows(made)):
        lines.append(("made up", *(_cell(cells.get(name)) for name in names)))
        if originals is not None:
            lines.append(("from", *(_cell(originals[k].get(name)) for name in names)))
    left = len(made.schema.features) + 1 - len(names)
    below = f"{counted(left, 'more column')} {'is' if left == 1 else 'are'} not shown" if left > 0 else ""
    return Grid("Made-up rows, each beside a real row it was made from", ("", *names), tuple(lines), below)


def _cell(value: Any) -> str:
    if value is None:
        return "missing"
    return f"{value:.4g}" if isinstance(value, float) else shown(value, 20)
