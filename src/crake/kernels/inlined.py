"""The decorator of helpers that have one caller, or are a few steps of the hottest loops.

A helper compiled as a kernel of its own is optimised twice, alone and within its caller, and gets wrappers that nobody
calls. Made part of its caller it costs a third less time to compile. Other helpers with several callers, and loops that
should become vector instructions whatever is around them, stay kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from crake.kernels import Kernel

Function = TypeVar("Function", bound=Callable[..., Any])


def inlined(function: Function) -> Function:
    """Make the function part of every kernel that calls it."""
    return cast(Function, Kernel(function, is_inlined=True))
