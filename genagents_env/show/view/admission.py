"""Access to the page: every request is checked before it is read.

Any page in the user's browser may send requests to loopback. It must not read what comes back, not
even where its own name has been made to mean this machine (DNS rebinding).
"""

import hmac
import ipaddress
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from genagents_env.errors import ConfigError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
SHORTEST_TOKEN = 16
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,200}", re.ASCII)
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9.-]{1,253})(:\d{1,5})?", re.ASCII)
_COOKIE = "genagents-view"


class Refusal(Exception):
    """A request is not let in, or not understood; its text is the reason."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True, slots=True)
class Admission:
    """The rule by which requests are let in.

    Args:
        host: on which the server listens.
        token: what a request must show; None asks for none, which is for loopback alone.

    Raises:
        ConfigError: another host than loopback without a token; or a token that is too short.
    """

    host: str
    token: str | None = None

    def __post_init__(self) -> None:
        if self.token is not None and not _TOKEN.fullmatch(self.token):
            raise ConfigError(
                f"--token: letters, digits, - and _ are allowed, {SHORTEST_TOKEN} to 200 of them; "
                "`new` makes one"
            )
        if self.token is None and self.host not in LOOPBACK:
            raise ConfigError(
                f"--host {self.host}: others can reach this; give --token new (or a token of your "
                "own), without which nobody is let in"
            )

    def check(self, headers: Mapping[str, str], *, document: bool, secret: bool = False) -> None:
        """Raise Refusal unless a request is let in.

        Args:
            headers: of the request; a name that is there twice has both values, by a comma.
            document: whether the page itself is asked for, to which others may link.
            secret: the path has shown a secret of its own in place of the token.
        """
        host = headers.get("Host", "")
        if not self._knows_host(host):
            raise Refusal(HTTPStatus.FORBIDDEN, "this is not the address of the page")
        origin = headers.get("Origin")
        if origin is not None and origin != f"http://{host}":
            raise Refusal(HTTPStatus.FORBIDDEN, "another site may not read this")
        site = headers.get("Sec-Fetch-Site", "none")
        if site not in ("same-origin", "none") and not document:
            raise Refusal(HTTPStatus.FORBIDDEN, "another site may not read this")
        if self.token is not None and not secret and not self._shows_token(headers):
            raise Refusal(HTTPStatus.UNAUTHORIZED, "open the address with ?token= once")

    def is_token(self, text: str) -> bool:
        """Return True if this is the token; the comparison takes the same time for any text."""
        wanted = self.token or ""
        return bool(wanted) and hmac.compare_digest(text.encode(), wanted.encode())

    def make_cookie(self) -> str:
        """Return the value of `Set-Cookie` with which a browser shows the token from now on."""
        return f"{_COOKIE}={self.token}; Path=/; HttpOnly; SameSite=Strict"

    def _shows_token(self, headers: Mapping[str, str]) -> bool:
        shown = headers.get("Authorization", "").removeprefix("Bearer ")
        cookies = (part.strip().partition("=") for part in headers.get("Cookie", "").split(";"))
        tokens = [value for name, _, value in cookies if name == _COOKIE]
        return any([self.is_token(text) for text in (shown, *tokens)])

    def _knows_host(self, text: str) -> bool:
        """Return True if the `Host` of a request is a name of this server, at any port.

        Ports differ where the page is reached through a tunnel; a name is what an attacker has.
        """
        match = _HOST.fullmatch(text)
        if match is None:
            return False
        name = match[1].strip("[]").lower()
        if name in LOOPBACK or name == self.host.lower():
            return True
        return self.token is not None and (
            _is_address(name) or name == socket.gethostname().lower()
        )


def _is_address(name: str) -> bool:
    """Return True for an address in numbers, which no name server can give to others."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
