"""The workbench as a process: its address, a page, its end."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys

import pytest
from tests.server.test_process import needs_app

from crake.app import worker
from crake.cli.run import run


@needs_app
@pytest.mark.slow
def test_the_app_answers_its_browser_and_ends_well(folder):
    command = [sys.executable, "-m", "crake", "app", "golf.csv", "-t", "play", "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        port, enter = re.search(r"http://127.0.0.1:(\d+)(/enter\S+)", process.stderr.readline()).groups()
        connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=30)
        connection.request("GET", enter)
        answer = connection.getresponse()
        cookie = answer.headers["set-cookie"].partition(";")[0]
        first = re.search(r"url=(/data\?table=[0-9a-f]+)", answer.read().decode()).group(1)
        connection.request("GET", first, headers={"cookie": cookie, "accept-encoding": "gzip"})
        answer = connection.getresponse()
        assert answer.status == 200
        assert answer.headers["content-encoding"] == "gzip"
        assert answer.read()[:2] == b"\x1f\x8b"
        connection.close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0
    assert (folder / ".crake" / "index.sqlite").is_file()


def test_a_run_that_needs_more_memory_than_it_may_take_says_so(tmp_path):
    code = (
        "import sys; from pathlib import Path; from crake.app import worker; "
        "worker._work = lambda *_: bytearray(700 * 2**20); sys.exit(worker.main(Path('.'), 600))"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        told = json.loads(process.stdout.readline())
        assert process.wait(timeout=60) == worker.REFUSED
    assert told == {"error": "the run needs more than 600 MB; allow more with crake app --memory"}


def test_less_memory_than_a_run_needs_is_refused(folder, capsys):
    assert run(["app", "--memory", "100", "--no-browser"]) == 2
    assert "--memory 100: expected 1024 megabytes or more" in capsys.readouterr().err


def test_other_machines_are_refused(folder, capsys):
    assert run(["app", "--host", "0.0.0.0", "--no-browser"]) == 2
    assert "give --password-file FILE" in capsys.readouterr().err
    assert not (folder / ".crake").exists()
