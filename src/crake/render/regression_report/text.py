"""The report on a regressor as text for a terminal."""

from __future__ import annotations

from crake.render.plain_text import shown, visible
from crake.render.regression_report.summary import NumberReport


def number_text(report: NumberReport) -> str:
    """Headline, data, measures, errors, the model, rows that were asked for, and how to get it again."""
    facts = "\n".join(f"  {visible(name)}: {shown(value, 200)}" for name, value in report.facts)
    said = [f"Warning: {visible(each)}" for each in report.warnings] + [f"Note: {visible(n)}" for n in report.notes]
    parts = [
        visible(report.headline),
        facts,
        *said,
        *map(str, (report.measure_grid(), *report.grids)),
        *(f"{visible(plot.title)}\n  {visible(plot.caption)}" for plot in report.plots),
        *([f"The model: {shown(report.learner)}\n{_indented(report.model_text)}"] if report.model_text else []),
        *(f"{row.kind}: row {row.row}, {visible(row.outcome)}\n{_indented(str(row.workings.shortened()))}"
          for row in report.worked),
        *([visible(report.without_rows)] if report.without_rows else []),
        visible(report.protocol),
        *(f"{visible(name)}:\n{_indented(text)}" for name, text in report.reproduce),
    ]  # fmt: skip
    return "\n\n".join(parts)


def _indented(text: str) -> str:
    return "\n".join(f"  {visible(line)}" for line in text.splitlines())
