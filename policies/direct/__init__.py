"""A model that acts directly: it reads the text observation and replies with one action.

No memory, no plans, no faculties: what it can do is what the model can do. It is the form in which
language models are trained (`genagents_env.train.language`), and in which a trained one is
deployed. What a reply begins goes on without another call: a walk until it has arrived, a wait
until it is over, or until somebody speaks to the agent.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pydantic import TypeAdapter

from genagents_env.actions import Action, Idle
from genagents_env.cognition.policy import gather_all, read_options
from genagents_env.errors import PolicyError
from genagents_env.llm.calls import CallKey
from genagents_env.memory.content import (
    CallCause,
    ContentPlan,
    ContentPlanLine,
    MindContent,
    SavedMind,
    read_reply,
)
from genagents_env.percept import Percept
from genagents_env.policy import (
    Context,
    Infos,
    MindNote,
    Observations,
    Policy,
    Profile,
    State,
    get_percept,
)

from .config import DirectConfig
from .mind import DirectMind, begin, go_on, is_over, listen, rest
from .prompt import DirectPrompts
from .reply import PURPOSE, DirectReply

__all__ = ["DirectConfig", "DirectPolicy", "DirectReply"]

_NOTE = "This mind remembers its last turns alone, as many as its prompts have room for."
_ACTS = ("say", "converse", "leave", "doing", "object", "arrive")
_FAULT = 160  # characters of what was wrong with a reply


class DirectPolicy(Policy):
    """One model call a decision; those of all agents are under way together.

    Args: the fields of `DirectConfig`, by keyword.

    Raises:
        ConfigError: an unknown option or a value that is not allowed.
    """

    name = "direct"
    needs_model = True
    causes = dict.fromkeys(_ACTS, (CallCause((PURPOSE,)),))
    faculties = (PURPOSE,)

    def __init__(self, **options: object) -> None:
        self.config: DirectConfig = read_options(DirectConfig, options, self.name)
        self.minds: dict[str, DirectMind] = {}
        self._notes: list[MindNote] = []

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        """Begin an episode.

        Raises:
            PolicyError: the context has no model.
        """
        if context.model is None:
            raise PolicyError("direct needs a language model; the context has none")
        self.model, self._tick_seconds = context.model, context.seconds_per_tick
        self.prompts = DirectPrompts(
            seed, self.config, self.model.bound_prompt(self.config.prompt_tokens)
        )
        self.who = {agent: self.prompts.format_system(p) for agent, p in profiles.items()}
        self.minds = {agent: DirectMind() for agent in profiles}
        self._notes = []

    async def act_async(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        """Return an action for each agent; needs percepts.

        When a call ends the run (budget, outage), nothing of this tick is kept.
        """
        agents = list(observations)
        acted = await gather_all(self._act(agent, get_percept(infos, agent)) for agent in agents)
        self.minds.update((a, mind) for a, (_, mind) in zip(agents, acted, strict=True))
        return {agent: action for agent, (action, _) in zip(agents, acted, strict=True)}

    def take_notes(self) -> Sequence[MindNote]:
        """Return a note for each prompt that had no room for some lines of the observation."""
        notes, self._notes = sorted(self._notes, key=lambda note: note.call), []
        return notes

    @classmethod
    def describe_mind(cls, saved: SavedMind) -> MindContent:
        """Describe a saved mind for reports and pages."""
        return MindContent(plans=tuple(_list_acts(saved)), note=_NOTE)

    async def _act(self, agent: str, percept: Percept) -> tuple[Action, DirectMind]:
        mind, talk = self.minds[agent], percept.conversation
        if percept.me.asleep:
            return Idle(), rest(mind)
        if not is_over(mind, percept):
            return go_on(listen(mind, percept), percept)
        if talk is not None and not talk.may_speak:  # it is another's turn
            return Idle(), listen(rest(mind), percept)
        return await self._decide(agent, mind, percept)

    async def _decide(
        self, agent: str, mind: DirectMind, percept: Percept
    ) -> tuple[Action, DirectMind]:
        messages, dropped = self.prompts.format_messages(self.who[agent], mind, percept)
        key = CallKey(agent, percept.tick, PURPOSE, 0)
        answered = await self.model.ask(
            key,
            messages,
            DirectReply,
            fallback=DirectReply(do="wait"),
            max_tokens=self.config.max_tokens,
            temperature=self.config.temperature,
        )
        if dropped:
            self._notes.append(MindNote(key, "cut", json.dumps({"seen": dropped})))
        reply = answered.value
        minutes = min(reply.minutes, self.config.longest_minutes)
        minutes = minutes if reply.do == "wait" else self.config.longest_minutes
        turns = self._keep_turn(mind, messages[-1].content, answered.words)
        if answered.fallback:
            return Idle(), DirectMind(fault=(answered.fault or "")[:_FAULT], turns=turns)
        action, after = begin(reply, percept, -(-60 * minutes // self._tick_seconds))
        return action, replace(after, turns=turns)

    def _keep_turn(self, mind: DirectMind, asked: str, said: str) -> tuple[tuple[str, str], ...]:
        """Return the turns that later prompts show: what was asked and said, word for word."""
        if not self.config.history:
            return ()
        new = ((asked, said),) if said else ()  # no model may have answered
        return (*mind.turns, *new)[-self.config.history :]

    def state(self) -> State:
        """Return every mind."""
        kept: State = _make_adapter().dump_python(self.minds, mode="json")
        return kept

    def load_state(self, state: State) -> None:
        """Resume from `state`."""
        self.minds = _make_adapter().validate_python(dict(state))


def _make_adapter() -> TypeAdapter[dict[str, DirectMind]]:
    return TypeAdapter(dict[str, DirectMind])


def _list_acts(saved: SavedMind) -> Iterator[ContentPlan]:
    """Yield each act as a plan of one line."""
    for call in saved.calls:
        if call.purpose == PURPOSE and (fields := read_reply(call)):
            parts = [str(fields.get(name, "")) for name in ("do", "target", "words")]
            line = ContentPlanLine(" ".join(part for part in parts if part))
            yield ContentPlan(call.tick + 1, "what to do next", (line,))
