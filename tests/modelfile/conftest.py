"""Learners that are their rows say so when they are saved; these tests save all learners."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/modelfile" in item.path.as_posix():
            item.add_marker(pytest.mark.filterwarnings("ignore:.*of the rows that the model was trained on"))
