"""Removes keys and passwords from every text that leaves the endpoint."""

import base64
import json
import os
import re
from typing import NoReturn, Protocol, runtime_checkable
from urllib.parse import quote

from genagents_env.llm.key_traces import KeyTraces
from genagents_env.text import clean

_LOGIN_IN_URL = re.compile(r"//[^/@:\s]*:[^/@\s]*@")
_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD)$", re.IGNORECASE)
_MARK = "[hidden]"
_MOST_READ = 1 << 16  # characters of a text of which a few hundred are shown


@runtime_checkable
class KeyHolder(Protocol):
    """An endpoint with a key: what a model says or is asked is stored without it."""

    def redact_keys(self, text: str) -> str:
        """Return `text` without the key and parts of it; a word like `local` is no key."""
        ...


class Redactor:
    """Replaces given secrets, however they are written, also parts of keys, and logins in URLs.

    The secrets are kept in a closure: neither `repr` nor `vars` of a redactor shows them.
    """

    def __init__(self, *secrets: str) -> None:
        forms = sorted({form for secret in secrets for form in _forms(secret)}, key=len)[::-1]
        find_traces = KeyTraces(*secrets).find

        def redact_keys(text: str) -> str:
            for start, end in reversed(find_traces(text)):
                text = f"{text[:start]}{_MARK}{text[end:]}"
            return text

        def redact(text: str) -> str:
            for form in forms:
                text = text.replace(form, _MARK)
            text = redact_keys(text)
            return _LOGIN_IN_URL.sub(f"//{_MARK}@", text)

        self.redact = redact
        self.redact_keys = redact_keys

    def clean(self, text: str, limit: int) -> str:
        """Return `text` clean, without secrets, in at most `limit` characters.

        Cut last: of a secret that is cut first, a part would be left. What `clean` takes out may
        stand within a secret, hence once more after it.
        """
        text = self.redact(text[:_MOST_READ])
        return self.redact(clean(text, _MOST_READ))[:limit].strip()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a redactor holds secrets and is not pickled")


def redact_environment(text: str) -> str:
    """Return `text` with the value of every environment variable that is a key blotted out."""
    return _read_environment().redact(text)


def clean_from_environment(text: str, limit: int) -> str:
    """Return `text` clean, in at most `limit` characters, without keys of the environment."""
    return _read_environment().clean(text, limit)


def _read_environment() -> Redactor:
    return Redactor(*(value for name, value in os.environ.items() if _SECRET_NAME.search(name)))


def _forms(secret: str) -> set[str]:
    """Return the ways `secret` may be written; none for what is too short to be one."""
    if len(secret) < 4:
        return set()
    raw = secret.encode("utf-8", "surrogatepass")
    encoded = {base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()}
    quoted = {quote(raw, safe=""), json.dumps(secret)[1:-1]}
    return {secret} | encoded | {form.rstrip("=") for form in encoded} | quoted
