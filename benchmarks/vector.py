"""Agent-steps per CPU second of vectors of towns beside mpe2's simple_spread, measured in one run.

Choices are drawn from the masks, the drawing left out; towns that end begin anew. The first row of
towns are as many in a loop, one `step` each. Run: `python -m benchmarks.vector` (four minutes);
`--only errand` measures the rows whose name has this in it.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from benchmarks.courses import simple_spread
from genagents_env.config import TownConfig
from genagents_env.env import TownEnv
from genagents_env.scenario import Scenario
from genagents_env.train.tasks import TASKS
from genagents_env.train.wrappers import VectorTown

SIZES = ((128, 1), (8, 16))  # layouts, and towns of each
_EVENING = 16  # layouts of an evening, whose town is large
Menu: TypeAlias = Literal["town", "portable"]
Choices = npt.NDArray[np.int64]


class Vector:
    """A vector of towns under measurement."""

    def __init__(
        self, drawn: list[Scenario] | TownConfig, towns: int, menu: Menu = "portable"
    ) -> None:
        self._vector = VectorTown(drawn, towns, ids="indexed", menu=menu)
        self._rng = np.random.default_rng(0)
        self._masks = self._vector.reset(seed=0)[0]["action_mask"]

    def spell(self, seconds: float) -> float:
        """Step for `seconds` of CPU time; return the agent-steps per second."""
        spent, steps = 0.0, 0
        while spent < seconds:
            chosen = draw_legal(self._masks, self._rng)
            begun = time.process_time()
            self._masks = self._vector.step(chosen)[0]["action_mask"]
            spent += time.process_time() - begun
            steps += len(chosen)
        return steps / spent


class Loop:
    """The documented loop: dictionaries, one `step` a town, `reset` at its end."""

    def __init__(self, drawn: list[Scenario], towns: int) -> None:
        first = [TownEnv(one, actions="menu", menu="portable", text=False) for one in drawn]
        self._envs = [env if k == 0 else env.fresh_copy() for env in first for k in range(towns)]
        self._seen = [env.reset(seed=t)[0] for t, env in enumerate(self._envs)]
        self._rng = np.random.default_rng(0)

    def spell(self, seconds: float) -> float:
        """Step for `seconds` of CPU time; return the agent-steps per second."""
        spent, steps = 0.0, 0
        while spent < seconds:
            for t, env in enumerate(self._envs):
                masks = np.stack([own["action_mask"] for own in self._seen[t].values()])
                chosen = draw_legal(masks, self._rng).tolist()
                given = dict(zip(self._seen[t], chosen, strict=True))
                begun = time.process_time()
                self._seen[t] = env.step(given)[0]
                if not env.agents:
                    self._seen[t] = env.reset()[0]
                spent += time.process_time() - begun
                steps += len(given)
        return steps / spent


def draw_legal(masks: npt.NDArray[np.int8], rng: np.random.Generator) -> Choices:
    """Draw a possible choice for every slot."""
    rank = (rng.random(len(masks)) * masks.sum(axis=1)).astype(np.int64)
    chosen: Choices = (masks.cumsum(axis=1) > rank[:, None]).argmax(axis=1)
    return chosen


def list_rows() -> dict[str, Callable[[], Vector | Loop]]:
    """Return all there is to measure, by name."""
    errands = [TASKS["errand"].draw(layout) for layout in range(8)]
    rows: dict[str, Callable[[], Vector | Loop]] = {
        "errand, 8 x 16, in a loop": partial(Loop, errands, 16)
    }
    for name, task in TASKS.items():
        for layouts, towns in SIZES:
            several = min(layouts, _EVENING) if task.town else layouts
            drawn = [task.draw(layout) for layout in range(several)]
            rows[f"{name}, {several} x {towns}"] = partial(Vector, drawn, towns)
    party = TownConfig("valentines_party", start="12:00")
    rows["valentines_party, 25 people, 64 towns"] = partial(Vector, party, 64, "town")
    rows["tiny, 2 people, 64 towns"] = partial(Vector, TownConfig("tiny"), 64, "town")
    return rows


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds a spell")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    args = parser.parse_args()
    print("| towns: layouts x towns of each | agent-steps / CPU s | times mpe2 simple_spread |")
    print("|---|---|---|")
    for name, make in list_rows().items():
        if args.only not in name:
            continue
        peer, own = simple_spread(25), make()
        own.spell(args.seconds)  # ways are found, tables filled
        pairs = [(own.spell(args.seconds), peer.spell(0.3)) for _ in range(args.rounds)]
        speed, times = median(a for a, _ in pairs), median(a / b for a, b in pairs)
        print(f"| {name} | {speed:,.0f} | {times:.0f} |", flush=True)


if __name__ == "__main__":
    main()
