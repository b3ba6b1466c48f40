from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run.towns import run_town
from tests.view.browser import OpenPage, launch_browser, open_pages

RUNS = Path(__file__).parents[2] / "examples" / "runs"


@pytest.fixture(scope="session")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of forty ticks of a mind that asks a model."""
    path = tmp_path_factory.mktemp("view") / "short.sqlite"
    run_town(path)
    return path


@pytest.fixture(scope="session")
def valentines_run() -> Path:
    """A shipped run of three people whose replies a capable reader wrote."""
    return RUNS / "smallville_13_february.sqlite.xz"


@pytest.fixture(scope="module")
def open_page() -> Iterator[OpenPage]:
    """Opens pages in a headless Chromium; see `tests.view.browser.PageOpener`."""
    with launch_browser() as browser, open_pages(browser) as opener:
        yield opener
