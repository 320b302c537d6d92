"""The table of docs/export.md says which learner goes where, as the contract tests find it."""

from __future__ import annotations

from pathlib import Path

from tests.export.cases import cases

from crake.errors import CrakeError
from crake.learners import registry

PAGE = Path(__file__).resolve().parents[2] / "docs" / "export.md"
TARGETS = ("sql", "python", "c", "javascript")


def goes(name: str, *, numbers: bool) -> list[str]:
    """Return "yes" for each target that writes a model of this learner with its usual settings, or the reason."""
    learner = registry.by_name(name, numbers=numbers)
    for case in cases():
        if type(case.model) is type(learner):
            try:
                return [bool(getattr(case.model, f"to_{target}")()) and "yes" for target in TARGETS]
            except CrakeError as error:
                return [str(error).partition("cannot be exported: ")[2].partition(";")[0]]
    return ["further learners join the answers of its members"]


def table() -> str:
    """Return the lines of the table."""
    lines = ["| learner | SQL | Python | C | JavaScript |", "|---|---|---|---|---|"]
    names = [(name, False) for name in registry.names()] + [(name, True) for name in registry.regressor_names()]
    for name, numbers in names:
        cells = goes(name, numbers=numbers)
        shown = f"{name} (numbers)" if numbers else name
        cells = cells if len(cells) == len(TARGETS) else [f"no: {cells[0]}", "no", "no", "no"]
        lines.append(f"| {shown} | {' | '.join(cells)} |")
    return "\n".join(lines)


def test_the_table_is_what_the_models_say() -> None:
    assert table() in PAGE.read_text("utf-8"), table()
