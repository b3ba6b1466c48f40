"""The rules of talk and of doors, for towns that are arrays: the town's own, on a shadow of it."""

from collections.abc import Mapping
from typing import Any

from genagents_env.train.core.towns import NEVER, Towns
from genagents_env.world import speech
from genagents_env.world.access import Access
from genagents_env.world.crowd import Doors
from genagents_env.world.events import JSON, Log
from genagents_env.world.resolved import ResolvedSpeak
from genagents_env.world.sight import Earshot
from genagents_env.world.snapshot import Sound
from genagents_env.world.state import WorldState
from genagents_env.world.tiles import Bools, Ints


class Shadow(WorldState):
    """As much of a town's state as talk and doors need. What happens is noted in the arrays.

    Args:
        towns: the arrays.
        t: which of the towns this is.
    """

    def __init__(self, towns: Towns, t: int) -> None:
        self._towns, self._t = towns, t
        self.town = towns.envs[t].world.town
        self.access, self.log = Access(self.town.rights), _NoLog(self.town.names)
        self.told, self.earshot = _Told(towns, t), _Earshot(towns, t)
        self.spoken, self.outcomes, self.words = [], {}, {}
        self.tile = self.arena = towns.tile[t]
        self._cooling = False

    def read(self) -> None:
        """Go on from what the town itself is now."""
        state = self._towns.envs[self._t].world.state
        self.conversations, self.facts = state.conversations.copy(), list(state.facts)
        self.seed, self.tick = state.seed, state.tick
        self.access.set_minute(self.town.clock.second(state.tick) // 60)
        self.begin_tick()
        self._note_talks()

    def begin_tick(self) -> None:
        """Take over what the arrays have of this tick."""
        towns, t = self._towns, self._t
        self.tick = int(towns.tick[t])
        self.present, self.asleep = towns.present[t], towns.asleep[t]
        self.all_awake = bool(towns.awake[t])

    def talk(self, acts: Mapping[int, ResolvedSpeak]) -> None:
        """Let people speak or leave, in the order of ties."""
        self.begin_tick()
        order = list(acts) if len(acts) == 1 else [i for i in self.rank() if i in acts]
        self.spoken, self.outcomes = [], {}
        for i in order:
            speech.speak(self, i, acts[i])
        self._note_talks()

    def end_conversations(self) -> None:
        """End those that are over."""
        self.begin_tick()
        speech.end_conversations(self)
        self._note_talks()

    def rank(self) -> list[int]:
        """Return everyone in the order in which ties are won at this tick."""
        order: list[int] = self._towns.rank()[self._t].tolist()
        return order

    def _note_talks(self) -> None:
        """Write into the arrays who is in a conversation, and who may not begin or join one."""
        towns, t, talks = self._towns, self._t, self.conversations
        towns.talk[t], due = talks.of, NEVER
        if towns.may_wait[t]:
            towns.full[t] = towns.waits[t] = False
        for talk in talks.open.values():
            if towns.may_wait[t]:
                towns.full[t, talk.members] = len(talk.members) >= talks.rules.max_members
                if talks.rules.turn_taking == "round_robin":
                    towns.waits[t, talk.members] = True
                    towns.waits[t, talk.turn] = False
                due = min(due, talk.turn_since + talks.turn)
            due = min(due, self.tick if talk.remote else talk.last + talks.idle)
        if self._cooling or talks.until:
            towns.cool[t], self._cooling = 0, bool(talks.until)
            for (i, j), until in talks.until.items():
                if until > self.tick:
                    towns.cool[t, i, j] = towns.cool[t, j, i] = until
                    due = min(due, until)
        towns.talk_due[t] = due

    def pass_doors(self, tile: Ints, arena: Ints, crossing: Bools) -> None:
        """Let people step onto `tile`, in `arena`, or stay; `tile` is mended."""
        towns, t = self._towns, self._t
        self.begin_tick()
        self.tile = towns.tile[t] - towns.terrain.first[towns.layout[t]]
        self.arena = towns.terrain.arena[towns.tile[t]]
        who, doors = crossing.nonzero()[0].tolist(), Doors(self)
        order = [i for i in self.rank() if i in who] if len(who) > 1 else who
        for i in order:
            if not doors.let(i, int(self.arena[i]), int(arena[i])):
                tile[i] = towns.tile[t, i]

    def is_acquainted(self, i: int, j: int) -> bool:
        """Return True if `i` knows `j`."""
        return j in self.town.people.friends[i] or bool(self._towns.last[self._t, i, j] >= 0)

    def show(self, i: int, doing: str, emoji: str) -> None:
        """Show nothing: what people are seen doing is in no number."""

    def fail(self, i: int, action: str, reason: str, *, illegal: bool = False) -> None:
        """Note that an action failed."""
        self._towns.failed[self._t, i] = True
        self._towns.illegal[self._t, i] |= illegal

    def hear(self, i: int, sound: Sound) -> None:
        """Note that somebody heard something."""
        towns = self._towns
        (towns.addressed if sound.addressed else towns.overheard)[self._t, i] = True

    def learn_fact(self, i: int, fact: int, cause: int, source: str | None) -> None:
        """Let `i` know a fact from now on."""
        if not self.facts[i] >> fact & 1:
            self.facts[i] |= 1 << fact
            self._towns.facts[self._t, i, fact] = True
            self._towns.stale[self._t] = True


class _NoLog(Log):
    """Of events nobody asks for: the town itself writes them when it is asked."""

    def emit(self, kind: str, agent: int | None, **data: JSON) -> int:
        """Write nothing."""
        return 0


class _Told(set[tuple[int, int, int]]):
    """Who told whom what: speaker, hearer and fact of an entry of the array."""

    def __init__(self, towns: Towns, t: int) -> None:
        self._towns, self._t = towns, t

    def __reduce__(self) -> tuple[type["_Told"], tuple[Towns, int]]:
        return _Told, (self._towns, self._t)

    def add(self, entry: tuple[int, int, int]) -> None:
        """Note that one told another a fact."""
        speaker, hearer, fact = entry
        self._towns.told[self._t, speaker, hearer, fact] = True

    def __contains__(self, entry: Any) -> bool:
        speaker, hearer, fact = entry
        return bool(self._towns.told[self._t, speaker, hearer, fact])


class _Earshot(Earshot):
    """Who hears whom, as the arrays have it."""

    def __init__(self, towns: Towns, t: int) -> None:
        self._towns, self._t = towns, t

    def find_hearers(self, i: int, tile: Ints, present: Bools) -> list[int]:
        """Return the people near enough to hear `i`, ascending; where they stand is known."""
        near: list[int] = self._towns.near[self._t, i].nonzero()[0].tolist()
        return near
