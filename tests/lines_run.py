"""Work counted in lines of Python run, and not by a clock."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import crake

CRAKE = Path(crake.__file__).parent


@cache
def is_counted(file: str) -> bool:
    """Return True for crake without its kernels: whether Python runs those depends on what the process did before."""
    return Path(file).is_relative_to(CRAKE) and not Path(file).is_relative_to(CRAKE / "kernels")


def lines_run(work: Any) -> int:
    """Count the lines of crake that run."""
    lines = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace if is_counted(frame.f_code.co_filename) else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines
