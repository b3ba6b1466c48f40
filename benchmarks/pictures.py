"""CPU milliseconds to draw pictures of Smallville: the whole town, and a part of it.

People live by rule, 25 of them, from noon on. Run: `python -m benchmarks.pictures`; prints for each
kind of picture what its map costs once, and the median of a picture.
"""

import time
from collections.abc import Callable
from statistics import median

from benchmarks.markdown import make_rows
from genagents_env import town_v0
from genagents_env.env import TownEnv
from genagents_env.run.policies import load_policy
from genagents_env.show.render import RenderSnapshot
from genagents_env.show.render.closeup import Closeup
from genagents_env.show.render.picture import Picture
from genagents_env.show.render.views import view_place, view_town

TICKS = 40


def live_noon() -> tuple[TownEnv, list[RenderSnapshot]]:
    """Return a town and its snapshots."""
    env = town_v0.parallel_env("valentines_party", start="12:00", hours=1.0, percepts=True)
    observations, infos = env.reset(seed=0)
    policy = load_policy("scripted")
    policy.reset(env.profiles(), 0, env.context())
    found: list[RenderSnapshot] = []
    for _ in range(TICKS):
        observations, *_, infos = env.step(policy.act(observations, infos))
        found.append(env.world.snapshot)
    return env, found


def measure(
    make: Callable[[], Picture | Closeup], snapshots: list[RenderSnapshot]
) -> tuple[float, float, str]:
    """Return what the map costs, what a picture does, and its size."""
    start = time.process_time()
    painter = make()
    ground, spent = time.process_time() - start, []
    for snapshot in snapshots:
        start = time.process_time()
        painter.draw(snapshot)
        spent.append(time.process_time() - start)
    return ground * 1e3, median(spent) * 1e3, f"{painter.size[0]} x {painter.size[1]}"


def main() -> None:
    """Print the table."""
    env, snapshots = live_noon()
    plan, names = env.world.plan, env.world.names
    kinds: dict[str, Callable[[], Picture | Closeup]] = {
        "whole town, as `rgb_array`": lambda: Picture(plan, names),
        "whole town, 900 pixels across": lambda: Closeup(plan, names, view_town(plan)),
        "Hobbs Cafe": lambda: Closeup(plan, names, view_place(plan, "Hobbs Cafe"), listed=4),
    }
    rows = [["picture", "pixels", "map, once (ms)", "picture (ms)"]]
    for kind, make in kinds.items():
        ground, each, size = measure(make, snapshots)
        rows.append([kind, size, f"{ground:.0f}", f"{each:.0f}"])
    print("\n".join(make_rows(*rows)))


if __name__ == "__main__":
    main()
