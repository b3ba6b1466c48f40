"""A mind in one call: persona, percept and the last few things seen become one action.

It decides when something new is perceived or what it is doing ends, not at every tick. Between
decisions it goes on: walks until it has arrived, does what it said for as long as it said.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from pydantic import TypeAdapter

from genagents_env.actions import Action, Idle, Talk
from genagents_env.cognition.policy import gather_all, read_options
from genagents_env.errors import PolicyError
from genagents_env.llm.calls import CallKey
from genagents_env.llm.scripted import ScriptedReplies
from genagents_env.llm.scripted.interview import answer_honestly
from genagents_env.memory.content import MindContent, SavedMind
from genagents_env.percept import Percept
from genagents_env.policy import (
    INTERVIEW_CALLS,
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

from . import content
from .config import ReactiveConfig
from .interview import PURPOSE, UNKNOWN, ReactiveAnswer, list_memories, make_prompt
from .mind import ReactiveMind, RememberedLine, clear_reasons, note_decision, notice
from .options import KEEP_ON, go_on, is_over, perform, stop
from .prompt import ReactivePrompts
from .reply import make_decision_model

__all__ = ["ReactiveConfig", "ReactivePolicy"]


class ReactivePolicy(Policy):
    """One model call per decision; the calls of all agents are under way together.

    Args: the fields of `ReactiveConfig`, by keyword.

    Raises:
        ConfigError: an unknown option or a value that is not allowed.
    """

    name = "reactive"
    needs_model = True
    faculties = ("decide",)
    remembers = True
    scripted_replies: ClassVar[ScriptedReplies] = {ReactiveAnswer: answer_honestly}
    causes = content.CAUSES

    def __init__(self, **options: object) -> None:
        self.config: ReactiveConfig = read_options(ReactiveConfig, options, self.name)
        self.minds: dict[str, ReactiveMind] = {}

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        """Begin an episode.

        Raises:
            PolicyError: the context has no model.
        """
        if context.model is None:
            raise PolicyError("reactive needs a language model; the context has none")
        self.profiles, self.start, self.model = dict(profiles), context.start, context.model
        self.prompts = ReactivePrompts(seed, self.config)
        self.who = {
            agent: self.prompts.format_system(profile) for agent, profile in profiles.items()
        }
        self.minds = {agent: ReactiveMind() for agent in profiles}

    async def act_async(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        """Return an action for each agent; needs percepts.

        When a call ends the run (budget, outage), nothing of this tick is kept: all calls are
        awaited first, so what was answered is in the cassette when the run goes on.
        """
        agents = list(observations)
        acted = await gather_all(self._act(agent, get_percept(infos, agent)) for agent in agents)
        self.minds.update((a, mind) for a, (_, mind) in zip(agents, acted, strict=True))
        return {agent: action for agent, (action, _) in zip(agents, acted, strict=True)}

    async def interview_async(
        self, agent: str, questions: Sequence[str], repeat: int = 0
    ) -> list[Answer]:
        """Answer each question as `agent`, one model call each; changes nothing."""
        numbered = enumerate(questions, repeat * INTERVIEW_CALLS)
        return await gather_all(self._answer(agent, number, text) for number, text in numbered)

    def memories(self, agent: str) -> list[RecalledMemory]:
        """Return the facts and ties of the profile, the facts heard, and the last things heard."""
        return list_memories(self.profiles[agent], self.minds[agent])

    @classmethod
    def describe_mind(cls, saved: SavedMind) -> MindContent:
        """Describe a saved mind for reports and pages."""
        return content.describe_mind(saved)

    async def _answer(self, agent: str, number: int, question: str) -> Answer:
        mind = self.minds[agent]
        asked = make_prompt(self.prompts, self.profiles[agent], mind, question)
        answered = await self.model.ask(
            CallKey(agent, mind.tick, PURPOSE, number),
            asked.messages,
            ReactiveAnswer,
            fallback=ReactiveAnswer(answer=UNKNOWN, because=[]),
            max_tokens=self.config.max_tokens,
            temperature=self.config.temperature,
        )
        return replace(asked.answer(answered.value), fallback=answered.fallback)

    async def _act(self, agent: str, percept: Percept) -> tuple[Action, ReactiveMind]:
        now = int((percept.time - self.start).total_seconds())
        mind = notice(self.minds[agent], percept, now, self.config)
        if percept.me.asleep:
            return Idle(), mind
        if is_over(mind.activity, percept):
            mind = replace(mind, activity=stop(mind.activity))
        talk = percept.conversation
        if mind.is_ready(now, self.config) and (talk is None or talk.may_speak):
            return await self._decide(agent, mind, percept, now)
        if talk is not None and self._is_silenced(mind, now):
            return Talk(None, "", leave=True), clear_reasons(mind)
        action, activity = go_on(mind.activity, percept)
        return action, replace(mind, activity=activity)

    async def _decide(
        self, agent: str, mind: ReactiveMind, percept: Percept, now: int
    ) -> tuple[Action, ReactiveMind]:
        messages, choices = self.prompts.format_messages(
            self.who[agent], self.profiles[agent], mind, percept
        )
        reply = make_decision_model(tuple(choices))
        doing = mind.activity.doing or percept.me.doing
        answered = await self.model.ask(
            CallKey(agent, percept.tick, "decide", 0),
            messages,
            reply,
            fallback=reply(do=KEEP_ON, say="", doing=doing, minutes=5),
            max_tokens=self.config.max_tokens,
            temperature=self.config.temperature,
        )
        decision = answered.value
        minutes = min(decision.minutes, self.config.longest_minutes)
        decision = decision.model_copy(update={"minutes": minutes})
        action, activity = perform(decision, choices, mind.activity, percept, now)
        line = (
            RememberedLine("you", action.text) if isinstance(action, Talk) and action.text else None
        )
        return action, note_decision(mind, activity, now, line)

    def _is_silenced(self, mind: ReactiveMind, now: int) -> bool:
        """Return True if the agent is spoken to but may not think again yet: then it leaves."""
        return mind.urgent and mind.count_decisions(now) >= self.config.decisions_per_hour

    def state(self) -> State:
        """Return every mind."""
        kept: State = _make_adapter().dump_python(self.minds, mode="json")
        return kept

    def load_state(self, state: State) -> None:
        """Resume from `state`."""
        self.minds = _make_adapter().validate_python(dict(state))


def _make_adapter() -> TypeAdapter[dict[str, ReactiveMind]]:
    return TypeAdapter(dict[str, ReactiveMind])
