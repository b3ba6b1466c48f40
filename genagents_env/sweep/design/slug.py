"""Names of conditions as they stand in names of files."""

import re

_OTHER = re.compile(r"[^a-z0-9]+")
_LIMIT = 60


def slug(name: str) -> str:
    """Return `name` in small letters and digits, everything else one `-`; at most 60 characters."""
    return _OTHER.sub("-", name.lower())[:_LIMIT].strip("-") or "run"
