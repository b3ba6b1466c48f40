"""Choices of a menu, read for all people at once; and what they come to in a town by itself."""

from typing import NamedTuple

import numpy as np

from genagents_env.env import TownEnv
from genagents_env.observe.columns import SIZE
from genagents_env.observe.decode import speak
from genagents_env.observe.menu import Menu
from genagents_env.observe.plain_slots import PlainSlots
from genagents_env.observe.plain_view import PlainView
from genagents_env.observe.spaces import Mask
from genagents_env.train.core.look import Slots
from genagents_env.train.core.towns import NONE, Towns
from genagents_env.world.resolved import RefusedAct, ResolvedAct
from genagents_env.world.tiles import Bools, Ints

NOTHING, REFUSED, TO_PERSON, TO_THING, USE, TALK, TELL, LEAVE = range(8)
_ABOUT_PERSON: Bools = np.isin(np.arange(8), (TO_PERSON, TALK, TELL))
_ABOUT_THING: Bools = np.isin(np.arange(8), (TO_THING, USE))
_KINDS = {
    "idle": NOTHING,
    "place": NOTHING,
    "approach": TO_PERSON,
    "seek": TO_PERSON,
    "reach": TO_THING,
    "reach_own": TO_THING,
    "use": USE,
    "use_own": USE,
    "talk": TALK,
    "tell": TELL,
    "name": USE,
    "leave": LEAVE,
}


class Acts(NamedTuple):
    """What everybody attempts in a tick, all shapes (T, N).

    `goal`: the place walked to, -1 for none. `kind`: one of the constants above. `about`: the
    person or thing; of REFUSED the choice, -1 where it is none. `state`: of USE as which of the
    following states, of TELL the fact.
    """

    goal: Ints
    kind: Ints
    about: Ints
    state: Ints

    def shrink(self) -> "Acts":
        """Return the same in a quarter of the room."""
        goal, kind, about, state = (part.astype(np.int16) for part in self)
        return Acts(goal, kind, about, state)  # type: ignore[arg-type]  # read one by one, as ints

    def leave_out(self, towns: Bools) -> "Acts":
        """Return acts of which those of some towns, shape (T,), are nothing."""
        goal, kind = self.goal.copy(), self.kind.copy()
        goal[towns], kind[towns] = NONE, NOTHING
        return Acts(goal, kind, self.about, self.state)

    def resolve(self, t: int, env: TownEnv) -> tuple[Ints, dict[int, ResolvedAct]]:
        """Return what the people of a town attempt, as its `World.step` takes it."""
        acts: dict[int, ResolvedAct] = {}
        decoder, menu = env.parts.decoder, env.parts.menu
        for i in self.kind[t].nonzero()[0].tolist():
            kind, about, state = (int(part[t, i]) for part in self[1:])
            if kind == REFUSED:
                acts[i] = _refuse(menu, about)
            elif kind == TO_PERSON:
                acts[i] = decoder.go_towards(i, about)
            elif kind == TO_THING:
                acts[i] = decoder.go_beside(about)
            elif kind == USE:
                acts[i] = decoder.use(about, state)
            elif kind == LEAVE:
                acts[i] = decoder.leave()
            else:
                acts[i] = speak(env.world.state, i, about, state if kind == TELL else None)
        return self.goal[t].astype(np.int64), acts


class ChoiceReader:
    """Reads the choices of a menu; all towns have menus of the same choices.

    Args:
        menu: of one of the towns.
        slots: what is in everybody's.
        plain: what they see by the plain menu, if it is that.
    """

    def __init__(self, menu: Menu, slots: Slots | PlainSlots, plain: PlainView | None) -> None:
        self._size, self._slots, self._plain = menu.size, slots, plain
        self._has_places = menu.columns > SIZE
        self._kind: Ints = np.array([_KINDS[choice.kind] for choice in menu.choices])
        self._slot: Ints = np.array([choice.slot for choice in menu.choices])
        self._state: Ints = np.array([choice.state for choice in menu.choices])
        kinds = np.array([choice.kind for choice in menu.choices])
        self._is_place: Bools = kinds == "place"
        self._is_name: Bools = kinds == "name"
        self._is_own: Bools = np.isin(kinds, ("seek", "reach_own", "use_own"))

    def read(self, towns: Towns, mask: Mask, chosen: Ints) -> Acts:
        """Read what everybody has chosen, shape (T * N,), of what was possible by `mask`."""
        strange = (chosen < 0) | (chosen >= self._size)
        strange &= towns.present.ravel()
        number = np.where(strange | ~towns.present.ravel(), 0, chosen)
        slots = self._slots
        legal = np.take_along_axis(mask, number[:, None], axis=1)[:, 0] > 0
        refused = strange | ~legal
        kind = np.where(refused, REFUSED, self._kind[number])
        slot, state = self._slot[number], self._state[number].copy()
        about = np.where(strange, NONE, number)
        goal: Ints = np.full(len(chosen), NONE)
        at = (self._is_place[number] & legal).nonzero()[0]
        goal[at] = slots.places[at, slot[at]] if self._has_places else slot[at]
        own, goals = self._is_own[number], towns.goals
        self._fill(about, goals.person, (kind == TO_PERSON) & own, slot)
        self._fill(about, goals.object, (kind == TO_THING) & own, slot)
        at = ((kind == USE) & own).nonzero()[0]
        if len(at):
            self._fill(about, goals.object, (kind == USE) & own, slot)
            town, wanted = towns.town[at], goals.state.reshape(len(chosen), -1)[at, slot[at]]
            now = towns.objects[town, about[at]]
            state[at] = towns.terrain.things.number_of[towns.of[at], about[at], now, wanted]
        for is_about, filled in ((_ABOUT_PERSON, slots.people), (_ABOUT_THING, slots.things)):
            at = (is_about[kind] & ~own).nonzero()[0]
            about[at] = filled[at, slot[at]]
        at = (kind == TELL).nonzero()[0]
        state[at] = slots.facts[at, state[at]]
        if self._plain is not None:
            self._read_uses(self._plain, (kind == USE).nonzero()[0], number, about, state)
        shape = towns.tile.shape
        return Acts(
            goal.reshape(shape), kind.reshape(shape), about.reshape(shape), state.reshape(shape)
        )

    def _read_uses(
        self, plain: PlainView, at: Ints, number: Ints, about: Ints, state: Ints
    ) -> None:
        """Read what the rows `at` put into which following state, into `about` and `state`."""
        slot, named = self._slot[number[at]], self._is_name[number[at]]
        by_state, by_name = at[~named], at[named]
        state[by_state] = plain.uses[by_state, slot[~named], state[by_state]]
        if len(by_name):
            about[by_name] = plain.names[0][by_name, slot[named]]
            state[by_name] = plain.names[1][by_name, slot[named]]

    @staticmethod
    def _fill(about: Ints, part: Ints, where: Bools, slot: Ints) -> None:
        at = where.nonzero()[0]
        about[at] = part.reshape(len(about), -1)[at, slot[at]]


def _refuse(menu: Menu, choice: int) -> RefusedAct:
    if choice < 0:
        return RefusedAct("none", "you gave no action that can be understood")
    return RefusedAct("choice", f"it is not possible now to {menu.describe(choice)}")
