"""Episodes that were lived once earn today what they earned then, to the last digit."""

import numpy as np
import pytest

from tests.train.tasks.canaries import POLICIES, load_canaries, repeat
from tests.train.tasks.names import EVERY

KNOWN = load_canaries()


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("task", EVERY)
def test_a_canary_earns_what_it_did(task: str, policy: str) -> None:
    """If it does not: `python -m tests.train.tasks.canaries TASK`, and say why."""
    canary = KNOWN[task][policy]
    assert repeat(task, canary["lived"]) == canary["returns"]


@pytest.mark.parametrize("task", KNOWN)
def test_a_cheat_earns_no_more_than_chance_or_idling(task: str) -> None:
    earned = {
        policy: float(np.mean(list(KNOWN[task][policy]["returns"].values()))) for policy in POLICIES
    }
    low = max(earned["random"], earned["idle"])
    assert earned["cheat"] <= low + 0.1 * max(0.0, earned["solution"] - low) + 1e-9
