"""The description of the workbench's interface: every route is in it, and documents have the keys that it names."""

from __future__ import annotations

import re

from tests.app.conftest import App

from crake.app.application import ROUTES
from crake.app.openapi import FIELDS, FILES, KEYS, QUERIES


def test_every_route_is_described_and_screens_have_the_keys(app: App):
    document = app.get("/api/openapi.json").json
    described = {(path, method) for path, methods in document["paths"].items() for method in methods}
    assert len(described) == len({(route.method, route.pattern) for route in ROUTES})
    names = {route.handler.__name__ for route in ROUTES}
    assert {*QUERIES, *FIELDS, *FILES, *KEYS} <= names
    app.project.index.add_table({"source": "golf.csv", "target": "play"}, "")
    for path in ("/", "/data", "/rows", "/models", "/runs"):
        operation = document["paths"][f"/api{path}"]["get"]
        required = operation["responses"]["200"]["content"]["application/json"]["schema"]["required"]
        assert set(required) <= set(app.get(f"/api{path}").json), path
        assert operation["summary"].endswith(".")
    references = set(re.findall(r"#/components/schemas/(\w+)", str(document)))
    assert references == set(document["components"]["schemas"])
