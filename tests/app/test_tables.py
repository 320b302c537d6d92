"""Tables in the workbench: rows by page, progress while one is read, and the tables inside a file."""

from __future__ import annotations

import asyncio
import sqlite3
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.app.conftest import App, page_of
from tests.server.conftest import in_loop

import crake
from crake.app.readings import Reading, Readings
from crake.app.screens import data, prediction
from crake.app.threads import Threads
from crake.server.problems import Problem
from crake.table.describe.rows import rows_between
from crake.table.formats.contents import tables_inside
from crake.workbench.predict import PredictRequest
from crake.workbench.table import TableRequest


def test_rows_are_shown_by_page(app, folder):
    (folder / "long.csv").write_text("n,kind\n" + "".join(f"{k},{'ab'[k % 2]}\n" for k in range(250)))
    table = app.project.index.add_table({"source": "long.csv", "target": "kind"}, "")
    document = app.get(f"/api/rows?table={table}&row=200").json
    assert (document["rows"], document["row"], len(document["cells"])) == (250, 200, 50)
    assert document["cells"][0] == ["200", "a"]
    page = page_of(app.get(f"/rows?table={table}&row=100"))
    assert "Rows 100 to 199 of 250" in page
    for words, row in (("First", 0), ("Previous", 0), ("Next", 200), ("Last", 200)):
        assert f'row={row}&amp;column=0">{words}' in page
    for wrong in ("250", "-1", "x"):
        assert app.get(f"/rows?table={table}&row={wrong}").status == 422


def test_wide_tables_are_shown_by_pages_of_columns(app, folder, monkeypatch):
    monkeypatch.setattr(data, "COLUMNS", 2)
    (folder / "wide.csv").write_text("a,b,c,d,e\n1,2,3,4,x\n5,6,7,8,y\n")
    table = app.project.index.add_table({"source": "wide.csv", "target": "e"}, "")
    assert app.get(f"/api/rows?table={table}&column=2").json["names"] == ["c", "d"]
    page = page_of(app.get(f"/rows?table={table}&column=2"))
    assert 'column=0">Columns before' in page
    assert 'column=4">Columns after' in page


def test_rows_of_a_scanned_file_are_those_of_the_file_in_memory(tmp_path):
    frame = pa.table({"n": list(range(1000)), "day": pa.array(range(1000), pa.date32()), "y": ["p", "n"] * 500})
    pq.write_table(frame, tmp_path / "a.parquet", row_group_size=300)
    (tmp_path / "parts").mkdir()
    for part in range(2):
        pq.write_table(frame.slice(500 * part, 500), tmp_path / "parts" / f"{part}.parquet", row_group_size=200)
    crake.read(tmp_path / "a.parquet", target="y").to_pandas().to_csv(tmp_path / "a.csv", index=False)
    whole = crake.read(tmp_path / "a.parquet", target="y", in_memory=True)
    for source in ("a.parquet", "parts", "a.csv"):
        table = crake.read(tmp_path / source, target="y", in_memory=False)
        assert not table.in_memory
        for start, stop in ((0, 3), (298, 303), (590, 610), (997, 1100), (1000, 1001)):
            mine = rows_between(table, start, stop, table.schema.columns)
            assert mine == rows_between(whole, start, stop, whole.schema.columns), (source, start)


def test_a_page_shows_progress_while_its_table_is_read(app: App):
    app.workbench.patience = 0.0
    go_on, steps = threading.Event(), threading.Event()
    readings = app.workbench.tables.readings

    def slow(tell):
        tell(30, 120)
        steps.set()
        go_on.wait(20)
        tell(60, 120)
        return "rows"

    reading = readings.get("key", "reading big.csv", slow)
    steps.wait(20)
    app.workbench.tables.reading = lambda request: reading
    answer = app.get("/?source=golf.csv")
    assert answer.status == 202
    page = page_of(answer)
    assert 'value="25.0"' in page
    assert "Reading big.csv, 30 of 120" in page
    assert '<noscript><meta http-equiv="refresh"' in page
    assert app.get("/api/?source=golf.csv").json["reading"]["step"]["done"] == 30

    async def cancelled() -> None:
        back = {"back": "/?source=golf.csv"}
        answer = await app.post(f"/readings/{reading.id}/cancel", back)
        assert answer.headers["location"] == "/?source=golf.csv"
        foreign = await app.post(f"/readings/{reading.id}/cancel", {"back": "//evil.example"})
        assert foreign.headers["location"] == "/"
        go_on.set()
        events = await app.ask("GET", f"/readings/{reading.id}/events")
        assert '"state": "failed"' in events.body.decode()
        ended = await app.ask("GET", "/?source=golf.csv")
        assert ended.status == 409
        assert "Begin anew" in page_of(ended)

    in_loop(asyncio.wait_for(cancelled(), 20))


def test_one_reading_serves_all_who_ask_and_an_error_is_tried_anew():
    readings, made = Readings(2, Threads()), []

    def make(tell):
        made.append(tell)
        if len(made) == 1:
            raise Problem(422, "x", "unreadable")
        return len(made)

    first = readings.get("a", "reading", make)
    assert readings.get("a", "reading", make) is first
    with pytest.raises(Problem, match="unreadable"):
        first.value()
    assert readings.get("a", "reading", make).value() == 2
    assert [readings.get("a", "reading", make).value() for _ in range(3)] == [2, 2, 2]
    for key in "bcd":
        readings.get(key, "reading", make).value()
    with pytest.raises(Problem):
        readings.named(first.id)
    assert readings.get("a", "reading", make).value() == 6  # the oldest was forgotten


def test_a_reading_that_tells_no_steps_is_cancelled_at_once():
    reading, go_on = Reading("reading big.csv"), threading.Event()
    thread = threading.Thread(target=reading.work, args=(lambda _: go_on.wait(20),))
    thread.start()
    reading.cancel()
    assert reading.to_dict()["state"] == "failed"
    for _ in range(2):
        with pytest.raises(Problem, match="was cancelled"):
            reading.value()
        go_on.set()  # its result is dropped
        thread.join()


def test_tables_inside_a_database_are_offered(app, folder):
    connection = sqlite3.connect(folder / "shop.db")
    connection.executescript(
        "create table orders (price real, kind text); create table people (age real, sex text);"
        "insert into orders values (1, 'a'), (2, 'b'), (3, 'a'); insert into people values (30, 'f'), (40, 'm');"
    )
    connection.close()
    choice = app.get("/?source=shop.db")
    assert "2 tables in shop.db: choose one" in page_of(choice)
    assert app.get("/api/?source=shop.db").json["preview"] is None
    chosen = app.get("/api/?source=shop.db&part=people").json
    assert [column["name"] for column in chosen["preview"]["columns"]] == ["age", "sex"]
    query = app.get("/api/?source=shop.db&query=select+kind,+price+from+orders+where+price+%3E+1").json["preview"]
    assert query["first_rows"] == [["b", "2"], ["a", "3"]]
    assert app.get("/?source=shop.db&query=drop+table+orders").status == 422

    async def used() -> None:
        answer = await app.post("/tables", {"source": "shop.db", "part": "orders", "target": "kind"})
        entry = app.project.index.table(answer.headers["location"].partition("table=")[2])
        assert entry.request == {"source": "shop.db", "table": "orders", "target": "kind"}
        page = page_of(await app.ask("GET", answer.headers["location"]))
        assert "table=&#34;orders&#34;" in page

    in_loop(used())
    assert tables_inside(folder / "shop.db", apart=True) == ["orders", "people"]
    assert tables_inside(folder / "golf.csv") == []


def test_a_long_cell_is_shown_beside_its_prediction(app, folder):
    # Python's reader of CSV refuses cells of more than 128 KB.
    crake.save(crake.OneRuleClassifier().fit(crake.read("golf.csv", target="play")), folder / "m.crake")
    (folder / "new.csv").write_text(f"outlook,remark\nsunny,{'x' * 200_000}\n")
    header, first, rows, _ = prediction._predicted(PredictRequest("m.crake", TableRequest("new.csv"), keep=True))
    assert (header[:2], rows, len(first[0][1])) == (["outlook", "remark"], 1, 200_000)


def test_the_app_ends_while_a_thread_still_reads():
    threads, go_on = Threads(), threading.Event()

    async def interrupted() -> None:
        reading = asyncio.ensure_future(threads.run(lambda: go_on.wait(10)))
        await asyncio.sleep(0.01)
        reading.cancel()

    in_loop(interrupted())  # would wait for a thread of asyncio's own
    assert threads.is_busy
    go_on.set()
