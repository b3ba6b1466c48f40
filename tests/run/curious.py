"""A small mind for tests: it asks a model now and then, remembers, and walks and talks by it."""

import asyncio
import os
from collections.abc import Mapping
from random import Random
from typing import Literal

from pydantic import BaseModel, Field

from genagents_env.actions import Action, Idle, Move, Talk
from genagents_env.llm.calls import CallKey, Message
from genagents_env.percept import Percept
from genagents_env.policy import Context, Infos, Observations, Policy, Profile, State
from genagents_env.record.rows import JSON


class Wish(BaseModel):
    do: Literal["walk", "talk", "rest"]
    where: int = Field(ge=0, le=50)
    words: str = Field(max_length=60)


class CuriousPolicy(Policy):
    """Asks every few ticks, sooner for some than for others.

    The order of its answers is shuffled by SHUFFLE_ACTIONS, which must change nothing.
    """

    name = "curious"
    needs_model = True

    def __init__(self, every: int = 4) -> None:
        self.every = every
        self.wishes: dict[str, dict[str, JSON]] = {}
        self.heard: dict[str, int] = {}

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        assert context.model is not None
        self.model, self.order = context.model, {name: k for k, name in enumerate(profiles)}
        self.wishes, self.heard = {}, dict.fromkeys(profiles, 0)

    async def act_async(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        percepts = {agent: infos[agent]["percept"] for agent in observations}
        for agent, percept in percepts.items():
            self.heard[agent] += len(percept.heard)
        asking = [a for a, p in percepts.items() if (p.tick + self.order[a]) % self.every == 0]
        wishes = await asyncio.gather(*(self._wish(a, percepts[a]) for a in asking))
        self.wishes.update(zip(asking, wishes, strict=True))
        order = list(percepts)
        Random(os.environ.get("SHUFFLE_ACTIONS", "")).shuffle(order)  # noqa: S311
        return {agent: self._action(agent, percepts[agent]) for agent in order}

    async def _wish(self, agent: str, percept: Percept) -> dict[str, JSON]:
        prompt = f"{percept.text}\nHeard so far: {self.heard[agent]}. What now?"
        fallback = Wish(do="rest", where=0, words="")
        key = CallKey(agent, percept.tick, "wish", 0)
        answered = await self.model.ask(key, [Message("user", prompt)], Wish, fallback=fallback)
        wish: dict[str, JSON] = answered.value.model_dump()
        return wish

    def _action(self, agent: str, percept: Percept) -> Action:
        wish = self.wishes.get(agent)
        if wish is None or wish["do"] == "rest":
            return Idle()
        if wish["do"] == "talk" and percept.people:
            return Talk(percept.people[0].name, wish["words"] or "hm", doing="chatting")
        return Move(percept.known[wish["where"] % len(percept.known)], doing="walking about")

    def state(self) -> State:
        return {"wishes": self.wishes, "heard": self.heard}

    def load_state(self, state: State) -> None:
        self.wishes, self.heard = dict(state["wishes"]), dict(state["heard"])
