"""The likelihood of rows that an engine holds: each partition adds up its own, and the sums are added.

Terms are rounded to grids that the driver sends along, so the sums are exact: another partitioning changes no bit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.kernels import threads
from crake.learners.encoding import Design
from crake.learners.encoding.partitions import design_json, design_of_json
from crake.learners.logistic.bounds import Bounds
from crake.learners.logistic.likelihood import Arrays, Likelihood
from crake.statistics.gather import Batches
from crake.statistics.partitions.messages import packed, unpacked
from crake.statistics.partitions.rows import PartitionedRows, RowsOfPartition

if TYPE_CHECKING:
    import pyarrow as pa

MOST_COEFFICIENTS = 100_000
"""Coefficients that are sent to every partition in each pass; for more of them the rows come to the driver."""


def likelihood_of(rows: Batches, design: Design, role: NDArray[np.int32], bounds: Bounds) -> Likelihood:
    """Return the likelihood of these rows, added up where an engine has them."""
    source = PartitionedRows.of(rows)
    if source is None or len(design) * int(role.max()) > MOST_COEFFICIENTS:
        return Likelihood(rows, design, role, bounds)
    return MappedLikelihood(rows, design, role, bounds, source)


class MappedLikelihood(Likelihood):
    """The likelihood of rows whose engine runs tasks: a pass is one run of tasks."""

    def __init__(
        self, rows: Batches, design: Design, role: NDArray[np.int32], bounds: Bounds, source: PartitionedRows
    ) -> None:
        super().__init__(rows, design, role, bounds)
        self.source = source
        self.fixed = {**source.state, "design": design_json(design), "role": role.tolist()}

    def summed(self, sums: str, arrays: Sequence[Floats], more: bool = False) -> Arrays:
        """Return sums over all rows; `more` asks for those that take long."""
        asked = {"sums": sums, "arrays": [array.tolist() for array in arrays], "more": more}
        task = LikelihoodTask(json.dumps({**self.fixed, **asked}))
        messages = self.source.run(task)
        if messages is None:
            raise CrakeError(f"expected {self.source.scan.file.name} to run tasks, got none")
        self.passes += 1
        return task.added(messages)


@dataclass(frozen=True)
class LikelihoodTask:
    """The sums of one partition, described in JSON: the rows, the design, the coefficients and grids, which sums."""

    text: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> bytes:
        """Return the sums of the batches of one partition."""
        state = json.loads(self.text)
        rows, design = RowsOfPartition.of(state, batches).batches, design_of_json(state["design"])
        # The bounds have decided on the grids that come along; nothing more is asked of them.
        likelihood = Likelihood(rows, design, np.array(state["role"], np.int32), Bounds(design, 0.0, 0.0))
        arrays = [np.array(each, np.float64) for each in state["arrays"]]
        with threads.limited(1):  # the engine runs as many tasks as it has cores
            return packed(likelihood.summed(state["sums"], arrays, state["more"]))

    def merge(self, messages: Iterable[bytes]) -> bytes:
        """Return the sums of several partitions."""
        return packed(self.added(messages))

    def added(self, messages: Iterable[bytes]) -> Arrays:
        """Return the sums of several partitions; of margins the largest, and of samples the rows of all."""
        found = [unpacked(message) for message in messages]
        sums = json.loads(self.text)["sums"]
        if sums == "sample":
            return [np.concatenate(parts) for parts in zip(*found, strict=True)]
        total = found[0]
        for arrays in found[1:]:
            for at, array in enumerate(arrays):
                is_margins = sums == "point" and at == MARGINS
                total[at] = np.maximum(total[at], array) if is_margins else total[at] + array
        return total


MARGINS = 3
"""The place of the margins among the sums of a point."""
