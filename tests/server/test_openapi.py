"""The description of the interface, and its page."""

from __future__ import annotations

import re

import pyarrow as pa
from tests.server.conftest import ask, served

import crake
from crake.server.openapi import example_row

HOSTILE = '<script>alert("x")</script>'


def test_every_route_is_described_and_every_example_is_answered(files):
    application = served(files("golf"), files("iris"), files("width"))
    document = ask(application, "GET", "/openapi.json").json
    described = {(path, method.upper()) for path, operations in document["paths"].items() for method in operations}
    assert described == {(path, method) for path, methods in application.routes.items() for method in methods}
    golf = document["components"]["schemas"]["Row_golf"]
    assert golf["required"] == ["outlook", "temp", "humidity", "windy"]
    assert golf["properties"]["outlook"]["anyOf"][0] == {"enum": ["Overcast", "Rainy", "Sunny", None]}
    assert document["components"]["schemas"]["Row_iris"]["properties"]["petal width (cm)"]["type"] == ["number", "null"]
    references = re.findall(r"#/components/schemas/(\w+)", str(document))
    assert set(references) <= set(document["components"]["schemas"])
    for model in application.models:
        answer = ask(application, "POST", f"/predict?model={model.name}", [example_row(model)])
        assert answer.status == 200
        assert answer.json["unseen"] == {}


def test_hostile_names_stay_text_on_the_page(tmp_path):
    frame = pa.table({HOSTILE: [HOSTILE, "b"] * 4, "y": [HOSTILE, "n"] * 4})
    crake.save(crake.OneRuleClassifier().fit(crake.read(frame, target="y")), tmp_path / "m.crake")
    answer = ask(served(tmp_path / "m.crake"), "GET", "/docs")
    page = answer.body.decode()
    assert answer.status == 200
    assert "script-src" not in answer.headers["content-security-policy"]
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert not re.search(r'(src|href)="(https?:)?//', page)
    (tmp_path / "a&b c.crake").write_bytes((tmp_path / "m.crake").read_bytes())
    assert b"model=a%26b%20c" in ask(served(tmp_path), "GET", "/docs").body


def test_dates_and_their_parts_are_asked_for_as_dates(tmp_path):
    days = [19000 + 40 * k for k in range(40)]
    frame = pa.table({"day": pa.array(days, pa.date32()), "y": ["a" if day % 7 < 4 else "b" for day in days]})
    model = crake.C45Classifier().fit(crake.read(frame, target="y").with_date_parts())
    crake.save(model, tmp_path / "m.crake")
    application = served(tmp_path / "m.crake")
    schema = ask(application, "GET", "/openapi.json").json["components"]["schemas"]["Row_m"]
    assert schema["required"] == ["day"]
    assert ask(application, "POST", "/predict", [{"day": "2024-03-01"}]).status == 200
