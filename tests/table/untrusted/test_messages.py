"""Messages between a process and its child: nothing is believed before it is checked."""

from __future__ import annotations

import io

import pytest

from crake.table.untrusted.messages import MessageReader, Unsound, send_message


def sent(*parts: bytes) -> bytes:
    stream = io.BytesIO()
    send_message(stream, {"bytes": sum(map(len, parts)), "name": "über"}, *parts)
    return stream.getvalue()


def test_a_message_comes_back_as_it_was_sent() -> None:
    reader = MessageReader(io.BytesIO(sent(b"abc", b"\n\0") + sent()), 1000)
    head = reader.head()
    assert head == {"bytes": 5, "name": "über"}
    assert bytes(reader.bytes(head["bytes"])) == b"abc\n\0"
    assert reader.head()["bytes"] == 0


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        (b"", "no header"),
        (b"{}", "no header"),
        (b"[1]\n", "no header"),
        (b"{\n", "no JSON"),
        (b"[" * 9000 + b"\n", "no JSON"),
    ],
)
def test_a_head_that_is_none_is_named(data: bytes, wrong: str) -> None:
    with pytest.raises(Unsound, match=wrong):
        MessageReader(io.BytesIO(data), 10_000).head()


@pytest.mark.parametrize("length", [-1, 11, 2**62, 1.0, None, True, "5"])
def test_no_more_bytes_are_taken_than_allowed(length: object) -> None:
    with pytest.raises(Unsound, match="bytes announced"):
        MessageReader(io.BytesIO(b"0123456789abc"), 10).bytes(length)
    with pytest.raises(Unsound, match="cut short"):
        MessageReader(io.BytesIO(b"01"), 10).bytes(3)
    with pytest.raises(Unsound, match="no header"):
        MessageReader(io.BytesIO(sent(b"abc")), 1000).head(5)
