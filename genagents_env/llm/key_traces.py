"""Finds a key in text also where it is cut, broken up or encoded.

A key that a server sends back may be cut by a limit, broken by line breaks or escapes, written in
JSON, percent signs, hexadecimal or base64. So text and key are compared by their letters and digits
alone, after escapes are read, and eight of them in a row are a trace.
"""

import base64
import re
from collections.abc import Iterator

_LEAST_KEY, _LEAST_DIGITS = 16, 2  # of what is taken for a key rather than a word like `local`
_LONG, _SHORT = 12, 8  # signs of a trace without a digit, which may be words, and with one
# Escapes stand before the signs: what they stand for counts, or nothing where it is no sign.
_SIGNS = re.compile(
    r"(?:\x1b|\x9b|(?<!\\)\\+(?:u001b|x1b|e|033)|%(?:25)*1b)(?:\[[0-?]*[ -/]*[@-~])?"
    r"|(?<!\\)\\+u(?P<wide>[0-9a-f]{4})|(?<!\\)\\+x(?P<hex>[0-9a-f]{2})"
    r"|%(?:25)*(?P<percent>[0-9a-f]{2})|&\#x(?P<entity>[0-9a-f]{1,6});|&\#(?P<number>\d{1,7});"
    r"|(?<!\\)\\+[abfnrtv]"
    r"|(?P<plain>[a-z0-9]+)",
    re.IGNORECASE | re.ASCII,
)
_ESCAPES = ("wide", "hex", "percent", "entity")
_BORDER = '"'  # of a JSON text: what lies between two texts is kept


class KeyTraces:
    """The traces of secrets; those too short or too plain to be keys leave none."""

    def __init__(self, *secrets: str) -> None:
        traces: set[str] = set()
        for secret in filter(_is_key, secrets):
            for form in _list_forms(secret):
                traces |= {form[k : k + _SHORT] for k in range(len(form) - _SHORT + 1)}
                traces |= {form[k : k + _LONG] for k in range(len(form) - _LONG + 1)}
        self._traces = frozenset(t for t in traces if len(t) == _LONG or not t.isalpha())

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return where in `text` traces begin and end, in order."""
        if not self._traces:
            return []
        signs = "".join(said for said, _, _ in _read_signs(text))
        marked = self._mark(signs)
        if not any(marked):
            return []
        places = [place for read in _read_signs(text) for place in _locate(*read)]
        found: list[tuple[int, int]] = []
        last = -2
        for at in (k for k, is_marked in enumerate(marked) if is_marked):
            start, end = places[at]
            if found and last == at - 1 and _BORDER not in text[found[-1][1] : start]:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
            last = at
        return found

    def _mark(self, signs: str) -> bytearray:
        marked = bytearray(len(signs))
        for width in (_SHORT, _LONG):
            for at in range(len(signs) - width + 1):
                if signs[at : at + width] in self._traces:
                    marked[at : at + width] = b"\x01" * width
        return marked


def _is_key(secret: str) -> bool:
    is_path = secret.startswith(("/", ".", "~"))
    digits = sum(char.isdigit() for char in secret)
    return len(secret) >= _LEAST_KEY and digits >= _LEAST_DIGITS and not is_path


def _list_forms(secret: str) -> Iterator[str]:
    """Yield the letters and digits of a secret: as it is, in hexadecimal, anywhere in base64."""
    raw = secret.encode("utf-8", "surrogatepass")
    yield _keep_signs(secret)
    yield raw.hex()
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + raw).decode().rstrip("=")
        uneven = (shift + len(raw)) % 3 != 0  # then the last sign depends on what follows
        yield _keep_signs(encoded[(0, 2, 3)[shift] : len(encoded) - uneven])


def _keep_signs(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "", text).lower()


def _read_signs(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the letters and digits of `text`, escapes read, each with where it begins and ends."""
    for found in _SIGNS.finditer(text):
        if plain := found["plain"]:
            yield plain.lower(), found.start(), found.end()
            continue
        codes = [int(found[name], 16) for name in _ESCAPES if found[name]]
        codes += [int(found["number"])] if found["number"] else []
        if codes and codes[0] < 128 and (sign := _keep_signs(chr(codes[0]))):
            yield sign, found.start(), found.end()


def _locate(said: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if len(said) == 1:
        yield start, end
    else:
        yield from ((start + k, start + k + 1) for k in range(len(said)))
