"""Descriptions of model files, read without building the model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crake.errors import CrakeError, ModelFileError
from crake.learners.base.state import StateReader
from crake.learners.base.state.schema import schema_of
from crake.learners.base.state.statistics import MOST
from crake.modelfile import container
from crake.modelfile.reading import Reader
from crake.modelfile.store import opened, unexpected
from crake.modelfile.writing import count_rows
from crake.render.plain_text import shown
from crake.render.sentences import counted
from crake.render.workings import number
from crake.table.schema import Label, Schema


@dataclass(frozen=True)
class ModelDescription:
    """The learner's name, its parameters as the file writes them, the schema, and the rows seen where it counts.

    `rows_held` is the number of training rows in the file, with every value.
    """

    learner: str
    parameters: dict[str, Any]
    schema: Schema
    rows: float | None
    format: str
    sha256: str
    file_bytes: int
    rows_held: int = 0

    @property
    def classes(self) -> tuple[Label, ...]:
        """Return the labels that the model predicts; none for a regressor or a transformer."""
        return self.schema.classes

    def __str__(self) -> str:
        rows = "" if self.rows is None else f"{number(self.rows)} rows, "
        warning = f"; it HOLDS {self.rows_held} TRAINING ROWS" if self.rows_held else ""
        return (
            f"{shown(self.learner)}: {rows}{counted(len(self.schema.features), 'column')}{self._predicted()}; "
            f"{self.file_bytes:,} bytes, format {self.format}, "
            f"sha256 {self.sha256[:12]}…{warning}"
        )

    def _predicted(self) -> str:
        target = self.schema.target
        if target is None:
            return ""
        return f", {len(self.classes)} classes of {shown(target)}" if self.classes else f", the number {shown(target)}"


def describe(path: str | Path) -> ModelDescription:
    """Describe a model file. Its checksum and its schema are checked, the learner is not built.

    >>> import tempfile, crake
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     crake.save(crake.MajorityClassifier().fit(crake.read("golf")), f"{folder}/golf.crake")
    ...     print(describe(f"{folder}/golf.crake"))
    MajorityClassifier: 14 rows, 4 columns, 2 classes of play; ... bytes, format 1.0, sha256 ...
    """
    try:
        data = container.read(Path(path))
        document, tensors = opened(data)
        return _description(document, tensors, len(data))
    except CrakeError as error:
        raise ModelFileError(f"{path}: {error}") from error
    except Exception as error:
        raise unexpected(path, error) from error


def _description(document: dict[str, Any], tensors: container.Tensors, size: int) -> ModelDescription:
    node = document["model"]
    learner, parameters, state = (
        (node.get("learner"), node.get("parameters"), node.get("state")) if isinstance(node, dict) else (None,) * 3
    )
    if not isinstance(learner, str) or not isinstance(parameters, dict) or not isinstance(state, dict):
        raise ModelFileError("it does not say which learner it holds")
    parts = {name: state[name] for name in ("schema", "statistics") if name in state}
    reader = StateReader(Reader(tensors).group(parts, ""))
    schema = schema_of(reader.part("schema"))
    rows = None
    if "statistics" in reader:
        rows = float(reader.part("statistics").floats("class_counts", (len(schema.classes),), 0, MOST).sum())
    version = ".".join(map(str, document["format"]))
    return ModelDescription(learner, parameters, schema, rows, version, document["sha256"], size, count_rows(tensors))
