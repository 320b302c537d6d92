"""Fixtures that all tests share, and the examples of hypothesis."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sklearn.base import BaseEstimator
from tests import found_examples

HERE = Path(__file__).parent

found_examples.register()

NOT_FAST = ("browser", "weka", "published", "golden", "faults")
"""Folders that the fast run does not look into: they hold what seldom breaks, or take a browser or reference data."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="the inner loop: one case per test and learner, none slow")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    folders = collection_path.relative_to(HERE).parts if collection_path.is_relative_to(HERE) else ()
    return True if config.getoption("--fast") and folders[:1] and folders[0] in NOT_FAST else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--fast"):
        cases: dict[object, pytest.Item] = {}
        for item in items:
            if not (item.get_closest_marker("slow") or item.get_closest_marker("long")):
                cases.setdefault(_case(item), item)
        chosen = set(cases.values())
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = cases.values()
    found_examples.prepare(items)


def _case(item: pytest.Item) -> object:
    """Return what the fast run wants to see once: a test, for each class of learner that it is run with."""
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    learners = [type(value) for value in parameters if isinstance(value, BaseEstimator)]
    return (item.path, getattr(item, "originalname", item.name), *learners)


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
