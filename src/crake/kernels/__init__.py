"""The compiled loops. This file owns the one decorator; `cache` says where compiled code is kept.

Kernels know arrays only: int32 codes, float64 values and weights, row-major. They release the GIL and are never
compiled with `parallel` or `fastmath`, so sums keep their order. numba is imported when the first kernel is called,
and of the kernels of a module only those that are called are compiled, or loaded from the cache.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from threading import Lock, local
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from crake.kernels import cache

Function = TypeVar("Function", bound=Callable[..., Any])
Scalar = TypeVar("Scalar", bound=np.generic)


def kernel(function: Function) -> Function:
    """Compile at the first call, without the GIL, and keep the result for the next process."""
    return cast(Function, Kernel(function))


def shared_kernel(function: Function) -> Function:
    """Do as `kernel`; calls by Python and by other kernels share one compiled function, with the wrapper for Python."""
    return cast(Function, Kernel(function, is_shared=True))


class Kernel(functools.partial[Any]):
    """A function that numba compiles when it is first called, by Python or by another kernel.

    It is a partial function without arguments, because that hands a call on at the least cost: small tables make many
    calls. The function behind it is `run` at first, and then numba's dispatcher.
    """

    def __new__(cls, function: Callable[..., Any], *_: Any, **__: Any) -> Self:
        """Return a partial function of nothing yet."""
        return super().__new__(cls, function)

    def __init__(self, function: Callable[..., Any], *, is_inlined: bool = False, is_shared: bool = False) -> None:
        functools.update_wrapper(self, function)
        self._is_shared = is_shared
        self.call_on(self.run)
        self.py_func = function
        self.targetoptions = {"inline": "always"} if is_inlined else {"nogil": True, "no_cfunc_wrapper": True}
        """numba looks here for what to do where one kernel calls another; `py_func` is what it puts in its place."""
        self._compiled: Any = None
        self._for_kernels: Any = None

    def call_on(self, function: Callable[..., Any]) -> None:
        """Hand calls on to this function from now on."""
        cast(Any, self).__setstate__((function, (), {}, self.__dict__))

    def run(self, *arguments: Any) -> Any:
        """Run the compiled function, or the function itself where the kernel that calls it is interpreted."""
        if is_interpreting():
            return self.py_func(*arguments)
        return self.compiled()(*arguments)

    def interpret(self, *arguments: Any) -> Any:
        """Run the function in Python, where NumPy's numbers wrap round in silence as compiled ones do."""
        was_interpreting, _thread.is_interpreting = is_interpreting(), True
        try:
            with np.errstate(all="ignore"):
                return self.py_func(*arguments)
        finally:
            _thread.is_interpreting = was_interpreting

    def __reduce__(self) -> str:
        """Pickle it as functions are: by name."""
        return self.py_func.__qualname__

    @property
    def _numba_type_(self) -> Any:
        """The type that numba sees where a kernel names another one."""
        return self._called_by_kernels()._numba_type_

    def _called_by_kernels(self) -> Any:
        """Return numba's dispatcher for calls by other kernels.

        It has no wrapper that turns Python's objects into numba's, which takes a fifth of the time to compile. A
        kernel that Python calls as well is compiled once, with the wrapper, if it is shared or Python calls it first.
        """
        if self._is_shared or self._compiled is not None or "inline" in self.targetoptions:
            return self.compiled()
        with _lock:
            if self._for_kernels is None:
                self._for_kernels = _dispatcher(self.py_func, {**self.targetoptions, "no_cpython_wrapper": True})
        return self._for_kernels

    @property
    def is_loaded(self) -> bool:
        """True if the function was compiled, or its compiled code loaded, in this process."""
        return self._compiled is not None and bool(self._compiled.signatures)

    def compiled(self) -> Any:
        """Return numba's dispatcher of the function."""
        with _lock:
            if self._compiled is None:
                self._compiled = _dispatcher(self.py_func, self.targetoptions)
                self.call_on(self._compiled)
        return self._compiled


_lock = Lock()
_thread = local()
_waiting: list[Callable[[], None]] = []


def is_loaded(function: Callable[..., Any]) -> bool:
    """Return True if Python has called the compiled kernel in this process, so that another call costs little."""
    return cast(Kernel, function).is_loaded


def is_interpreting() -> bool:
    """Return True while this thread interprets a kernel."""
    return getattr(_thread, "is_interpreting", False)


def before_numba(action: Callable[[], None]) -> None:
    """Call the action before numba is imported, at once if it is; never in a process that compiles nothing."""
    if "numba" in sys.modules:
        action()
    else:
        _waiting.append(action)


def _dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    numba = _numba()
    compiled = numba.njit(**options)(function)
    _share_code(compiled)
    folder = cache.folder_of_code(function.__code__.co_filename)
    if folder is not None and "inline" not in options:
        # numba reads its setting only while caching is switched on; other people's functions keep theirs.
        # It does not tell code with a wrapper for Python from code without.
        place = folder / "without_wrapper" if "no_cpython_wrapper" in options else folder
        previous, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(place)
        try:
            compiled.enable_caching()
        finally:
            numba.config.CACHE_DIR = previous
    return compiled


def _share_code(compiled: Any) -> None:
    """Have read-only arrays, also those of a tuple, run the code of writable ones, and constants that of variables.

    numba asks for code where it has none for the types of a call. It calls what it gets with the same arguments.
    Where one kernel calls another with a whole number, the type of that number would be the number.
    """
    from numba.core.types import IntegerLiteral  # noqa: PLC0415 (only where a kernel is called)

    compile_for = compiled._compile_for_args  # noqa: SLF001 (numba has no other place for it)
    template_of = compiled.get_call_template

    def template_for(types: Any, named: Any) -> Any:
        return template_of(
            tuple(each.literal_type if isinstance(each, IntegerLiteral) else each for each in types), named
        )

    def code_for(*arguments: Any) -> Any:
        return _call_writable if any(map(_has_read_only, arguments)) else compile_for(*arguments)

    def _call_writable(*arguments: Any) -> Any:
        return compiled(*map(_writable, arguments))

    compiled._compile_for_args, compiled.get_call_template = code_for, template_for  # noqa: SLF001


def _has_read_only(argument: Any) -> bool:
    if isinstance(argument, tuple):
        return any(map(_has_read_only, argument))
    return isinstance(argument, np.ndarray) and not argument.flags.writeable


def _writable(argument: Any) -> Any:
    """Return the argument with every read-only array offered as writable: kernels never write to their inputs."""
    if isinstance(argument, tuple):
        parts = map(_writable, argument)
        return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
    if not _has_read_only(argument):
        return argument
    return np.asarray(_Writable(argument)) if argument.size else argument.copy()


@functools.cache
def _numba() -> Any:
    """Import numba, without SciPy's linear algebra.

    numba imports that to see whether it is there, at the price of half of its own import. It is there, because
    crake requires SciPy; and numba's functions that use it import it themselves.
    """
    for action in _waiting:
        action()
    import numba  # noqa: PLC0415 (only where a kernel is called)
    from numba.np import linalg  # noqa: PLC0415

    ensure = getattr(linalg, "ensure_blas", None)
    if ensure is not None:
        linalg.ensure_blas = lambda: None
        try:
            import numba.np.arraymath  # noqa: PLC0415
        finally:
            linalg.ensure_blas = ensure
    return numba


class _Writable:
    """The memory of an array, offered as writable."""

    def __init__(self, array: NDArray[Any]) -> None:
        interface = dict(array.__array_interface__)
        interface["data"] = (interface["data"][0], False)
        self.__array_interface__ = interface
        self.kept_alive = array


def readable(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return the same memory under the one type that kernels are compiled for.

    numba compiles a second copy of a kernel for read-only arrays (memory maps, Arrow buffers). Kernels never write to
    their inputs, so a view that claims to be writable saves those seconds.
    """
    array = np.ascontiguousarray(array)
    return array if array.flags.writeable or array.size == 0 else np.asarray(_Writable(array))
