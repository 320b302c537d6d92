"""The processes of xdist: what they report, and how they end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CONFTEST = """
from tests import workers

def pytest_configure(config):
    if workers.IS_WORKER:
        workers.end_at_once()
        config.pluginmanager.register(workers.Reports())
"""
TESTS = """
import atexit, pathlib, pytest

@pytest.fixture
def unmade():
    raise ValueError("never made")

@pytest.fixture
def kept():
    yield
    raise ValueError("never taken down")

class Unfreed:
    def __del__(self):
        pathlib.Path("freed").touch()

UNFREED = Unfreed()
atexit.register(pathlib.Path("called").touch)

def test_passes(): pass
def test_fails(): assert 1 == 2
def test_skips(): pytest.skip("not here")
def test_has_no_fixture(unmade): pass
def test_leaves_a_fixture(kept): pass
"""


@pytest.mark.slow
def test_what_does_not_pass_is_reported_and_no_object_is_freed(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_all.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-n", "1", "-p", "no:cacheprovider", "-rA", "test_all.py"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    run = subprocess.run(
        command, cwd=tmp_path, env={**environment, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert "1 failed, 2 passed, 1 skipped, 2 errors" in run.stdout, run.stdout
    for line in ("PASSED test_all.py::test_passes", "FAILED test_all.py::test_fails", "not here"):
        assert line in run.stdout
    assert "ERROR test_all.py::test_has_no_fixture - ValueError: never made" in run.stdout
    assert "ERROR test_all.py::test_leaves_a_fixture - ValueError: never taken down" in run.stdout
    assert (tmp_path / "called").exists()
    assert not (tmp_path / "freed").exists()
