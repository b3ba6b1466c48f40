"""Writes docs/tasks: a page for each task, made of the task itself and of what was measured.

    python -m benchmarks.task_pages

Spaces, horizon, rewards and an episode are those of the code now. What random, solution and trained
policies earn stands in docs/learning, measured by `python -m benchmarks.learning`; a task without
figures says so.
"""

import argparse
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.learning import fill_blocks, find_file, load_learning
from benchmarks.markdown import make_rows
from benchmarks.plain import load_plain
from genagents_env import town_v0
from genagents_env.train.tasks import (
    ELSEWHERE,
    HELD_OUT,
    LAYOUTS,
    SEEDS,
    TASKS,
    TRAINING,
    Task,
    TaskEnv,
)
from genagents_env.world import rewards
from genagents_env.world.goals import describe_goal
from genagents_env.world.rewards import goals

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "tasks"
BASELINES = ROOT / "genagents_env" / "train" / "tasks" / "baselines.json"
LIST = "README.md"
_LOOKED_AT = 4  # layouts, to see of which kinds a task's goals are
_ROW = re.compile(r"^\| (\w+) \| (.+) \|$", re.MULTILINE)
_LIST = """\
# Tasks to train on

Each is a scenario with a seed, a reward, a horizon and baselines: `town_v0.rl_env(NAME)` draws
town, people and goals anew at every reset. `genagents list tasks` lists them,
[training.md](../training.md) has recipes.

{table}

## Protocol

Train on seeds {train}; what a policy has learned is what it earns on seeds
{test}, in towns, or with people, that training never showed: {towns} of each. Report
the mean return of an agent, without shaping, over at least 40 held-out episodes and five training
seeds, with intervals, beside `random` and the task's own `solution`.

These pages are made by `python -m benchmarks.task_pages`.
"""
_EARNED = re.compile(r"(?<=\n## What is earned\n).*?(?=\n## )", re.DOTALL)


def format_pages() -> dict[str, str]:
    """Return all files of docs/tasks, by their names."""
    pages = {f"{name}.md": format_page(task) for name, task in TASKS.items()}
    return {LIST: _format_list()} | pages


def format_page(task: Task) -> str:
    """Return the page of a task."""
    env = town_v0.rl_env(task)
    env.reset(seed=0)
    parts = (
        (f"# `{task.name}`", "", task.summary, task.lesson, ""),
        make_rows(*_list_rows(task, env)),
        ("", "## Reward", "", *_describe_reward(task, env)),
        ("", "## What is earned", "", *_describe_earnings(task)),
        ("", "## Scripted solution", "", inspect.cleandoc(_get_doc(task.make_solution()))),
        ("", "## An episode", "", *_describe_episode(task, env)),
        ("", "## Arguments", "", *_describe_arguments(task)),
        ("", "This page is made by `python -m benchmarks.task_pages`."),
    )
    return "\n".join(line for part in parts for line in part) + "\n"


def leave_out_earnings(page: str) -> str:
    """Return a page without what was measured, which comes later than the task."""
    return _EARNED.sub("", page)


def _list_rows(task: Task, env: TaskEnv) -> Iterator[tuple[str, str]]:
    agent = env.possible_agents[0]
    space = env.observation_space(agent)
    low, high = task.bounds
    elsewhere = town_v0.rl_env(task)
    elsewhere.reset(seed=ELSEWHERE.start)
    more = elsewhere.max_cycles if elsewhere.max_cycles != task.horizon else None
    other = f"; in towns of another kind by their size ({more} in the first)" if more else ""
    yield "", ""
    yield "Import", f'`from genagents_env import town_v0; env = town_v0.rl_env("{task.name}")`'
    yield "Agents", f"{task.people}: {', '.join(f'`{name}`' for name in env.possible_agents)}"
    yield "Parallel API", "yes"
    yield "Observation", f"`{space}`; [columns.md](../columns.md) lists every number"
    yield "Action", f"`{env.action_space(agent)}`, the plain menu"
    yield "State", f"`{env.state_space}`"
    yield "Horizon", f"{task.horizon} ticks of {env.world.scenario.seconds_per_tick} seconds{other}"
    yield "Ends before", "yes" if env.world.scenario.reward.ends else "no"
    yield "Return of an agent", f"{low:g} to {high:g}"
    rooms = f"{task.rooms[0]} to {task.rooms[1]} rooms, drawn from the seed"
    yield "Towns", f"`{task.town}`; people and their places are drawn" if task.town else rooms
    for seeds, what in SEEDS.items():
        yield f"Seeds {what}", f"{_format(seeds)}, {LAYOUTS} towns or casts"


def _describe_reward(task: Task, env: TaskEnv) -> Iterator[str]:
    reward = env.world.scenario.reward
    names = dict(_ROW.findall(_get_doc(rewards)))
    yield f"`{reward.name}`: {names[reward.name]}."
    if reward.name == "goals":
        kinds = dict(_ROW.findall(_get_doc(goals)))
        drawn = [task.draw(seed).reward.goals for seed in range(_LOOKED_AT)]
        found = sorted({goal.kind for one in drawn for goal in one})
        rows = [(f"`{kind}`", *kinds[kind].split(" | ")) for kind in found]
        yield from ("", *make_rows(("kind of goal", "achieved when", "paid"), *rows), "")
    if any(goal.kind == "be" and goal.fact is not None for goal in reward.goals):
        yield "Being at a place of which there is word counts while one knows it; only then are"
        yield "place and time shown."
    if reward.step_cost:
        yield (
            f"Each tick costs {reward.step_cost:g} until one's own goals are achieved; in a town "
            "whose episodes are longer, less: all of them together "
            f"{reward.step_cost * task.horizon:g}."
        )
    if reward.deal:
        yield "The goals are dealt anew among the agents at every reset."


def _describe_earnings(task: Task) -> Iterator[str]:
    if not find_file(task.name).is_file():
        yield f"Not measured yet: `python -m benchmarks.learning {task.name}`."
        return
    yield "By the plain menu, in 128 held-out towns (`python -m benchmarks.plain`):"
    yield from ("", _fill(f"plain_{task.name}"), "")
    yield f"![Return of an agent while it learns](../learning/plain/{task.name}.png)"
    yield ""
    yield "By the portable menu, in 40 of them (`python -m benchmarks.learning`):"
    yield from ("", _fill(task.name), "")
    yield f"![Return of an agent while it learns](../learning/{task.name}.png)"


def _fill(block: str) -> str:
    """Return a table of docs/learning.md for a page of its own."""
    return fill_blocks(f"<!-- learning: {block} -->\n<!-- /learning -->", load_learning())


def _describe_episode(task: Task, env: TaskEnv) -> Iterator[str]:
    world, board = env.world, env.parts.reward.board
    yield f"`genagents list tasks {task.name} --seed 0` tells it:"
    yield ""
    for i, name in enumerate(world.names):
        told = [describe_goal(world, board, i, slot) for slot in range(len(board.goals[i]))]
        place = world.plan.arena_id(int(world.state.arena[i]))
        yield f"- {name}, at {place}: {'; '.join(told) or 'no goal'}"
    yield from (
        f"- known to {', '.join(fact.known_by) or 'nobody'}: {fact.statement}"
        for fact in world.scenario.facts
    )
    if task.town is None:
        yield from ("", "```text", *(world.scenario.map or "").splitlines(), "```")


def _describe_arguments(task: Task) -> Iterator[str]:
    text = inspect.cleandoc(_get_doc(town_v0.rl_env))
    arguments = text.partition("Args:\n")[2].partition("\n\n")[0]
    for name, meaning in re.findall(r"^    (\w+): (.+(?:\n     .+)*)", arguments, re.MULTILINE):
        yield f"- `{name}`: {' '.join(meaning.split())}"
    yield ""
    command = f"genagents list tasks {task.name} --seed 3 --out FOLDER"
    yield f"`{command}` writes an episode as a scenario"
    yield "folder, which `genagents run`, `sweep` and `validate` take."


def _format_list() -> str:
    rows = [
        (
            f"[`{task.name}`]({task.name}.md)",
            task.summary,
            str(task.people),
            str(task.horizon),
            "{:g} to {:g}".format(*task.bounds),
            "yes" if task.find_optimum is not None else "no",
        )
        for task in TASKS.values()
    ]
    head = ("task", "what it is about", "agents", "ticks", "return of an agent", "optimum known")
    table = "\n".join(make_rows(head, *rows))
    return _LIST.format(table=table, train=_format(TRAINING), test=_format(HELD_OUT), towns=LAYOUTS)


def _format(seeds: range) -> str:
    return f"{seeds.start} to {seeds.stop - 1}"


def _get_doc(thing: object) -> str:
    return inspect.getdoc(thing) or ""


def find_baselines() -> dict[str, dict[str, float]]:
    """Return what an agent earns in held-out towns by the plain menu, by whom, for each task."""
    found = {}
    for task, known in load_plain().items():
        held_out = known["places"]["held_out"]
        trained = [one["held_out"] for one in known["ppo"].values()]
        means = {name: held_out[name] for name in ("idle", "random", "solution")}
        means |= {"PPO": trained}
        found[task] = {name: round(float(np.mean(earned)), 3) for name, earned in means.items()}
    return found


def write_pages() -> None:
    """Write all pages, and the baselines that `genagents list tasks` shows."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    files = {FOLDER / name: text for name, text in format_pages().items()}
    for path, text in {BASELINES: json.dumps(find_baselines(), indent=1) + "\n", **files}.items():
        path.write_text(text)
        print("written", path.relative_to(ROOT))


if __name__ == "__main__":
    argparse.ArgumentParser(description=write_pages.__doc__).parse_args()
    write_pages()
