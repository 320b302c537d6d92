"""`crake serve` under load, the client on the same machine: requests a second, rows a second, memory.

Usage: python -m benchmarks serve; SERVE_REQUESTS=1000000 asks more often (the bar on memory is for a million).

C4.5 on adult (../shared/data). One row a request over 16 connections that stay open; then 10,000 rows a request as
Arrow. With MLFLOW_PYTHON=/path/to/python, a Python that has mlflow, `mlflow models serve` of a scikit-learn tree on the
same rows is asked in the same way, by turns.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa

import crake
from crake.table.formats.csv.writer import write_csv

ADULT = Path(__file__).resolve().parents[3] / "shared/data/arff/adult-train.arff.gz"
CONNECTIONS = 16
REQUESTS = int(os.environ.get("SERVE_REQUESTS", "20000"))
ARROW_ROWS, ARROW_REQUESTS = 10_000, 40
MLFLOW = os.environ.get("MLFLOW_PYTHON")

MLFLOW_MODEL = """
import sys, pandas, mlflow.sklearn
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier
rows = pandas.read_csv(sys.argv[1], na_values="?")
X, y = rows.drop(columns="class"), rows["class"]
names = list(X.select_dtypes(exclude="number").columns)
coder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
tree = make_pipeline(make_column_transformer((coder, names), remainder="passthrough"),
                     DecisionTreeClassifier(min_samples_leaf=2, max_leaf_nodes=500, random_state=1))
mlflow.sklearn.save_model(tree.fit(X, y), sys.argv[2], skops_trusted_types=["sklearn.tree._tree.Tree"])
"""


@contextmanager
def crake_server(model: Path) -> Iterator[tuple[str, int, int]]:
    """Start the server; yield its host, its port and the number of its process."""
    command = [sys.executable, "-m", "crake", "serve", str(model), "--port", "0", "--quiet"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        first = process.stderr.readline()
        address = urlsplit(re.search(r"http://\S+", first).group())
        yield address.hostname, address.port, process.pid
        process.send_signal(signal.SIGTERM)


@contextmanager
def mlflow_server(model: Path, port: int = 8765) -> Iterator[tuple[str, int, int]]:
    command = [MLFLOW, "-m", "mlflow", "models", "serve", "-m", str(model), "-p", str(port), "--env-manager", "local"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    environment = {**os.environ, "PATH": f"{Path(MLFLOW).parent}:{os.environ['PATH']}"}
    with subprocess.Popen(command, env=environment, **quiet) as process:
        for _ in range(240):
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
                connection.request("GET", "/ping")
                if connection.getresponse().status == 200:
                    break
            except OSError:
                time.sleep(0.5)
        yield "127.0.0.1", port, process.pid
        os.killpg(process.pid, signal.SIGTERM)


def asked(path: str, body: bytes, media_type: str) -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def load(host: str, port: int, messages: list[bytes], requests: int) -> tuple[float, np.ndarray]:
    """Ask over 16 connections, each the next request when the last one is answered; return seconds, and each time."""
    left = iter(range(requests))
    times: list[float] = []

    async def connection() -> None:
        reader, writer = await asyncio.open_connection(host, port)
        for number in left:
            begin = time.perf_counter()
            writer.write(messages[number % len(messages)])
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(head.decode())
            size = int(re.search(rb"content-length: (\d+)", head, re.IGNORECASE).group(1))
            await reader.readexactly(size)
            times.append(time.perf_counter() - begin)
        writer.close()

    begin = time.perf_counter()
    await asyncio.gather(*(connection() for _ in range(CONNECTIONS)))
    return time.perf_counter() - begin, np.array(times)


def shown(name: str, seconds: float, times: np.ndarray) -> float:
    p50, p99 = np.percentile(times, [50, 99]) * 1000
    rate = len(times) / seconds
    worst = times.max() * 1000
    print(f"{name:40} {rate:8,.0f} requests/s   median {p50:6.2f} ms   p99 {p99:6.2f} ms   worst {worst:.0f} ms")
    return rate


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> None:
    if not ADULT.is_file():
        sys.exit(f"{ADULT} is not there: this benchmark needs adult")
    table = crake.read(ADULT, target="class")
    rows = table.take(np.arange(2000)).select([column.name for column in table.schema.features]).to_arrow()
    records = rows.to_pylist()
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "adult.crake"
        crake.save(crake.C45Classifier().fit(table), model)
        ours = [asked("/predict", json.dumps([row]).encode(), "application/json") for row in records]
        with crake_server(model) as (host, port, pid):
            asyncio.run(load(host, port, ours, 2000))
            before = resident(pid)
            spent = processor_seconds(pid)
            rates = [shown("crake serve, one row of JSON", *asyncio.run(load(host, port, ours, REQUESTS)))]
            spent = (processor_seconds(pid) - spent) / REQUESTS
            print(f"{'processor time of the server':40} {1e6 * spent:8.0f} µs a request")
            print(
                f"{'memory':40} {before:8.1f} MB, after {REQUESTS:,} requests {resident(pid) - before:+.1f} MB (bar 20)"
            )
            arrow(host, port, rows)
            if MLFLOW:
                rates += peer(Path(folder), table, records, host, port, ours)
        print(f"bar: 1,000 requests/s: {'met' if rates[0] >= 1000 else 'MISSED'}; p99 50 ms: see above")


def arrow(host: str, port: int, rows: pa.Table) -> None:
    """Ask for 10,000 rows a request."""
    many = pa.concat_tables([rows] * (ARROW_ROWS // len(rows))).combine_chunks()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, many.schema) as writer:
        writer.write_table(many)
    body = sink.getvalue().to_pybytes()
    connection = http.client.HTTPConnection(host, port)
    times = []
    for _ in range(ARROW_REQUESTS):
        begin = time.perf_counter()
        connection.request("POST", "/predict", body, {"Content-Type": "application/vnd.apache.arrow.stream"})
        answer = connection.getresponse()
        content = answer.read()
        times.append(time.perf_counter() - begin)
        assert answer.status == 200, content[:300]
    best, median = min(times), float(np.median(times))
    print(
        f"{'10,000 rows a request (Arrow)':40} {ARROW_ROWS / median:8,.0f} rows/s (best {ARROW_ROWS / best:,.0f}; "
        f"body {len(body):,} bytes; bar 1,000,000)"
    )


def peer(folder: Path, table: crake.Table, records: list[dict], host: str, port: int, ours: list[bytes]) -> list[float]:
    """Ask mlflow and crake by turns, three times each; print the ratio of the best."""
    write_csv(table, folder / "adult.csv", raw=True)
    subprocess.run([MLFLOW, "-c", MLFLOW_MODEL, folder / "adult.csv", folder / "mlflow"], check=True)
    bodies = [json.dumps({"dataframe_records": [row]}).encode() for row in records]
    theirs = [asked("/invocations", body, "application/json") for body in bodies]
    with mlflow_server(folder / "mlflow") as (their_host, their_port, _):
        asyncio.run(load(their_host, their_port, theirs, 50))
        pairs = []
        for _ in range(3):
            mlflow = shown("mlflow models serve", *asyncio.run(load(their_host, their_port, theirs, 300)))
            crake_rate = shown("crake serve", *asyncio.run(load(host, port, ours, 5000)))
            pairs.append((crake_rate, mlflow))
    best = max(rate for rate, _ in pairs), max(rate for _, rate in pairs)
    print(f"{'ratio':40} {best[0] / best[1]:8.1f} × (bar 3)")
    return []


if __name__ == "__main__":
    main()
