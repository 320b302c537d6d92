"""The model of the best learner, drawn and as text."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from crake.errors import CrakeError
from crake.evaluation.report.material import Material
from crake.render.plain_text import shown
from crake.render.report.blocks import Block, Listing, Paragraph, Picture, Pictures
from crake.render.report.report import Section
from crake.render.sentences import counted

if TYPE_CHECKING:
    from crake.table.table import Table

REFITTED = "Learned from all rows. The scores above are those of models that had not seen the rows they were tested on."
TESTED = "The model that was tested; it should not have seen these rows."

MOST_LINES = 80
"""Lines of a model's text."""


def model_section(material: Material) -> Section:
    """Return the model's pictures, and its text folded below them; nothing without a model to draw."""
    model = material.model
    about = "" if model is None else REFITTED if material.is_refitted else TESTED
    text = "" if model is None else model_text(model[0])
    pictures = () if model is None else pictures_of(*model)
    blocks: list[Block] = []
    if pictures or text:
        blocks.append(Paragraph(about, is_quiet=True))
    if pictures:
        blocks.append(Pictures(pictures))
    if text:
        blocks.append(Listing("The model as text", text, is_open=not pictures))
    data = {
        "learner": material.best.name,
        "about_model": about,
        "model": text,
        "drawings": [asdict(picture) for picture in pictures],
    }
    return Section("model", f"The model: {shown(material.best.name, 60)}", tuple(blocks), data)


def pictures_of(model: Any, table: Table | None = None) -> tuple[Picture, ...]:
    """Return the model's pictures, if it has any; their scales reach as far as the rows of the table."""
    for rows in (table if table is not None and table.in_memory else None, None):
        try:
            drawings = model.pictures(rows)
        except CrakeError:  # not every model can be drawn, not every table has what a scale needs; the text is shown
            continue
        return tuple(Picture(each.title, each.svg(styled=False), each.finding) for each in drawings)
    return ()


def model_text(model: Any, most_lines: int = MOST_LINES) -> str:
    """Return the model as `print` shows it, long ones cut; nothing where that is only the name of the learner."""
    lines = str(model).splitlines()
    if len(lines) <= 1:
        return ""
    more = len(lines) - most_lines
    return "\n".join([*lines[:most_lines], *([f"… {counted(more, 'more line')}"] if more > 0 else [])])
