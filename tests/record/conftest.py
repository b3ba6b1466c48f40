from collections.abc import Iterator
from pathlib import Path

import pytest

from genagents_env.record import RunMeta
from tests.record.lived import make_meta
from tests.record.other_process import OtherProcess


@pytest.fixture(scope="session")
def meta() -> RunMeta:
    return make_meta()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.sqlite"


@pytest.fixture(scope="session")
def others() -> Iterator[tuple[OtherProcess, OtherProcess]]:
    with OtherProcess() as one, OtherProcess() as another:
        yield one, another


@pytest.fixture
def other(others: tuple[OtherProcess, OtherProcess]) -> OtherProcess:
    return others[0]
