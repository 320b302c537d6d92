"""A workbench that other machines reach: the password lets in, a few wrong ones a minute, and nothing else does."""

from __future__ import annotations

import pytest
from tests.app.conftest import App, page_of
from tests.server.conftest import in_loop

from crake.app import password as passwords
from crake.app.application import Application
from crake.app.guard import Guard
from crake.app.password import Password, read_password
from crake.cli.run import run
from crake.errors import CrakeError
from crake.server.access_log import AccessLog

SECRET = "a long secret"
HERE = {"host": "lab.example:8123", "cookie": "none", "origin": "http://lab.example:8123"}


@pytest.fixture
def open_app(app: App) -> App:
    """The workbench with a password; it is known under the name of its machine."""
    app.clock = 0.0
    app.guard = Guard(8123, password=Password(SECRET, lambda: app.clock))
    app.application = Application(app.workbench, app.guard, AccessLog(quiet=True))
    return app


def entered(app: App, password: str, **headers: str):
    return in_loop(app.post("/login", {"password": password}, **{**HERE, **headers}))


def test_the_password_lets_a_browser_in(open_app):
    assert open_app.get("/runs", **HERE).headers["location"] == "/login"
    assert open_app.get("/api/runs", **HERE).status == 403
    assert in_loop(open_app.post("/runs", {}, **HERE)).status == 403
    page = page_of(open_app.get("/login", **HERE))
    assert 'type="password"' in page
    assert "golf.csv" not in page
    answer = entered(open_app, SECRET)
    cookie = answer.headers["set-cookie"]
    assert answer.status == 303
    assert {"HttpOnly", "SameSite=Strict"} <= set(cookie.split("; "))
    assert open_app.get("/runs", **{**HERE, "cookie": cookie.partition(";")[0]}).status == 200


def test_wrong_passwords_are_few_a_minute(open_app):
    for _ in range(passwords.TRIES):
        refused = entered(open_app, "guess")
        assert (refused.status, "set-cookie" in refused.headers) == (403, False)
    late = entered(open_app, SECRET)
    assert late.status == 429
    assert 0 < int(late.headers["retry-after"]) <= passwords.WINDOW + 1
    assert "try again in" in page_of(late)
    open_app.clock = passwords.WINDOW + 1
    assert entered(open_app, SECRET).status == 303


@pytest.mark.parametrize(
    "headers",
    [{"origin": "http://evil.example"}, {"origin": "null"}, {"sec_fetch_site": "cross-site"},
     {"content_type": "text/plain"}, {"origin": "none", "sec_fetch_site": "none"}],
)  # fmt: skip
def test_no_other_site_enters_the_password(open_app, headers):
    assert entered(open_app, SECRET, **headers).status == 403


def test_a_workbench_without_a_password_has_no_door_for_one(app):
    assert app.get("/login").status == 404
    assert in_loop(app.post("/login", {"password": ""}, cookie="none")).status == 403


def test_a_password_is_long_and_comes_from_a_file_or_the_environment(tmp_path, monkeypatch, capsys):
    file = tmp_path / "password"
    file.write_text(f"{SECRET}\n")
    assert read_password(str(file), "another one, long") == SECRET
    assert read_password(None, None) is None
    with pytest.raises(CrakeError, match="expected a password of 12 to 1000 characters in one line, got 5"):
        read_password(None, "short")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CRAKE_APP_PASSWORD", "short")
    assert run(["app", "--host", "0.0.0.0", "--no-browser"]) == 2
    assert "CRAKE_APP_PASSWORD: expected a password" in capsys.readouterr().err
