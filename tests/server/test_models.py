"""Models of files: replaced, damaged, added and gone while the server runs."""

from __future__ import annotations

import contextlib
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.server.conftest import ask, served

import crake
from crake.server import models as loaded
from crake.server.models import Models
from crake.server.options import ServeOptions, read_key

ROW = {"outlook": "Sunny", "temp": "Hot", "humidity": "High", "windy": "False"}


def checksum(answer):
    return answer.json["model"]["sha256"]


def test_a_replaced_file_is_taken_over_by_the_next_request(files, tmp_path):
    file = tmp_path / "golf.crake"
    shutil.copy(files("golf"), file)
    application = served(file)
    first = ask(application, "POST", "/predict", [ROW])
    crake.save(crake.OneRuleClassifier().fit(crake.read("golf")), file)
    second = ask(application, "POST", "/predict", [ROW])
    assert checksum(second) == crake.modelfile.describe(file).sha256 != checksum(first)
    assert second.json["predictions"][0]["probabilities"] != first.json["predictions"][0]["probabilities"]

    file.write_bytes(b"half a file")
    third = ask(application, "POST", "/predict", [ROW])
    assert (third.status, checksum(third)) == (200, checksum(second))
    assert "golf.crake" in ask(application, "GET", "/models").json["models"][0]["file"]
    metrics = ask(application, "GET", "/metrics").body
    assert b"\ncrake_model_reloads_total 1\n" in metrics
    assert b"\ncrake_model_refusals_total 1\n" in metrics

    file.unlink()
    assert checksum(ask(application, "POST", "/predict", [ROW])) == checksum(second)
    shutil.copy(files("golf"), file)
    assert checksum(ask(application, "POST", "/predict", [ROW])) == checksum(first)
    assert ask(application, "GET", "/models").json["models"][0]["file"] == "current"


def test_a_folder_is_served_and_files_that_are_added(files, tmp_path):
    shutil.copy(files("golf"), tmp_path / "golf.crake")
    (tmp_path / "notes.txt").write_text("not a model")
    application = served(tmp_path)
    assert ask(application, "POST", "/predict", [ROW]).status == 200
    shutil.copy(files("iris"), tmp_path / "iris.crake")
    assert ask(application, "POST", "/predict?model=iris", [ROW]).code == "columns"
    assert ask(application, "POST", "/predict", [ROW]).code == "no_model"
    listed = ask(application, "GET", "/models").json["models"]
    assert [each["name"] for each in listed] == ["golf", "iris"]
    assert listed[0]["columns"][0] == {"name": "outlook", "kind": "nominal", "levels": ["Overcast", "Rainy", "Sunny"]}
    assert listed[1]["classes"] == ["setosa", "versicolor", "virginica"]


def test_a_damaged_file_that_is_added_disturbs_no_request(files, tmp_path):
    shutil.copy(files("golf"), tmp_path / "golf.crake")
    application = served(tmp_path)
    half = tmp_path / "half.crake"
    half.write_bytes(files("iris").read_bytes()[:100])
    for path in ("/models", "/docs", "/openapi.json", "/models"):
        assert ask(application, "GET", path).status == 200
    assert b"\ncrake_model_refusals_total 1\n" in ask(application, "GET", "/metrics").body
    assert ask(application, "POST", "/predict?model=half", [ROW]).code == "no_such_model"
    shutil.copy(files("iris"), half)
    assert ask(application, "POST", "/predict?model=half", [ROW]).code == "columns"


def test_a_file_that_two_requests_see_first_is_added_once(files, tmp_path, monkeypatch):
    shutil.copy(files("golf"), tmp_path / "golf.crake")
    models = Models([str(tmp_path)])
    shutil.copy(files("golf"), tmp_path / "new.crake")
    load, both = loaded.loaded_model, threading.Barrier(2)

    def slow(path, name):
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(0.05)  # a second request that loads it, too, would be here
        return load(path, name)

    monkeypatch.setattr(loaded, "loaded_model", slow)
    with ThreadPoolExecutor(2) as threads:
        names = [each.result() for each in [threads.submit(models.names) for _ in range(2)]]
    assert names == [["golf", "new"]] * 2
    assert both.broken


def test_what_cannot_be_served_is_refused_at_the_start(files, tmp_path):
    with pytest.raises(crake.errors.CrakeError, match=r"expected files that end in \.crake"):
        Models([str(tmp_path)])
    shutil.copy(files("iris"), tmp_path / "golf.crake")
    with pytest.raises(crake.errors.CrakeError, match="would both be called 'golf'"):
        Models([str(files("golf")), str(tmp_path / "golf.crake")])


def test_other_machines_need_a_key(tmp_path):
    options = ServeOptions(("m.crake",), host="0.0.0.0")
    with pytest.raises(crake.errors.CrakeError, match="lets other machines ask: give --api-key-file"):
        options.check(None)
    options.check("0123456789abcdef")
    file = tmp_path / "key"
    file.write_text("0123456789abcdef\n")
    assert read_key(str(file), "from the environment") == "0123456789abcdef"
    assert read_key(None, None) is None
    for bad in ("short", "with blanks 0123456789", "ünïcode-0123456789"):
        file.write_text(bad)
        with pytest.raises(crake.errors.CrakeError, match="expected a key of 16 or more"):
            read_key(str(file), None)
    with pytest.raises(crake.errors.CrakeError, match="No such file"):
        read_key(str(tmp_path / "absent"), None)
