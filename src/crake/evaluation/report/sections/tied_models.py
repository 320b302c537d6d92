"""The models of the learners that the data cannot tell from the best, folded, and the simplest of them."""

from __future__ import annotations

from typing import Any

from crake.errors import CrakeError
from crake.evaluation.report.material import Material, fitted_on_all
from crake.evaluation.report.sections.model import model_text
from crake.evaluation.result.regression import NumberEvaluation
from crake.learners.registry import is_readable, name_of, names, regressor_names
from crake.render.plain_text import shown
from crake.render.report.blocks import Block, Listing, Paragraph
from crake.render.report.report import Section
from crake.render.sentences import counted

MOST_MODELS, MOST_ROWS, MOST_LINES = 5, 50_000, 40
"""Models that are fitted beside the best one, rows of a table up to which they are, and lines of each model."""


def tied_models_section(material: Material) -> Section:
    """Return the models as text, one fold each, after a sentence that names the simplest."""
    models = _models(material)
    beginnings = {each.name: each.beginning for each in material.results}
    texts = {name: model_text(model, MOST_LINES) for name, model in models}
    simplest = _simplest(material, models)
    blocks: list[Block] = []
    if texts:
        blocks.append(Paragraph(_about(simplest, models, material), is_quiet=True))
        blocks += [Listing(shown(beginnings[name], 60), text, is_open=False) for name, text in texts.items() if text]
    data = {"tied_models": [{"learner": name, "model": text} for name, text in texts.items()], "simplest": simplest}
    title = "Models as good, as far as the data can tell"
    return Section("tied_models", title, tuple(blocks), data, hidden_in=frozenset({"text"}))


def _models(material: Material) -> list[tuple[str, Any]]:
    """Return the models of the first learners that are tied with the best, fitted to all rows."""
    tied = _tied(material)
    models: list[tuple[str, Any]] = []
    for result in material.results[1:]:
        context = result.context
        if result.name not in tied or context is None or len(context.table) > MOST_ROWS or len(models) == MOST_MODELS:
            continue
        try:
            fitted = result.fitted() if isinstance(result, NumberEvaluation) else fitted_on_all(result)
        except CrakeError:  # it could be tested fold by fold, and not be fitted to all rows
            continue
        if fitted is not None:
            models.append((result.name, fitted[0]))
    return models


def _tied(material: Material) -> frozenset[str]:
    """Return the names of the learners that are tied with the best."""
    board = material.board
    if board is None or not material.with_model:
        return frozenset()
    return frozenset(entry.name for entry in board.entries if entry.is_tied and not entry.is_best)


def _simplest(material: Material, models: list[tuple[str, Any]]) -> str:
    """Return the first of these learners in teaching order, among trees the one with the fewest lines."""
    best = [] if material.model is None else [(material.best.name, material.model[0])]
    readable = {name: model for name, model in (*best, *models) if is_readable(model) and name_of(model)}
    return min(readable, key=lambda name: _simplicity(readable[name])) if models and readable else ""


def _simplicity(model: Any) -> tuple[int, int]:
    """Return the place in teaching order, the same for all trees, and the lines of the model."""
    order = (*names(), *regressor_names())
    place = order.index("stump") if hasattr(model, "get_n_leaves") else order.index(name_of(model) or "")
    return place, len(str(model).splitlines())


def _about(simplest: str, models: list[tuple[str, Any]], material: Material) -> str:
    tied = len(_tied(material))
    which = "" if tied == len(models) else f" Models of {len(models)} are below."
    how = f"The test cannot tell {counted(tied, 'other learner')} from the best.{which} Fitted to all rows, as text."
    if not simplest:
        return how
    if simplest == material.best.name:
        return f"{how} The best learner is the simplest of them."
    beginning = next(each.beginning for each in material.results if each.name == simplest)
    return f"{how} {shown(beginning, 60)} is the simplest of them."
