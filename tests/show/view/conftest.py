from collections.abc import Iterator
from pathlib import Path

import pytest

from genagents_env.run import PolicySpec, run
from tests.run.towns import CURIOUS, make_options, make_spec, run_town
from tests.show.view.browser import OpenPage, launch_browser, open_pages

RUNS = Path(__file__).parents[3] / "examples" / "runs"
VALENTINES = RUNS / "smallville_13_february.sqlite.xz"


@pytest.fixture(scope="session")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of forty ticks of a mind that asks a model."""
    path = tmp_path_factory.mktemp("view") / "short.sqlite"
    run_town(path)
    return path


@pytest.fixture(scope="session")
def valentines_run() -> Path:
    """A shipped run of three people whose replies a capable reader wrote."""
    return VALENTINES


@pytest.fixture(scope="session")
def own_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a policy of one's own, given by its path, which asks a model at every tick."""
    path = tmp_path_factory.mktemp("own") / "run.sqlite"
    spec = make_spec("tiny", 12, policy=PolicySpec(CURIOUS, {"every": 1}))
    assert run(spec, path, make_options()).status == "finished"
    return path


@pytest.fixture(scope="module")
def open_page() -> Iterator[OpenPage]:
    """Opens pages in a headless Chromium; see `tests.show.view.browser.PageOpener`."""
    with launch_browser() as browser, open_pages(browser) as opener:
        yield opener
