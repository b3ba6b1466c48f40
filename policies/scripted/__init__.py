"""The baseline without a model: people follow their routine, greet, and pass on what they know.

It makes the spread of a fact measurable before any mind is involved: who meets whom is decided
by routines and the town, and a fact goes from mouth to mouth once per listener.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import TypeAdapter

from genagents_env.actions import Action, Idle, Move
from genagents_env.cognition.routine import is_in_bed
from genagents_env.memory.content import (
    BEFORE,
    ContentMemory,
    ContentPlan,
    MindContent,
    SavedMind,
)
from genagents_env.percept import Percept
from genagents_env.policy import (
    Answer,
    Context,
    Infos,
    Observations,
    Policy,
    Profile,
    RecalledMemory,
    State,
    get_percept,
)

from .day import follow_day
from .interview import answer_question
from .state import ScriptedConfig, ScriptedState
from .talk import converse, greet, listen

__all__ = ["ScriptedConfig", "ScriptedPolicy"]

_NOTE = (
    "A scripted person keeps the facts it knows, and no other memories; its day is the routine of "
    "its profile."
)


class ScriptedPolicy(Policy):
    """Follows the profile's routine by the clock, greets, answers, and tells facts.

    Args: the fields of `ScriptedConfig`, by keyword.
    """

    name = "scripted"
    remembers = True

    def __init__(
        self,
        *,
        share: float = 1.0,
        mute: bool = False,
        greet_again_minutes: int = 240,
        retell_minutes: int = 40,
        near: int = 6,
    ) -> None:
        self.config = ScriptedConfig(share, mute, greet_again_minutes, retell_minutes, near)
        self.states: dict[str, ScriptedState] = {}

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        """Begin an episode: everyone knows the facts of their profile and has met nobody."""
        self.profiles, self.seed, self.start = dict(profiles), seed, context.start
        # Who cannot hear so far is not spoken to from there; others mostly hear as far as oneself.
        self.configs = {
            agent: replace(self.config, near=min(self.config.near, profile.hearing_radius))
            for agent, profile in profiles.items()
        }
        self.states = {
            agent: ScriptedState(
                facts={fact.id: fact.statement for fact in profile.facts},
                secrets=[fact.id for fact in profile.facts if fact.secret],
            )
            for agent, profile in profiles.items()
        }

    def act(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        """Return an action for each agent; needs percepts."""
        return {agent: self._act(agent, get_percept(infos, agent)) for agent in observations}

    def _act(self, agent: str, percept: Percept) -> Action:
        memory, profile = self.states[agent], self.profiles[agent]
        now = int((percept.time - self.start).total_seconds())
        listen(memory, percept, now)
        if percept.me.asleep and is_in_bed(profile, percept.time.time()):
            return Idle()
        action = (
            converse(memory, percept, now, self.configs[agent], self.seed)
            or greet(memory, percept, now, self.configs[agent], self.seed)
            or follow_day(memory, profile, percept, now)
        )
        memory.last = type(action).__name__
        memory.going = action.place if isinstance(action, Move) else ""
        return action

    def interview(self, agent: str, questions: Sequence[str], repeat: int = 0) -> list[Answer]:
        """Answer each question by what `agent` knows or has heard; changes nothing.

        Every repeat gives the same answers: nothing in them is left to chance.
        """
        memory, profile = self.states[agent], self.profiles[agent]
        return [answer_question(memory, profile, question) for question in questions]

    def memories(self, agent: str) -> list[RecalledMemory]:
        """Return the facts `agent` knows, each with the event of hearing it where it was heard."""
        memory = self.states[agent]
        return [
            RecalledMemory(text, (memory.sources[fact],) if fact in memory.sources else ())
            for fact, text in memory.facts.items()
        ]

    @classmethod
    def describe_mind(cls, saved: SavedMind) -> MindContent:
        """Describe a saved mind: its facts with the events of hearing them, and the routine."""
        days = saved.list_days() if saved.routine else []
        plans = tuple(ContentPlan(day, "the usual day", tuple(saved.routine)) for day in days)
        if saved.state is None:
            return MindContent(plans=plans)
        sources = saved.state["sources"]
        memories = [
            ContentMemory(
                number,
                None if fact in sources else BEFORE,
                "observation" if fact in sources else "known",
                text,
                events=(sources[fact],) if fact in sources else (),
            )
            for number, (fact, text) in enumerate(saved.state["facts"].items())
        ]
        return MindContent(tuple(memories), plans, note=_NOTE)

    def state(self) -> State:
        """Return the state of every agent."""
        return {agent: memory.as_json() for agent, memory in self.states.items()}

    def load_state(self, state: State) -> None:
        """Resume from `state`."""
        self.states = TypeAdapter(dict[str, ScriptedState]).validate_python(dict(state))
