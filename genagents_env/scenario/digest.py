"""The hash of a scenario: equal for scenarios that say the same."""

import json
from hashlib import sha256

from genagents_env.scenario.schema import Scenario


def digest_scenario(scenario: Scenario) -> str:
    """Return the SHA-256 of everything in a scenario that is not at its default.

    A new optional key thus changes the digest of no scenario that goes without it, and no hash of a
    run of one. Defaults must therefore never change. Pictures of
    people are left out, since no event depends on them.

    Returns:
        64 hexadecimal digits.
    """
    pictures = {"people": {"__all__": {"sprite"}}}
    data = scenario.model_dump(mode="json", exclude_defaults=True, exclude=pictures)
    return sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
