"""Names of files, which no name in an experiment can break."""

import re
from collections.abc import Sequence

from genagents_env.report.trial import MeasuredTrial


def find_page(run: MeasuredTrial) -> str:
    """Return where in the report's folder the page of a run lies."""
    return f"pages/{re.sub(r'[^A-Za-z0-9_-]', '_', run.trial)}.html"


def make_slugs(names: Sequence[str]) -> list[str]:
    """Return for each name letters, digits and underscores, and a number, so that all differ."""
    return [f"{make_slug(name)[:40].strip('_')}_{k}".strip("_") for k, name in enumerate(names, 1)]


def make_slug(text: str) -> str:
    """Return letters, digits and underscores alone."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
