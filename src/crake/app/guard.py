"""The guard of the workbench: only the browser that was let in, at this address, changes anything."""

from __future__ import annotations

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from crake.app.password import Password
from crake.server.access import is_local_address
from crake.server.exchange import Request
from crake.server.problems import Problem

FORM, JSON, BYTES = "application/x-www-form-urlencoded", "application/json", "application/octet-stream"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = (
    ("content-security-policy", POLICY),
    ("referrer-policy", "same-origin"),  # without any, a form would say that it comes from nowhere
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
)


class Guard:
    """A token of 256 bits lets one browser in, once; from then on a cookie does, which no other site can send.

    With a `password` others come in, too. Then the workbench is known under any name that leads to this machine: a page
    of a stranger who made such a name has no cookie for it, and no password.
    """

    def __init__(self, port: int, base: str | None = None, password: Password | None = None) -> None:
        self._port = port
        self.password = password
        self._base = base or f"http://127.0.0.1:{port}"
        # Browsers send a cookie to every port of a machine: workbenches side by side must not replace each other's.
        self.cookie = f"crake_app_{port}"
        self._token: str | None = secrets.token_urlsafe(32)
        self._session = secrets.token_urlsafe(32)

    @property
    def address(self) -> str:
        """The address to open, with the token as long as nobody used it."""
        return f"{self._base}/enter?token={self._token or ''}"

    def enter(self, token: str) -> str:
        """Return the cookie for a browser that has the token; the token is used up."""
        if self._token is None or not hmac.compare_digest(token.encode(), self._token.encode()):
            message = "this address was used before, or is not whole; `crake app` prints a new one when it starts"
            raise Problem(403, "token", message)
        self._token = None
        return self._set_cookie()

    async def log_in(self, given: str, client: str) -> str:
        """Return the cookie for a browser that has the password."""
        if self.password is None:
            raise Problem(404, "not_found", "this workbench has no password")
        await self.password.check(given, client)
        return self._set_cookie()

    def _set_cookie(self) -> str:
        return f"{self.cookie}={self._session}; Path=/; HttpOnly; SameSite=Strict"

    def check_address(self, request: Request) -> None:
        """Raise for a request whose Host or Origin is not this server's."""
        host = request.headers.get("host", "")
        if self.password is None and (not is_local_address(host) or _port(host) != self._port):
            raise Problem(403, "foreign_host", "expected the Host of this workbench")
        origin = request.headers.get("origin")
        own = (f"http://{host}",) if self.password is None else (f"http://{host}", f"https://{host}")
        if origin is not None and origin not in own:
            raise Problem(403, "foreign_origin", "requests from pages of another address are not answered")

    def is_inside(self, request: Request) -> bool:
        """Return True for a request of the browser that was let in."""
        try:
            morsel = SimpleCookie(request.headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            morsel = None
        return hmac.compare_digest((morsel.value if morsel else "").encode(), self._session.encode())

    def check_session(self, request: Request) -> None:
        """Raise for a request of a browser that was not let in."""
        if not self.is_inside(request):
            hint = "open the address that `crake app` printed when it started"
            raise Problem(403, "not_entered", hint if self.password is None else f"{hint}, or enter at /login")

    def check_write(self, request: Request) -> None:
        """Raise for a change that does not come from a page of this workbench."""
        site = request.headers.get("sec-fetch-site")
        if site not in ("same-origin", None):
            raise Problem(403, "foreign_site", "changes are accepted from pages of this workbench only")
        if site is None and "origin" not in request.headers:
            raise Problem(403, "foreign_site", "expected the header Origin or Sec-Fetch-Site beside a change")
        if request.media_type not in (FORM, JSON, BYTES):
            raise Problem(403, "media_type", f"expected a body of type {FORM}, {JSON} or {BYTES}")


def _port(host: str) -> int | None:
    try:
        return urlsplit(f"//{host}").port
    except ValueError:
        return None
