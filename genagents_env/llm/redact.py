"""Removes keys and passwords from every text that leaves an endpoint.

A server that sends a key back may break it up by blanks or colours, or write it in escapes, percent
encoding, hexadecimal or base64. So a text and a key are compared by their letters and digits alone,
after escapes are decoded; twelve in a row that are in the key count as a part of it.
"""

import base64
import json
import os
import re
from collections.abc import Iterator
from typing import NoReturn, Protocol, runtime_checkable
from urllib.parse import quote

from genagents_env.text import clean

_LOGIN_IN_URL = re.compile(r"//[^/@:\s]*:[^/@\s]*@")
_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD)$", re.IGNORECASE)
_MARK = "[hidden]"
_MOST_READ = 1 << 16  # characters of a text of which a few hundred are shown
_LEAST_KEY, _LEAST_DIGITS = 16, 2  # of a key, as against a word like `local`
_PART = 12  # letters and digits in a row that count as part of a key; prose shares none by chance
_PIECES = re.compile(
    r"(?:\x1b|\\u001b|\\x1b|%1b)\[[0-?]*[ -/]*[@-~]"  # colours of a terminal
    r"|(?:\\u00|\\x|%(?:25)*|&\#x)(?P<code>[0-9a-f]{2})"
    r"|\\[abfnrtv]"
    r"|(?P<plain>[a-z0-9]+)",
    re.IGNORECASE | re.ASCII,
)


@runtime_checkable
class KeyHolder(Protocol):
    """An endpoint with a key, which must not be stored."""

    def redact_keys(self, text: str) -> str:
        """Return `text` without the key and parts of it; a word like `local` is no key."""
        ...


class Redactor:
    """Replaces secrets, however written, parts of keys, and logins in URLs.

    The secrets are in a closure, so that neither `repr` nor `vars` shows them.
    """

    def __init__(self, *secrets: str) -> None:
        forms = sorted({form for secret in secrets for form in _list_forms(secret)}, key=len)[::-1]
        parts = frozenset(part for secret in secrets for part in _list_parts(secret))

        def redact_keys(text: str) -> str:
            for start, end in reversed(_find_parts(text, parts)):
                text = f"{text[:start]}{_MARK}{text[end:]}"
            return text

        def redact(text: str) -> str:
            for form in forms:
                text = text.replace(form, _MARK)
            return _LOGIN_IN_URL.sub(f"//{_MARK}@", redact_keys(text))

        self.redact = redact
        self.redact_keys = redact_keys

    def clean(self, text: str, limit: int) -> str:
        """Return `text` without secrets and control characters, cut to `limit` characters.

        It is cut last, since cutting a secret first would leave a part of it. It is redacted again
        after `clean`, which may remove characters from within a secret.
        """
        text = self.redact(text[:_MOST_READ])
        return self.redact(clean(text, _MOST_READ))[:limit].strip()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a redactor holds secrets and is not pickled")


def redact_environment(text: str) -> str:
    """Return `text` without the values of environment variables that are keys."""
    return _read_environment().redact(text)


def clean_from_environment(text: str, limit: int) -> str:
    """Return `text` as `Redactor.clean` does, without keys of the environment."""
    return _read_environment().clean(text, limit)


def _read_environment() -> Redactor:
    return Redactor(*(value for name, value in os.environ.items() if _SECRET_NAME.search(name)))


def _list_forms(secret: str) -> set[str]:
    """Return the ways to write all of `secret`; none if it is too short for a secret."""
    if len(secret) < 4:
        return set()
    raw = secret.encode("utf-8", "surrogatepass")
    encoded = {base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()}
    quoted = {quote(raw, safe=""), json.dumps(secret)[1:-1]}
    return {secret} | encoded | {form.rstrip("=") for form in encoded} | quoted


def _list_parts(secret: str) -> Iterator[str]:
    """Yield each part of a key as it is written plainly, in hexadecimal, and within base64."""
    is_path = secret.startswith(("/", ".", "~"))
    digits = sum(char.isdigit() for char in secret)
    if len(secret) < _LEAST_KEY or digits < _LEAST_DIGITS or is_path:
        return
    raw = secret.encode("utf-8", "surrogatepass")
    writings = [secret, raw.hex()]
    for shift in range(3):  # the character at either end may depend on the text beside the key
        encoded = base64.b64encode(b"\0" * shift + raw).decode().rstrip("=")
        uneven = (shift + len(raw)) % 3 != 0
        writings.append(encoded[(0, 2, 3)[shift] : len(encoded) - uneven])
    for writing in writings:
        letters = re.sub(r"[^a-z0-9]+", "", writing.lower())
        yield from (letters[at : at + _PART] for at in range(len(letters) - _PART + 1))


def _find_parts(text: str, parts: frozenset[str]) -> list[tuple[int, int]]:
    """Return the ranges of parts of keys in `text`, in order, with overlapping ones joined."""
    if not parts:
        return []
    letters, places = "", list[tuple[int, int]]()
    for match in _PIECES.finditer(text):
        start, end = match.span()
        if plain := match["plain"]:
            letters += plain.lower()
            places += [(at, at + 1) for at in range(start, end)]
        elif (
            match["code"] and (letter := chr(int(match["code"], 16))).isascii() and letter.isalnum()
        ):
            letters += letter.lower()
            places.append((start, end))
    ranges: list[tuple[int, int]] = []
    for at in range(len(letters) - _PART + 1):
        if letters[at : at + _PART] in parts:
            start, end = places[at][0], places[at + _PART - 1][1]
            if ranges and start < ranges[-1][1]:
                start = ranges.pop()[0]
            ranges.append((start, end))
    return ranges
