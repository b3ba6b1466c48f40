"""Smallville minds to try faculties on, by themselves and in a town."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Literal

from genagents_env.actions import Action
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.scripted import Rule, sample_schema
from genagents_env.percept import Conversation, Percept
from genagents_env.policies.smallville import SmallvillePolicy, converse, react
from genagents_env.policies.smallville.config import SmallvilleConfig
from genagents_env.policies.smallville.mind import Dialogue, DialogueLine, SmallvilleMind
from genagents_env.policies.smallville.perceive import Observation
from genagents_env.policy import Profile
from genagents_env.rng import draw_index
from genagents_env.scenario import Scenario
from genagents_env.world.events import Event
from tests.policies import harness
from tests.policies.harness import endpoint_of as endpoint_of
from tests.policies.harness import fields_of, make_services, think
from tests.policies.harness import moment as moment
from tests.policies.percepts import Value, profile

GOOD = {  # a memo of a talk
    "remember": "there is a party",
    "plan": "",
    "commitments": [],
    "relationship": "",
    "importance": 7,
    "changes_plan": False,
}


def make_mind(
    rule: Rule = sample_schema, *, who: Profile | None = None, seed: int = 3, **config: Value
) -> SmallvilleMind:
    """Return a mind that remembers nothing yet; its model answers by `rule`."""
    services = make_services("smallville", SmallvilleConfig.model_validate(config), rule, seed)
    return SmallvilleMind(services, who if who is not None else profile())


def group(*members: str, turn: str | None = None, may_speak: bool = True) -> Conversation:
    return Conversation(7, members, turn, may_speak, 8)


def in_dialogue(
    name: str, members: tuple[str, ...], *lines: tuple[str, str], **config: Value
) -> tuple[SmallvilleMind, Dialogue]:
    """Return somebody's mind and dialogue in a conversation in which `lines` were said."""
    mind = make_mind(who=profile(name=name), **config)
    others = [member for member in members if member != name]
    mind.dialogue = Dialogue(7, 0, others, heard=0)
    mind.dialogue.lines = [DialogueLine(who, text, 3) for who, text in lines]
    return mind, mind.dialogue


def dialogue_of(mind: SmallvilleMind) -> Dialogue:
    """Return the conversation that somebody is in."""
    assert mind.dialogue is not None
    return mind.dialogue


def live(
    mind: SmallvilleMind, percept: Percept, observations: Sequence[Observation] = ()
) -> Action | None:
    """Let `mind` react and converse at one moment; return what it does in a conversation."""
    now = moment(mind, percept)
    mind.asleep = percept.me.asleep
    asked = [*converse.make_queries(mind, now), *react.make_queries(mind, now, observations)]
    think(mind, asked, percept)
    action: Action | None = converse.choose_action(mind, now)
    return action


def make_observation(
    subject: str,
    text: str,
    kind: Literal["person", "object", "heard"] = "person",
    asleep: bool = False,
) -> Observation:
    """Return an observation of a person or an object."""
    return Observation(kind, subject, text, asleep)


def make_talkative_rule(seed: int = 0, longest: int = 6, where: str = "") -> Rule:
    """Return a rule that goes up to people, ends talks now and then, and does all on the spot.

    Or it does all in the place `where`.
    """

    def rule(request: CompletionRequest) -> str:
        reply, fields = sample_schema(request), fields_of(request)
        talks = re.findall(r'"(talk to [^"]+)"', json.dumps(request.schema))
        if fields[0] == "choice" and talks:
            return json.dumps({"choice": talks[0], "what": "", "minutes": 0})
        if fields[0] == "say":
            draw = draw_index(request.seed, longest, seed, "end")
            words = "" if draw == 1 else f"Words {request.seed}."
            return json.dumps({"say": words, "end": draw == 0})
        if fields[0] == "spots":  # the first of the places offered is where one is
            here = json.dumps(request.schema).split('"where": {"enum": ["', 1)[1].split('"', 1)[0]
            spots = json.loads(reply)["spots"]
            return json.dumps(
                {"spots": [{**s, "where": where or here, "thing": "nothing"} for s in spots]}
            )
        return reply

    return rule


class Town(harness.Town[SmallvillePolicy]):
    """Smallville minds in a town."""

    def __init__(
        self,
        scenario: str | Scenario,
        rule: Rule = sample_schema,
        *,
        config: Mapping[str, object] | None = None,
        **options: Value,
    ) -> None:
        super().__init__(scenario, SmallvillePolicy(**(config or {})), rule, **options)

    def step(self) -> list[Event]:
        """Play one tick; return its events."""
        actions = self.policy.act({agent: {} for agent in self.env.agents}, self.infos)
        *_, self.infos = self.env.step(actions)
        return list(self.env.events)
