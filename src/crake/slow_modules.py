"""Modules that take long to import, each loaded when one of its names is first used.

A command that only predicts with a model needs neither scikit-learn (1.4 s of processor time) nor SciPy (0.3 s).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class SlowModule:
    """A module that is imported when it is first asked for something.

    >>> fractions = SlowModule("fractions")
    >>> fractions.Fraction(6, 8)
    Fraction(3, 4)
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what inspecting programs look for is no reason to load it
            raise AttributeError(name)
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)
        return value


joblib: Any = SlowModule("joblib")
sklearn_base: Any = SlowModule("sklearn.base")
sklearn_exceptions: Any = SlowModule("sklearn.exceptions")
sklearn_isotonic: Any = SlowModule("sklearn.isotonic")
sklearn_model_selection: Any = SlowModule("sklearn.model_selection")
sklearn_multiclass: Any = SlowModule("sklearn.utils.multiclass")
sklearn_utils: Any = SlowModule("sklearn.utils")
sklearn_validation: Any = SlowModule("sklearn.utils.validation")

lapack: Any = SlowModule("scipy.linalg.lapack")
linalg: Any = SlowModule("scipy.linalg")
optimize: Any = SlowModule("scipy.optimize")
sparse: Any = SlowModule("scipy.sparse")
special: Any = SlowModule("scipy.special")

jax: Any = SlowModule("jax")
jax_numpy: Any = SlowModule("jax.numpy")
