"""The application: routes, and the way of every request from its head to its answer."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from crake.errors import CrakeError
from crake.server.access import Access
from crake.server.access_log import AccessLog
from crake.server.answers import Answered, Form, answer, quick_answer
from crake.server.exchange import JSON, ClientGone, Receive, Request, Response, Send
from crake.server.metrics import MEDIA_TYPE, Metrics
from crake.server.models import Models, ServedModel
from crake.server.openapi import columns_of, openapi_document
from crake.server.options import Limits
from crake.server.page import docs_page
from crake.server.problems import Problem, refused
from crake.server.reading import Body, certain_table, check_rows
from crake.server.work import Work

SMALL_BODY = 1 << 16
"""Bytes of a body that may be answered at once, without a thread."""
FEW_ROWS = 64
QUICK = 0.002
"""Seconds that the last prediction may have taken for the next one to be made at once."""

LARGE_BODY = "send fewer rows a request (crake serve --max-body allows more)"

PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@dataclass
class _Seen:
    """The facts of a request that its line in the log tells."""

    rows: int = 0
    model: str = ""


Handler = Callable[[Request, _Seen], Awaitable[Response]]


class Application:
    """An ASGI application that answers for the models."""

    def __init__(self, models: Models, limits: Limits, access: Access, log: AccessLog) -> None:
        self.models, self.limits, self.access, self.log = models, limits, access, log
        self.work = Work(limits)
        self.metrics = Metrics()
        self.routes: Mapping[str, Mapping[str, Handler]] = {
            "/predict": {"POST": self._predict},
            "/explain": {"POST": self._explain},
            "/models": {"GET": self._models},
            "/health": {"GET": self._health},
            "/ready": {"GET": self._ready},
            "/metrics": {"GET": self._metrics},
            "/openapi.json": {"GET": self._openapi},
            "/docs": {"GET": self._docs},
        }

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request; never raise."""
        if scope["type"] != "http":
            raise RuntimeError(f"expected a request of HTTP, got {scope['type']}")
        begin = time.perf_counter()
        # A path that is no route may hold anything: the log and the metrics do not repeat it.
        route = scope["path"] if scope["path"] in self.routes else "other"
        method = scope["method"] if scope["method"] in ("GET", "HEAD", "POST") else "other"
        client = scope["client"][0] if scope.get("client") else "-"
        seen = _Seen()
        try:
            response = await self._answered(scope, receive, seen)
        except ClientGone:
            return
        await response.send(send, has_body=scope["method"] != "HEAD")
        seconds = time.perf_counter() - begin
        self.metrics.answered(route, method, response.status, seconds)
        self.log.answered(client, method, route, response.status, seconds, rows=seen.rows, model=seen.model)

    async def _answered(self, scope: Mapping[str, Any], receive: Receive, seen: _Seen) -> Response:
        try:
            request = Request.of(scope, receive)
            self.access.check(request)
            return await self._handler(request)(request, seen)
        except Problem as problem:
            return Response.of_problem(problem)
        except CrakeError as error:
            return Response.of_problem(refused(error))
        except ClientGone:
            raise
        except MemoryError:
            return Response.of_problem(Problem(413, "memory", "the rows need more memory than there is; send fewer"))
        except Exception as error:  # noqa: BLE001 (the last line of defence: the server goes on)
            self.log.fault(error)
            message = f"a fault of crake's own ({type(error).__name__}); the log of the server says where"
            return Response.of_problem(Problem(500, "fault", message))

    def _handler(self, request: Request) -> Handler:
        methods = self.routes.get(request.path)
        if methods is None:
            raise Problem(404, "not_found", f"there is no such path; paths are {', '.join(self.routes)}")
        method = "GET" if request.method == "HEAD" else request.method
        if method not in methods:
            allowed = ", ".join([*methods, *(["HEAD"] if "GET" in methods else [])])
            raise Problem(405, "method", f"expected {allowed}", headers=(("allow", allowed),))
        return methods[method]

    async def _predict(self, request: Request, seen: _Seen) -> Response:
        return await self._of_rows(request, seen, Form.of(request))

    async def _explain(self, request: Request, seen: _Seen) -> Response:
        return await self._of_rows(request, seen, Form.of(request, explained=True))

    async def _of_rows(self, request: Request, seen: _Seen, form: Form) -> Response:
        with self.work.place():
            served = await self._model(request)
            content = await request.body(self.limits.body, self.limits.seconds, LARGE_BODY)
            body = Body.of(request, content)
            answered = self._at_once(served, body, form)
            if answered is None:
                answered = await self.work.in_thread(
                    lambda: answer(served, body, form, self.limits.rows, self.limits.body)
                )
        seen.rows, seen.model = answered.rows, f"{served.name}@{served.sha256[:12]}"
        self.metrics.predicted(served.name, answered.rows, answered.unseen)
        return answered.response

    def _at_once(self, served: ServedModel, body: Body, form: Form) -> Answered | None:
        """Answer few rows without a thread, where that takes less time than handing them over."""
        if form.explained or form.media_type != JSON or len(body.content) > SMALL_BODY or served.pace > QUICK:
            return None
        certain = certain_table(served, body)
        if certain is None or len(certain[0]) > FEW_ROWS:
            return None
        check_rows(len(certain[0]), self.limits.rows)
        return quick_answer(served, *certain)

    async def _model(self, request: Request) -> ServedModel:
        """Return the model that is asked for, as its file is now."""
        name = request.query.get("model")
        # An unknown name may be that of a file which was added: it is looked for, and loaded, in a thread.
        is_new = name is not None and name not in self.models
        place = await self.work.in_thread(lambda: self.models.named(name)) if is_new else self.models.named(name)
        if self.models.is_current(place):
            return place.served
        served = await self.work.in_thread(lambda: self.models.renewed(place))
        if place.refused is not None:
            self.log.note(f"the newer file of {served.name} was not taken over: {place.refused}")
        return served

    async def _current(self) -> list[ServedModel]:
        """Return all models, those of files that were replaced or added loaded."""
        return await self.work.in_thread(self.models.current)

    async def _models(self, request: Request, seen: _Seen) -> Response:
        del request, seen
        served = await self._current()
        models = [{**described(each), "file": self.models.state(each.name)} for each in served]
        return Response.of_json({"models": models})

    async def _health(self, request: Request, seen: _Seen) -> Response:
        del request, seen
        return Response.of_json({"status": "ok"})

    async def _ready(self, request: Request, seen: _Seen) -> Response:
        del request, seen
        is_full = self.work.is_full
        return Response.of_json({"status": "full" if is_full else "ready"}, 503 if is_full else 200)

    async def _metrics(self, request: Request, seen: _Seen) -> Response:
        del request, seen
        self.metrics.in_flight = self.work.in_flight
        self.metrics.reloads, self.metrics.refusals = self.models.reloads, self.models.refusals
        text = self.metrics.text((each.name, each.sha256, each.learner) for each in self.models)
        return Response(text.encode(), MEDIA_TYPE)

    async def _openapi(self, request: Request, seen: _Seen) -> Response:
        del request, seen
        return Response.of_json(openapi_document(await self._current(), self.limits))

    async def _docs(self, request: Request, seen: _Seen) -> Response:
        del seen
        page = docs_page(await self._current(), self.limits, request.headers.get("host", "127.0.0.1"))
        return Response(page.encode(), "text/html; charset=utf-8", headers=(("content-security-policy", PAGE_POLICY),))


def described(served: ServedModel) -> dict[str, Any]:
    """Return a model for the list of models: its learner, its columns, its classes."""
    return {
        "name": served.name,
        "learner": served.learner,
        "sha256": served.sha256,
        "target": served.schema.target,
        "classes": None if served.predicts_numbers else list(served.schema.classes),
        "columns": [
            {"name": column.name, "kind": "date" if column.is_date else str(column.kind), "levels": list(column.levels)}
            for column in columns_of(served)
        ],
    }
