"""The likelihood of rows that an engine holds: each partition adds up its own, and the sums are added.

Sums of floats depend on their order, so another partitioning may change the last bits of the coefficients.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.kernels import threads
from crake.learners.encoding import Design
from crake.learners.encoding.partitions import design_json, design_of_json
from crake.learners.logistic.likelihood import Likelihood, Point
from crake.statistics.gather import Batches
from crake.statistics.partitions.messages import packed, unpacked
from crake.statistics.partitions.rows import PartitionedRows, RowsOfPartition

if TYPE_CHECKING:
    import pyarrow as pa

MOST_COEFFICIENTS = 100_000
"""Coefficients that are sent to every partition in each pass; for more of them the rows come to the driver."""


def likelihood_of(rows: Batches, design: Design, role: NDArray[np.int32]) -> Likelihood:
    """Return the likelihood of these rows, added up where an engine has them."""
    source = PartitionedRows.of(rows)
    if source is None or len(design) * int(role.max()) > MOST_COEFFICIENTS:
        return Likelihood(rows, design, role)
    return MappedLikelihood(rows, design, role, source)


class MappedLikelihood(Likelihood):
    """The likelihood of rows whose engine runs tasks: a pass is one run of tasks."""

    is_mapped = True

    def __init__(self, rows: Batches, design: Design, role: NDArray[np.int32], source: PartitionedRows) -> None:
        super().__init__(rows, design, role)
        self.source = source
        self.fixed = {**source.state, "design": design_json(design), "role": role.tolist()}

    def at(self, coefficient: Floats, *, information: bool = False) -> Point:
        """Return the likelihood at these coefficients (terms, outputs), and what of its derivatives was asked for."""
        value, gradient, matrix, margins = self._mapped("at", [coefficient], {"information": information})
        return Point(float(value[0]), gradient, (float(-margins[0]), float(margins[1])), matrix)

    def curvature(self, coefficient: Floats, direction: Floats) -> Floats:
        """Return the product of the information at some coefficients with a direction, all (terms, outputs)."""
        (product,) = self._mapped("curvature", [coefficient, direction], {})
        return product

    def own_information(self, coefficient: Floats, *, blocks: bool) -> Floats:
        """Return the information of each output by itself: `blocks` (outputs, terms, terms), or only its diagonal."""
        (information,) = self._mapped("own_information", [coefficient], {"blocks": blocks})
        return information

    def _mapped(self, method: str, arguments: list[Floats], options: dict[str, bool]) -> list[Floats]:
        sums = {"method": method, "arguments": [each.tolist() for each in arguments], "options": options}
        task = LikelihoodTask(json.dumps({**self.fixed, **sums}))
        messages = self.source.run(task)
        if messages is None:
            raise CrakeError(f"expected {self.source.scan.file.name} to run tasks, got none")
        self.passes += 1
        return task.added(messages)


@dataclass(frozen=True)
class LikelihoodTask:
    """The sums of one partition, described in JSON: the rows, the design, the coefficients, and which sums."""

    text: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> bytes:
        """Return the sums of the batches of one partition."""
        state = json.loads(self.text)
        rows = RowsOfPartition.of(state, batches).batches
        likelihood = Likelihood(rows, design_of_json(state["design"]), np.array(state["role"], np.int32))
        shape = len(likelihood.design), likelihood.outputs
        arguments = [np.array(each, np.float64).reshape(shape) for each in state["arguments"]]
        with threads.limited(1):  # the engine runs as many tasks as it has cores
            return packed(_arrays(getattr(likelihood, state["method"])(*arguments, **state["options"])))

    def merge(self, messages: Iterable[bytes]) -> bytes:
        """Return the sums of several partitions."""
        return packed(self.added(messages))

    def added(self, messages: Iterable[bytes]) -> list[Floats]:
        """Return the sums of several partitions; of margins the largest."""
        total: list[Floats] = []
        for message in messages:
            arrays = unpacked(message)
            if not total:
                total = arrays
                continue
            for at, array in enumerate(arrays):
                total[at] = np.maximum(total[at], array) if at == MARGINS else total[at] + array
        return total


MARGINS = 3
"""The place of the margins among the sums of a point."""


def _arrays(sums: Any) -> list[Floats]:
    """Return the sums as arrays: of a point its value, gradient, information, and (−least, largest) margin."""
    if not isinstance(sums, Point):
        return [sums]
    return [np.array([sums.value]), sums.gradient, sums.information, np.array([-sums.margins[0], sums.margins[1]])]
