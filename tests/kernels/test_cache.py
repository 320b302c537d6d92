"""The folder of compiled kernels: one per copy of crake, and in it nothing that nobody needs any more."""

from __future__ import annotations

import ast
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
    """Another copy of the module, with three kernels beside it, as a new process loads it."""
    copy = tmp_path / name / "kernels" / "cache.py"
    if not copy.exists():
        copy.parent.mkdir(parents=True)
        shutil.copy2(str(cache.__file__), copy)
        copy.with_name("doubled.py").write_text("def doubled(x):\n    return 2 * x\n")
        copy.with_name("quadrupled.py").write_text("from crake.kernels.doubled import (\n    doubled,\n)\n")
        copy.with_name("room").mkdir()
        copy.with_name("room").joinpath("eight.py").write_text("from crake.kernels import doubled, quadrupled\n")
        copy.with_name("tripled.py").write_text("import crake.kernels.cache\n")
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
    (code_of(one) / "code.nbc").touch()
    one.set_compiled("some")
    for again in (one, copied(tmp_path, "one")):  # the next process
        assert again.is_compiled()
        assert again.is_compiled("some")
    assert not other.is_compiled()
    assert not other.is_compiled("some")
    touched(one)
    assert not copied(tmp_path, "one").is_compiled("some")


def code_of(module: Any, kernel: str = "doubled") -> Path:
    return module.folder_of_code(str(Path(module.__file__).parent / f"{kernel}.py"))


@pytest.mark.parametrize("kernel", ["doubled", "quadrupled", "room/eight"])
@pytest.mark.usefixtures("home")
def test_an_edit_compiles_again_what_depends_on_it(tmp_path: Path, kernel: str) -> None:
    one = copied(tmp_path, "one")
    old, other = code_of(one, kernel), code_of(one, "tripled")
    touched(one)
    again = copied(tmp_path, "one")
    assert code_of(again, kernel) != old
    assert not old.exists()
    assert code_of(again, "tripled") == other
    assert other.exists()


def test_every_kernel_that_a_source_imports_is_seen() -> None:
    for source in cache.SOURCES.rglob("*.py"):
        nodes = [node for node in ast.walk(ast.parse(source.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]
        modules = [str(node.module) for node in nodes if str(node.module).startswith("crake")]
        imported = {Path(str(importlib.import_module(module).__file__)) for module in modules}
        assert imported <= cache._all_imported(source), source


def test_folders_under_earlier_names_are_removed(tmp_path: Path, home: Path) -> None:
    one, other = copied(tmp_path, "one"), copied(tmp_path, "other")
    old, foreign = home / "kernels-of-an-earlier-version", home / "kernels-not-ours"
    old.mkdir(parents=True)
    foreign.mkdir()
    (old / cache.OWNER).write_text(str(Path(one.__file__).parent))
    others = other.folder()
    assert old.exists()
    assert sorted([one.folder(), others, foreign]) == sorted(home.iterdir())


def test_a_folder_of_sources_that_are_gone_is_removed(tmp_path: Path, home: Path) -> None:
    copied(tmp_path, "one").folder()
    shutil.rmtree(tmp_path / "one")
    new = copied(tmp_path, "other").folder()
    assert list(home.iterdir()) == [new]


def test_many_processes_clean_up_at_the_same_time(tmp_path: Path, home: Path) -> None:
    one = copied(tmp_path, "one")
    for part in range(50):
        place = code_of(one) / f"part{part}"
        place.mkdir()
        (place / "code.nbc").touch()
    touched(one)
    again = [copied(tmp_path, "one") for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        folders = set(pool.map(code_of, again))
    assert list(one.folder().glob("doubled-*")) == list(folders)
    assert list(home.iterdir()) == [one.folder()]


def test_nothing_is_kept_where_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a file"))
    one = copied(tmp_path, "one")
    assert one.folder() is None
    assert code_of(one) is None
    assert not one.is_compiled()
    assert one.is_compiled("some")
    one.set_compiled("some")
