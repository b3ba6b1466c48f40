"""Fixtures of the faculties' tests."""

import pytest

from genagents_env.percept import Percept
from tests.policies.harness import collect_percepts


@pytest.fixture(scope="session")
def percepts() -> list[Percept]:
    """Return real percepts of Isabella Rodriguez."""
    return collect_percepts("valentines_party", 12, start="08:00")["Isabella Rodriguez"]
