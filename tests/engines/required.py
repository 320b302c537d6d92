"""Skip the tests of an engine that is not installed; with CRAKE_REQUIRE_ENGINES=1 they fail instead."""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import NoReturn

import pytest

REQUIRED = "CRAKE_REQUIRE_ENGINES"


def missing(reason: str) -> NoReturn:
    """Skip, or fail where engines are required."""
    if os.environ.get(REQUIRED) == "1":
        pytest.fail(f"{REQUIRED}=1, but {reason}")
    pytest.skip(reason, allow_module_level=True)


def required(module: str, extra: str) -> ModuleType:
    """Import a library of an extra of crake."""
    try:
        return importlib.import_module(module)
    except ImportError:
        missing(f"{module} of crake[{extra}] is not installed")
