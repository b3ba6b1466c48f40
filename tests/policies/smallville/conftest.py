"""Fixtures of the faculties' tests."""

import pytest

from tests.policies.harness import collect_percepts
from tests.policies.percepts import Value


@pytest.fixture(scope="session")
def percepts() -> dict[str, Value]:
    """Return real percepts of one person from both shipped towns, by scenario."""
    tiny = collect_percepts("tiny", 12)["Ben Carver"]
    party = collect_percepts("valentines_party", 12, start="08:00")["Isabella Rodriguez"]
    return {"tiny": tiny, "valentines_party": party}
