"""Work in compiled code that looks at no signal, run so that an interrupt is raised at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

Result = TypeVar("Result")


def interruptible(work: Callable[[], Result]) -> Result:
    """Do the work in a thread of its own while the main thread waits, where Python can raise KeyboardInterrupt.

    After an interrupt the thread goes on until its work is done, and its result is dropped: nothing can stop it but the
    end of the process. Other threads than the main one get no interrupts, and do the work themselves.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001 (raised below, in the thread that waits)
            errors.append(error)

    thread = threading.Thread(target=copy_context().run, args=(run,), daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
