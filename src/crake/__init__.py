"""crake: a classification workbench for tables.

Public names are loaded when they are first used, so that `import crake` costs nothing. `__init__.pyi` lists them.
"""

from __future__ import annotations

from crake.public_names import attach

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = attach(__name__, __file__, also=("__version__",))
