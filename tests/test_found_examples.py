"""Examples of hypothesis: the same in every run, and what exploring finds is tried again for ever."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.found_examples import Kept

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
TEST = """
import os
from hypothesis import given, strategies as st

@given(st.integers(0, 10**6))
def test_small(n):
    print("tried", n)
    assert n < 123_456 or "MENDED" in os.environ
"""


def tried(folder: Path, profile: str, **environment: str) -> list[int]:
    """Run the test under a profile; return the numbers that were tried."""
    (folder / "test_small.py").write_text(TEST)
    (folder / "conftest.py").write_text(
        f"import sys\nfrom pathlib import Path\nsys.path.append({str(ROOT)!r})\nfrom tests import found_examples\n"
        f"found_examples.FOLDER = Path({str(folder / 'found')!r})\nfound_examples.register()\n"
        "def pytest_collection_modifyitems(items):\n    found_examples.prepare(items)\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", f"--hypothesis-profile={profile}", "."],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    numbers = [int(number) for number in re.findall(r"tried (\d+)", run.stdout)]
    assert numbers, run.stdout + run.stderr
    return numbers


def test_what_exploring_finds_is_tried_by_every_run(tmp_path: Path) -> None:
    fixed = tried(tmp_path, "fixed", MENDED="1")
    assert fixed == tried(tmp_path, "fixed", MENDED="1")
    assert len(fixed) == 40
    assert len(tried(tmp_path, "few", MENDED="1")) == 10
    assert 123_456 in tried(tmp_path, "exploring")  # it fails, and the smallest number that fails is kept
    assert len(tried(tmp_path, "exploring", MENDED="1")) == 500  # it no longer fails, and is kept all the same
    assert tried(tmp_path, "fixed", MENDED="1")[0] == 123_456


def test_only_the_smallest_failure_of_a_run_is_kept(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.save(b"test", b"large")
    kept.save(b"test", b"small")
    kept.delete(b"test", b"large")
    kept.save(b"test.secondary", b"larger")
    assert list(kept.fetch(b"test")) == [b"small"]
    assert list(kept.fetch(b"test.secondary")) == []
    later = Kept(tmp_path)
    later.delete(b"test", b"small")  # mended: hypothesis would forget it
    assert list(later.fetch(b"test")) == [b"small"]
