"""Objects: their states, what they may become, and who may use them."""

import re

from genagents_env.scenario.plan import ObjectPlan, TownPlan
from genagents_env.world.events import JSON, Log


class Objects:
    """The states of all objects, by index, and the event that caused each."""

    def __init__(self, plan: TownPlan, ids: tuple[str, ...]) -> None:
        self.plans: tuple[ObjectPlan, ...] = plan.objects
        self.ids = ids
        self.states = tuple(item.state for item in plan.objects)
        self.events: tuple[int, ...] = (0,) * len(plan.objects)
        self._next = [dict(item.next) for item in plan.objects]
        self._memo: dict[tuple[int, str], tuple[str, ...]] = {}

    def begin(self, log: Log) -> None:
        """Put every object into its first state."""
        self.states = tuple(item.state for item in self.plans)
        self.events = tuple(
            log.emit("object", None, object=self.ids[o], state=state)
            for o, state in enumerate(self.states)
        )

    def next_states(self, o: int, state: str) -> tuple[str, ...]:
        """Return the declared states that may follow `state`, in menu order."""
        found = self._memo.get((o, state))
        if found is None:
            found = self._next[o].get(state)
            if found is None:
                found = tuple(s for s in self.plans[o].states if s != state)
            self._memo[o, state] = found
        return found

    def match_state(self, o: int, wanted: str) -> str | None:
        """Return the state meant by `wanted`, or None where the object cannot become that."""
        options = self.next_states(o, self.states[o])
        folded = re.sub(r"\W+", " ", wanted).strip().casefold()
        for state in options:
            if re.sub(r"\W+", " ", state).strip().casefold() == folded:
                return state
        return wanted if self.plans[o].free_text and wanted else None

    def put(self, log: Log, o: int, state: str, by: int | None) -> None:
        """Change the state of an object."""
        event = log.emit("object", by, object=self.ids[o], state=state)
        self.states = (*self.states[:o], state, *self.states[o + 1 :])
        self.events = (*self.events[:o], event, *self.events[o + 1 :])

    def state(self) -> dict[str, JSON]:
        """Return everything, as JSON values."""
        return {"states": list(self.states), "events": list(self.events)}

    def load_state(self, state: dict[str, JSON]) -> None:
        """Resume from `state`."""
        self.states, self.events = tuple(state["states"]), tuple(state["events"])
