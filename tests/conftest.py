"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# The first call of a kernel compiles it: no single example can be held to a time.
settings.register_profile("crake", deadline=None)
settings.load_profile("crake")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with data and reference results that lies beside the checkout and is not part of it."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip(f"no folder {folder.name}/ beside the checkout: its data are not part of the project")
    return folder
