"""A tick of many towns at once: walking, the use of things, talk. The rules are those of `tick`."""

import numpy as np

from genagents_env.observe.decode import speak
from genagents_env.train.core.acts import (
    LEAVE,
    REFUSED,
    TALK,
    TELL,
    TO_PERSON,
    TO_THING,
    USE,
    Acts,
)
from genagents_env.train.core.shadow import Shadow
from genagents_env.train.core.towns import NONE, Towns
from genagents_env.world.resolved import ResolvedSpeak
from genagents_env.world.tiles import STAY, Bools, Ints


class Stepper:
    """Steps towns; those that are left out are in no state until they are read in."""

    def __init__(self, towns: Towns, shadows: list[Shadow]) -> None:
        self._towns, self._shadows, self._terrain = towns, shadows, towns.terrain

    def step(self, acts: Acts, left_out: Bools) -> None:
        """Advance all towns one tick but those of `left_out`, shape (T,)."""
        towns = self._towns
        if left_out.any():
            acts = acts.leave_out(left_out)
        towns.tick = towns.tick + 1
        towns.failed, towns.illegal = acts.kind == REFUSED, acts.kind == REFUSED
        towns.addressed = np.zeros_like(towns.failed)
        towns.overheard = np.zeros_like(towns.failed)
        self._walk(acts, left_out)
        towns.look()
        self._use(acts)
        self._talk(acts, left_out)
        self._learn_places(left_out)
        self._keep_hours(left_out)

    def falls_asleep(self, acts: Acts) -> Bools:
        """Return the towns in which somebody goes to sleep, shape (T,)."""
        t, i = (acts.kind == USE).nonzero()
        o, things = acts.about[t, i], self._terrain.things
        layout, now = self._towns.layout[t], self._towns.objects[t, o]
        becomes = things.following[layout, o, now, acts.state[t, i]]
        asleep = np.zeros(self._towns.count, dtype=np.bool_)
        asleep[t[things.sleeps[layout, o, becomes]]] = True
        return asleep

    def _walk(self, acts: Acts, left_out: Bools) -> None:
        """Let everybody walk as far as a tick allows."""
        towns, terrain = self._towns, self._terrain
        rows, layout = self._find_ways(acts), towns.layout[:, None]
        speed = terrain.speed[towns.layout]
        steps = (towns.tick * speed + 1e-9).astype(np.int64)
        steps -= ((towns.tick - 1) * speed + 1e-9).astype(np.int64)
        walked = np.zeros_like(towns.tile)
        flat, arena = terrain.fields.flat, terrain.arena
        for k in range(int(steps.max())):
            tile = towns.tile
            new = tile + terrain.delta[layout, flat[rows + tile]]
            if steps.min() <= k:
                new = np.where((steps > k)[:, None], new, tile)
            crossing = arena[new] != arena[tile]
            if crossing.any():
                self._pass_doors(new, crossing, left_out)
            walked += new != tile
            towns.tile = new
        towns.arrived = flat[rows + towns.tile] == STAY
        self._make_room(rows, steps, walked, left_out)

    def _find_ways(self, acts: Acts) -> Ints:
        """Return the row of the field along which everybody walks, shape (T, N)."""
        towns, fields = self._towns, self._terrain.fields
        fields.trim()
        rows = fields.hold[towns.of]
        goal, kind, about = (part.ravel() for part in acts[:3])
        at = (goal >= 0).nonzero()[0]
        rows[at] = fields.find_places(towns.of[at], goal[at])
        at = (kind == TO_THING).nonzero()[0]
        rows[at] = fields.find_things(towns.of[at], about[at])
        at = (kind == TO_PERSON).nonzero()[0]
        seen = towns.last[towns.town[at], towns.who[at], about[at]]
        rows[at] = fields.find_tiles(seen)
        return rows.reshape(towns.tile.shape)

    def _pass_doors(self, new: Ints, crossing: Bools, left_out: Bools) -> None:
        """Keep those where they are who may not enter; `new` is mended."""
        towns, terrain = self._towns, self._terrain
        t, i = crossing.nonzero()
        layout, here, there = (
            towns.layout[t],
            terrain.arena[towns.tile[t, i]],
            terrain.arena[new[t, i]],
        )
        may = terrain.sector[layout, here] == terrain.sector[layout, there]
        may &= terrain.admitted[layout, i, there]
        may |= towns.enter[t, i, there]
        limited = terrain.limited[layout]
        stays = ~may & ~limited
        new[t[stays], i[stays]] = towns.tile[t[stays], i[stays]]
        towns.failed[t[stays], i[stays]] = True
        for town in np.unique(t[limited & ~left_out[t]]).tolist():
            shadow = self._shadows[town]
            shadow.pass_doors(new[town], terrain.arena[new[town]], crossing[town])

    def _make_room(self, rows: Ints, steps: Ints, walked: Ints, left_out: Bools) -> None:
        """Let people who arrive on a taken tile step aside to a free one that is as good."""
        towns, terrain = self._towns, self._terrain
        tile, here = towns.tile, towns.present
        if not towns.awake.all():
            tile = np.where(here, tile, -1 - towns.who.reshape(tile.shape))
        shared = (tile[:, :, None] == tile[:, None, :]).sum(axis=2) > 1
        crowded = (towns.arrived & shared).any(axis=1) & ~left_out
        if not crowded.any():
            return
        towns.tile, flat = towns.tile.copy(), terrain.fields.flat
        for t in crowded.nonzero()[0].tolist():
            taken = towns.tile[t][here[t]].tolist()
            aside = {}
            for i in towns.arrived[t].nonzero()[0].tolist():
                at, row = int(towns.tile[t, i]), int(rows[t, i])
                if taken.count(at) < 2:
                    continue
                for near in terrain.neighbours[:, at].tolist():
                    as_good = near >= 0 and flat[row + near] == STAY and near not in taken
                    if as_good and terrain.arena[near] == terrain.arena[at]:
                        taken[taken.index(at)] = near
                        if walked[t, i] < steps[t]:
                            aside[i] = near
                        else:
                            towns.arrived[t, i] = False
                        break
            for i, near in aside.items():
                towns.tile[t, i] = near

    def _use(self, acts: Acts) -> None:
        """Put things into other states; of several who want one, one is first."""
        towns, things = self._towns, self._terrain.things
        towns.used, towns.became = np.full_like(towns.tile, NONE), np.full_like(towns.tile, NONE)
        t, i = (acts.kind == USE).nonzero()
        if not len(t):
            return
        o = acts.about[t, i]
        key = t * (self._terrain.objects + 1) + o
        if len(np.unique(key)) < len(key):
            order = np.argsort(towns.rank(), axis=1)
            by_rank = np.lexsort((order[t, i], key))
            first = np.append(True, key[by_rank][1:] != key[by_rank][:-1])
            late = by_rank[~first]
            towns.failed[t[late], i[late]] = True
            t, i, o = t[by_rank[first]], i[by_rank[first]], o[by_rank[first]]
        now = towns.objects[t, o]
        becomes = things.following[towns.layout[t], o, now, acts.state[t, i]]
        towns.objects = towns.objects.copy()
        towns.objects[t, o] = becomes
        towns.used[t, i], towns.became[t, i] = o, becomes

    def _talk(self, acts: Acts, left_out: Bools) -> None:
        """Let people speak, and end conversations that are over."""
        towns, spoken = self._towns, dict[int, dict[int, ResolvedSpeak]]()
        t, i = ((acts.kind >= TALK) & ~left_out[:, None]).nonzero()
        rows = (part.tolist() for part in (t, i, *(part[t, i] for part in acts[1:])))
        for town, who, kind, about, fact in zip(*rows, strict=True):
            if kind == LEAVE:
                act = ResolvedSpeak(None, "", leave=True)
            else:
                shadow = self._shadows[town]
                act = speak(shadow, who, about, fact if kind == TELL else None)
            spoken.setdefault(town, {})[who] = act
        for town, own in spoken.items():
            self._shadows[town].talk(own)
        over = (self._find_deserters() | (towns.talk_due <= towns.tick)) & ~left_out
        for town in over.nonzero()[0].tolist():
            self._shadows[town].end_conversations()

    def _find_deserters(self) -> Bools:
        """Return the towns in which somebody is out of earshot of their talk, shape (T,)."""
        talk = self._towns.talk
        talking = talk >= 0
        if not talking.any():
            return np.zeros(len(talk), dtype=np.bool_)
        together = self._towns.near & (talk[:, :, None] == talk[:, None, :])
        deserted: Bools = (talking & ~together.any(axis=2)).any(axis=1)
        return deserted

    def _learn_places(self, left_out: Bools) -> None:
        """Let people know the places in sight of where they now are."""
        towns, terrain = self._towns, self._terrain
        t, i = (towns.learning & ~left_out[:, None]).nonzero()
        if not len(t):
            return
        group = terrain.surroundings.group[towns.layout[t], i]
        seen = terrain.surroundings.find_places(group, towns.tile[t, i])
        new = (seen & ~towns.known[t, i, :-1]).any(axis=1)
        for k in np.flatnonzero(new).tolist():
            at = (int(t[k]), int(i[k]))
            towns.known[at][:-1] |= seen[k]
            count = len(self._shadows[at[0]].town.places.all)
            towns.learning[at] = not towns.known[at][:count].all()
            rights = self._shadows[at[0]].access.places[at[1]]
            towns.allowed[at][:count] = towns.known[at][:count] & rights
            towns.fresh[at] = True

    def _keep_hours(self, left_out: Bools) -> None:
        """Open and close places as time passes."""
        towns, terrain = self._towns, self._terrain
        for t in (terrain.timed[towns.layout] & ~left_out).nonzero()[0].tolist():
            shadow = self._shadows[t]
            clock, access = shadow.town.clock, shadow.access
            second = clock.second(int(towns.tick[t]))
            if second % 60 < clock.seconds_per_tick and access.set_minute(second // 60):
                towns.permit(t, access.enter, access.places)
