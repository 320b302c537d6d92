"""The application of the workbench: routes, the guard before each, and a page or JSON behind it."""

from __future__ import annotations

import gzip
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from crake.app.guard import HEADERS, JSON, Guard
from crake.app.openapi import openapi_document
from crake.app.page import RAIL, Screen, static_file
from crake.app.readings import StillReading
from crake.app.screens.cells import cell_screen
from crake.app.screens.data import cancel_reading, data_screen, reading_events, rows_screen
from crake.app.screens.editing import edit_tree
from crake.app.screens.explanation import explain_screen
from crake.app.screens.inspection import inspect_screen
from crake.app.screens.learners import add_run, models_screen
from crake.app.screens.opening import add_table, add_upload, open_screen
from crake.app.screens.prediction import predict_screen, predictions_file
from crake.app.screens.results import events, file_of_run, results_screen
from crake.app.screens.runs import ACTIONS, change_run, runs_screen
from crake.app.screens.saving import save_model, serve_model, stop_server
from crake.app.workbench import Workbench, fields_of, one
from crake.errors import CrakeError
from crake.render.sentences import capital
from crake.server.access_log import AccessLog
from crake.server.exchange import ClientGone, Receive, Request, Response, Send, send_while_there
from crake.server.problems import Problem, refused

RUN, READING = r"(?P<run>[0-9a-f]{16})", r"(?P<reading>[0-9a-f]{16})"
API = "/api"
MOST_PARAMETERS, LONGEST_QUERY = 1000, 32_000
"""Limits on an address: most parameters, most letters. Explain puts the values of a row into its address."""

TITLES = {
    403: "This is not allowed",
    404: "There is nothing here",
    409: "This is out of date",
    422: "This cannot be done",
}
TITLES_OF_CODES = {
    "cancelled": "This was cancelled",
    "no_table": "No table is open",
    "no_run": "Nothing has been run",
}
LEAST_PACKED = 1000
"""Bytes of an answer that is packed for the wire."""

Answer = Screen | Response | str
"""A screen, an answer as it is, or the address to go to after a change."""
Handler = Callable[..., Awaitable[Answer]]


@dataclass(frozen=True)
class Route:
    """A path, how it is asked for, and who answers; a screen is also there under /api, as JSON."""

    method: str
    pattern: str
    handler: Handler

    @property
    def is_write(self) -> bool:
        """True if the route changes something."""
        return self.method == "POST"


ROUTES = (
    Route("GET", "/", open_screen),
    Route("GET", "/data", data_screen),
    Route("GET", "/rows", rows_screen),
    Route("GET", "/models", models_screen),
    Route("GET", "/results", results_screen),
    Route("GET", f"/results/{RUN}", results_screen),
    Route("GET", f"/results/{RUN}/rows", cell_screen),
    Route("GET", "/inspect", inspect_screen),
    Route("GET", f"/inspect/{RUN}", inspect_screen),
    Route("POST", f"/inspect/{RUN}/edit", edit_tree),
    Route("GET", "/explain", explain_screen),
    Route("GET", f"/explain/{RUN}", explain_screen),
    Route("GET", "/predict", predict_screen),
    Route("GET", f"/predict/{RUN}", predict_screen),
    Route("GET", f"/predict/{RUN}/predictions.csv", predictions_file),
    Route("POST", f"/predict/{RUN}/save", save_model),
    Route("POST", f"/predict/{RUN}/serve", serve_model),
    Route("POST", f"/predict/{RUN}/stop/(?P<server>[0-9a-f]{{16}})", stop_server),
    Route("GET", "/runs", runs_screen),
    Route("POST", "/tables", add_table),
    Route("POST", "/uploads", add_upload),
    Route("POST", f"/readings/{READING}/cancel", cancel_reading),
    Route("GET", f"/readings/{READING}/events", reading_events),
    Route("POST", "/runs", add_run),
    Route("POST", f"/runs/{RUN}/(?P<action>{'|'.join(ACTIONS)})", change_run),
    Route("GET", f"/runs/{RUN}/events", events),
    Route("GET", f"/runs/{RUN}/(?P<name>[a-z]+\\.[a-z]+)", file_of_run),
)
WITHOUT_REQUEST: tuple[Handler, ...] = (events, file_of_run, reading_events)
"""Handlers that need nothing of the request but its path."""


class Application:
    """An ASGI application over one project."""

    def __init__(self, workbench: Workbench, guard: Guard, log: AccessLog, first: str = "/") -> None:
        self.workbench, self.guard, self.log, self.first = workbench, guard, log, first

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request; never raise."""
        if scope["type"] != "http":
            raise RuntimeError(f"expected a request of HTTP, got {scope['type']}")
        try:
            response = _packed(await self._answered(scope, receive), scope)
            if response.parts is None or scope["method"] == "HEAD":
                await response.send(send, has_body=scope["method"] != "HEAD")
            else:
                await send_while_there(response, receive, send)
        except ClientGone:
            return

    async def _answered(self, scope: Mapping[str, Any], receive: Receive) -> Response:
        ways: dict[str, str] = {}
        is_api = scope["path"].startswith(f"{API}/") or scope["path"] == API
        try:
            request = Request.of(scope, receive, MOST_PARAMETERS, LONGEST_QUERY)
            is_api = is_api or request.media_type == JSON
            ways = {"again": _address(request), "back": _page_before(request)}
            self.guard.check_address(request)
            return await self._outside(request, is_api=is_api) or await self._routed(request, is_api=is_api)
        except Problem as problem:
            return self._refusal(problem, is_api=is_api, ways=ways)
        except CrakeError as error:
            return self._refusal(refused(error), is_api=is_api, ways=ways)
        except ClientGone:
            raise
        except Exception as error:  # noqa: BLE001 (the last line of defence: the workbench goes on)
            self.log.fault(error)
            message = f"a fault of crake's own ({type(error).__name__}); the terminal says where"
            return self._refusal(Problem(500, "fault", message), is_api=is_api, ways=ways)

    async def _outside(self, request: Request, *, is_api: bool) -> Response | None:
        """Answer what a browser may ask before it is let in; None for anything else."""
        if request.path == "/enter" and request.method == "GET":
            return self._enter(request)
        if request.path.startswith("/static/"):  # the style sheet holds no secret, and refusals need it
            return self._static(request)
        if request.path == "/login" and self.guard.password is not None:
            return await self._login(request)
        if self._is_to_log_in(request, is_api=is_api):
            return Response(b"", "text/plain", 303, (*HEADERS, ("location", "/login")))
        return None

    async def _routed(self, request: Request, *, is_api: bool) -> Response:
        self.guard.check_session(request)
        path = request.path.removeprefix(API) or "/" if is_api and request.path.startswith(API) else request.path
        method = "GET" if request.method == "HEAD" else request.method
        if (method, path) == ("GET", "/openapi.json"):
            return Response.of_json(openapi_document(ROUTES), headers=HEADERS)
        matches = [(route, re.fullmatch(route.pattern, path)) for route in ROUTES]
        fitting = [(route, match) for route, match in matches if match is not None]
        if not fitting:
            raise Problem(404, "not_found", "there is no such page in this workbench")
        for route, match in fitting:
            if route.method == method:
                if route.is_write:
                    self.guard.check_write(request)
                return await self._of_route(route, request, match.groupdict(), is_api=is_api)
        allowed = ", ".join(sorted({route.method for route, _ in fitting}))
        raise Problem(405, "method", f"expected {allowed}", headers=(("allow", allowed),))

    async def _of_route(self, route: Route, request: Request, parts: dict[str, str], *, is_api: bool) -> Response:
        given = (self.workbench,) if route.handler in WITHOUT_REQUEST else (self.workbench, request)
        try:
            answer = await route.handler(*given, **parts)
        except StillReading as waiting:
            answer = _waiting(route, waiting, _address(request))
        if isinstance(answer, Response):
            return answer
        if isinstance(answer, str):
            if is_api:
                return Response.of_json({"location": answer}, 201, HEADERS)
            return Response(b"", "text/plain", 303, (*HEADERS, ("location", answer)))
        if is_api:
            return answer.as_json()
        # The page of a run that works shows its own progress.
        working = self.workbench.working(besides=answer.run if answer.is_waiting else "")
        return replace(answer, jobs=working, project=self.workbench.project.start.name).as_page()

    def _static(self, request: Request) -> Response:
        found = static_file(request.path.removeprefix("/static/"))
        if found is None or request.method not in ("GET", "HEAD"):
            raise Problem(404, "not_found", "there is no such file")
        return found

    def _enter(self, request: Request) -> Response:
        """Let a browser in. The page goes on by itself: a redirect from another site would leave the cookie out."""
        is_inside = self.guard.is_inside(request)  # the same address again, from the history of the browser
        headers = () if is_inside else (("set-cookie", self.guard.enter(request.query.get("token", ""))),)
        head = '<html lang="en"><title>crake</title><link rel="icon" href="data:,">'
        page = f'<!doctype html>{head}<meta http-equiv="refresh" content="0; url={self.first}"><a href="/">Open</a>'
        return Response(page.encode(), "text/html; charset=utf-8", headers=(*HEADERS, *headers))

    def _is_to_log_in(self, request: Request, *, is_api: bool) -> bool:
        is_page = request.method in ("GET", "HEAD") and not is_api
        return is_page and self.guard.password is not None and not self.guard.is_inside(request)

    async def _login(self, request: Request) -> Response:
        """Ask for the password, or let in a browser that has it."""
        document: dict[str, Any] = {"error": None}
        status = 200
        headers: tuple[tuple[str, str], ...] = ()
        if request.method == "POST":
            self.guard.check_write(request)
            try:
                cookie = await self.guard.log_in(one(await fields_of(request), "password"), request.client)
            except Problem as problem:
                self.log.note(f"a password from {request.client} was refused: {problem.code}")
                document, status, headers = problem.document(), problem.status, problem.headers
            else:
                return Response(b"", "text/plain", 303, (*HEADERS, ("location", self.first), ("set-cookie", cookie)))
        page = Screen("", "Enter the workbench", "workbench/login.html.jinja", document, status=status).as_page()
        return replace(page, headers=(*page.headers, *headers))

    def _refusal(self, problem: Problem, *, is_api: bool, ways: dict[str, str]) -> Response:
        if is_api:
            answer = Response.of_problem(problem)
            return Response(answer.body, answer.media_type, answer.status, (*HEADERS, *problem.headers))
        title = TITLES_OF_CODES.get(problem.code) or TITLES.get(problem.status, "Something is wrong")
        template, parts = "workbench/problem.html.jinja", {"ways": ways}
        name = _name_on_rail(ways.get("again", ""))
        page = Screen(name, title, template, problem.document(), parts, status=problem.status).as_page()
        return Response(page.body, page.media_type, problem.status, (*HEADERS, *problem.headers))


def _address(request: Request) -> str:
    """Return the address of a request, to go there again."""
    return quote(request.path) + (f"?{urlencode(request.query)}" if request.query else "")


def _page_before(request: Request) -> str:
    """Return the address of the page with the link or the form; nothing if it is this one, or not of the workbench."""
    try:
        page = urlsplit(request.headers.get("referer", ""))
    except ValueError:
        return ""
    if page.netloc != request.headers.get("host") or not re.fullmatch(r"/(?:[!-.0-\[\]-~][!-~]*)?", page.path):
        return ""
    before = f"{page.path}?{page.query}" if page.query else page.path
    return "" if request.method == "GET" and before == _address(request) else before


def _name_on_rail(address: str) -> str:
    """Return the name of the screen of an address; nothing if it is of none.

    >>> _name_on_rail("/models?table=1"), _name_on_rail("/nothing"), _name_on_rail("/")
    ('models', '', 'open')
    """
    first = f"/{re.split('[/?]', address.removeprefix('/'))[0]}"
    return next((name for name, _, place in RAIL if address and place == first), "")


def _waiting(route: Route, waiting: StillReading, address: str) -> Screen:
    """Return the screen that a page shows while its table is read."""
    name = _name_on_rail(route.pattern) or "data"
    document = {"reading": waiting.reading.to_dict()}
    template, title = "workbench/reading.html.jinja", capital(waiting.reading.words)
    return Screen(name, title, template, document, {"address": address}, status=202, is_waiting=True)


def _packed(response: Response, scope: Mapping[str, Any]) -> Response:
    """Return the answer packed where the browser unpacks it: a report is mostly numbers and repeated words."""
    accepted = b",".join(value for name, value in scope["headers"] if name == b"accept-encoding")
    is_text = response.media_type.startswith(("text/html", "text/css", "text/javascript", JSON))
    if b"gzip" not in accepted or not is_text or len(response.body) < LEAST_PACKED:
        return response
    headers = (*response.headers, ("content-encoding", "gzip"), ("vary", "accept-encoding"))
    return replace(response, body=gzip.compress(response.body, 5, mtime=0), headers=headers)
