"""Fixtures of the faculties' tests; `minds.py` has them as plain functions."""

from collections.abc import Callable

import pytest

from genagents_env.policies.smallville.mind import SmallvilleMind
from tests.policies.harness import collect_percepts
from tests.policies.percepts import Value
from tests.policies.smallville import minds

MakeMind = Callable[..., SmallvilleMind]


@pytest.fixture
def make_mind() -> MakeMind:
    """Return `make_mind(rule, who=profile, seed=3, **config)`: a new mind without memories."""
    return minds.make_mind


@pytest.fixture(scope="session")
def percepts() -> dict[str, Value]:
    """Return real percepts of one person from both shipped towns, by scenario."""
    tiny = collect_percepts("tiny", 12)["Ben Carver"]
    party = collect_percepts("valentines_party", 12, start="08:00")["Isabella Rodriguez"]
    return {"tiny": tiny, "valentines_party": party}
