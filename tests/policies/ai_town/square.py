"""A square with a few people in it, stepped by hand, to look at minds tick by tick."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from genagents_env.actions import Action
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule, sample_schema
from genagents_env.percept import Percept
from genagents_env.policies.ai_town import AiTownPolicy
from genagents_env.rng import draw_index
from genagents_env.scenario import Scenario
from genagents_env.world.events import Event
from tests.policies import harness
from tests.policies.harness import fields_of, write_people, write_town
from tests.policies.percepts import Value

NAMES = harness.NAMES[:6]
TICK = 10
_TOWN = """
name = "square"
title = "A square"
description = "A few people in a square and a hall."
town = "Square"
start = 2023-04-04T11:00:00
hours = 2
seconds_per_tick = {seconds}

[rules]
hearing_radius = {hearing}
walk_speed = {speed}
phone = false

[rules.conversation]
max_members = {members}
max_exchanges = {exchanges}
turn_taking = "{turns}"
cooldown_seconds = {cooldown}
idle_seconds = {idle}

[[sectors]]
name = "Square"
common = true

[[sectors.arenas]]
name = "lawn"
size = [9, 5]

[[sectors.arenas]]
name = "hall"
size = [4, 4]
"""
RULES: Mapping[str, Value] = {
    "hearing": 8, "speed": 0.1, "members": 4, "exchanges": 10,
    "turns": "one_speaker", "cooldown": 60, "idle": 300, "seconds": TICK,
}  # fmt: skip


def square(folder: Path, size: int, home: str = "Square/lawn", **rules: Value) -> Scenario:
    town = _TOWN.format(**{**RULES, **rules})
    return write_town(folder, town + write_people(size, home))


@dataclass(frozen=True)
class Step:
    """A tick: what everyone perceived, what the minds then did, and what came of it."""

    tick: int
    percepts: Mapping[str, Percept]
    actions: Mapping[str, Action]
    events: Sequence[Event]


class Square(harness.Town[AiTownPolicy]):
    """A town of AI Town minds, beside people whose actions are given.

    Args:
        scenario: the town.
        rule: of the model.
        minds: who has one; everybody where none are given.
        seed: of town and minds.
        config: of the minds.
    """

    def __init__(
        self,
        scenario: Scenario,
        rule: Rule = sample_schema,
        minds: Sequence[str] = (),
        seed: int = 3,
        **config: Value,
    ) -> None:
        super().__init__(scenario, AiTownPolicy(**config), rule, seed=seed, people=minds)

    def step(self, others: Mapping[str, Action] | None = None) -> Step:
        """Let the minds decide, and everybody else do what `others` says."""
        percepts = {name: self.infos[name]["percept"] for name in self.env.agents}
        own = {name: self.observations[name] for name in self.names}
        actions = self.policy.act(own, self.infos)
        tick = percepts[self.names[0]].tick
        self.observations, _, _, _, self.infos = self.env.step({**(others or {}), **actions})
        return Step(tick, percepts, actions, list(self.env.events))


def answer_at_random(request: CompletionRequest) -> str:
    """Return a reply of any kind: words, silence, somebody's fixed words, nonsense, no JSON."""
    fields, seed = fields_of(request), request.seed
    kind = draw_index(seed, 10, "kind")
    if kind == 0:
        return "no JSON at all"
    if fields != ["say"]:
        return sample_schema(request)
    name = NAMES[draw_index(seed, len(NAMES), "name")]
    words = {
        1: "",
        2: f"{name}, do you have a moment to talk?",
        3: f"Gladly, {name}. I am coming over.",
        4: f"Not now, {name}, I am sorry.",
        5: f"{name}: well, well.",
    }
    return json.dumps({"say": words.get(kind, f"Word {seed % 997} of mine, {name}.")})
