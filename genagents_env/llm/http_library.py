"""The HTTP library that the installed `openai` speaks: `httpx2`, or the `httpx` of its version 2.

Both have the same names. Some frameworks for training language models still pin version 2.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING

__all__ = ["httpx2"]

if TYPE_CHECKING:
    import httpx2
else:
    httpx2 = import_module("httpx2" if int(version("openai").split(".")[0]) >= 3 else "httpx")
