"""Conversations as world state: members, turns and ends."""

from copy import copy
from dataclasses import astuple, dataclass, field, replace
from typing import NamedTuple

from genagents_env.scenario.schema import ConversationRules
from genagents_env.world.constants import Clock
from genagents_env.world.events import JSON


class ConversationView(NamedTuple):
    """One conversation as its members know it. `turn`: who alone may speak, or None for anyone."""

    id: int
    members: tuple[int, ...]
    turn: int | None
    said: tuple[int, ...]


@dataclass(slots=True)
class OpenConversation:
    """One conversation. `said` counts utterances by member, in step with `members`."""

    id: int
    remote: bool
    last: int
    turn_since: int
    turn: int
    spoke_at: int = -1
    members: list[int] = field(default_factory=list)
    said: list[int] = field(default_factory=list)


class Conversations:
    """All conversations of the town, and the cool-downs between pairs. Times in ticks."""

    def __init__(self, rules: ConversationRules, count: int, clock: Clock) -> None:
        self.rules = rules
        self.idle, self.turn = clock.ticks(rules.idle_seconds), clock.ticks(rules.turn_seconds)
        self.cooldown = clock.ticks(rules.cooldown_seconds)
        self.of = [-1] * count
        self.open: dict[int, OpenConversation] = {}
        self.until: dict[tuple[int, int], int] = {}
        self._next = 0

    def find_refusal(self, i: int, j: int, tick: int) -> str | None:
        """Return the reason why `i` may not speak to `j`, or None; range is not checked."""
        mine, theirs = self.of[i], self.of[j]
        if mine == theirs and mine >= 0:
            return self.check_turn(i)
        if theirs >= 0:
            return self._no_room(theirs)
        if mine >= 0:
            return self._no_room(mine) or self.check_turn(i)
        if self.until.get((min(i, j), max(i, j)), -1) > tick:
            return "you two talked just now; give it some time"
        return None

    def list_bound(self) -> set[int]:
        """Return the people in a conversation or a cool-down; others are never refused."""
        bound = {i for talk in self.open.values() for i in talk.members}
        for pair in self.until:
            bound.update(pair)
        return bound

    def check_turn(self, i: int) -> str | None:
        """Return the reason why turn-taking forbids a member to speak, or None."""
        talk = self.open[self.of[i]]
        if self.rules.turn_taking == "round_robin" and talk.turn != i:
            return "it is not your turn to speak"
        return None

    def is_taken(self, id_: int, tick: int) -> bool:
        """Return True if somebody already spoke in a talk at `tick` and the rule is one at a time.

        One who joins it by speaking is bound by that, too; -1 is no talk yet.
        """
        talk = self.open.get(id_)
        return talk is not None and self.rules.turn_taking != "free" and talk.spoke_at == tick

    def begin(self, i: int, j: int, tick: int, *, remote: bool) -> OpenConversation:
        """Open a conversation of two; `i` speaks first."""
        talk = OpenConversation(self._next, remote, tick, tick, i)
        self._next += 1
        self.open[talk.id] = talk
        self.add(talk, i)
        self.add(talk, j)
        return talk

    def add(self, talk: OpenConversation, i: int) -> None:
        """Make `i` a member."""
        talk.members.append(i)
        talk.said.append(0)
        self.of[i] = talk.id

    def count_utterance(self, i: int, tick: int) -> bool:
        """Count an utterance of `i`; return whether that was the last one allowed."""
        talk = self.open[self.of[i]]
        k = talk.members.index(i)
        talk.said[k] += 1
        talk.last = talk.spoke_at = tick
        self._pass_turn(talk, k, tick)
        return talk.said[k] >= self.rules.max_exchanges

    def remove(self, i: int, tick: int) -> OpenConversation:
        """Take `i` out; cool-downs with the others start. An empty conversation is closed."""
        talk = self.open[self.of[i]]
        k = talk.members.index(i)
        if talk.turn == i and len(talk.members) > 1:
            self._pass_turn(talk, k, tick)
        del talk.members[k], talk.said[k]
        self.of[i] = -1
        for j in talk.members:
            self.until[min(i, j), max(i, j)] = tick + self.cooldown
        if not talk.members:
            del self.open[talk.id]
        return talk

    def expire(self, tick: int) -> None:
        """Pass overdue turns and forget cool-downs that are over."""
        if self.until:
            self.until = {pair: t for pair, t in self.until.items() if t > tick}
        for talk in self.open.values():
            if tick - talk.turn_since >= self.turn:
                self._pass_turn(talk, talk.members.index(talk.turn), tick)

    def view(self, talk: OpenConversation) -> ConversationView:
        """Return a conversation as its members know it."""
        turn = talk.turn if self.rules.turn_taking == "round_robin" else None
        return ConversationView(talk.id, tuple(talk.members), turn, tuple(talk.said))

    def copy(self) -> "Conversations":
        """Return conversations that go on from these."""
        other = copy(self)
        other.of, other.until = list(self.of), dict(self.until)
        other.open = {
            id_: replace(talk, members=list(talk.members), said=list(talk.said))
            for id_, talk in self.open.items()
        }
        return other

    def state(self) -> dict[str, JSON]:
        """Return everything, as JSON values."""
        talks = [list(astuple(talk)) for talk in self.open.values()]
        until = [[i, j, t] for (i, j), t in self.until.items()]
        return {"open": talks, "until": until, "next": self._next}

    def load_state(self, state: dict[str, JSON]) -> None:
        """Resume from `state`."""
        self.of = [-1] * len(self.of)
        self.open = {t[0]: OpenConversation(*t) for t in state["open"]}
        for talk in self.open.values():
            talk.members, talk.said = list(talk.members), list(talk.said)
            for i in talk.members:
                self.of[i] = talk.id
        self.until = {(i, j): t for i, j, t in state["until"]}
        self._next = state["next"]

    def _no_room(self, talk_id: int) -> str | None:
        if len(self.open[talk_id].members) >= self.rules.max_members:
            return "that conversation is full"
        return None

    def _pass_turn(self, talk: OpenConversation, k: int, tick: int) -> None:
        talk.turn = talk.members[(k + 1) % len(talk.members)]
        talk.turn_since = tick
