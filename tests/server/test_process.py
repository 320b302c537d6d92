"""The server as a process: its address, and its end."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from importlib.util import find_spec

import pytest

from crake.cli.commands.serve import KEY_VARIABLE
from crake.cli.run import run

ROW = {"outlook": "Sunny", "temp": "Hot", "humidity": "High", "windy": "False"}

needs_app = pytest.mark.skipif(
    find_spec("uvicorn") is None and not os.environ.get("CRAKE_REQUIRE_APP"),
    reason="uvicorn is not installed (pip install 'crake[app]'): the server is not tested as a process",
)


@needs_app
@pytest.mark.slow
def test_sigterm_finishes_what_was_accepted(files):
    command = [sys.executable, "-m", "crake", "serve", str(files("golf")), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        first = process.stderr.readline()
        port = int(re.search(r"http://127.0.0.1:(\d+) ", first).group(1))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        body = json.dumps([ROW])
        # The head and half of the body: the request is accepted, and not yet whole.
        connection.putrequest("POST", "/predict")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        connection.send(body[:10].encode())
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        threading.Timer(0.3, lambda: connection.send(body[10:].encode())).start()
        answer = connection.getresponse()
        assert answer.status == 200
        assert json.loads(answer.read())["predictions"][0]["predicted"] == "No"
        connection.close()
        assert process.wait(timeout=10) == 0
        log = process.stderr.read()
    assert "POST /predict 200" in log
    with pytest.raises(ConnectionRefusedError):
        http.client.HTTPConnection("127.0.0.1", port, timeout=5).request("GET", "/health")


def test_what_is_wrong_is_one_line(files, monkeypatch, capsys):
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    model = str(files("golf"))
    assert run(["serve", model, "--host", "0.0.0.0"]) == 2
    assert "lets other machines ask" in capsys.readouterr().err
    assert run(["serve", model, "--port", "99999"]) == 2
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert run(["serve", model]) == 2
    assert "pip install 'crake[app]'" in capsys.readouterr().err
