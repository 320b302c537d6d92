"""The table of docs/export.md says which learner goes where, as the contract tests find it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.export.cases import cases

from crake.errors import CrakeError
from crake.learners import registry

OPTIONS = {"onnx": {"missing_text": "(missing)"}}
PAGE = Path(__file__).resolve().parents[2] / "docs" / "export.md"
TARGETS = ("sql", "python", "c", "javascript", "onnx", "pmml")


def goes(name: str, *, numbers: bool) -> list[str]:
    """Return "yes" for each target that writes a model of this learner with its usual settings, or the reason."""
    learner = registry.by_name(name, numbers=numbers)
    for case in cases():
        if type(case.model) is type(learner):
            if case.refusal:
                return [case.refusal.partition("cannot be exported: ")[2].partition(";")[0]]
            return [written(case.model, target) for target in TARGETS]
    raise AssertionError(f"expected a case for {name}")


def written(model: Any, target: str) -> str:
    """Return "yes", or the reason why the target does not write the model."""
    try:
        return "yes" if getattr(model, f"to_{target}")(**OPTIONS.get(target, {})) else ""
    except CrakeError as error:
        return f"no: {str(error).partition(';')[0]}"


def table() -> str:
    """Return the lines of the table."""
    lines = ["| learner | SQL | Python | C | JavaScript | ONNX | PMML |", "|---|---|---|---|---|---|---|"]
    names = [(name, False) for name in registry.names()] + [(name, True) for name in registry.regressor_names()]
    for name, numbers in names:
        cells = goes(name, numbers=numbers)
        shown = f"{name} (numbers)" if numbers else name
        cells = cells if len(cells) == len(TARGETS) else [f"no: {cells[0]}", *["no"] * (len(TARGETS) - 1)]
        lines.append(f"| {shown} | {' | '.join(cells)} |")
    return "\n".join(lines)


def test_the_table_is_what_the_models_say() -> None:
    assert table() in PAGE.read_text("utf-8"), table()
