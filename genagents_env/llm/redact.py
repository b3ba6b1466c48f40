"""Removes keys and passwords from every text that leaves the endpoint."""

import base64
import json
import os
import re
from typing import NoReturn
from urllib.parse import quote

_LOGIN_IN_URL = re.compile(r"//[^/@:\s]*:[^/@\s]*@")
_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD)$", re.IGNORECASE)
_MARK = "[hidden]"


class Redactor:
    """Replaces given secrets, however they are encoded, and logins in URLs.

    The secrets are kept in a closure: neither `repr` nor `vars` of a redactor shows them.
    """

    def __init__(self, *secrets: str) -> None:
        forms = sorted({form for secret in secrets for form in _forms(secret)}, key=len)[::-1]

        def redact(text: str) -> str:
            for form in forms:
                text = text.replace(form, _MARK)
            return _LOGIN_IN_URL.sub(f"//{_MARK}@", text)

        self.redact = redact

    def __reduce__(self) -> NoReturn:
        raise TypeError("a redactor holds secrets and is not pickled")


def redact_environment(text: str) -> str:
    """Return `text` with the value of every environment variable that is a key blotted out."""
    secrets = [value for name, value in os.environ.items() if _SECRET_NAME.search(name)]
    return Redactor(*secrets).redact(text)


def _forms(secret: str) -> set[str]:
    """Return the ways `secret` may be written; none for what is too short to be one."""
    if len(secret) < 4:
        return set()
    raw = secret.encode("utf-8", "surrogatepass")
    encoded = {base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()}
    quoted = {quote(raw, safe=""), json.dumps(secret)[1:-1]}
    return {secret} | encoded | {form.rstrip("=") for form in encoded} | quoted
