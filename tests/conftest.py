"""What all tests share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# The first call of a kernel compiles it: no single example can be held to a time. On an integration machine the
# examples are the same each time, so that a change does not land or fail by luck; elsewhere every run looks further.
settings.register_profile("crake", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("crake")


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
