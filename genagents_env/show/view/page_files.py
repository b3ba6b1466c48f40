"""The files of the page, as they were built from `web/`."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class PageFiles:
    """The document, its script and its style."""

    document: str
    script: str
    style: str


@cache
def load_page() -> PageFiles:
    """Return the files of the page."""
    folder = files("genagents_env.show.view") / "page"
    document, script, style = (
        (folder / name).read_text("utf-8") for name in ("index.html", "view.js", "view.css")
    )
    return PageFiles(document, script, style)
