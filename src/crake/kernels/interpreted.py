"""The decorator of kernels that Python itself runs while there is little to do.

Importing numba and loading compiled code takes longer than reading a small table and predicting its rows. So a process
that has not imported numba interprets a limited amount of work, and compiles from then on. It is one function either
way, and the bits are equal: such a kernel keeps to unsigned numbers of NumPy and to integers that fit 64 bits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

from crake.kernels import Kernel

Function = TypeVar("Function", bound=Callable[..., Any])

MOST_STEPS = 200_000
"""Steps that a process interprets in all. A step is a byte or a cell, and takes less than 1 µs."""


def interpreted(steps: Callable[..., int]) -> Callable[[Function], Function]:
    """Interpret the function where numba is not imported and its arguments take few steps."""

    def decorate(function: Function) -> Function:
        return cast(Function, InterpretedKernel(function, steps))

    return decorate


class InterpretedKernel(Kernel):
    """A kernel that is interpreted as long as that is the faster way."""

    steps_so_far = 0
    """Steps of all kernels of this process."""

    def __init__(self, function: Callable[..., Any], steps: Callable[..., int]) -> None:
        super().__init__(function)
        self._steps = steps

    def run(self, *arguments: Any) -> Any:
        """Run the function, interpreted or compiled."""
        return self.interpret(*arguments) if self.is_brief(*arguments) else super().run(*arguments)

    def is_brief(self, *arguments: Any) -> bool:
        """Return True, and count the steps, where this process has not imported numba and has steps left."""
        if "numba" in sys.modules:
            return False
        steps = InterpretedKernel.steps_so_far + self._steps(*arguments)
        if steps > MOST_STEPS:
            return False
        InterpretedKernel.steps_so_far = steps
        return True
