"""The folder of compiled kernels: one per state of the sources, and none that nobody needs any more."""

from __future__ import annotations

import importlib.util
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from crake.kernels import cache


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "crake"


def copied(tmp_path: Path, name: str) -> Any:
    """Another copy of the module, with a kernel beside it, as a new process loads it."""
    copy = tmp_path / name / "kernels" / "cache.py"
    if not copy.exists():
        copy.parent.mkdir(parents=True)
        shutil.copy2(str(cache.__file__), copy)
        copy.with_name("doubled.py").write_text("def doubled(x):\n    return 2 * x\n")
        os.utime(copy.with_name("doubled.py"), (1e9, 1e9))
    spec = importlib.util.spec_from_file_location("a_copy", copy)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def touched(module: Any) -> None:
    """Install the sources of a copy again."""
    os.utime(Path(module.__file__).with_name("doubled.py"), (2e9, 2e9))


@pytest.mark.usefixtures("home")
def test_what_another_copy_has_compiled_is_of_no_use(tmp_path: Path) -> None:
    """numba finds compiled code by the path and the time of its source; so does the question whether it is there."""
    one, other = copied(tmp_path, "one"), copied(tmp_path, "other")
    assert not one.is_compiled()
    assert not one.is_compiled("some")
    (one.folder() / "code.nbc").touch()
    one.set_compiled("some")
    for again in (one, copied(tmp_path, "one")):  # the next process
        assert again.is_compiled()
        assert again.is_compiled("some")
    assert not other.is_compiled()
    assert not other.is_compiled("some")
    touched(one)
    assert not copied(tmp_path, "one").is_compiled()


def test_a_new_folder_takes_the_place_of_the_old_one(tmp_path: Path, home: Path) -> None:
    one, other = copied(tmp_path, "one"), copied(tmp_path, "other")
    old, others = one.folder(), other.folder()
    foreign = home / "kernels-not-ours"
    foreign.mkdir()
    touched(one)
    new = copied(tmp_path, "one").folder()
    assert new != old
    assert sorted(home.iterdir()) == sorted([new, others, foreign])


def test_a_folder_of_sources_that_are_gone_is_removed(tmp_path: Path, home: Path) -> None:
    copied(tmp_path, "one").folder()
    shutil.rmtree(tmp_path / "one")
    new = copied(tmp_path, "other").folder()
    assert list(home.iterdir()) == [new]


def test_many_processes_clean_up_at_the_same_time(tmp_path: Path, home: Path) -> None:
    one = copied(tmp_path, "one")
    for part in range(50):
        place = one.folder() / f"part{part}"
        place.mkdir()
        (place / "code.nbc").touch()
    touched(one)
    again = [copied(tmp_path, "one") for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        folders = set(pool.map(lambda module: module.folder(), again))
    assert list(home.iterdir()) == list(folders)


def test_nothing_is_kept_where_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a file"))
    one = copied(tmp_path, "one")
    assert one.folder() is None
    assert not one.is_compiled()
    assert one.is_compiled("some")
    one.set_compiled("some")
