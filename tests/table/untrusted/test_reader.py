"""A stranger's file is read in a child: limits hold, faults become a ReadError, and nothing is left behind."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crake
from crake.errors import ColumnNotFound, CrakeError, DataError, ReadError, SchemaError
from crake.table.column_options import Expected
from crake.table.convert.frames import from_frame
from crake.table.schema import Kind
from crake.table.untrusted import reader as untrusted
from crake.table.untrusted import transfer as handover
from crake.table.untrusted.reader import Limits

pytestmark = pytest.mark.slow

needs_limits = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux limits memory reliably")


@pytest.fixture(autouse=True)
def no_files_left(tmp_path_factory, monkeypatch):
    """Whatever happens in the child, the folder of temporary files, which is this test's own, stays empty."""
    own = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(own))
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    yield
    assert not list(own.iterdir())


@pytest.fixture
def everything(tmp_path) -> Path:
    """Every kind of column, odd names, missing cells."""
    file = tmp_path / "x.csv"
    file.write_text('zip,age,"a, b",note,skip,y\n01234,31,1,"=1, é",u,no\n,?,2,say ""hi"",v,yes\n00501,4.5,1,NA,w,no\n')
    return file


def test_the_child_gives_the_table_that_reading_here_gives(everything):
    options = {"target": "y", "text": ["note"], "ignore": ["skip"], "nominal": ["a, b"]}
    here, there = crake.read(everything, **options), crake.read(everything, untrusted=True, **options)
    assert there.schema == here.schema
    assert (there.name, there.notes) == (here.name, here.notes)
    assert there.to_arrow().equals(here.to_arrow())
    assert there.column("note").tolist() == here.source.column("note").tolist()


def test_what_a_model_expects_reaches_the_child(everything):
    expected = Expected({"age": Kind.NOMINAL, "a, b": Kind.NOMINAL})
    table = crake.read(everything, expected=expected, untrusted=True)
    assert table.schema == crake.read(everything, expected=expected).schema
    assert table.schema["age"].levels == ("31", "4.5")
    assert table.schema["zip"].kind is Kind.IGNORED


def test_errors_arrive_as_they_are(tmp_path):
    file = tmp_path / "ragged.csv"
    file.write_text("a,b\n1,2\n3\n")
    with pytest.raises(ReadError) as there:
        crake.read(file, untrusted=True)
    with pytest.raises(ReadError) as here:
        crake.read(file)
    assert str(there.value) == str(here.value)
    assert (there.value.file, there.value.line) == ("ragged.csv", 3)
    with pytest.raises(SchemaError, match="Did you mean 'play'"):
        crake.read("golf", target="plya", untrusted=True)


def test_data_in_memory_is_parsed_already():
    with pytest.raises(ReadError, match="is for files"):
        crake.read(np.zeros((2, 2)), untrusted=True)


@needs_limits
def test_bombs_end_in_an_error(tmp_path):
    packed = tmp_path / "bomb.csv.gz"
    packed.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 17_000_000, compresslevel=1))
    with pytest.raises(ReadError, match="unpacks to more than"):
        crake.read(packed, untrusted=True)
    columns = {f"x{i}": pa.array(np.zeros(2_000_000)) for i in range(6)}
    bomb = tmp_path / "bomb.parquet"
    pq.write_table(pa.table(columns), bomb, compression="zstd")
    with pytest.raises(ReadError, match="--max-bytes"):
        crake.read(bomb, untrusted=True)
    # Whoever allows any expansion still has the limit on memory.
    with pytest.raises(ReadError, match="needs more than 64 MB of memory"):
        crake.read(bomb, max_bytes=10**12, untrusted=Limits(memory=2**26))


def test_damaged_parquet_is_an_error_and_the_process_lives(tmp_path):
    whole = io.BytesIO()
    pq.write_table(pa.table({"a": np.arange(1000), "b": ["x", "y"] * 500}), whole)
    data = bytearray(whole.getvalue())
    file = tmp_path / "damaged.parquet"
    flipped = data.copy()
    flipped[-6] ^= 0xFF
    for damaged in (flipped, data[: len(data) // 2], data[:-1]):
        file.write_bytes(damaged)
        with pytest.raises(ReadError, match=r"damaged\.parquet"):
            crake.read(file, untrusted=True)


def test_too_slow_is_said(tmp_path):
    file = tmp_path / "slow.csv"
    file.write_text("a,b\n" + "1,2\n" * 500_000)
    with pytest.raises(ReadError, match=r"slow\.csv: reading took longer than 0\.001 s and was stopped"):
        crake.read(file, untrusted=Limits(seconds=0.001))


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("os.kill(os.getpid(), 11)", "ended by signal 11 (SIGSEGV)"),
        ("os.kill(os.getpid(), 9)", "ended by signal 9 (SIGKILL)"),
        ("sys.exit(3)", "ended with code 3"),
        ("print('not JSON')", "no table"),
        ("print('{}')", "no table"),
        ("print(json.dumps({'table': 5}))", "no table"),
        ("print(json.dumps({'error': {'kind': 'SystemExit', 'message': 'x'}}))", "no table"),
        ("print('[' * 10**6)", "no table"),
        ("sys.stdout.write('x' * 10**7)", "no table"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="signals are other ones on Windows")
def test_a_child_that_dies_or_lies(monkeypatch, script, said):
    code = f"import json, os, sys\nprint('ready', flush=True)\n{script}\n"
    monkeypatch.setattr(untrusted, "_COMMAND", (sys.executable, "-c", code))
    with pytest.raises(ReadError) as error:
        crake.read("golf", untrusted=Limits(memory=2**20))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_child_that_does_not_start(monkeypatch):
    monkeypatch.setattr(untrusted, "_COMMAND", (sys.executable, "-c", "import no_such_module"))
    with pytest.raises(ReadError, match="did not start"):
        crake.read("golf", untrusted=True)
    monkeypatch.setattr(untrusted, "_COMMAND", ("/no/such/python",))
    with pytest.raises(ReadError, match="cannot start a process"):
        crake.read("golf", untrusted=True)


def test_the_child_knows_no_secrets(monkeypatch):
    code = textwrap.dedent("""
        import json, os
        print("ready", flush=True)
        error = {"kind": "ReadError", "message": os.environ.get("API_TOKEN", "none"), "file": None, "line": None}
        print(json.dumps({"error": {**error, "column": None}}))
    """)
    monkeypatch.setattr(untrusted, "_COMMAND", (sys.executable, "-c", code))
    monkeypatch.setenv("API_TOKEN", "secret")
    with pytest.raises(ReadError, match=r"^none$"):
        crake.read("golf", untrusted=True)


def test_standard_input_goes_to_the_child():
    code = "import crake; print(crake.read('-', target='b', untrusted=True))"
    ended = subprocess.run(
        [sys.executable, "-c", code], input="a,b\n1,x\n2,y\n", capture_output=True, text=True, timeout=60, check=False
    )
    assert "<Table 'stdin': 2 rows" in ended.stdout


@pytest.mark.parametrize("wrong", [{"memory": 0}, {"seconds": 0}, {"seconds": float("nan")}])
def test_limits_are_positive(wrong):
    with pytest.raises(ReadError, match="expected positive numbers"):
        Limits(**wrong)


def _sent(table) -> bytes:
    stream = io.BytesIO()
    handover.send(table, stream)
    return stream.getvalue()


def test_weights_and_empty_columns_are_handed_over():
    table = from_frame(pa.table({"a": pa.array([None, None], pa.string()), "x": [1.0, None]}))
    table = table.with_weights(np.array([1.0, 0.5]))
    back = handover.receive(io.BytesIO(_sent(table)), 10**6)
    assert back.schema == table.schema
    assert back.weights.tolist() == [1.0, 0.5]
    assert back.to_arrow().equals(table.to_arrow())


def test_every_truncation_is_noticed(everything):
    data = _sent(crake.read(everything, text=["note"]))
    for length in range(len(data)):
        with pytest.raises(handover.Unsound):
            handover.receive(io.BytesIO(data[:length]), 10**6)
    with pytest.raises(handover.Unsound):
        handover.receive(io.BytesIO(data), len(data) - 1)


@settings(max_examples=200)
@given(st.data())
def test_any_changed_byte_gives_a_sound_table_or_an_error(data):
    table = from_frame(pa.table({"a": ["x", "y", None], "n": [1.0, 2.0, None], "t": ["p", "q", "r"]}), text=["t"])
    sent = bytearray(_sent(table))
    sent[data.draw(st.integers(0, len(sent) - 1))] = data.draw(st.integers(0, 255))
    try:
        back = handover.receive(io.BytesIO(sent), 10**6)
    except (handover.Unsound, CrakeError):
        return
    back.to_arrow()  # every code has its level
    for column in back.schema.numeric:  # its name may be another now, but no number is infinite
        assert not np.isinf(back.column(column.name)).any()


@pytest.mark.parametrize(
    "lie",
    [
        {"rows": -1},
        {"rows": 2**62},
        {"rows": 1.0},
        {"rows": True},
        {"columns": [{"name": "a", "kind": "nominal", "levels": [None], "declared": False}]},
        {"columns": [{"name": "a", "kind": "secret", "levels": [], "declared": False}]},
        {"columns": [{"name": "a", "kind": "nominal", "levels": ["x", "x"], "declared": False}]},
        {"columns": [{"name": "a", "kind": "nominal", "levels": [], "declared": False}]},
        {"columns": [{"name": "a", "kind": "text", "levels": [], "declared": False}]},
        {"columns": 5},
    ],
)
def test_lies_are_not_believed(lie):
    sent = _sent(from_frame(pa.table({"a": ["x", "y"]})))
    head, body = sent.split(b"\n", 1)
    told = {**json.loads(head)["table"], **lie}
    with pytest.raises(handover.Unsound):
        handover.receive(io.BytesIO(json.dumps({"table": told}).encode() + b"\n" + body), 10**6)


def test_infinity_is_not_believed():
    table = from_frame(pa.table({"x": [1.0, 2.0]}))
    hostile = replace(table, source=table.source.with_columns({"x": np.array([np.inf, 1.0])}))
    with pytest.raises(handover.Unsound, match="not finite"):
        handover.receive(io.BytesIO(_sent(hostile)), 10**6)


@pytest.mark.parametrize("error", [DataError("no rows"), ColumnNotFound("x", ["y"]), CrakeError("plain")])
def test_errors_keep_their_family(error):
    stream = io.BytesIO()
    handover.send_error(error, stream)
    stream.seek(0)
    with pytest.raises(CrakeError) as there:
        handover.receive(stream, 10**6)
    assert isinstance(error, type(there.value))
    assert str(there.value) == str(error)
