"""Studies of a learner over rows, parameters or folds. `__init__.pyi` lists the public names."""

from __future__ import annotations

from crake.public_names import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
