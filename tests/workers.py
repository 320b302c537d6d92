"""What the processes of xdist leave undone: to report fixtures that passed, and to take everything down at their end.

A report goes to the first process in pieces, with four more messages about a test: of a test that does nothing, a
third of the time was spent on reports that say nothing. And Python takes more than a second to free all objects one by
one when it ends, which the first process waits for.
"""

from __future__ import annotations

import atexit
import os

import pytest
from _pytest.runner import runtestprotocol

IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ


class Reports:
    """A hook that runs a test as pytest does, and reports its call and what did not pass."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        for report in runtestprotocol(item, nextitem=nextitem, log=False):
            if report.when == "call" or not report.passed:
                item.ihook.pytest_runtest_logreport(report=report)
        return True


def end_at_once() -> None:
    """Let the process end when all that was registered later, and so is called before, has been called."""
    atexit.register(os._exit, 0)
