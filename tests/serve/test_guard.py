"""Who may talk to the server of the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from lasing.connectors.live.secrets import Secret
from lasing.errors import LasingError
from lasing.serve.server import cautions, checked_address
from lasing.serve.settings import Address
from tests.serve.client import TestClient
from tests.serve.conftest import ORIGIN, Open

TOKEN = "a token that nobody guesses"
EVERYWHERE = "0.0.0.0"  # noqa: S104 -- nothing is bound here


def test_the_page_runs_no_script_but_its_own(page: TestClient) -> None:
    answer = page.get("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "<script>" not in answer.text
    assert " style=" not in answer.text
    assert " onclick=" not in answer.text


@pytest.mark.parametrize("path", ["/", "/assets/main.js", "/api/about", "/nothing", "/api/sessions/none/events"])
def test_every_answer_has_the_headers(page: TestClient, path: str) -> None:
    headers = page.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "no-" in headers["cache-control"]


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765", "LOCALHOST:8765"])
def test_its_own_names(page: TestClient, host: str) -> None:
    assert page.get("/", headers={"Host": host, "Origin": f"http://{host}"}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "10.0.0.1:8765", "", "[::"]
)
def test_other_names_are_refused(page: TestClient, host: str) -> None:
    """DNS rebinding: the name of somebody else's page leads to this server."""
    answer = page.get("/", headers={"Host": host, "Origin": f"http://{host}"})
    assert answer.status_code == 421
    assert answer.json()["findings"][0]["code"] == "E782"


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8765", "http://127.0.0.1:9999"])
def test_other_origins_are_refused(page: TestClient, origin: str) -> None:
    content = {"do": "check", "text": "", "language": "lars"}
    for path in ("/api/ask", "/api/sessions"):
        assert page.post(path, json=content, headers={"Origin": origin}).status_code == 403
    assert page.get("/api/about", headers={"Origin": origin}).status_code == 403


def test_a_request_that_changes_something_says_where_it_comes_from(open_page: Open) -> None:
    page = open_page()
    page.headers.pop("Origin")
    assert page.post("/api/sessions", json={}).status_code == 403


def test_a_form_cannot_post(page: TestClient) -> None:
    answer = page.post("/api/sessions", content="{}", headers={"Content-Type": "text/plain"})
    assert answer.status_code == 403


def test_other_sites_cannot_read_by_way_of_the_browser(open_page: Open) -> None:
    page = open_page()
    page.headers.pop("Origin")
    embedded = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert page.get("/api/about", headers=embedded).status_code == 403
    assert page.get("/", headers=followed).status_code == 200


def test_with_a_token_nothing_is_served_without_it(open_page: Open) -> None:
    page = open_page(address=Address(token=Secret(TOKEN)))
    for path in ("/", "/assets/main.js", "/api/about", "/?token=wrong", "/api/about?token=" + TOKEN):
        answer = page.get(path)
        assert answer.status_code == 401, path
        assert TOKEN not in answer.text
    assert page.post("/api/sessions", json={}).status_code == 401
    assert page.get("/api/about", headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert page.get("/api/about", headers={"Cookie": "lasing_8765=wrong"}).status_code == 401


def test_the_token_in_the_address_becomes_a_cookie(open_page: Open) -> None:
    page = open_page(address=Address(token=Secret(TOKEN)))
    first = page.get("/", params={"token": TOKEN})
    assert first.status_code == 303
    assert first.headers["location"] == "/"
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert TOKEN not in cookie
    assert page.get("/api/about").status_code == 200  # the client keeps cookies, as a browser does


def test_programs_send_the_token_in_a_header(open_page: Open) -> None:
    page = open_page(address=Address(token=Secret(TOKEN)))
    assert page.get("/api/about", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_an_address_for_others_has_a_token() -> None:
    here, there = checked_address("127.0.0.1", 8765, None), checked_address(EVERYWHERE, 8765, None)
    assert here.token is None
    assert there.token is not None
    assert len(there.token.reveal()) >= 32
    assert there.token.reveal() in there.url
    assert there.token.reveal() not in repr(there)
    assert [d.code for d in cautions(there)] == ["W213"]
    assert cautions(here) == []


def test_a_short_token_is_refused() -> None:
    with pytest.raises(LasingError, match="E782"):
        checked_address("127.0.0.1", 8765, "short")


def test_files_of_tls_are_read_at_once(tmp_path: Path) -> None:
    for certificate, key in (("none.pem", ""), ("", "none.pem"), (str(tmp_path), "")):
        with pytest.raises(LasingError, match="E521"):
            checked_address("127.0.0.1", 0, None, certificate, key)


def test_for_others_numbers_are_names_and_unknown_names_are_not(open_page: Open) -> None:
    address = Address(EVERYWHERE, 8765, Secret(TOKEN))
    page = open_page(address=address)
    token = {"Authorization": f"Bearer {TOKEN}"}
    for host, status in (("192.168.1.7:8765", 200), ("evil.example:8765", 421)):
        headers = {"Host": host, "Origin": f"http://{host}", **token}
        assert page.get("/api/about", headers=headers).status_code == status


@pytest.mark.parametrize(
    "path",
    [
        "/assets/..%2f__init__.py",
        "/assets/../settings.py",
        "/assets/%2e%2e/app.py",
        "/assets//etc/passwd",
        "/etc/passwd",
    ],
)
def test_no_file_of_the_machine_is_served(page: TestClient, path: str) -> None:
    answer = page.get(path)
    assert answer.status_code == 404
    assert "lasing" not in answer.text


def test_the_origin_of_these_tests_is_that_of_the_page() -> None:
    assert f"{ORIGIN}/" == Address().url
