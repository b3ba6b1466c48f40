"""The curious mind, interviewed, with notes and calls under way: for tests of runs with these."""

import asyncio
import os
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, Field

from genagents_env.actions import Action
from genagents_env.llm.calls import CallKey, Message
from genagents_env.policy import (
    INTERVIEW_CALLS,
    Answer,
    Context,
    Infos,
    MindNote,
    Observations,
    Profile,
    RecalledMemory,
    State,
)
from tests.run.curious import CuriousPolicy


class Words(BaseModel):
    words: str = Field(max_length=60)


class WitnessPolicy(CuriousPolicy):
    """Ponders now and then, which nobody waits for, and says in interviews what it has heard.

    It notes what it walks for and how many questions it is asked.
    """

    name = "witness"
    remembers = True

    def reset(self, profiles: Mapping[str, Profile], seed: int, context: Context) -> None:
        super().reset(profiles, seed, context)
        self.profiles = dict(profiles)
        self.tick, self.events = 0, {name: list[int]() for name in profiles}
        self.pondering: list[asyncio.Task[Words]] = []
        self.notes: list[MindNote] = []

    async def act_async(self, observations: Observations, infos: Infos) -> dict[str, Action]:
        self.notes = []
        actions = await super().act_async(observations, infos)
        for agent in observations:
            percept = infos[agent]["percept"]
            if (wish := self.wishes.get(agent)) and wish["do"] == "walk":
                walk = CallKey(agent, percept.tick, "wish", 0)
                self.notes.append(MindNote(walk, "wish", str(wish["words"])))
            self.tick = percept.tick + 1
            self.events[agent] += [heard.event_id for heard in percept.heard]
            if percept.tick % 9 == 8:
                call = self._say(CallKey(agent, percept.tick, "ponder.deep", 0), "What of it all?")
                self.pondering.append(asyncio.create_task(call))
        return actions

    async def interview_async(
        self, agent: str, questions: Sequence[str], repeat: int = 0
    ) -> list[Answer]:
        said = [
            await self._say(CallKey(agent, self.tick, "interview", number), text)
            for number, text in enumerate(questions, repeat * INTERVIEW_CALLS)
        ]
        asked = CallKey(agent, self.tick, "interview", repeat * INTERVIEW_CALLS)
        self.notes.append(MindNote(asked, "cut", f'{{"talk": {len(questions)}}}'))
        return [Answer(words.words, tuple(self.events[agent])) for words in said]

    def memories(self, agent: str) -> list[RecalledMemory]:
        known = [RecalledMemory(fact.statement) for fact in self.profiles[agent].facts]
        return [
            *known,
            RecalledMemory("There is word of a Valentine's party.", tuple(self.events[agent])),
        ]

    async def settle(self) -> None:
        await asyncio.gather(*self.pondering)

    def take_notes(self) -> list[MindNote]:
        taken, self.notes = sorted(self.notes, key=lambda note: note.call), []
        return taken

    async def _say(self, key: CallKey, prompt: str) -> Words:
        prompt = f"{prompt}\n{self.heard[key.agent]} {self.events[key.agent]}"
        if key.purpose == "ponder.deep":
            for _ in range(int(os.environ.get("PONDER_LONG", "0"))):
                await asyncio.sleep(0)
        answered = await self.model.ask(
            key, [Message("user", prompt)], Words, fallback=Words(words="hm")
        )
        value: Words = answered.value
        return value

    def state(self) -> State:
        return {**super().state(), "tick": self.tick, "events": self.events}

    def load_state(self, state: State) -> None:
        super().load_state(state)
        self.tick = state["tick"]
        self.events = {name: list(events) for name, events in state["events"].items()}
