"""A save never costs the previous file: full disks, kills at any moment, refusals."""

from __future__ import annotations

import errno
import hashlib
import os
import resource
import signal
import subprocess
import sys
import textwrap
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from sklearn.linear_model import LogisticRegression
from tests.modelfile.models import TAX, small

import crake
from crake.files import replacing
from crake.modelfile import container, strict_json
from crake.modelfile.writing import model_bytes


@contextmanager
def disk_of(size: int) -> Iterator[None]:
    """Writing beyond this many bytes of a file fails, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    crake.save(crake.MajorityClassifier().fit(TAX), tmp_path / "model.crake")
    return tmp_path / "model.crake"


def assert_untouched(path: Path) -> None:
    assert path.read_bytes() == model_bytes(crake.MajorityClassifier().fit(TAX))
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_file_is_that_of_the_library_safetensors_whatever_its_arrays() -> None:
    tensors = {
        'ä "b"': np.array([[1.5, -0.0], [2.0, 3.0]]),
        "wide": np.asfortranarray(np.arange(12, dtype=np.int64).reshape(3, 4)),
        "a/numbers": np.arange(7, dtype=np.uint64),
        "b": np.arange(5, dtype=np.int32)[::2],
        "small": np.arange(3, dtype=np.uint8),
        "none": np.zeros((0, 2)),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(container, "PIECE", 2)
        own = container.packed({"name": "é"}, tensors)
    text = strict_json.dumps({"name": "é", "sha256": "0" * 64})
    canonical = {name: np.ascontiguousarray(array + array.dtype.type(0)) for name, array in tensors.items()}
    zeros = safetensors.numpy.save(canonical, {"crake": text})
    digest = hashlib.sha256(zeros).hexdigest().encode()
    assert own == zeros.replace(b"0" * 64, digest, 1)


def test_saving_takes_no_second_copy_of_the_arrays(tmp_path: Path) -> None:
    large = np.zeros(8_000_000, np.int32)
    tracemalloc.start()
    with replacing(tmp_path / "m") as file:
        file.writelines(container.pieces({}, {"large": large}))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < large.nbytes / 3


def test_a_disk_that_is_full_at_any_byte_costs_nothing(old: Path) -> None:
    model = small()
    size = len(model_bytes(model))
    for room in [*range(0, size, 97), size - 1]:
        with disk_of(room), pytest.raises(crake.CrakeError, match=r"cannot write .*model\.crake.*nothing was changed"):
            crake.save(model, old)
        assert_untouched(old)
    with disk_of(size):
        crake.save(model, old)
    assert old.read_bytes() == model_bytes(model)


@pytest.mark.parametrize("call", ["fsync", "replace", "fstat"])
def test_a_disk_that_fails_at_any_call_costs_nothing(call: str, old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any, **options: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path if call == "replace" else os, call, fail)
    with pytest.raises(crake.CrakeError, match="No space left on device; nothing was changed"):
        crake.save(small(), old)
    monkeypatch.undo()
    assert_untouched(old)


KILLED = """
    import os, random, signal, sys, time
    from pathlib import Path
    import crake
    from crake.modelfile.writing import model_bytes

    path = Path(sys.argv[1]) / "model.crake"
    tax = crake.read("tax")
    models = [crake.MajorityClassifier().fit(tax), crake.NaiveBayesClassifier().fit(tax)]
    whole = [model_bytes(model) for model in models]
    crake.save(models[0], path)
    moments = random.Random(1)
    left, saves = 0, set()
    for _ in range(100):
        child = os.fork()
        if child == 0:
            while True:
                for model in models[::-1]:
                    crake.save(model, path)
        time.sleep(moments.uniform(0, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        saves.add(whole.index(path.read_bytes()))       # raises if it is neither of them
        crake.load(path)
        left += len(list(path.parent.iterdir())) > 1
    crake.save(models[0], path)
    print(left > 0 or saves == {0, 1}, [entry.name for entry in path.parent.iterdir()])
"""


def test_a_hundred_kills_leave_the_old_or_the_new_model_whole(tmp_path: Path) -> None:
    child = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    # True: kills did hit saves. Parts that they left are gone after the last save.
    assert child.stdout == "True ['model.crake']\n", child.stderr


def test_the_part_of_a_living_writer_stays(old: Path) -> None:
    with replacing(old) as file:
        file.write(b"half")
        crake.save(small(), old)  # meanwhile another one saves
        file.write(b" and half")
    assert old.read_bytes() == b"half and half"
    assert [entry.name for entry in old.parent.iterdir()] == [old.name]


def test_other_files_that_end_in_part_stay(old: Path) -> None:
    names = [".model.crake.part", "model.crake.0123456789abcdef.part", ".other.crake.0123456789abcdef.part"]
    for name in names:
        (old.parent / name).write_text("mine")
    dead = old.parent / ".model.crake.0123456789abcdef.part"
    dead.write_text("dead")
    crake.save(small(), old)
    assert sorted(entry.name for entry in old.parent.iterdir()) == sorted([*names, old.name])


def test_the_mode_of_the_old_file_stays(old: Path) -> None:
    old.chmod(0o600)
    crake.save(small(), old)
    assert old.stat().st_mode & 0o777 == 0o600


def test_what_is_not_ours_or_not_fitted_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.crake"
    with pytest.raises(
        crake.CrakeError, match="LogisticRegression cannot be saved: a model file holds learners of crake only"
    ):
        crake.save(LogisticRegression().fit([[0.0], [1.0]], [0, 1]), path)
    with pytest.raises(crake.CrakeError, match="this NaiveBayesClassifier is not fitted"):
        crake.save(crake.NaiveBayesClassifier(), path)
    with pytest.raises(crake.CrakeError, match="str cannot be saved"):
        crake.save("naive-bayes", path)

    class Mine(crake.MajorityClassifier):
        """A learner that loading could not find."""

    with pytest.raises(crake.CrakeError, match="Mine cannot be saved"):
        crake.save(Mine().fit(TAX), path)
    assert not path.exists()


def test_what_loading_would_refuse_is_not_saved(tmp_path: Path) -> None:
    model = small()
    model.statistics_.class_counts.counts[0, 0] = np.nan
    with pytest.raises(crake.CrakeError, match="statistics/class_counts holds a number that is not finite"):
        crake.save(model, tmp_path / "model.crake")


def test_places_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    with pytest.raises(crake.CrakeError, match=r"cannot write .*absent/model\.crake: No such file or directory"):
        crake.save(small(), tmp_path / "absent" / "model.crake")
    with pytest.raises(crake.CrakeError, match="Is a directory"):
        crake.save(small(), tmp_path)
