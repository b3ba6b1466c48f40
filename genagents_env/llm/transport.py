"""What went wrong between here and an endpoint, in words that say what to do."""

import socket
import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

from genagents_env.llm.http_library import httpx2


def strip_address(url: str) -> str:
    """Return `url` as it may be shown: without login, query and fragment."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=host, query="", fragment=""))


def describe_failure(failure: BaseException) -> str:
    """Return what broke a connection, or kept it from being made."""
    causes = list(_list_causes(failure))
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return "connection refused; is the server running?"
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return "no such host; check OPENAI_BASE_URL and the network"
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return f"no TLS with it ({causes[-1]}); is it http instead of https?"
    if isinstance(failure, httpx2.ConnectTimeout):
        return "no connection in time; are host and port right?"
    told = f"{type(failure).__name__}: {failure}".rstrip(": ")
    return f"connection failed ({told})"


def _list_causes(failure: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = failure
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
