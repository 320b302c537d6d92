"""The whole query of a model: the columns of the table, the class, and the probability of each class."""

from __future__ import annotations

from collections.abc import Sequence

from crake.errors import CrakeError
from crake.export.exported import Exported
from crake.export.forms import Form, Rules, Tree
from crake.export.sql.dates import on_dates
from crake.export.sql.forms import Writer
from crake.export.sql.layers import Expression, Layers
from crake.export.sql.lookups import by_number, first_largest
from crake.export.sql.text import DIALECTS, Words, literal
from crake.export.ways import without_mixing
from crake.render.plain_text import shown

__all__ = ["DIALECTS", "to_sql"]


def to_sql(
    model: Exported,
    table: str = "t",
    *,
    dialect: str = "standard",
    missing: str | None = None,
    columns: Sequence[str] | None = None,
) -> str:
    """Return a SELECT of the columns of `table` and the prediction.

    missing=None answers as `predict`. With "heaviest" NULL, and a value that was not seen in training, takes the
    heaviest branch of a tree; with "fails" it satisfies no condition of a rule. `columns` are those of the table that
    the query returns, all of them if None.
    """
    if missing not in (None, "heaviest", "fails"):
        raise CrakeError(
            f"missing={missing!r}; expected None (as predict), 'heaviest' (NULL takes the heaviest branch) or "
            "'fails' (NULL satisfies no condition of a rule)"
        )
    form = model.form if missing is None else without_mixing(model.form)
    writer = Writer(Words(dialect, model.schema.names), model.schema)
    answered, number = [], None
    if isinstance(form, Tree) and len(form.nodes) > 1:
        number = writer.leaf(form, is_answer=True)
    elif isinstance(form, Rules):
        number = writer.rule(form, is_answer=True)
    numbers = writer.write(form)
    layers = writer.layers
    if number is not None:
        answered.append(number.text)
    answers = _answers(form, number, model, layers, numbers)
    answered += [each.text for each in answers]
    read = [model.schema.features[at] for at in model.features]
    reads = [column.source if column.is_part else column.name for column in read]
    return f"{_comment(model, missing)}{on_dates(model.schema)}{layers.select(table, reads, columns, answered)}"


def _answers(
    form: Form, number: Expression | None, model: Exported, layers: Layers, numbers: Sequence[Expression]
) -> list[Expression]:
    """Define the prediction: a number, or the class and the probability of each."""
    name = f"predicted {model.schema.target or 'class'}"
    if not model.classes:
        return [layers.define(name, numbers[0], is_answer=True)]
    first = (
        [layers.define(name, _class_of(form, number, model, layers), is_answer=True)] if _is_told(form, number) else []
    )
    named = [layers.define(f"P({c})", each, is_answer=True) for c, each in zip(model.classes, numbers, strict=True)]
    return [*(first or [layers.define(name, _largest(model, named), is_answer=True)]), *named]


def _is_told(form: Form, number: Expression | None) -> bool:
    """Return True if the number of the leaf, or rule, tells the class."""
    return number is not None and isinstance(form, Tree | Rules) and not form.mixes


def _class_of(form: Form, number: Expression | None, model: Exported, layers: Layers) -> Expression:
    assert number is not None  # noqa: S101 (the caller asked)
    assert isinstance(form, Tree | Rules)  # noqa: S101
    places = form.leaves if isinstance(form, Tree) else list(range(1, len(form.answers) + 1))
    lines = form.answers[places] if isinstance(form, Tree) else form.answers
    labels = [literal(model.classes[k]) for k in first_largest(lines, 0.0)]
    return Expression(by_number(layers.words, number.text, places, labels), number.layer)


def _largest(model: Exported, named: Sequence[Expression]) -> Expression:
    """Write the class of the largest probability, the first of equals."""
    labels, names = [literal(label) for label in model.classes], [each.text for each in named]
    cases = [
        f"WHEN {' AND '.join(f'{names[k]} >= {other}' for other in names[k + 1 :])} THEN {labels[k]}"
        for k in range(len(labels) - 1)
    ]
    text = f"CASE {' '.join(cases)} ELSE {labels[-1]} END" if cases else labels[0]
    return Expression(text, max(each.layer for each in named))


def _comment(model: Exported, missing: str | None) -> str:
    names = [shown(model.schema.features[at].name, 40) for at in model.features]
    read = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "") if names else "no column"
    how = {None: "count as in predict", "heaviest": "take the heaviest branch", "fails": "satisfy no condition"}
    lines = f"{model.title}; reads {_one_line(read)}", f"NULL and new values {how[missing]}"
    return "".join(f"-- {line}\n" for line in lines)


def _one_line(text: str) -> str:
    """Return text that cannot end a comment."""
    return " ".join(text.split())
