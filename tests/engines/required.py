"""Skip the tests of an engine that is not installed, or fail where CRAKE_REQUIRE_ENGINES demands it.

The variable is 1 for all engines, or has their names: CRAKE_REQUIRE_ENGINES="postgres spark".
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import NoReturn

import pytest

REQUIRED = "CRAKE_REQUIRE_ENGINES"


def missing(reason: str, engine: str) -> NoReturn:
    """Skip, or fail where the engine is required."""
    if is_required(engine, os.environ.get(REQUIRED, "")):
        pytest.fail(f"{REQUIRED}={os.environ[REQUIRED]}, but {reason}")
    pytest.skip(reason, allow_module_level=True)


def is_required(engine: str, wanted: str) -> bool:
    """Return whether the value of the variable names the engine.

    >>> is_required("ray", "1"), is_required("ray", "dask ray"), is_required("ray", "dask"), is_required("ray", "")
    (True, True, False, False)
    """
    return wanted == "1" or engine in wanted.split()


def required(module: str, engine: str) -> ModuleType:
    """Import a library that an engine needs."""
    try:
        return importlib.import_module(module)
    except ImportError:
        missing(f"{module}, which {engine} needs, is not installed", engine)
