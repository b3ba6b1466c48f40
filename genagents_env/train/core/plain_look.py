"""The moment of many towns by which the plain menu shows them, each as it is by itself."""

import numpy as np

from genagents_env.observe.plain_slots import PlainSlots, find_targets
from genagents_env.observe.plain_view import PlainMoment, PlainView
from genagents_env.observe.spaces import Floats, Mask
from genagents_env.train.core.look import refuse
from genagents_env.train.core.towns import Towns
from genagents_env.world.tiles import Bools, Ints


class PlainLook:
    """Sees for all people of many towns at once.

    Attributes:
        view: what everybody sees, and what is in their slots.
    """

    def __init__(self, towns: Towns) -> None:
        self._towns, terrain = towns, towns.terrain
        columns = [env.parts.town for env in terrain.envs]
        self.view = PlainView(terrain.worlds, columns, terrain.things, towns.layout)
        self._dealt: Bools = np.zeros(towns.count, dtype=np.bool_)
        self._seed = towns.seed.copy()

    @property
    def slots(self) -> PlainSlots:
        """What is in everybody's slots."""
        return self.view.slots

    def observe(self) -> tuple[Floats, Mask]:
        """Return numbers, shape (T * N, columns), and masks, (T * N, choices), of this tick."""
        self._deal()
        return self.view.see(self._find_moment())

    def _deal(self) -> None:
        """Draw slots where an episode has begun."""
        towns = self._towns
        new = (~self._dealt | (self._seed != towns.seed)).nonzero()[0]
        if len(new):
            own = [towns.envs[t] for t in new.tolist()]
            targets = [find_targets(env.world, env.parts.reward.board) for env in own]
            self.view.slots.deal(new, towns.seed[new], targets)
            self._seed[new], self._dealt[new] = towns.seed[new], True

    def _find_moment(self) -> PlainMoment:
        towns, terrain, goals = self._towns, self._towns.terrain, self._towns.goals
        rows = len(towns.who)
        tile, talk = towns.tile.ravel(), towns.talk.ravel()
        seen = towns.seen.reshape(rows, -1)
        flags = (towns.asleep, towns.talk >= 0, towns.arrived, towns.failed, towns.addressed)
        return PlainMoment(
            tick=towns.tick,
            clock=terrain.clock[towns.layout, towns.tick],
            tile=tile,
            arena=terrain.arena[tile],
            flags=np.stack([*flags, towns.overheard]).reshape(6, rows),
            present=towns.present.ravel(),
            allowed=towns.allowed.reshape(rows, -1),
            seen=seen,
            may_talk=self._find_hearers(seen),
            talk=talk,
            states=towns.objects,
            knows=towns.facts.reshape(rows, -1),
            kind=goals.kind.reshape(rows, -1),
            place=goals.place.reshape(rows, -1),
            person=goals.person.reshape(rows, -1),
            thing=goals.object.reshape(rows, -1),
            state=goals.state.reshape(rows, -1),
            fact=goals.fact.reshape(rows, -1),
            start=goals.start.reshape(rows, -1),
            end=goals.end.reshape(rows, -1),
            done=goals.noticed.reshape(rows, -1),
        )

    def _find_hearers(self, seen: Bools) -> Bools:
        """Return to whom everybody may speak, shape (T * N, N)."""
        towns = self._towns
        viewer, whom = seen.nonzero()
        apart: Ints = towns.apart.reshape(seen.shape)[viewer, whom]
        may = np.zeros_like(seen)
        near = apart <= towns.terrain.hearing[towns.of[viewer], whom]
        may[viewer, whom] = near & ~refuse(towns, viewer, whom)
        return may
