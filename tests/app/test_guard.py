"""Nothing is changed, and nothing is shown, but for the browser that was let in."""

from __future__ import annotations

import re

import pytest
from tests.app.conftest import HOST, page_of
from tests.app.test_models_of_runs import done, place_of
from tests.server.conftest import in_loop

from crake.app import page
from crake.app.application import ROUTES
from crake.app.guard import FORM, Guard
from crake.app.paths import below
from crake.server.problems import Problem

__all__ = ["done"]

NO_RUN = "0" * 16
PLACES = {
    "reading": "0" * 16,
    "server": "0" * 16,
    "action": "delete",
    "name": "report.html",
    "row": "0",
}
FOREIGN = {
    "foreign Origin": {"origin": "http://evil.example"},
    "Origin of nowhere": {"origin": "null"},
    "foreign Host": {"host": "evil.example:8123"},
    "other port": {"host": "127.0.0.1:9999"},
    "no token": {"cookie": "none"},
    "wrong token": {"cookie": "crake_app_8123=wrong"},
    "text/plain": {"content_type": "text/plain"},
    "no type": {"content_type": "none"},
    "cross-site": {"sec_fetch_site": "cross-site"},
    "same-site": {"sec_fetch_site": "same-site"},
    "neither Origin nor Sec-Fetch-Site": {"sec_fetch_site": "none"},
}


def path_of(pattern: str, run: str = NO_RUN) -> str:
    """A path that a pattern fits."""
    places = {**PLACES, "run": run}
    return re.sub(r"\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)", lambda match: places[match.group(1)], pattern)


def content(app) -> object:
    index, files = app.project.index, [path for path in app.project.start.rglob("*") if path.is_file()]
    return (
        index.tables(), index.runs(), index.runs(deleted=True), app.workbench.servers.running(), app.jobs.working(),
        sorted((str(path), path.read_bytes()) for path in files if "sqlite" not in path.name),
    )  # fmt: skip


def test_no_write_route_is_open_to_others(done):
    # A run that is done, with a tree: each of these bodies would change something if it were let in.
    app, run = done
    table = app.project.index.tables()[0].id
    tree = place_of(app, run, "C4.5")
    before = content(app)
    routes = [path_of(route.pattern, run) for route in ROUTES if route.is_write]
    assert len(routes) >= 9

    async def each() -> None:
        for path in routes:
            for prefix in ("", "/api"):
                for name, headers in FOREIGN.items():
                    given = {"content_type": FORM, **headers}
                    body = f"table={table}&learner=1r&source=golf.csv&target=play&name=x&model={tree}&node=0&do=leaf"
                    answer = await app.ask("POST", prefix + path, body.encode(), **given)
                    assert answer.status == 403, (path, name, answer.status)

    in_loop(each())
    assert content(app) == before


def test_no_page_is_shown_to_others_and_a_get_changes_nothing(done):
    app, run = done
    before = content(app)
    for route in ROUTES:
        if route.method == "GET":
            path = path_of(route.pattern, run)
            for headers in ({"host": "evil.example"}, {"cookie": "none"}, {"origin": "http://evil.example"}):
                assert app.get(path, **headers).status == 403, path
            # Rows want a cell, predictions a table, events a table that is being read.
            wants_more = path.endswith(("/rows", "/predictions.csv")) or path.startswith("/readings")
            assert app.get(path).status in ((400, 404) if wants_more and path != "/rows" else (200,)), path
    assert content(app) == before


def test_the_token_lets_one_browser_in_once(app):
    token = app.guard.address.partition("token=")[2]
    assert len(token) >= 43
    assert app.get("/enter?token=wrong", cookie="none").status == 403
    answer = app.get(f"/enter?token={token}", cookie="none")
    cookie = answer.headers["set-cookie"]
    assert answer.status == 200
    assert {"HttpOnly", "SameSite=Strict"} <= set(cookie.split("; "))
    assert app.get("/", cookie=cookie.partition(";")[0]).status == 200
    assert app.get(f"/enter?token={token}", cookie="none").status == 403
    again = app.get(f"/enter?token={token}")
    assert again.status == 200
    assert "set-cookie" not in again.headers


def test_workbenches_side_by_side_keep_their_cookies_apart(app):
    # A browser sends the cookies of 127.0.0.1 to every port: a second one of the same name would end the first session.
    other = Guard(8124, "http://[::1]:8124")
    token = other.address.removeprefix("http://[::1]:8124/enter?token=")
    theirs = other.enter(token).partition(";")[0]
    assert app.get("/", cookie=theirs).status == 403
    assert theirs.partition("=")[0] != app.headers["cookie"].partition("=")[0]
    assert app.get("/", cookie=f"{app.headers['cookie']}; {theirs}").status == 200


def test_names_of_files_that_are_not_there_are_not_kept(app):
    app.get("/static/workbench.css", cookie="none")
    before = page._static_files()
    for number in range(3):
        assert app.get(f"/static/{number}", cookie="none").status == 404
    assert page._static_files() is before
    assert len(before) == 3
    assert not hasattr(page.static_file, "cache_info")


def test_every_answer_forbids_scripts_of_others(app):
    for path in ("/", "/runs", "/nothing", "/static/workbench.js", "/api/runs", "/data"):
        policy = app.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert "access-control-allow-origin" not in app.get(path).headers


@pytest.mark.parametrize(
    "name",
    ["../secret.csv", "..%2fsecret.csv", "%252e%252e/secret.csv", "C:\\secret.csv", "/etc/passwd", "golf.csv\0",
     "a/../../secret.csv", "link.csv", "linked/secret.csv", ".crake/index.sqlite", "", ".", "..\\secret.csv", "sub"],
)  # fmt: skip
def test_tricks_with_paths_are_refused(folder, name):
    start = folder / "start"
    (start / "sub").mkdir(parents=True)
    (folder / "secret.csv").write_text("a,b\n1,2\n")
    (folder / "start2").mkdir()
    (start / "link.csv").symlink_to(folder / "secret.csv")
    (start / "linked").symlink_to(folder)
    with pytest.raises(Problem) as refused:
        below(start, name)
    assert refused.value.status in (403, 404)
    (start / "golf.csv").write_text("a,b\n1,2\n")
    assert below(start, "golf.csv") == start.resolve() / "golf.csv"


def test_a_sibling_with_the_same_beginning_is_not_below(folder):
    (folder / "start").mkdir()
    (folder / "start-secret").mkdir()
    (folder / "start-secret" / "a.csv").write_text("a\n1\n")
    with pytest.raises(Problem):
        below(folder / "start", "../start-secret/a.csv")


def test_refusals_are_pages_for_people_and_json_for_programs(app):
    refusal = app.get("/nothing")
    assert refusal.status == 404
    assert "There is nothing here" in page_of(refusal)
    assert app.get("/api/nothing").code == "not_found"
    assert HOST in app.guard.address


def test_a_screen_without_a_table_or_a_run_offers_the_next_step(app):
    steps = {"/data": "/", "/models": "/", "/results": "/models", "/inspect": "/models", "/predict": "/models"}
    for path, step in steps.items():
        page = page_of(app.get(path))
        assert f'<a class="button main" href="{step}">' in page, path
        assert f'<a href="{path}" aria-current="page">' in page, path
    assert '<h1 class="headline">No table is open</h1>' in page_of(app.get("/data"))
    assert "aria-current" not in page_of(app.get("/nothing"))
