"""The page is for one reader on this machine, whatever else knocks."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from genagents_env.errors import ConfigError
from genagents_env.show.view import server
from genagents_env.show.view.admission import Admission
from genagents_env.show.view.single_file import read_page_file
from tests.show.view.requests import TOKEN, Page, read_answer, serve


@pytest.fixture(scope="module")
def page(short_run: Path) -> Iterator[Page]:
    with serve(short_run) as found:
        yield found


@pytest.fixture(scope="module")
def locked(short_run: Path) -> Iterator[Page]:
    with serve(short_run, token=TOKEN) as found:
        yield found


def test_the_page_and_its_resources_are_served(page: Page) -> None:
    for target, name, kind in (
        ("/", "index.html", "text/html"),
        ("/view.js", "view.js", "text/javascript"),
        ("/view.css", "view.css", "text/css"),
    ):
        answer = page.get(target)
        assert (answer.status, answer.body) == (200, read_page_file(name).encode())
        assert answer.headers["Content-Type"] == f"{kind}; charset=utf-8"
    head = page.get("/data/head")
    assert (head.status, head.headers["Content-Type"]) == (200, "application/json")
    assert json.loads(head.body)["live"] is True
    ticks = page.get("/data/ticks/0")
    assert ticks.headers["Content-Type"] == "application/octet-stream"
    assert len(ticks.body) == 41 * 4 * len(json.loads(head.body)["people"])


@pytest.mark.parametrize("target", ["/", "/view.js", "/data/head", "/data/ticks/0", "/nothing"])
def test_every_answer_has_the_headers_that_confine_it(page: Page, target: str) -> None:
    headers = page.get(target).headers
    assert headers["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert not any(name.startswith("Access-Control") for name in headers)
    assert "Python" not in headers["Server"]


TRAVERSALS = [  # ways out of a folder, as servers have been found to allow them
    *("/../../../../etc/passwd", "//etc/passwd", "//view.js", "/./view.js", "/page/../view.js"),
    *("/..%2f..%2fetc/passwd", "/%2e%2e%2fetc%2fpasswd", "/..%252f..%252fetc/passwd", "/%76iew.js"),
    *("/..\\..\\etc\\passwd", "/..%5c..%5cetc%5cpasswd", "/..;/..;/etc/passwd", "/view.js%00.css"),
    *("/view.js/", "/index.html", "/server.py", "/web/src/main.ts", "/data/../../server.py"),
    *("/data/head/..", "/data/head%00", "/data/ticks/%30", "/data/", "/..%c0%af..%c0%afetc/passwd"),
    *("file:///etc/passwd", "http://127.0.0.1/view.js", "view.js", "*"),
]


@pytest.mark.parametrize("target", TRAVERSALS)
def test_no_other_address_means_anything(page: Page, target: str) -> None:
    assert page.get(target).status == 404


HOSTS = [
    *("evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example"),
    *("127.0.0.2", "10.0.0.1", "[::2]", "0.0.0.0", "", "127.0.0.1:80:80", "127.0.0.1@evil"),  # noqa: S104
    *("2130706433", "0x7f000001", "127.1", "localhost.", "127.0.0.1, evil.example", None),
]
ORIGINS = ["null", "http://evil.example", "https://127.0.0.1", "http://127.0.0.1", "", "*"]
STRANGE: list[dict[str, Any]] = [
    *({"Host": host} for host in HOSTS),
    *({"Origin": origin} for origin in ORIGINS),
    *({"Sec_Fetch_Site": site} for site in ("cross-site", "same-site")),
]


@pytest.mark.parametrize("headers", STRANGE, ids=str)
def test_a_request_of_another_host_or_site_is_refused(page: Page, headers: dict[str, Any]) -> None:
    for target in ("/view.js", "/data/head"):
        assert page.get(target, **headers).status == 403
    linked = "Sec_Fetch_Site" in headers  # other sites may link to the page, and no more
    assert page.get("/", **headers).status == (200 if linked else 403)


def test_two_hosts_are_refused(page: Page) -> None:
    raw = f"GET / HTTP/1.1\r\nHost: {page.host}\r\nHost: evil.example\r\n\r\n"
    assert page.send(raw.encode()).status == 403


@pytest.mark.parametrize("host", ["localhost", "[::1]", "127.0.0.1", "LOCALHOST"])
def test_loopback_is_known_by_its_names_at_any_port(page: Page, host: str) -> None:
    assert page.get("/data/status", Host=host).status == 200
    assert page.get("/data/status", Host=f"{host}:9").status == 200


def test_the_pages_own_origin_is_let_in(page: Page) -> None:
    assert page.get("/data/head", Origin=f"http://{page.host}").status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "X"])
def test_nothing_but_reading_is_done(page: Page, method: str) -> None:
    answer = page.get("/data/head", method)
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD")


def test_head_gives_the_size_without_the_body(page: Page) -> None:
    whole, told = page.get("/view.js"), page.get("/view.js", "HEAD")
    assert (told.status, told.body) == (200, b"")
    assert told.headers["Content-Length"] == str(len(whole.body))


def test_a_body_is_not_taken(page: Page) -> None:
    assert page.get("/", Content_Length="3").status == 400
    assert page.get("/", Transfer_Encoding="chunked").status == 400


def test_a_request_without_end_is_refused(page: Page) -> None:
    assert page.get("/" + "a" * server.LARGEST).status == 431
    assert page.get("/", Cookie="a" * server.LARGEST).status == 431


@pytest.mark.parametrize(
    "raw", [b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x00\n\n", b"a b c\n\n"]
)
def test_what_is_no_request_is_refused(page: Page, raw: bytes) -> None:
    assert page.send(raw).status in (0, 400)
    assert page.get("/").status == 200


def test_a_request_that_never_ends_is_given_up(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "LONGEST", 0.2)
    with socket.create_connection(("127.0.0.1", page.port), timeout=20) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n")
        assert read_answer(connection).status == 431


def test_no_more_are_answered_at_once_than_there_is_room_for(short_run: Path) -> None:
    with serve(short_run) as page:
        waiting = [
            socket.create_connection(("127.0.0.1", page.port), timeout=20)
            for _ in range(server.MOST_CONNECTIONS)
        ]
        try:
            assert page.get("/").status == 503
        finally:
            for connection in waiting:
                connection.close()
        statuses = {page.get("/").status for _ in range(200)}
        assert 200 in statuses


def test_without_the_token_nothing_is_served(locked: Page) -> None:
    for target in ("/", "/view.js", "/data/head", "/?token=", "/?token=wrong-but-long-enough"):
        answer = locked.get(target)
        assert (answer.status, TOKEN.encode() in answer.body) == (401, False)
    assert locked.get("/", Cookie=f"genagents-view={TOKEN}x").status == 401
    assert locked.get("/", Authorization=f"Bearer {TOKEN[:-1]}").status == 401
    assert locked.get("/", Authorization="Bearer é").status == 401


def test_the_token_of_the_address_becomes_a_cookie_and_may_come_in_a_header(locked: Page) -> None:
    answer = locked.get(f"/?token={TOKEN}")
    assert (answer.status, answer.headers["Location"]) == (303, "/")
    cookie, *rules = answer.headers["Set-Cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Strict"} <= set(rules)
    assert locked.get("/data/head", Cookie=f"other=1; {cookie}").status == 200
    assert locked.get("/data/head", Authorization=f"Bearer {TOKEN}").status == 200


def test_a_token_does_not_help_another_site(locked: Page) -> None:
    cookie = f"genagents-view={TOKEN}"
    assert locked.get(f"/?token={TOKEN}", Host="evil.example").status == 403
    assert locked.get("/data/head", Cookie=cookie, Host="evil.example").status == 403
    assert locked.get("/data/head", Cookie=cookie, Origin="http://evil.example").status == 403


def test_with_a_token_the_machine_is_known_by_its_addresses(locked: Page) -> None:
    assert locked.get("/", Host="192.168.1.5:8000", Cookie=f"genagents-view={TOKEN}").status == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "example.org"])  # noqa: S104
def test_others_are_let_in_with_a_token_alone(host: str) -> None:
    with pytest.raises(ConfigError, match="--token"):
        Admission(host)
    Admission(host, TOKEN)


@pytest.mark.parametrize("token", ["", "short", "with spaces in its midst", "é" * 20, "a" * 201])
def test_a_weak_token_is_refused(token: str) -> None:
    with pytest.raises(ConfigError, match="16 to 200"):
        Admission("127.0.0.1", token)


def test_a_taken_port_is_reported(page: Page, short_run: Path) -> None:
    with pytest.raises(ConfigError, match=f"--port {page.port}"):
        server.ViewServer(page.server.answers._run, Admission("127.0.0.1"), page.port)
