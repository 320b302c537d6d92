"""Files cut short, changed in any byte, or of another kind: each is refused, none loads silently."""

from __future__ import annotations

import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from tests.modelfile.models import small

import crake
from crake.errors import ModelFileError
from crake.modelfile import describe
from crake.modelfile.store import opened
from crake.modelfile.writing import model_bytes

GOOD = model_bytes(small())


def loads(data: bytes, path: Path) -> None:
    path.write_bytes(data)
    crake.load(path)


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    for length in range(len(GOOD)):
        with pytest.raises(ModelFileError):
            opened(GOOD[:length])
    for length in range(0, len(GOOD), 97):
        with pytest.raises(ModelFileError):
            loads(GOOD[:length], tmp_path / "cut.crake")


def flip(count: int, seed: int) -> None:
    """Flip bits of random bytes; what `opened` refuses, `load` refuses, for it goes through there."""
    generator = np.random.default_rng(seed)
    places, masks = generator.integers(0, len(GOOD), count), generator.integers(1, 256, count)
    for place, mask in zip(places.tolist(), masks.tolist(), strict=True):
        data = bytearray(GOOD)
        data[place] ^= mask
        with pytest.raises(ModelFileError):
            opened(bytes(data))


def test_ten_thousand_flipped_bytes_are_refused() -> None:
    flip(10_000, seed=1)


@pytest.mark.long
def test_a_hundred_thousand_flipped_bytes_are_refused() -> None:
    flip(100_000, seed=2)


def test_every_byte_is_guarded(tmp_path: Path) -> None:
    for place in range(len(GOOD)):
        data = bytearray(GOOD)
        data[place] ^= 0x20
        with pytest.raises(ModelFileError):
            opened(bytes(data))
        if place % 97 == 0:
            with pytest.raises(ModelFileError):
                loads(bytes(data), tmp_path / "flipped.crake")


@pytest.mark.parametrize("more", [b"\0", b" ", GOOD], ids=["a zero", "a space", "itself"])
def test_bytes_at_the_end_are_refused(more: bytes, tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="damaged: its checksum does not match"):
        loads(GOOD + more, tmp_path / "longer.crake")


def test_the_message_names_file_cause_and_cure(tmp_path: Path) -> None:
    data = bytearray(GOOD)
    data[-1] ^= 1
    (tmp_path / "model.crake").write_bytes(data)
    with pytest.raises(ModelFileError, match=r"model\.crake: it is damaged: its checksum .*download it again"):
        crake.load(tmp_path / "model.crake")
    with pytest.raises(ModelFileError, match="damaged"):
        describe(tmp_path / "model.crake")
    with pytest.raises(ModelFileError, match=r"absent\.crake: there is no such file"):
        crake.load(tmp_path / "absent.crake")
    with pytest.raises(ModelFileError, match="this is not a file"):
        crake.load(tmp_path)
    (tmp_path / "cut.crake").write_bytes(GOOD[:100])
    with pytest.raises(ModelFileError, match="cut short"):
        crake.load(tmp_path / "cut.crake")


STRANGERS = """
    import io, pickle, sys, zipfile
    from pathlib import Path

    folder = Path(sys.argv[1])

    class Evil:
        def __reduce__(self):
            return (__import__, ("antigravity",))

    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("model.pkl", pickle.dumps(Evil()))
    strangers = {
        "pickle": pickle.dumps(Evil()),
        "old pickle": pickle.dumps(Evil(), protocol=0),
        "zip": archive.getvalue(),
        "html": b"<!doctype html><script>alert(1)</script>" * 100,
        "gzip": b"\\x1f\\x8b\\x08" + bytes(100),
        "text": b"import os; os.system('true')\\n" * 10,
        "empty": b"",
        "zeros": bytes(1000),
        "other tensors": b"\\x02\\0\\0\\0\\0\\0\\0\\0{}",
    }

    import crake
    crake.load(folder / "good.crake")              # whatever loading imports is imported now
    try:
        crake.load(folder / "absent.crake")
    except crake.CrakeError:
        pass
    events = []

    def watch(event, arguments):
        if event.split(".")[0] in ("import", "exec", "compile", "socket", "subprocess", "os", "ctypes", "pickle"):
            events.append((event, arguments))

    for name, data in strangers.items():
        (folder / "stranger.crake").write_bytes(data)
    sys.addaudithook(watch)
    for name, data in strangers.items():
        (folder / "stranger.crake").write_bytes(data)
        try:
            crake.load(folder / "stranger.crake")
        except crake.CrakeError as error:
            message = str(error)
        else:
            raise SystemExit(f"{name} was loaded")
        if "not a model file" not in message:
            raise SystemExit(f"{name}: {message}")
    crake.load(folder / "good.crake")
    if events:
        raise SystemExit(f"loading did {events}")
    print("refused", len(strangers))
"""


def test_other_files_are_refused_and_nothing_runs(tmp_path: Path) -> None:
    (tmp_path / "good.crake").write_bytes(GOOD)
    child = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(STRANGERS), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert child.stdout == "refused 9\n", child.stderr


def test_a_pickle_is_called_a_pickle(tmp_path: Path) -> None:
    (tmp_path / "model.crake").write_bytes(pickle.dumps(["model"] * 100))
    with pytest.raises(ModelFileError, match="it looks like a pickle, which crake never opens"):
        crake.load(tmp_path / "model.crake")
