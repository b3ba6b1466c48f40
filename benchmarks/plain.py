"""What is earned by the plain menu: without looking, by chance, by recurrent PPO, by the solution.

    python -m benchmarks.plain                 # what is missing; hours on one core
    python -m benchmarks.plain errand meet     # of these tasks
    python -m benchmarks.plain --again errand  # anew, whatever is known

The list is the best of 4,096 (see `benchmarks.blind`), `mask` a PPO that reads the mask alone,
`ppo` is `examples/train_recurrent.py`, `team` the same with everybody paid the mean of all. These
two, random, idle and the solution play in 128 held-out towns, 128 of another kind (`ELSEWHERE`),
and the shipped maps; the list and the mask in held-out towns alone. The file of a
task, docs/learning/plain/NAME.json, is written after every step, so that a run that was stopped
goes on where it was. `python -m benchmarks.learning --write` puts the tables into the documents.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import blind
from benchmarks.learning_tables import format_values
from benchmarks.markdown import make_rows, write_numbers
from genagents_env import town_v0
from genagents_env.errors import ScenarioError
from genagents_env.run import rollout
from genagents_env.train.tasks import ELSEWHERE, HELD_OUT, LAYOUTS, TASKS, Task, find_layout
from genagents_env.train.tasks.vector import make_vector

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "learning" / "plain"
SEEDS = range(3)
STEPS, MASK_STEPS = 600_000, 300_000  # agent-steps of a seed
TEAM = ("share", "queue", "gather")  # tasks in which a team is trained, too
MAPS = ("house_rules", "simuverse_park", "murder_mystery", "valentines_party")
MAP_EPISODES = 10  # in each of MAPS
THIRD = 1 / 3  # of the span, the most that should be earned without looking
# Tasks in which more is earned by the mask alone, and why.
EXCEPTIONS = {
    "find": "there are two people, so whoever can be approached is the one to be found",
    "meet": "in a small town whoever can be approached is often the one to be met",
    "spread": "the mask says who has the news, and who is near enough to be told",
}


def list_places(task: Task) -> dict[str, tuple[Sequence[int], str | None]]:
    """Return where a policy is played: seeds and town by name."""
    places: dict[str, tuple[Sequence[int], str | None]] = {"held_out": (HELD_OUT[:LAYOUTS], None)}
    if task.town is None:
        places["elsewhere"] = (ELSEWHERE[:LAYOUTS], None)
        places |= {name: (HELD_OUT[:MAP_EPISODES], name) for name in MAPS}
    return places


def play_random(task: Task, seeds: Sequence[int], town: str | None) -> list[float]:
    """Return the mean return of an agent in each episode, each choice drawn from the mask."""
    vector = make_vector(task, [find_layout(seed) for seed in seeds], 1, town=town)
    rng = np.random.default_rng(0)
    masks = vector.reset(seed=list(seeds))[0]["action_mask"]
    total, first = np.zeros(len(masks)), np.ones(len(masks), dtype=np.bool_)
    while first.any():
        rank = (rng.random(len(masks)) * masks.sum(axis=1)).astype(np.int64)
        seen, rewards, ends, cuts, _ = vector.step((masks.cumsum(1) > rank[:, None]).argmax(1))
        masks = seen["action_mask"]
        total[first] += rewards[first]
        first &= ~(ends | cuts)
    return _mean(total.reshape(len(seeds), -1))


def play_solution(task: Task, seeds: Sequence[int], town: str | None) -> list[float]:
    """Return the mean return of an agent in each episode by the task's own solution."""
    env = town_v0.rl_env(task, town, actions="words", percepts=True)
    returns = [list(rollout(env, "solution", seed).returns.values()) for seed in seeds]
    return _mean(np.array(returns))


def play_idle(task: Task, seeds: Sequence[int], town: str | None) -> list[float]:
    """Return the mean return of an agent in each episode where nobody does anything."""
    vector = make_vector(task, [find_layout(seed) for seed in seeds], 1, town=town)
    lists = np.zeros((len(seeds), blind.LONGEST), dtype=np.int64)
    return [round(float(mean), 4) for mean in blind.play(vector, lists, list(seeds))]


def measure_places(task: Task) -> dict[str, Any]:
    """Return what needs no training, by place and policy; None where the task does not fit."""
    found: dict[str, Any] = {}
    for name, (seeds, town) in list_places(task).items():
        try:
            found[name] = {
                "idle": play_idle(task, seeds, town),
                "random": play_random(task, seeds, town),
                "solution": play_solution(task, seeds, town),
            }
        except ScenarioError:
            found[name] = None
    return found


def find_optimum(task: Task) -> list[float] | None:
    """Return the mean optimum of an agent in each held-out episode, where it is known."""
    if task.find_optimum is None:
        return None
    env, found = town_v0.rl_env(task), []
    for seed in HELD_OUT[:LAYOUTS]:
        env.reset(seed=seed)
        found.append(round(_average(list(task.find_optimum(env.town).values())), 4))
    return found


def measure_blind(task: Task) -> dict[str, Any]:
    """Return the best list, what it earns, and what a PPO earns that reads the mask alone."""
    import torch

    from examples import train_ppo

    torch.set_num_threads(1)
    best = blind.find_best(task, "plain")
    config = train_ppo.Config(
        tasks=task.name, menu="plain", sees="mask", total_steps=MASK_STEPS, evaluations=1
    )
    net = train_ppo.train(config, 0).net
    played = train_ppo.Evaluation(task.name, HELD_OUT[:LAYOUTS], config).play(net)
    return {
        "choices": best,
        "list": blind.score(task, best, "plain"),
        "mask": round(float(played.mean()), 4),
    }


def measure_seed(task: Task, seed: int, prosocial: float) -> dict[str, Any]:
    """Train from a seed; return its cost, its curve, and what its policy earns at each place."""
    import torch

    from examples.train_recurrent import Config, Evaluation, train

    torch.set_num_threads(1)
    config = replace(Config(), task=task.name, total_steps=STEPS, prosocial=prosocial)
    done = train(config, seed)
    found: dict[str, Any] = {
        "steps": done.steps,
        "seconds": round(done.seconds),
        "curve": [[point.steps, round(point.mean, 4)] for point in done.curve],
    }
    for name, (seeds, town) in list_places(task).items():
        try:
            test = Evaluation(task.name, seeds, town=town)
        except ScenarioError:
            continue
        played = test.play(done.net)
        found[name] = _mean(played)
        if name == "held_out":
            found["roles"] = _mean_roles(test, played)
    return found


def measure_task(task: Task, seeds: Sequence[int], *, again: bool = False) -> None:
    """Measure what is missing of a task, and keep it after every step.

    `again`: measure all of it; the record of before stays until that is done.
    """
    whole = FOLDER / f"{task.name}.json"
    file = whole.with_suffix(".part") if again else whole
    known: dict[str, Any] = json.loads(file.read_text()) if file.is_file() else {}
    if "places" not in known:
        known["places"] = measure_places(task)
        _write(file, known)
    if "optimum" not in known:
        known["optimum"] = find_optimum(task)
        _write(file, known)
    if "blind" not in known:
        known["blind"] = measure_blind(task)
        _write(file, known)
    for seed in seeds:
        for name in ("ppo", *(("team",) if task.name in TEAM else ())):
            if str(seed) not in known.setdefault(name, {}):
                known[name][str(seed)] = measure_seed(task, seed, float(name == "team"))
                _write(file, known)
                earned = np.mean(known[name][str(seed)]["held_out"])
                print(f"{task.name}, {name}, seed {seed}: {earned:.3f} an agent", flush=True)
    if again:
        file.replace(whole)


def load_plain() -> dict[str, Any]:
    """Return what is known, in the order of the suite."""
    files = {task: FOLDER / f"{task}.json" for task in TASKS}
    return {task: json.loads(file.read_text()) for task, file in files.items() if file.is_file()}


def tabulate_plain(known: Mapping[str, Any]) -> Iterator[str]:
    """Yield a row for each task: what is earned in held-out towns."""
    names = (
        "idle",
        "best list",
        "mask alone",
        "random",
        "PPO",
        "PPO as a team",
        "solution",
        "best",
    )
    rows: list[tuple[str, ...]] = [
        ("task", *names, "without looking, of the span", "PPO, of the span")
    ]
    for task, found in known.items():
        held_out, unseen = found["places"]["held_out"], found["blind"]
        idle, chance, solution = (_average(held_out[k]) for k in ("idle", "random", "solution"))
        cells = [f"{x:.3f}" for x in (idle, unseen["list"], unseen["mask"], chance)]
        trained = [_format_seeds(found.get(name, {}), "held_out") for name in ("ppo", "team")]
        shares = (find_unseeing(found), _find_share(found, "held_out"))
        best = f"at most {TASKS[task].bounds[1]:g}"
        if found["optimum"] is not None:
            best = f"{_average(found['optimum']):.3f}"
        cells += [*trained, f"{solution:.3f}", best, *map(_format_share, shares)]
        rows.append((f"`{task}`", *cells))
    return make_rows(*rows)


def tabulate_places(known: Mapping[str, Any]) -> Iterator[str]:
    """Yield a row for each task and place that is not as in training."""
    rows = [("task", "where", "n", "idle", "random", "PPO", "solution", "PPO, of the span")]
    for task, found in known.items():
        for name, played in found["places"].items():
            if name == "held_out":
                continue
            where = "another kind of town" if name == "elsewhere" else f"`{name}`"
            if played is None:
                rows.append((f"`{task}`", where, "", "does not fit", "", "", "", ""))
                continue
            idle, chance, solution = (
                f"{_average(played[k]):.3f}" for k in ("idle", "random", "solution")
            )
            share, count = _format_share(_find_share(found, name)), str(len(played["random"]))
            ppo = _format_seeds(found.get("ppo", {}), name)
            rows.append((f"`{task}`", where, count, idle, chance, ppo, solution, share))
    return make_rows(*rows)


def tabulate_plain_task(task: str, found: Mapping[str, Any]) -> Iterator[str]:
    """Yield what each way to play a task earns in held-out towns."""
    held_out, unseen = found["places"]["held_out"], found["blind"]
    rows: list[tuple[str, ...]] = [("", "return of an agent", "n")]
    kinds = [*held_out.items(), *([("optimum", found["optimum"])] if found["optimum"] else [])]
    for name, played in kinds:
        rows.append((name, format_values(played), f"{len(played)} episodes"))
    for name, what in (("list", "best list of choices"), ("mask", "PPO that reads the mask alone")):
        rows.append((what, f"{unseen[name]:.3f}", f"{LAYOUTS} episodes"))
    if (share := find_unseeing(found)) > THIRD:
        told = f"{share:.2f} of the span: {EXCEPTIONS[task]}"
        rows.append(("the better of these two", told, ""))
    for name, what in (("ppo", "recurrent PPO"), ("team", "recurrent PPO, as a team")):
        if seeds := found.get(name, {}):
            count = f"{len(seeds)} seed{'' if len(seeds) == 1 else 's'}"
            rows.append((what, _format_seeds(seeds, "held_out"), count))
    if roles := next(iter(found["ppo"].values()))["roles"]:
        rows += [
            (f"recurrent PPO, {role}", f"{mean:.3f}", "1 seed") for role, mean in roles.items()
        ]
    return make_rows(*rows)


def find_unseeing(found: Mapping[str, Any]) -> float:
    """Return which part of the span is earned without looking: by a list, or by the mask alone."""
    held_out, unseen = found["places"]["held_out"], found["blind"]
    idle, chance, solution = (_average(held_out[k]) for k in ("idle", "random", "solution"))
    low, best = max(idle, chance), max(unseen["list"], unseen["mask"])
    return float(max(0.0, best - low) / (solution - low))


def _find_share(found: Mapping[str, Any], place: str) -> float | None:
    """Return which part of the way to the solution the better of the PPOs goes.

    It begins at the better of random and idle; where the solution is no better there is none.
    """
    idle, chance, solution = (
        _average(found["places"][place][k]) for k in ("idle", "random", "solution")
    )
    low = max(idle, chance)
    kinds = [found[name] for name in ("ppo", "team") if found.get(name)]
    best = max(np.mean([np.mean(seed[place]) for seed in kind.values()]) for kind in kinds)
    return None if solution <= low else float((best - low) / (solution - low))


def _format_share(share: float | None) -> str:
    return "no span" if share is None else f"{round(share, 2) + 0.0:.2f}"  # no minus nought


def _format_seeds(seeds: Mapping[str, Any], place: str) -> str:
    if not seeds:
        return ""
    means = [_average(seed[place]) for seed in seeds.values()]
    return f"{_average(means):.3f} ({', '.join(f'{mean:.2f}' for mean in means)})"


def _average(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _mean(returns: Any) -> list[float]:
    means: list[float] = np.round(returns.mean(axis=1), 4).tolist()
    return means


def _mean_roles(test: Any, played: Any) -> dict[str, float] | None:
    """Return what each side earns, where sides are opposed: one who has to escape, the others."""
    flees = [
        [any(goal.kind == "escape" for goal in own) for own in env.parts.reward.board.goals]
        for env in test.vector.envs
    ]
    apart = np.array(flees)
    if not apart.any():
        return None
    sides = {"culprit": apart, "innocent": ~apart}
    return {name: round(float(played[side].mean()), 4) for name, side in sides.items()}


def _write(file: Path, known: Mapping[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(write_numbers(known))


def main() -> None:
    """Measure what is missing, or the tasks that are named; the first seed of all before others."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="*", choices=[[], *TASKS])
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="trained of each task")
    parser.add_argument("--again", action="store_true", help="whatever is known")
    options = parser.parse_args()
    for seed in range(options.seeds):
        for name in options.tasks or TASKS:
            measure_task(TASKS[name], [seed], again=options.again and seed == 0)


if __name__ == "__main__":
    main()
