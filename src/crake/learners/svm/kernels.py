"""Kernels: inner products in a space that is never entered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.render.plain_text import minus, visible

KERNELS = ("linear", "poly", "rbf", "sigmoid")

LARGEST = 1e200
"""Inner products are cut here: their weighted sums stay numbers."""
SEEN = 300
"""Points whose inner products are looked at to tell whether a kernel can be one."""


@dataclass(frozen=True)
class Kernel:
    """linear x·z; poly (γ·x·z + r)^d; rbf exp(−γ·‖x − z‖²); sigmoid tanh(γ·x·z + r); or a function of two matrices.

    >>> points = np.array([[0.0, 0.0], [2.0, 2.0]])
    >>> Kernel("poly", gamma=1.0, degree=2, coef0=1.0)(points, points).tolist()
    [[1.0, 1.0], [1.0, 81.0]]
    """

    name: str | Callable[[Floats, Floats], Any]
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0

    def __call__(self, x: Floats, z: Floats) -> Floats:
        """Return the inner product of every row of x with every row of z."""
        if callable(self.name):
            return self._given(x, z)
        with np.errstate(over="ignore", invalid="ignore"):
            if self.name == "rbf":
                squares = (x**2).sum(axis=1)[:, None] + (z**2).sum(axis=1)[None, :]
                near: Floats = np.exp(-self.gamma * np.maximum(squares - 2.0 * (x @ z.T), 0.0))
                return near
            product = x @ z.T
            if self.name == "poly":
                product = (self.gamma * product + self.coef0) ** self.degree
            elif self.name == "sigmoid":
                product = np.tanh(self.gamma * product + self.coef0)
        return np.clip(product, -LARGEST, LARGEST)

    @property
    def is_linear(self) -> bool:
        """True if the space is that of the points themselves."""
        return self.name == "linear"

    @property
    def has_planes(self) -> bool:
        """True if a machine is a plane over the columns: they are the points, or their inner products."""
        return self.name in {"linear", "precomputed"}

    @property
    def is_in_doubt(self) -> bool:
        """True if it may not be an inner product: a sigmoid, a polynomial with r < 0, a user's function."""
        return callable(self.name) or self.name == "sigmoid" or (self.name == "poly" and self.coef0 < 0)

    def _given(self, x: Floats, z: Floats) -> Floats:
        assert callable(self.name)  # noqa: S101 (the caller asked)
        products = np.asarray(self.name(x, z), np.float64)
        if products.shape != (len(x), len(z)):
            raise CrakeError(
                f"the kernel given returned the shape {products.shape} for {len(x)} × {len(z)} rows; expected "
                f"({len(x)}, {len(z)}): one inner product for each row of the first with each of the second"
            )
        if not np.isfinite(products).all():
            raise CrakeError("the kernel given returned a number that is not finite; expected inner products")
        return np.clip(products, -LARGEST, LARGEST)


def gamma_of(gamma: float | str, points: Floats, weights: Floats | None) -> float:
    """Return gamma; "auto" is 1/coordinates, "scale" 1/(coordinates × their variance), as in scikit-learn.

    A row of weight w counts w times.

    >>> gamma_of("scale", np.array([[0.0, 0.0], [2.0, 2.0]]), None)
    0.5
    """
    if not isinstance(gamma, str):
        return float(gamma)
    columns = max(points.shape[1], 1)
    if gamma == "auto" or not points.size:
        return 1.0 / float(columns)
    mass = np.ones(len(points)) if weights is None else weights / weights.max()
    mean = float((mass @ points).sum() / (mass.sum() * columns))
    variance = float((mass @ (points - mean) ** 2).sum() / (mass.sum() * columns))
    return float(1.0 / (columns * variance)) if variance > 0 else 1.0


def indefinite(kernel: Kernel, points: Floats, name: str | Callable[[Floats, Floats], Any]) -> str:
    """Return a warning if a kernel (known to the user as `name`) is not an inner product; else an empty text."""
    least = least_eigenvalue(kernel, points)
    if least >= -1e-8:
        return ""
    name = getattr(name, "__name__", "given") if callable(name) else name
    share = minus(f"{least:.2g}")
    return (
        f"the kernel {visible(name)[:60]} is not positive semidefinite on these rows (least eigenvalue {share} of "
        "the largest): it is no inner product, and the machine found need not be the best"
    )


def least_eigenvalue(kernel: Kernel, points: Floats) -> float:
    """Return the least eigenvalue of the inner products of some of the points, as a share of the largest in size.

    Negative beyond rounding: the kernel is not positive semidefinite, and no space has these inner products.

    >>> points = np.array([[0.0], [1.0], [2.0]])
    >>> least_eigenvalue(Kernel(lambda x, z: -x @ z.T), points) < -0.9
    True
    """
    some = points[np.unique(np.linspace(0, len(points) - 1, min(len(points), SEEN)).astype(np.intp))]
    gram = kernel(some, some)
    if np.abs(gram - gram.T).max(initial=0.0) > 1e-9 * np.abs(gram).max(initial=1e-300):
        raise CrakeError("the kernel given is not symmetric: K(x, z) and K(z, x) differ; no space has such products")
    eigenvalues = np.linalg.eigvalsh((gram + gram.T) / 2)
    return float(eigenvalues[0] / max(np.abs(eigenvalues).max(), 1e-300))
