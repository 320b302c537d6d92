"""Parquet: kinds by types, refused before memory is used, and never a crash."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crake.errors import CrakeError, ReadError, TargetNotFound
from crake.table.formats.parquet.reader import read_parquet
from crake.table.schema import Kind


def parquet(columns: dict[str, object], **options: object) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink, **options)
    return bytes(sink.getvalue())


GOLF = {
    "outlook": ["sunny", None, "rainy"],
    "temp": [85, None, 70],
    "windy": [True, False, None],
    "play": pa.DictionaryArray.from_arrays([1, 0, None], ["yes", "no"]),
}


def test_kinds_follow_the_types() -> None:
    table = read_parquet(parquet(GOLF), name="golf.parquet", target="play")
    assert [column.kind.value for column in table.schema.columns] == ["nominal", "numeric", "nominal", "nominal"]
    assert table.schema["outlook"].levels == ("rainy", "sunny")
    assert table.schema.classes == ("yes", "no")
    assert table.column("outlook").tolist() == [1, -1, 0]
    assert table.target.tolist() == [1, 0, -1]
    np.testing.assert_array_equal(table.column("temp"), [85, np.nan, 70])


def test_overrides_and_ignored_columns_that_cannot_be_read() -> None:
    data = parquet({**GOLF, "list": [[1], [2], [3]]})
    with pytest.raises(ReadError, match=r"column 'list': .*flat tables.*ignore=\['list'\]"):
        read_parquet(data)
    table = read_parquet(data, ignore=["list"], nominal=["temp"], text=["outlook"])
    assert table.schema["list"].kind is Kind.IGNORED
    assert table.schema["temp"].levels == (70, 85)
    assert table.column("outlook").tolist() == ["sunny", None, "rainy"]
    with pytest.raises(TargetNotFound, match=r"no column 'paly' in golf\.parquet\. Did you mean 'play'"):
        read_parquet(parquet(GOLF), name="golf.parquet", target="paly")


def test_several_row_groups_join(tmp_path: Path) -> None:
    words = [f"w{i % 7}" for i in range(1000)]
    pq.write_table(pa.table({"w": words, "i": range(1000)}), tmp_path / "t.parquet", row_group_size=64)
    table = read_parquet(tmp_path / "t.parquet")
    assert table.name == "t.parquet"
    assert [table.schema["w"].levels[code] for code in table.column("w")] == words
    assert table.column("i").tolist() == list(range(1000))


def test_a_bomb_of_numbers_is_refused_from_its_header() -> None:
    data = parquet({"zero": np.zeros(10_000_000)}, compression="zstd")
    assert len(data) < 100_000
    before = pa.total_allocated_bytes()
    with pytest.raises(ReadError, match=r"at least 76 MB in memory, and 64 MB are allowed.*max_bytes=80000000"):
        read_parquet(data)
    assert pa.total_allocated_bytes() - before < 1_000_000
    assert len(read_parquet(data, max_bytes=100_000_000)) == 10_000_000


def test_a_bomb_of_text_is_refused_before_it_is_written_out() -> None:
    repeated = pa.DictionaryArray.from_arrays(np.zeros(100_000, np.int32), ["x" * 1000]).cast(pa.string())
    data = parquet({"text": repeated}, compression="zstd", store_schema=False)
    assert len(data) < 100_000
    with pytest.raises(ReadError, match=r"at least .* MB in memory, and 64 MB are allowed"):
        read_parquet(data)


def test_no_rows_and_no_file(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="no rows"):
        read_parquet(parquet({"a": pa.array([], pa.int64())}))
    with pytest.raises(ReadError, match="not a whole Parquet file"):
        read_parquet(b"garbage", name="g.parquet")
    with pytest.raises(ReadError, match=r"none\.parquet"):
        read_parquet(tmp_path / "none.parquet")


def test_truncated_and_flipped_files_end_in_a_table_or_a_named_error() -> None:
    data = parquet({"a": list(range(50)), "b": [f"v{i % 5}" for i in range(50)]}, write_page_checksum=True)
    refused = 0
    for place in range(0, len(data), 3):
        flipped = data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]
        for broken in (data[:place], flipped):
            try:
                table = read_parquet(broken)
            except CrakeError:
                refused += 1
            else:
                assert len(table) == 50
    assert refused > len(data) // 3
