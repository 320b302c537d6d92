"""Fixtures that all tests share, and the examples of hypothesis."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import os
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Before any library reads it: the OpenMP threads of two test processes wait for one another on two cores. With them,
# the logistic regression of scikit-learn in README.md takes more than a minute instead of seconds.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings
from tests import costs, fast_run, found_examples, shared_examples, workers

found_examples.register()

HERE = Path(__file__).resolve().parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="the inner loop: one case per test and learner, none slow")
    parser.addoption("--costs", action="store_true", help="print the tests that took the most CPU seconds")
    parser.addoption("--record-slow", action="store_true", help=f"add slow tests to {costs.RECORD.name}")


def pytest_configure(config: pytest.Config) -> None:
    if workers.IS_WORKER:
        workers.end_at_once()
        config.pluginmanager.register(workers.Reports())
    if config.getoption("--fast"):
        config.pluginmanager.register(fast_run.FastRun(config))
    if config.getoption("--costs") or config.getoption("--record-slow"):
        config.pluginmanager.register(costs.Costs(config))


def is_whole_run(config: pytest.Config) -> bool:
    return {*config.getini("testpaths")} <= {Path(argument).name for argument in config.args}


def import_from_the_last() -> None:
    """Import all tests, the last first, in the second process of a whole run, before it collects them.

    Pytest compiles every module of tests anew in a fresh clone and keeps the result, which takes 15 seconds. The first
    process goes from the first module to the last: where they meet, each finds what the other has compiled.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for file in sorted(HERE.rglob("test_*.py"), reverse=True):
            # What fails here fails again, and is reported, when pytest comes to it.
            with contextlib.suppress(Exception, pytest.skip.Exception):
                importlib.import_module(".".join(file.relative_to(HERE.parent).with_suffix("").parts))


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Collect without the garbage collector, and keep what is there now out of its sight: none of it is garbage.

    Afterwards it looks less often than usual: it took a thirtieth of all time and found little.
    """
    gc.disable()
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw1" and is_whole_run(session.config):
        import_from_the_last()
    try:
        return (yield)
    finally:
        gc.freeze()
        atexit.register(gc.unfreeze)  # some libraries complain of what is left when Python ends
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    found_examples.prepare(items)
    if settings.get_current_profile_name() != found_examples.EXPLORING:
        shared_examples.share(items)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with data and reference results that lies beside the checkout and is not part of it."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip(f"no folder {folder.name}/ beside the checkout: its data are not part of the project")
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real browser, one for all tests of a process: a second one cannot be started beside it."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no chromium on this machine: pages and drawings are not tested in a browser")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()
