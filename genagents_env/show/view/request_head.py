"""Reading the head of a request within bounds of size and time."""

import socket
import time

LARGEST = 16_384  # bytes; browsers send a thousand
LONGEST = 5.0  # seconds that all of it may take
_ENDS = (b"\r\n\r\n", b"\n\n")


def read_head(connection: socket.socket) -> bytes | None:
    """Return the head of a request; None where it is too large, too slow or never came."""
    deadline, head = time.monotonic() + LONGEST, b""
    while not any(end in head for end in _ENDS):
        left = deadline - time.monotonic()
        if left <= 0 or len(head) > LARGEST:
            return None
        connection.settimeout(left)
        try:
            block = connection.recv(4096)
        except OSError:
            return None
        if not block:
            return None
        head += block
    return head if len(head) <= LARGEST else None
