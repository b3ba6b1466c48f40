"""The second line of defence: whatever text leaves a run has no secret of this process in it."""

import os
import re

from genagents_env.llm.redact import Redactor

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD)$", re.IGNORECASE)


def redact(text: str) -> str:
    """Return `text` with the value of every environment variable that is a key blotted out."""
    secrets = [value for name, value in os.environ.items() if _SECRET_NAME.search(name)]
    return Redactor(*secrets).redact(text)
