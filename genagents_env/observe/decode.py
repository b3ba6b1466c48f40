"""Decode the actions given to `step`; actions without a meaning become a `RefusedAct`."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from genagents_env.actions import Action, Idle, Interact, Move, Restart, Talk
from genagents_env.observe.menu import Menu
from genagents_env.observe.plain_menu import PlainMenu
from genagents_env.observe.portable_menu import OWN_KINDS, PortableMenu
from genagents_env.observe.spaces import Mask
from genagents_env.text import clean, set_apart
from genagents_env.world.interaction import find_use_refusal
from genagents_env.world.movement import make_move
from genagents_env.world.resolved import (
    RefusedAct,
    ResolvedAct,
    ResolvedMove,
    ResolvedRestart,
    ResolvedSpeak,
    ResolvedStay,
    ResolvedUse,
)
from genagents_env.world.speech import make_small_talk
from genagents_env.world.state import WorldState
from genagents_env.world.tiles import Ints
from genagents_env.world.world import World

_INTEGERS = frozenset({int, np.int64, np.int32, np.int16, np.int8})
_WORDS = 200  # characters of what one is doing
_ACTIONS = (Move, Talk, Interact, Idle, Restart)
_KEPT = 4096  # actions whose reading is kept
NOTHING = RefusedAct("none", "you gave no action that can be understood")


class Attempt(NamedTuple):
    """What everyone attempts: a place index (N,) or -1, and anything else by person index."""

    goals: Ints
    acts: dict[int, ResolvedAct]


def speak(state: WorldState, i: int, j: int, fact: int | None = None) -> ResolvedSpeak:
    """Let `i` tell `j` a fact, or greet them."""
    if fact is not None:
        return ResolvedSpeak(j, state.town.people.statements[fact])
    return ResolvedSpeak(j, make_small_talk(state, i, j))


class Decoder:
    """Reads the actions of one environment against the menu its agents were shown."""

    def __init__(self, world: World, menu: Menu, agents: Sequence[str], *, words: bool) -> None:
        self._world, self._menu, self._words = world, menu, words
        self._agents = tuple(agents)
        # Of one name alone there would be no tuple.
        self._pick = itemgetter(*self._agents, self._agents[0])
        self._rows = np.arange(world.count)
        self._nowhere: Ints = np.full(world.count, -1, dtype=np.int64)
        self._readings: dict[tuple[object, ...], _Reading] = {}
        self._utterance = world.scenario.rules.max_utterance
        # By person, the action that was given and the walk that it is: the same again as long as
        # people know these places and have these rights.
        self._walks: dict[int, tuple[Action, ResolvedMove]] = {}
        self._based_on: tuple[object, object] = (None, None)

    def decode(self, actions: Mapping[str, object], mask: Mask) -> Attempt:
        """Decode the actions of agents that were shown `mask`."""
        acts: dict[int, ResolvedAct] = {}
        chosen, messages = self._read_choices(actions)
        if chosen is None:
            chosen, messages = self._read_any(actions, acts)
            if not np.count_nonzero(chosen):
                return Attempt(self._nowhere.copy(), acts)
        goals = self._menu.find_goals(chosen)
        legal = mask[self._rows, chosen]
        odd = self._menu.special[chosen] >= legal  # a place or idling, and legal, is plain
        if np.count_nonzero(odd):
            for i in odd.nonzero()[0].tolist():
                if legal[i]:
                    acts[i] = self.resolve_choice(i, int(chosen[i]), messages.get(i))
                else:
                    goals[i] = -1
                    what = self._menu.describe(int(chosen[i]))
                    acts[i] = RefusedAct("choice", f"it is not possible now to {what}")
        return Attempt(goals, acts)

    def _read_choices(self, actions: Mapping[str, Any]) -> tuple[Ints | None, dict[int, str]]:
        """All agents gave a plain choice of the declared format: no per-agent work."""
        messages: dict[int, str] = {}
        try:
            values: Sequence[Any] = self._pick(actions)[:-1]
            if self._words:
                messages = {i: v["message"] for i, v in enumerate(values) if v["message"]}
                values = [v["choice"] for v in values]
        except (KeyError, TypeError, IndexError):
            return None, messages
        if not _INTEGERS.issuperset(map(type, values)):
            return None, messages
        if min(values) < 0 or max(values) >= self._menu.size:
            return None, messages
        return np.array(values, dtype=np.int64), messages

    def _read_any(
        self, actions: Mapping[str, object], acts: dict[int, ResolvedAct]
    ) -> tuple[Ints, dict[int, str]]:
        chosen = np.zeros(self._world.count, dtype=np.int64)
        messages: dict[int, str] = {}
        state = self._world.state
        present, known, rights = state.present.tolist(), state.known, state.access.places
        if self._based_on[0] is not known or self._based_on[1] is not rights:
            self._based_on, self._walks = (known, rights), {}
        walks = self._walks
        for i, value in enumerate(map(actions.get, self._agents)):
            if not present[i]:
                continue
            # Most of what people do: go on to where they were going.
            if i in walks and walks[i][0] is value:
                acts[i] = walks[i][1]
                continue
            if isinstance(value, _ACTIONS):
                read = self._find_reading(value)
                act = acts[i] = self._resolve(i, value, read)
                if isinstance(read, _Aim) and act is read.move:
                    walks[i] = (value, act)
                continue
            choice = self._parse_choice(value)
            if choice is None:
                acts[i] = NOTHING
                continue
            chosen[i] = choice
            if isinstance(value, Mapping) and value.get("message"):
                messages[i] = value["message"]
        return chosen, messages

    def reads(self, value: object) -> bool:
        """Return whether `value` is an action of this town's agents, possible now or not."""
        return isinstance(value, _ACTIONS) or self._parse_choice(value) is not None

    def _parse_choice(self, value: object) -> int | None:
        """Return a menu index, or None for anything that is not one."""
        if self._words and isinstance(value, Mapping):
            value = value.get("choice")
        if isinstance(value, np.ndarray) and value.shape == ():
            value = value[()]
        if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
            return None
        return int(value) if 0 <= value < self._menu.size else None

    def resolve_choice(self, i: int, choice: int, message: object = None) -> ResolvedAct:
        """Resolve a possible choice that is neither a place nor idling."""
        kind, index, next_state = self._menu.choices[choice]
        state = self._world.state
        if kind == "leave":
            return self.leave()
        if kind in ("use", "name"):
            return self.use(*self._find_use(i, kind, index, next_state))
        if kind == "reach":
            return self.go_beside(self._menu.object(i, index))
        if kind in OWN_KINDS and isinstance(self._menu, PortableMenu):
            return self._resolve_own(i, kind, *self._menu.find_wanted(i, index))
        j = self._menu.person(i, index)
        if kind == "approach":
            return self.go_towards(i, j)
        if kind == "tell" and isinstance(self._menu, PortableMenu | PlainMenu):
            return speak(state, i, j, self._menu.find_fact(i, next_state))
        text = clean(message, self._utterance) if isinstance(message, str) else ""
        return ResolvedSpeak(j, text) if text else speak(state, i, j)

    def _find_use(self, i: int, kind: str, slot: int, state: int) -> tuple[int, int]:
        """Return a thing, and which of its following states it is to be put into."""
        if isinstance(self._menu, PlainMenu):
            if kind == "name":
                return self._menu.find_naming(i, slot)
            return self._menu.find_use(i, slot, state)
        return self._menu.object(i, slot), state

    def leave(self) -> ResolvedSpeak:
        """Leave the conversation one is in."""
        return ResolvedSpeak(None, "", leave=True)

    def use(self, o: int, following: int) -> ResolvedUse:
        """Put an object into one of its next states."""
        objects = self._world.state.objects
        return ResolvedUse(o, objects.next_states(o, objects.states[o])[following])

    def _resolve_own(self, i: int, kind: str, person: int, item: int, state: int) -> ResolvedAct:
        """Resolve a choice about the person or the object of a goal of `i`."""
        if kind == "seek":
            return self.go_towards(i, person)
        if kind == "reach_own":
            return self.go_beside(item)
        return ResolvedUse(item, self._world.plan.objects[item].states[state])

    def _find_reading(self, action: Action) -> "_Reading | None":
        """Return the cached reading of an action, if any: people repeat most of them."""
        try:
            if type(action) is Move:
                return self._readings.get((Move, action.place, action.doing, action.emoji))
            return self._readings.get(_list_fields(action))
        except TypeError:  # a field holds something that cannot be kept
            return None

    def _resolve(self, i: int, action: Action, read: "_Reading | None") -> ResolvedAct:
        """Resolve the names in a dataclass action, of which perhaps a reading is known."""
        try:
            if isinstance(action, Talk):
                return self._resolve_talk(i, action)
            if read is None:
                read = self._read(action)
                if len(self._readings) == _KEPT:
                    self._readings.clear()
                with suppress(TypeError):
                    self._readings[_list_fields(action)] = read
            if isinstance(read, _Aim):
                return self._resolve_move(i, read)
            return self._resolve_interact(i, read) if isinstance(read, _Grip) else read
        except (AttributeError, TypeError):
            return NOTHING  # a field holds something that is not text

    def _read(self, action: Move | Interact | Idle | Restart) -> "_Reading":
        doing, emoji = _read_shown(action)
        if isinstance(action, Move):
            return self._read_move(clean(action.place, 200), doing, emoji)
        if isinstance(action, Interact):
            name, places = clean(action.object, 250), self._world.town.places
            named = places.find(name)
            item = named[1] if named is not None and named[0] == "object" else None
            return _Grip(name, item, action.state, doing, emoji)
        if isinstance(action, Restart):
            if not self._world.scenario.rules.restart:
                return RefusedAct("restart", "this town knows no restart")
            return ResolvedRestart(doing, emoji)
        return ResolvedStay(doing, emoji)

    def _read_move(self, name: str, doing: str | None, emoji: str | None) -> "_Aim":
        town = self._world.town
        named = town.places.find(name)
        if named is None:
            person = town.people.find(name)
            return _Aim(name, doing, emoji, person=person, tile=self._parse_tile(name))
        kind, index = named
        if kind == "object":
            place = town.places.of_arena[town.plan.objects[index].arena]
            return _Aim(name, doing, emoji, place, self.go_beside(index, doing, emoji))
        label = town.places.all[index].label
        move = make_move(town.paths.find_targets(index), label, doing, emoji)
        return _Aim(name, doing, emoji, index, move)

    def _resolve_move(self, i: int, aim: "_Aim") -> ResolvedAct:
        state, town = self._world.state, self._world.town
        place = aim.place
        if aim.move is not None:
            if not state.known[i] >> place & 1:
                name = town.places.ids[place]
                return RefusedAct("move", f"you do not know a place called {name}")
            if not state.access.places[i, place]:
                arena = town.places.all[place].arenas[0]
                return RefusedAct("move", state.access.explain_refusal(i, arena))
            return aim.move
        if aim.person is not None and aim.person != i:
            return self.go_towards(i, aim.person, aim.doing, aim.emoji)
        if aim.tile is not None:
            return self._go_to_tile(i, aim.tile, aim.name, aim.doing, aim.emoji)
        known = [p for k, p in enumerate(town.places.ids) if state.known[i] >> k & 1]
        return RefusedAct(
            "move", town.places.explain_unknown(aim.name) + town.places.suggest(aim.name, known)
        )

    def go_beside(
        self, index: int, doing: str | None = None, emoji: str | None = None
    ) -> ResolvedMove:
        """Walk to an object: to the nearest free tile beside it."""
        ground, item = self._world.town.ground, self._world.plan.objects[index]
        return make_move(ground.around(item), f"the {item.name}", doing, emoji)

    def _parse_tile(self, name: str) -> int | None:
        x, comma, y = name.strip("()").partition(",")
        ground = self._world.town.ground
        if not comma or not (x.strip().isdecimal() and y.strip().isdecimal()):
            return None
        if len(x) > 9 or len(y) > 9 or int(x) >= ground.width or int(y) >= ground.height:
            return None
        return ground.tile(int(x), int(y))

    def _go_to_tile(
        self, i: int, tile: int, name: str, doing: str | None, emoji: str | None
    ) -> ResolvedAct:
        state, town = self._world.state, self._world.town
        place = town.places.of_arena[int(town.ground.arena[tile])]
        if not town.ground.free[tile] or not state.known[i] >> place & 1:
            return RefusedAct("move", f"you know of no free tile {name}")
        return make_move((tile,), f"({name.strip('()')})", doing, emoji)

    def go_towards(
        self, i: int, j: int, doing: str | None = None, emoji: str | None = None
    ) -> ResolvedAct:
        """Walk to `j`, if in sight, else to where they were last seen."""
        state, town = self._world.state, self._world.town
        last = state.sightings.last(i, j)
        name = town.names[j]
        viewers, seen, _ = self._world.pairs
        in_sight = bool(((viewers == i) & (seen == j)).any())
        if last < 0:
            return RefusedAct("move", f"you do not know where {name} is")
        if not in_sight and state.sees_tile(i, last):
            return RefusedAct("move", f"{name} is not there any more")
        return make_move(tuple(town.ground.beside(last)), name, doing, emoji)

    def _resolve_talk(self, i: int, action: Talk) -> ResolvedAct:
        town, (doing, emoji) = self._world.town, _read_shown(action)
        text = clean(action.text, self._utterance)
        if not text and not action.leave:
            return RefusedAct("talk", "there was nothing to say")
        if action.to is None or not text:
            return ResolvedSpeak(None, text, bool(action.leave), doing, emoji)
        j = town.people.find(clean(action.to, 200))
        if j is None:
            return RefusedAct("talk", f"there is nobody called {clean(action.to, 60)!r} here")
        if j == i:
            return RefusedAct("talk", "one does not address oneself")
        return ResolvedSpeak(j, text, bool(action.leave), doing, emoji)

    def _resolve_interact(self, i: int, grip: "_Grip") -> ResolvedAct:
        state, town = self._world.state, self._world.town
        name, item = grip.name, grip.item
        if item is None:
            near = [o for o, d in town.around[i].objects(int(state.tile[i])) if d <= 1]
            close = [o for o in near if town.plan.objects[o].name.casefold() == name.casefold()]
            if not close:
                return RefusedAct("use", f"there is no {name!r} within reach")
            item = close[0]
        reason = find_use_refusal(state, i, item)
        if reason is not None:
            return RefusedAct("use", reason)
        return ResolvedUse(item, set_apart(clean(grip.state, 120)), grip.doing, grip.emoji)


class _Aim(NamedTuple):
    """A `Move` as it reads: to a place or a thing, else to a person or a tile, else to nothing."""

    name: str
    doing: str | None
    emoji: str | None
    place: int = -1
    move: ResolvedMove | None = None
    person: int | None = None
    tile: int | None = None


class _Grip(NamedTuple):
    """An `Interact` as it reads; `item` is None where the name is not that of one thing."""

    name: str
    item: int | None
    state: str
    doing: str | None
    emoji: str | None


_Reading: TypeAlias = _Aim | _Grip | ResolvedStay | ResolvedRestart | RefusedAct


def _list_fields(action: Action) -> tuple[object, ...]:
    """Return the fields by which readings are cached; speech is not."""
    if isinstance(action, Move):
        return Move, action.place, action.doing, action.emoji
    if isinstance(action, Interact):
        return Interact, action.object, action.state, action.doing, action.emoji
    return type(action), action.doing, action.emoji


def _read_shown(action: Action) -> tuple[str | None, str | None]:
    """Return what others see of the actor: a clause about oneself, or quoted words."""
    words = None if action.doing is None else set_apart(clean(action.doing, _WORDS, lines=True))
    return words or None, None if action.emoji is None else clean(action.emoji, 8)
