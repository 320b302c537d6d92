"""The compiled loops. This file owns the one decorator and where its compiled code is kept.

Kernels know arrays only: int32 codes, float64 values and weights, row-major. They release the GIL, are
never compiled with `parallel` or `fastmath` (so sums keep their order), and are cached in a folder named by a
hash of all kernel sources: numba itself notices only an edit of the kernel's own file, not of a kernel
that it calls. Where the sources lie and when they were written is in the hash too, because numba finds compiled code
again only by that: what another copy of crake has compiled is of no use to this one.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])
Scalar = TypeVar("Scalar", bound=np.generic)


@functools.cache
def cache_folder() -> Path | None:
    """Where compiled kernels are kept, or None where no such folder can be written."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        written = source.stat()
        digest.update(f"{source} {written.st_mtime_ns} {written.st_size} ".encode())
        digest.update(source.read_bytes())
    folder = _cache_home() / "crake" / f"kernels-{digest.hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def _cache_home() -> Path:
    if "XDG_CACHE_HOME" in os.environ:
        return Path(os.environ["XDG_CACHE_HOME"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home()))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path.home() / ".cache"


def are_compiled() -> bool:
    """Whether an earlier run of this very copy of crake left compiled kernels."""
    folder = cache_folder()
    return folder is not None and any(folder.rglob("*.nbc"))


def kernel(function: Function) -> Function:
    """Compile at the first call, without the GIL, and keep the result for the next process."""
    compiled = numba.njit(nogil=True)(function)
    folder = cache_folder()
    if folder is not None:
        # numba reads its setting only while caching is switched on; other people's functions keep theirs.
        settings: Any = numba.config
        previous, settings.CACHE_DIR = settings.CACHE_DIR, str(folder)
        try:
            compiled.enable_caching()
        finally:
            settings.CACHE_DIR = previous
    return cast(Function, compiled)


class _Writable:
    """The memory of an array, offered as writable."""

    def __init__(self, array: NDArray[Any]) -> None:
        interface = dict(array.__array_interface__)
        interface["data"] = (interface["data"][0], False)
        self.__array_interface__ = interface
        self.kept_alive = array


def readable(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """The same memory under the one type kernels are compiled for.

    numba compiles a second copy of a kernel for read-only arrays (memory maps, Arrow buffers); kernels
    never write to their inputs, so a view that claims to be writable saves those seconds.
    """
    array = np.ascontiguousarray(array)
    return array if array.flags.writeable or array.size == 0 else np.asarray(_Writable(array))
