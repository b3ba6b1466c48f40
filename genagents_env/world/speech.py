"""Speech: who hears what, opening and ending conversations, news, and small talk."""

from typing import TYPE_CHECKING

import numpy as np

from genagents_env.world.acts import Say
from genagents_env.world.beginning import arenas_in
from genagents_env.world.snapshot import Outcome, Sound
from genagents_env.world.talks import Talk

if TYPE_CHECKING:
    from genagents_env.world.town import World

TALK_EMOJI = "💬"
TOO_LONG = (
    "You have been in this conversation too long and were removed from it. Choose what to do next."
)


class Speech:
    """Carries words between the people of one world."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._told: set[tuple[int, int, int]] = set()

    def earshot(self, i: int) -> list[int]:
        """Return who is near enough to hear `i` (asleep or not), ascending."""
        w = self._world
        x, y = w.tile % w.ground.width, w.tile // w.ground.width
        apart = np.maximum(np.abs(x - x[i]), np.abs(y - y[i]))
        zone = w.ground.zone_of_arena[w.arena]
        near = (apart <= w.cast.hearing) & (zone == zone[i]) & w.present
        near[i] = False
        found: list[int] = np.flatnonzero(near).tolist()
        return found

    def refusal(self, i: int, j: int, near: list[int]) -> str | None:
        """Return why `i` may not speak to `j`, given who is in earshot, or None."""
        w = self._world
        if i == j:
            return "one does not address oneself"
        if not self._reaches(i, j, near):
            return f"{w.names[j]} is out of earshot"
        return w.talks.refusal(i, j, w.tick)

    def say(self, i: int, act: Say) -> None:
        """Speak, if one may; whoever hears it, hears it at the end of this tick."""
        w = self._world
        if act.leave and not act.text:
            self._just_leave(i)
            return
        near = self.earshot(i)
        reason = self._objection(i, act, near)
        if reason is not None:
            w.fail(i, "talk", reason)
            return
        talk = self._enter(i, act.to, near)
        last = w.talks.spoke(i, w.tick) if talk is not None else False
        self._utter(i, act, near, talk)
        partner = "those around" if act.to is None else w.names[act.to]
        w.show(i, act.doing or f"talking to {partner}", act.emoji or TALK_EMOJI)
        if talk is not None and act.leave:
            self.leave(i, "said_so")
        elif last:
            event = self.leave(i, "limit")
            w.hear(i, Sound("notice", None, TOO_LONG, True, False, (), event))

    def leave(self, i: int, reason: str) -> int:
        """Take `i` out of the conversation, and whoever is left alone; return the event's id."""
        w = self._world
        talk = w.talks.remove(i, w.tick)
        event = w.log.emit("leave", i, conversation=talk.id, reason=reason)
        if len(talk.members) == 1:
            other = talk.members[0]
            w.talks.remove(other, w.tick)
            w.log.emit("leave", other, conversation=talk.id, reason="alone")
        return event

    def upkeep(self) -> None:
        """End memberships that walking off, sleep or silence have ended."""
        w = self._world
        w.talks.expire(w.tick)
        for talk in list(w.talks.open.values()):
            silent = w.tick - talk.last >= w.talks.idle
            for i in list(talk.members):
                if i not in talk.members:
                    continue
                if w.asleep[i]:
                    self.leave(i, "asleep")
                elif not talk.remote and not set(self.earshot(i)) & set(talk.members):
                    self.leave(i, "walked_away")
                elif silent:
                    self.leave(i, "silence")

    def news(self, text: str, place: str | None) -> None:
        """Let everyone awake in `place` (everywhere if None) hear `text`."""
        w = self._world
        arenas = None if place is None else arenas_in(w.plan, place)
        hearers = [
            i
            for i in np.flatnonzero(w.present & ~w.asleep).tolist()
            if arenas is None or int(w.arena[i]) in arenas
        ]
        facts = w.cast.facts_in(text)
        names = [w.names[i] for i in hearers]
        event = w.log.emit("news", None, text=text, place=place, heard_by=names)
        ids = tuple(w.cast.fact_ids[f] for f in facts)
        for i in hearers:
            w.hear(i, Sound("news", None, text, False, False, ids, event))
            for fact in facts:
                w.learn_fact(i, fact, event, None)

    def small_talk(self, i: int, j: int) -> str:
        """Return a greeting for `j` and, where `i` knows one not yet told to `j`, a fact.

        Never a secret one: who picks words from a menu does not mean to give it away.
        """
        w = self._world
        hello = f"Hello {w.names[j].split(' ')[0]}."
        for fact, statement in enumerate(w.cast.statements):
            if w.cast.secret[fact]:
                continue
            if w.facts[i] >> fact & 1 and (i, j, fact) not in self._told:
                return f"{hello} {statement}"
        return hello

    def state(self) -> list[list[int]]:
        """Return who told whom which fact, as JSON values."""
        return sorted(list(t) for t in self._told)

    def load_state(self, state: list[list[int]]) -> None:
        """Go on from `state`."""
        self._told = {(i, j, f) for i, j, f in state}

    def _objection(self, i: int, act: Say, near: list[int]) -> str | None:
        w = self._world
        if act.to is not None:
            reason = self.refusal(i, act.to, near)
            if reason is not None:
                return reason
        elif w.talks.of[i] >= 0 and w.talks.hush(i):
            return w.talks.hush(i)
        if w.talks.taken(self._speaks_in(i, act.to), w.tick):
            return "someone else was speaking"
        return None

    def _speaks_in(self, i: int, j: int | None) -> int:
        """Return the conversation in which `i` speaks to `j`, if it is open already; else -1."""
        of = self._world.talks.of
        return of[i] if j is None or of[j] < 0 else of[j]

    def _reaches(self, i: int, j: int, near: list[int]) -> bool:
        w = self._world
        if j in near:
            return True
        together = w.talks.of[i] >= 0 and w.talks.of[i] == w.talks.of[j]
        if together and w.talks.open[w.talks.of[i]].remote:
            return True
        people = w.scenario.people
        return bool(
            w.scenario.rules.phone
            and people[i].phone
            and people[j].phone
            and w.present[j]
            and w.acquainted(i, j)
        )

    def _enter(self, i: int, j: int | None, near: list[int]) -> Talk | None:
        """Open or join the conversation that speaking to `j` means; None for open speech."""
        w = self._world
        mine = w.talks.of[i]
        if j is None:
            return w.talks.open.get(mine)
        theirs = w.talks.of[j]
        if mine >= 0 and theirs >= 0 and mine != theirs:
            self.leave(i, "said_so")
            mine = -1
        if mine < 0 and theirs < 0:
            talk = w.talks.begin(i, j, w.tick, remote=j not in near)
            self._joined(talk, i)
            self._joined(talk, j)
        elif mine == theirs:
            talk = w.talks.open[mine]
        else:
            talk = w.talks.open[max(mine, theirs)]
            joiner = i if mine < 0 else j
            w.talks.add(talk, joiner)
            self._joined(talk, joiner)
        if w.asleep[j]:
            w.wake(j, "speech")
        return talk

    def _joined(self, talk: Talk, i: int) -> None:
        w = self._world
        members = [w.names[m] for m in talk.members]
        w.log.emit("converse", i, conversation=talk.id, members=members)

    def _utter(self, i: int, act: Say, near: list[int], talk: Talk | None) -> None:
        w = self._world
        members = [m for m in talk.members if m != i] if talk is not None else []
        remote = talk is not None and talk.remote
        reached = set(near)
        addressed = [m for m in members if remote or m in reached]
        if talk is None:
            addressed = [j for j in near if not w.asleep[j]]
        hearers = set(addressed)
        if w.scenario.rules.overhear:
            hearers |= {j for j in near if not w.asleep[j]}
        facts = w.cast.facts_in(act.text)
        ids = tuple(w.cast.fact_ids[f] for f in facts)
        event = w.log.emit(
            "say",
            i,
            text=act.text,
            to=None if act.to is None else w.names[act.to],
            addressed=[w.names[j] for j in sorted(addressed)],
            heard_by=[w.names[j] for j in sorted(hearers)],
            conversation=None if talk is None else talk.id,
            phone=remote,
            facts=list(ids),
        )
        w.spoken.append((i, act.text))
        w.outcomes[i] = Outcome(True, "" if hearers else "Nobody heard you.")
        for j in sorted(hearers):
            phone = remote and j in members
            w.hear(j, Sound("speech", i, act.text, j in addressed, phone, ids, event))
            for fact in facts:
                self._told.add((i, j, fact))
                w.learn_fact(j, fact, event, w.names[i])

    def _just_leave(self, i: int) -> None:
        w = self._world
        if w.talks.of[i] < 0:
            w.fail(i, "talk", "you are in no conversation")
            return
        self.leave(i, "said_so")
        w.outcomes[i] = Outcome(True, "You left the conversation.")
