"""Posteriors block by block beside a loop in Python that takes one row after the other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from crake.kernels import threads
from crake.kernels.bayes.posterior import BLOCK, NominalLogs, NormalLogs, posteriors

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Model:
    """Everything a row is scored by, drawn at random; some classes know nothing of some columns."""

    prior: Floats
    offsets: NDArray[np.int64]
    log_likelihood: Floats
    scale: Floats
    mean: Floats
    rest: Floats
    precision: Floats
    log_norm: Floats
    log_floor: float

    def of(self, rows: NDArray[np.intp], codes: NDArray[np.int32], values: Floats) -> Floats:
        nominal = NominalLogs(self.offsets, self.log_likelihood)
        normal = NormalLogs(self.scale, self.mean, self.rest, self.precision, self.log_norm, self.log_floor)
        return posteriors(rows, codes, values, self.prior, np.log(self.prior), nominal, normal)

    def plainly(self, codes: NDArray[np.int32], values: Floats) -> list[float]:
        """One row: the same sums in the same order, in Python's floats."""
        sums = np.log(self.prior).tolist()
        for k in range(len(sums)):
            for j, code in enumerate(codes):
                if code >= 0:
                    sums[k] += self.log_likelihood[self.offsets[j] + code, k]
            for j, value in enumerate(values):
                if not math.isnan(value) and self.precision[j, k] > 0:
                    z = ((value * self.scale[j] - self.mean[j, k]) - self.rest[j, k]) * self.precision[j, k]
                    sums[k] += max(self.log_floor, -0.5 * (z * z) - self.log_norm[j, k])
        top = max(sums)
        if top == -math.inf:
            return self.prior.tolist()
        powers = [math.exp(each - top) for each in sums]
        return [power / sum(powers) for power in powers]


def drawn(rows: int, classes: int, nominal: int, numeric: int, log_floor: float) -> tuple[Model, Floats, Floats]:
    generator = np.random.default_rng(rows + classes)
    with np.errstate(divide="ignore"):
        log_likelihood = np.log(generator.integers(0, 9, (3 * nominal, classes)) / 9)
    shape = (numeric, classes)
    model = Model(
        generator.dirichlet(np.ones(classes)),
        3 * np.arange(nominal + 1),
        log_likelihood,
        np.ldexp(1.0, generator.integers(-1, 2, numeric)),
        generator.normal(size=shape),
        1e-17 * generator.normal(size=shape),
        generator.integers(0, 4, shape) * 0.5,
        generator.normal(size=shape),
        log_floor,
    )
    values = generator.normal(size=(rows, numeric)) * 3
    values[generator.random(values.shape) < 0.2] = np.nan
    return model, generator.integers(-2, 3, (rows, nominal)).astype(np.int32), values


@pytest.mark.parametrize("log_floor", [-math.inf, -2.0])
@pytest.mark.parametrize(
    ("rows", "classes", "nominal", "numeric"),
    [(1, 2, 2, 2), (2 * BLOCK + 3, 2, 2, 3), (BLOCK, 3, 0, 2), (BLOCK + 1, 4, 3, 0), (700, 23, 2, 2), (40, 1000, 1, 1)],
)
def test_blocks_beside_a_loop(rows: int, classes: int, nominal: int, numeric: int, log_floor: float) -> None:
    model, codes, values = drawn(rows, classes, nominal, numeric, log_floor)
    chosen = np.random.default_rng(1).permutation(rows)
    found = model.of(chosen, codes, values)
    for at in {0, rows // 2, rows - 1, min(BLOCK, rows - 1)}:
        np.testing.assert_allclose(found[at], model.plainly(codes[chosen[at]], values[chosen[at]]), rtol=1e-12)


def test_the_block_a_row_stands_in_does_not_matter() -> None:
    """Equal bits: alone, among others, shared out to threads."""
    model, codes, values = drawn(120_000, 3, 2, 2, -math.inf)
    rows = np.arange(len(codes))
    whole = model.of(rows, codes, values)
    with threads.limited(1):
        np.testing.assert_array_equal(model.of(rows, codes, values), whole)
    np.testing.assert_array_equal(model.of(rows[5:1000], codes, values), whole[5:1000])
    for row in range(250, 260):
        np.testing.assert_array_equal(model.of(rows[row : row + 1], codes, values)[0], whole[row])
