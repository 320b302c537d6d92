"""Answers of the server: what `crake predict` says of the same rows, and errors of one shape."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import re
import threading

import pyarrow as pa
import pytest
from tests.server.conftest import JSON, ask, asked_of, in_loop, served

import crake
from crake.cli.run import run
from crake.server import reading
from crake.server.answers import MOST_EXPLAINED
from crake.server.problems import Problem

ROW = {"outlook": "Sunny", "temp": "Hot", "humidity": "High", "windy": "False"}
CSV = {"content-type": "text/csv"}
STREAM = {"content-type": "application/vnd.apache.arrow.stream"}


def stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


@pytest.fixture(scope="module")
def golf(files):
    return served(files("golf"))


def test_json_rows_and_columns_have_the_bits_of_predict_proba(golf, files):
    table = crake.read("golf")
    rows = [{name: str(cell) for name, cell in row.items()} for row in table.to_arrow().to_pylist()]
    model = crake.load(files("golf"))
    expected = model.predict_proba(table)
    for body in (rows, {name: [row[name] for row in rows] for name in rows[0]}, {"rows": rows}):
        answer = ask(golf, "POST", "/predict", body)
        assert answer.status == 200, answer.body
        predictions = answer.json["predictions"]
        assert [list(each["probabilities"].values()) for each in predictions] == expected.tolist()
        assert [each["predicted"] for each in predictions] == model.predict(table).tolist()
    assert list(predictions[0]["probabilities"]) == ["No", "Yes"]
    checksum = crake.modelfile.describe(files("golf")).sha256
    assert answer.json["model"] == {"name": "golf", "sha256": checksum}
    assert answer.headers["crake-model-sha256"] == checksum


def test_csv_is_answered_with_the_bytes_of_the_command_line(files, tmp_path, capsysbinary):
    application = served(files("iris"))
    table = tmp_path / "rows.csv"
    crake.write_csv(crake.read("iris"), table)
    assert run(["predict", str(files("iris")), str(table)]) == 0
    answer = ask(application, "POST", "/predict", table.read_bytes(), CSV)
    assert answer.status == 200
    assert answer.body == capsysbinary.readouterr().out
    assert answer.headers["crake-rows"] == "150"


def test_arrow_gives_exact_doubles(files):
    table = crake.read("iris")
    answer = ask(served(files("iris")), "POST", "/predict", stream(table.to_arrow()), STREAM)
    assert answer.status == 200, answer.body
    result = pa.ipc.open_stream(answer.body).read_all()
    expected = crake.load(files("iris")).predict_proba(table)
    assert [result.column(k).to_pylist() for k in range(3)] == expected.T.tolist()
    assert result.column("predicted").to_pylist() == crake.load(files("iris")).predict(table).tolist()
    assert answer.headers["crake-unseen"] == "{}"


def test_a_regressor_answers_numbers(files):
    row = {"sepal length (cm)": 5.1, "sepal width (cm)": 3.5, "petal length (cm)": 1.4}
    application, expected = served(files("width")), crake.load(files("width")).predict(pa.Table.from_pylist([row]))[0]
    for body in ([row], [{**row, "petal length (cm)": "1.4"}], [row] * 70):
        answer = ask(application, "POST", "/predict", body)
        assert answer.status == 200
        assert answer.json["predictions"][0] == {"predicted": expected}


def test_new_values_and_gaps_are_counted(golf):
    answer = ask(golf, "POST", "/predict", [{**ROW, "outlook": "Snow", "more": 1}, {**ROW, "temp": None}]).json
    assert answer["unseen"] == {"outlook": 1}
    assert answer["missing"] == {"temp": 1}
    assert answer["warnings"] == ["1 value of 'outlook' was never seen in training"]
    assert answer["notes"] == ["columns the model does not know, not used: more"]


def test_explanations_are_those_of_the_command_line(golf, files, tmp_path, capsys):
    rows = tmp_path / "rows.json"
    rows.write_text(json.dumps([ROW]))
    assert run(["explain", str(files("golf")), str(rows), "--json"]) == 0
    expected = json.loads(capsys.readouterr().out.replace("rows.json", "request"))["rows"][0]
    for path in ("/explain", "/predict?explain=1"):
        assert ask(golf, "POST", path, [ROW]).json["predictions"][0]["explanation"] == expected
    assert "explanation" not in ask(golf, "POST", "/predict?explain=0", [ROW]).json["predictions"][0]
    assert ask(golf, "POST", "/explain", [ROW] * (MOST_EXPLAINED + 1)).code == "many_rows"


WRONG = [
    ("POST", "/predict", b"", JSON, 400, "empty_body"),
    ("POST", "/predict", b"[{", JSON, 400, "malformed_json"),
    ("POST", "/predict", b"\xff", JSON, 400, "malformed_json"),
    ("POST", "/predict", b"[" * 100_000, JSON, 400, "malformed_json"),
    ("POST", "/predict", b"[]", JSON, 422, "unreadable_rows"),
    ("POST", "/predict", b"3", JSON, 422, "unreadable_rows"),
    ("POST", "/predict", b'[{"outlook": ["a"]}]', JSON, 422, "unreadable_rows"),
    ("POST", "/predict", b'[{"outlook": "Sunny"}]', JSON, 422, "columns"),
    ("POST", "/predict", b"a,b\n1", CSV, 422, "unreadable_rows"),
    ("POST", "/predict", b"no arrow", STREAM, 422, "unreadable_rows"),
    ("POST", "/predict", b"{}", {}, 415, "media_type"),
    ("POST", "/predict", b"{}", {"content-type": "text/plain"}, 415, "media_type"),
    ("POST", "/predict", b"{}", {"content-type": "application/json; charset=latin-1"}, 415, "charset"),
    ("POST", "/predict", b"{}", {**JSON, "accept": "image/png"}, 406, "not_acceptable"),
    ("POST", "/explain", b"{}", {**JSON, "accept": "text/csv"}, 406, "not_acceptable"),
    ("POST", "/predict?explain=yes", b"{}", JSON, 400, "bad_query"),
    ("POST", "/predict?" + "&".join(f"a{i}=1" for i in range(30)), b"{}", JSON, 400, "bad_query"),
    ("POST", "/predict?a=" + "x" * 5000, b"{}", JSON, 414, "long_address"),
    ("POST", "/predict?model=gofl", b"{}", JSON, 404, "no_such_model"),
    ("GET", "/predict", b"", {}, 405, "method"),
    ("DELETE", "/models", b"", {}, 405, "method"),
    ("GET", "/../etc/passwd", b"", {}, 404, "not_found"),
    ("GET", "/models", b"", {"host": "evil.example"}, 403, "foreign_host"),
    ("GET", "/models", b"", {"host": "127.0.0.1.evil.example"}, 403, "foreign_host"),
    ("POST", "/predict", b"{}", {**JSON, "origin": "http://evil.example"}, 403, "foreign_origin"),
    ("POST", "/predict", b"{}", {**JSON, "origin": "http://["}, 403, "foreign_origin"),
]


def test_every_error_has_one_shape(golf):
    for method, path, body, headers, status, code in WRONG:
        answer = ask(golf, method, path, body, headers)
        assert (answer.status, answer.code) == (status, code), (method, path[:40], answer.body)
        assert set(answer.json) == {"error"}
        assert set(answer.json["error"]) == {"status", "code", "message"}
        assert answer.json["error"]["message"]


def test_the_form_of_the_answer_can_be_asked_for(golf):
    for accept in ("application/json;q=0.05", "text/csv;q=0.1, application/json", "text/csv; q=0, */*;q=0.001"):
        answer = ask(golf, "POST", "/predict", [ROW], {"accept": accept})
        assert (answer.status, answer.headers["content-type"]) == (200, "application/json"), accept
    answer = ask(golf, "POST", "/predict", [ROW], {"accept": "text/html;q=0.9, text/csv"})
    assert answer.headers["content-type"] == "text/csv"
    assert answer.body.splitlines()[0] == b"p(No),p(Yes),predicted"
    assert (
        ask(golf, "POST", "/predict", [ROW], {"accept": "application/*"}).headers["content-type"] == "application/json"
    )


def test_limits_on_bytes_and_rows(files):
    small = served(files("golf"), body=300, rows=1)
    assert ask(small, "POST", "/predict", [ROW]).status == 200
    assert ask(small, "POST", "/predict", b" " * 301, JSON).code == "large_body"
    assert ask(small, "POST", "/predict", b"", {**JSON, "content-length": "301"}).code == "large_body"
    assert ask(small, "POST", "/predict", [ROW, ROW]).code == "many_rows"
    rows = b"outlook,temp,humidity,windy\nSunny,Hot,High,False\nSunny,Hot,High,False\n"
    assert ask(small, "POST", "/predict", rows, CSV).code == "many_rows"


def test_a_full_server_asks_to_come_again_and_a_slow_answer_is_given_up(files, monkeypatch):
    go_on = threading.Event()
    application = served(files("golf"), concurrency=1, seconds=0.05)

    def slow(*_: object) -> None:
        go_on.wait(5)
        raise Problem(400, "ended", "the thread has ended")

    monkeypatch.setattr("crake.server.application.answer", slow)

    async def both() -> None:
        late = await asked_of(application, "POST", "/explain", json.dumps([ROW]).encode(), JSON)
        assert (late.status, late.code, late.headers["retry-after"]) == (503, "too_slow", "1")
        # The thread still works: its place is taken.
        full = await asked_of(application, "POST", "/predict", json.dumps([ROW]).encode(), JSON)
        assert (full.status, full.code, full.headers["retry-after"]) == (429, "too_many_requests", "1")
        assert (await asked_of(application, "GET", "/ready", b"", {})).status == 503
        assert (await asked_of(application, "GET", "/health", b"", {})).status == 200
        go_on.set()
        while application.work.is_full:
            await asyncio.sleep(0.001)
        assert (await asked_of(application, "POST", "/predict", json.dumps([ROW]).encode(), JSON)).status == 200

    in_loop(both())


def test_a_body_that_does_not_arrive_is_given_up(files):
    async def never() -> None:
        await asyncio.sleep(5)

    application = served(files("golf"), seconds=0.02)
    answer = in_loop(asked_of(application, "POST", "/predict", b"", JSON, never))
    assert (answer.status, answer.code) == (408, "slow_body")
    assert not application.work.in_flight


def test_a_key_is_asked_for_on_every_path_but_two(files):
    application = served(files("golf"), key="0123456789abcdef")
    for path, methods in application.routes.items():
        for method in methods:
            for headers in ({}, {"authorization": "Bearer wrong"}, {"x-api-key": "0123456789abcde"}):
                assert ask(application, method, path, b"", headers).status == (
                    200 if path in ("/health", "/ready") else 401
                )
    for headers in ({"authorization": "Bearer 0123456789abcdef"}, {"x-api-key": "0123456789abcdef"}):
        assert ask(application, "GET", "/models", b"", headers).status == 200


def test_the_log_tells_no_cell_and_metrics_count(files):
    log = io.StringIO()
    application = served(files("golf"), log=log)
    secret = "cell-of-a-stranger"
    ask(application, "POST", "/predict", [{**ROW, "outlook": secret}])
    ask(application, "POST", "/predict", [{"outlook": secret}])
    ask(application, "POST", f"/predict?model={secret}", [ROW])
    ask(application, "GET", f"/{secret}")
    lines = log.getvalue().splitlines()
    assert secret not in log.getvalue()
    assert len(lines) == 4
    assert re.fullmatch(r"\S+Z 127.0.0.1 POST /predict 200 [0-9.]+ms rows=1 model=golf@[0-9a-f]{12}", lines[0])
    text = ask(application, "GET", "/metrics").body.decode()
    assert 'crake_requests_total{route="/predict",method="POST",status="422"} 1' in text
    assert 'crake_requests_total{route="other",method="GET",status="404"} 1' in text
    assert 'crake_rows_predicted_total{model="golf"} 1' in text
    assert 'crake_unseen_values_total{model="golf"} 1' in text
    assert 'crake_request_seconds_count{route="/predict"} 3' in text
    for line in text.splitlines():
        assert line.startswith("# ") or re.fullmatch(r'[a-z_]+(\{([a-z0-9_]+="[^"]*",?)+\})? [0-9.e+]+', line), line


def test_a_fault_is_an_answer_and_its_line_holds_no_message(files, monkeypatch):
    log = io.StringIO()
    application = served(files("golf"), log=log)

    def broken(*_: object) -> None:
        raise RuntimeError("cell-of-a-stranger")

    for place in ("application", "answers"):  # at once, or in a thread where the machine is busy
        monkeypatch.setattr(f"crake.server.{place}.quick_answer", broken)
    answer = ask(application, "POST", "/predict", [ROW])
    assert (answer.status, answer.code) == (500, "fault")
    assert "RuntimeError at" in log.getvalue()
    assert "stranger" not in log.getvalue() + answer.body.decode()


def test_rows_of_a_packed_body_are_counted_before_any_is_read(files, monkeypatch):
    golf, head = served(files("golf"), rows=1000), b"outlook,temp,humidity,windy\n"
    line = b'Sunny,Hot,"High",False\n'
    packed = gzip.compress(head + 1000 * line)
    assert ask(golf, "POST", "/predict", packed, CSV).status == 200
    monkeypatch.setattr(reading, "open_bytes", None)  # nothing is read
    assert ask(golf, "POST", "/predict", gzip.compress(head + 1001 * line), CSV).code == "many_rows"
    small = served(files("golf"), body=10_000)
    bomb = gzip.compress(head + 10_000 * line)
    assert len(bomb) < 10_000
    refused = ask(small, "POST", "/predict", bomb, CSV)
    assert refused.status == 422
    assert "unpacks to more than 40,000 bytes" in refused.json["error"]["message"]
