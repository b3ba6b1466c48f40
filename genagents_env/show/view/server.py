"""The server of the page of a run.

It is Python's own `http.server`: three files and a dozen resources for one reader do not pay for
a framework in everybody's base install. What that server leaves open is bounded here: the head of
a request by size and time, connections by number, an answer by time; there are no bodies, no
methods but GET and HEAD, and no file of the disk is ever named by a request.
"""

import logging
import socket
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from threading import BoundedSemaphore, Lock
from typing import Any

from genagents_env.errors import ConfigError, GenagentsError
from genagents_env.show.view.admission import Admission, Refusal
from genagents_env.show.view.head import RunView
from genagents_env.show.view.open_run import OpenRun, RunNotBegun
from genagents_env.show.view.resources import (
    RESOURCES,
    ResourceKey,
    UnknownResource,
    make_resource,
    parse_key,
)
from genagents_env.show.view.single_file import read_page_file
from genagents_env.show.view.timeline import find_span
from genagents_env.text import clean

_MOST = 1 << 26  # bytes of answers kept
_SHARE = 20  # a slow answer of a run that goes on is kept so many times as long as it took
_EVERY = 1.0  # seconds for which a status is told again, as often as a page asks for one
_PARTS = ("ticks", "events")  # what a page reads again and again while a run goes on
_Stamp = tuple[int, int, int, str]


@dataclass(frozen=True, slots=True)
class _Answer:
    stamp: _Stamp  # of the run as it was then
    body: bytes
    until: float  # as long as it does although the run went on


class Answers:
    """Makes resources of a run; safe to be used by several threads.

    Several pages that follow a run share what is made for one of them: they are told the same
    status, and a part of the run that reaches as far is not made again.
    """

    def __init__(self, run: OpenRun) -> None:
        self._run, self._lock = run, Lock()
        self._kept: OrderedDict[ResourceKey, _Answer] = OrderedDict()
        kept = ("status", *_PARTS)
        self._turns = {name: Lock() for name, one in RESOURCES.items() if one.slow or name in kept}

    def get(self, key: ResourceKey) -> bytes:
        """Return a resource.

        Raises:
            RunNotBegun: there is no run yet.
            UnknownResource: this run has none of that name.
            RecordError: the file is damaged where it is read.
        """
        if key.resource not in self._turns:
            with self._run.look() as view:
                return make_resource(view, key)
        with self._turns[key.resource]:
            shared = self._find_shared(key) if key.resource in _PARTS else None
            if shared is not None:
                return shared
            with self._run.look() as view:
                return self._get_kept(view, key)

    def _find_shared(self, key: ResourceKey) -> bytes | None:
        """Return a part as far as the status that was told just now, if it is kept."""
        with self._lock:
            told, kept = self._kept.get(_STATUS), self._kept.get(key)
        if told is None or kept is None or time.monotonic() >= told.until:
            return None
        far = min(told.stamp[1], find_span(key.numbers[0])[1])
        return kept.body if kept.stamp[0] == told.stamp[0] and kept.stamp[1] >= far else None

    def _get_kept(self, view: RunView, key: ResourceKey) -> bytes:
        length = view.run.measure()
        stamp = (view.revision, length.last_tick, length.calls, view.run.status)
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None:
            same_run = kept.stamp[0] == stamp[0] and kept.stamp[3] == stamp[3]
            if kept.stamp == stamp or (same_run and time.monotonic() < kept.until):
                return kept.body
        begun = time.monotonic()
        body = make_resource(view, key)
        now = time.monotonic()
        lasts = _EVERY if key == _STATUS else _SHARE * (now - begun)
        lasts = 0.0 if key.resource in _PARTS else lasts
        with self._lock:
            self._kept[key] = _Answer(stamp, body, now + lasts)
            self._kept.move_to_end(key)
            while sum(len(answer.body) for answer in self._kept.values()) > _MOST:
                self._kept.popitem(last=False)
        return body


_STATUS = ResourceKey("status")
LARGEST = 16_384  # bytes; browsers send a thousand
LONGEST = 5.0  # seconds that all of it may take
_ENDS = (b"\r\n\r\n", b"\n\n")


def receive(
    connection: socket.socket, is_whole: Callable[[bytes], bool], come: bytes = b""
) -> bytes | None:
    """Return what comes until it is whole; None where it is too large, too slow or never comes.

    Args:
        connection: to read from.
        is_whole: tells of what has come whether that is all.
        come: what has come before.
    """
    deadline = time.monotonic() + LONGEST
    while not is_whole(come):
        left = deadline - time.monotonic()
        if left <= 0 or len(come) > LARGEST:
            return None
        connection.settimeout(left)
        try:
            block = connection.recv(4096)
        except OSError:
            return None
        if not block:
            return None
        come += block
    return come


MOST_CONNECTIONS = 32
_ANSWER_SECONDS = 30.0  # in which a browser must have taken an answer
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = (
    ("Content-Security-Policy", _POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
)
_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_DATA, _PLAIN = "/data/", "text/plain; charset=utf-8"
_FILES = {"/": "index.html", "/view.js": "view.js", "/view.css": "view.css"}
_KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css"}
_log = logging.getLogger(__name__)


class PageHandler(BaseHTTPRequestHandler):
    """Answers one request of a browser."""

    server: "ViewServer"
    protocol_version = "HTTP/1.1"
    default_request_version = "HTTP/1.0"  # of requests that name none: answers have headers
    timeout = _ANSWER_SECONDS

    def handle(self) -> None:
        """Answer one request; the connection ends with it."""
        self.close_connection = True
        head = receive(self.connection, lambda come: any(end in come for end in _ENDS))
        self.connection.settimeout(_ANSWER_SECONDS)
        if head is None or len(head) > LARGEST:
            self.request_version, self.requestline, self.command = "HTTP/1.1", "", "GET"
            self.send_text(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "too large, or too slow")
            return
        self.rfile = BytesIO(head)
        try:
            self.handle_one_request()
        except Refusal as refusal:
            self.send_text(refusal.status, str(refusal))
        self.close_connection = True

    def do_GET(self) -> None:
        """Answer with a file of the page or a resource."""
        target = self.requestline.split()[1]  # `path` has leading slashes mended
        path, asked, query = target.partition("?")
        if path == "/" and asked and self._take_token(query):
            return
        self.check(document=path == "/")
        if asked:
            raise Refusal(HTTPStatus.NOT_FOUND, "there is no such page")
        if path.startswith(_DATA):
            self._send_resource(path.removeprefix(_DATA))
        else:
            self.send_file(_FILES.get(path))

    do_HEAD = do_GET

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what `http.server` cannot read, in plain text."""
        if code == HTTPStatus.NOT_IMPLEMENTED:
            code = HTTPStatus.METHOD_NOT_ALLOWED
        self.send_text(HTTPStatus(code), HTTPStatus(code).phrase)

    def version_string(self) -> str:
        """Return the name of the server in answers."""
        return "genagents"

    def log_message(self, format: str, *args: Any) -> None:
        """Note a request where somebody wants to know."""
        _log.debug(format, *args)

    def check(self, *, document: bool, secret: bool = False) -> None:
        """Raise Refusal unless a request that brings nothing along is let in; see `Admission`."""
        if self.headers.get("Transfer-Encoding") or self.headers.get("Content-Length", "0") != "0":
            raise Refusal(HTTPStatus.BAD_REQUEST, "nothing is taken in here")
        headers = join_headers(self.headers)
        self.server.admission.check(headers, document=document, secret=secret)

    def _take_token(self, query: str) -> bool:
        """Keep a token of the address in a cookie, out of sight; return whether it was the one."""
        admission = self.server.admission
        known = admission.is_token(query.removeprefix("token="))
        if known:
            admission.check(join_headers(self.headers), document=True, secret=True)
            self.send(HTTPStatus.SEE_OTHER, b"", _PLAIN, admission.make_cookie())
        return known

    def send_file(self, name: str | None) -> None:
        """Answer with a file of the page's folder; None is one that is not there."""
        if name is None:
            raise Refusal(HTTPStatus.NOT_FOUND, "there is no such page")
        kind = _KINDS[name.partition(".")[2]]
        self.send(HTTPStatus.OK, read_page_file(name).encode(), f"{kind}; charset=utf-8")

    def _send_resource(self, name: str) -> None:
        try:
            key = parse_key(name)
            body = self.server.answers.get(key)
        except UnknownResource:
            self.send_text(HTTPStatus.NOT_FOUND, "there is no such resource")
        except RunNotBegun:
            self.send_text(HTTPStatus.SERVICE_UNAVAILABLE, "the run has not begun yet")
        except GenagentsError as error:
            self.send_text(HTTPStatus.INTERNAL_SERVER_ERROR, clean(str(error)))
        except Exception:
            _log.exception("the resource %s could not be made", clean(name))
            self.send_text(HTTPStatus.INTERNAL_SERVER_ERROR, "a fault of the program")
        else:
            self.send(HTTPStatus.OK, body, RESOURCES[key.resource].media_type)

    def send_text(self, status: HTTPStatus, text: str) -> None:
        """Answer with a line of text."""
        self.send(status, f"{text}\n".encode(), _PLAIN)

    def send(self, status: HTTPStatus, body: bytes, kind: str, cookie: str | None = None) -> None:
        """Answer with `body` of the media type `kind`."""
        self.send_response(status)
        for name, value in HEADERS:
            self.send_header(name, value)
        if cookie is not None:
            self.send_header("Set-Cookie", cookie)
            self.send_header("Location", "/")
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET, HEAD")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class ViewServer(ThreadingHTTPServer):
    """Serves the page of one run until `shutdown`; it listens from the moment it is made.

    Args:
        run: what is shown; the caller closes it.
        admission: who may read it.
        port: 0 takes a free one.

    Raises:
        ConfigError: it cannot listen there.
    """

    handler: type[PageHandler] = PageHandler
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, run: OpenRun, admission: Admission, port: int = 0) -> None:
        self.answers, self.admission = Answers(run), admission
        self._places = BoundedSemaphore(MOST_CONNECTIONS)
        if ":" in admission.host:
            self.address_family = socket.AF_INET6
        try:
            super().__init__((admission.host, port), self.handler)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            raise ConfigError(
                f"--host {admission.host} --port {port}: cannot listen there ({why}); "
                "--port 0 takes a free one"
            ) from None

    @property
    def address(self) -> str:
        """The address to open, with the token where there is one."""
        host, port = self.admission.host, self.server_address[1]
        if host in ("0.0.0.0", "::"):  # noqa: S104 (only compared)
            host = socket.gethostname()
        name = f"[{host}]" if ":" in host else host
        shown = "" if self.admission.token is None else f"?token={self.admission.token}"
        return f"http://{name}:{port}/{shown}"

    def server_bind(self) -> None:
        """Bind the socket, without asking a name server for this machine's name."""
        socket.socket.setsockopt(self.socket, socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.admission.host, self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own, if not too many are under way."""
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
            return
        try:
            request.settimeout(0.1)
            request.sendall(_BUSY)
        except OSError:
            pass
        self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, then make room for another."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Note what went wrong; a reader who went away is no fault."""
        _log.debug("a request was not answered", exc_info=True)


def join_headers(headers: "Message[str, str]") -> dict[str, str]:
    """Return the headers by name; those that are there twice with both values."""
    joined: dict[str, str] = {}
    for name, value in headers.items():
        key = "-".join(part.capitalize() for part in name.split("-"))
        joined[key] = f"{joined[key]}, {value}" if key in joined else value
    return joined
