"""The decorator of kernels that are interpreted while they are cold, and compiled once they are hot.

Some kernels take seconds to compile and little time to run: their loops go over the values of a column or the nodes
of a tree, not over rows. On a small table Python is done with them long before the compiler would be. Such a kernel is
compiled when it has taken a second or more, so that a table that needs it often does not wait for it every time.
The next process finds it compiled, but does not import numba for a little work. The bits are equal either way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from crake.kernels import cache, is_interpreting
from crake.kernels.interpreted import InterpretedKernel

Function = TypeVar("Function", bound=Callable[..., Any])

kernels: list[TieredKernel] = []
"""All of them that are imported."""


def tiered(steps: Callable[..., int], most: int) -> Callable[[Function], Function]:
    """Interpret the function until its calls have taken `most` steps in all; a step takes about 1 µs."""

    def decorate(function: Function) -> Function:
        return cast(Function, TieredKernel(function, steps, most))

    return decorate


class TieredKernel(InterpretedKernel):
    """A kernel that is interpreted until it is hot, in this process or in an earlier one."""

    def __init__(self, function: Callable[..., Any], steps: Callable[..., int], most: int) -> None:
        super().__init__(function, steps)
        self._left = most
        kernels.append(self)

    def run(self, *arguments: Any) -> Any:
        """Run the function, interpreted or compiled."""
        if is_interpreting():
            return self.py_func(*arguments)
        if self.is_brief(*arguments):
            return self.interpret(*arguments)
        steps = self._steps(*arguments)
        if steps <= self._left and not cache.has_mark(self._mark):
            self._left -= steps
            return self.interpret(*arguments)
        result = self.compiled()(*arguments)
        cache.set_compiled(self._mark)
        return result

    def heat(self) -> None:
        """Compile at the next call, however small."""
        self._left = -1

    @property
    def _mark(self) -> str:
        return f"hot-{self.py_func.__name__}"
