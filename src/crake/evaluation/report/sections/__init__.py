"""Sections of a report, one file per section. `SECTIONS` is their order on the page.

A section is a function of `Material` that returns a `Section`, or None where the section does not apply. To add one,
write a file here and put its function into `SECTIONS`; every rendering shows it.
"""

from __future__ import annotations

from collections.abc import Callable

from crake.evaluation.report.material import Material
from crake.evaluation.report.sections.balance import balance_section
from crake.evaluation.report.sections.checks import checks_section
from crake.evaluation.report.sections.columns import columns_section
from crake.evaluation.report.sections.confusion import confusion_section
from crake.evaluation.report.sections.cutoff import cutoff_section
from crake.evaluation.report.sections.data import data_section
from crake.evaluation.report.sections.importance import importance_section
from crake.evaluation.report.sections.leaderboard import leaderboard_section
from crake.evaluation.report.sections.measures import measures_section
from crake.evaluation.report.sections.model import model_section
from crake.evaluation.report.sections.partial_dependence import partial_dependence_section
from crake.evaluation.report.sections.predictions import predictions_section
from crake.evaluation.report.sections.protocol import protocol_section
from crake.evaluation.report.sections.rare_class import rare_class_section
from crake.evaluation.report.sections.tables import tables_section
from crake.evaluation.report.sections.tied_models import tied_models_section
from crake.evaluation.report.sections.worked_rows import worked_rows_section
from crake.render.report.report import Section

SECTIONS: tuple[Callable[[Material], Section | None], ...] = (
    rare_class_section,
    data_section,
    leaderboard_section,
    measures_section,
    confusion_section,
    cutoff_section,
    predictions_section,
    tables_section,
    balance_section,
    model_section,
    importance_section,
    partial_dependence_section,
    tied_models_section,
    columns_section,
    worked_rows_section,
    checks_section,
    protocol_section,
)
