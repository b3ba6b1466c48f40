"""What a scenario says, as one hash: equal for scenarios that say the same."""

import json
from hashlib import sha256

from genagents_env.scenario.schema import Scenario


def digest_scenario(scenario: Scenario) -> str:
    """Return the SHA-256 of everything in a scenario that is not as it is by default.

    So a new optional key changes the digest of no scenario that goes without it, and no hash of a
    run of one. The other way round a default must never change: that is a new key. Pictures of
    people are left out, since nothing that happens depends on them.

    Returns:
        64 hexadecimal digits.
    """
    pictures = {"people": {"__all__": {"sprite"}}}
    said = scenario.model_dump(mode="json", exclude_defaults=True, exclude=pictures)
    return sha256(json.dumps(said, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
