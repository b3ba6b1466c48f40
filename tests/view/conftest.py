from pathlib import Path

import pytest

from tests.run.towns import run_town


@pytest.fixture(scope="session")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of forty ticks of a mind that asks a model."""
    path = tmp_path_factory.mktemp("view") / "short.sqlite"
    run_town(path)
    return path
