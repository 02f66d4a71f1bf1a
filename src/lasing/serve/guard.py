"""Who may talk to the server: every request passes here first.

- Its `Host` must be a name of this server, so that a page of somebody else cannot reach it under a name of its own (DNS
  rebinding).
- A browser says which site a request comes from. What changes anything must come from the page itself (CSRF), and so
  must everything else that a site other than ours could ask for.
- With a token, a request needs it: in `Authorization: Bearer`, or in the cookie that the first visit gets.
- Every answer carries headers that keep the browser from running or embedding anything else.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import socket
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lasing.connectors.live.tls import is_loopback
from lasing.serve.settings import Address

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
_SAFE = ("GET", "HEAD")


class Guard:
    """Lets requests through to the page, or refuses them. ASGI, so that streams of events pass as they are."""

    def __init__(self, app: ASGIApp, address: Address) -> None:
        self._app, self._address = app, address
        self._names = {"localhost", address.host.lower(), socket.gethostname().lower()}
        self._cookie = f"lasing_{address.port}"
        self._proof = None if address.token is None else _digest(address.token.reveal())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refusal = self._refusal(scope)
        await (self._app if refusal is None else refusal)(scope, receive, protected)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_ours(host):
            return _refused(421, "this server does not answer to that name", "open the address that it printed")
        if not self._from_our_page(scope["method"], host, headers):
            return _refused(403, "this request came from another site", "")
        return None if self._proof is None else self._without_token(scope, headers)

    def _is_ours(self, host: str) -> bool:
        """Whether a Host names this server. An address of digits cannot have been rebound; a name can."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return not is_loopback(self._address.host) or is_loopback(name)

    def _from_our_page(self, method: str, host: str, headers: Headers) -> bool:
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        if origin is not None and origin != f"{self._address.scheme}://{host}":
            return False
        if method not in _SAFE:
            return origin is not None and headers.get("content-type", "").startswith("application/json")
        opens_the_page = headers.get("sec-fetch-mode") == "navigate"
        return site in ("same-origin", "none") or opens_the_page

    def _without_token(self, scope: Scope, headers: Headers) -> Response | None:
        """What to do about a request that has to prove itself; None if it has."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._is_proof(_digest(given.strip())):
            return None
        if self._is_proof(self._cookie_of(headers)):
            return None
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        if scope["path"] == "/" and self._is_proof(_digest(query.get("token", [""])[0])):
            assert self._proof is not None, "it was compared"
            response = RedirectResponse("/", 303)  # the token leaves the address bar, and with it the history
            secure = self._address.scheme == "https"
            response.set_cookie(self._cookie, self._proof, httponly=True, samesite="strict", secure=secure)
            return response
        return _refused(401, "this page needs its token", "open the whole address that lasing serve printed")

    def _cookie_of(self, headers: Headers) -> str:
        found: SimpleCookie = SimpleCookie()
        try:
            found.load(headers.get("cookie", ""))
        except CookieError:
            return ""
        return found[self._cookie].value if self._cookie in found else ""

    def _is_proof(self, given: str) -> bool:
        assert self._proof is not None, "there is a token"
        return hmac.compare_digest(self._proof.encode(), given.encode("utf-8", "replace"))


def _digest(token: str) -> str:
    """What a cookie has instead of the token."""
    return hashlib.sha256(f"lasing {token}".encode("utf-8", "replace")).hexdigest()


def _refused(status: int, message: str, note: str) -> Response:
    finding: dict[str, Any] = {"code": "E782", "severity": "error", "message": message, "note": note}
    return JSONResponse({"findings": [finding]}, status)
