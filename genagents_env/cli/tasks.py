"""`genagents tasks`: what there is to train on, and the towns of it that a seed draws."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genagents_env.cli.new import check_name, place_folder
from genagents_env.cli.screen import say

if TYPE_CHECKING:
    from genagents_env.tasks import Task


def add_to(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(tasks)


def tasks(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="Tell of this one alone, or draw from it.")
    ] = "",
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Draw the episode of this seed: 0 to 9999 are towns to train on, 1000000 to "
            "1009999 others, held out for tests.",
        ),
    ] = None,
    town: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Draw it into this scenario, by name or folder."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write what is drawn as a new scenario folder, which run, sweep, validate and map "
            "draw take.",
        ),
    ] = None,
) -> None:
    """List the tasks to train on, tell of one, or draw one of its episodes.

    A task puts people with goals into a town and rewards them for reaching these. Towns, people
    and goals follow from the seed: town_v0.rl_env(NAME) draws another one at each reset.

    Example: genagents tasks errand --seed 3 --out errand_3 && genagents run errand_3
    """
    from genagents_env.errors import ConfigError
    from genagents_env.tasks import TASKS, get_task

    if not name:
        if seed is not None or town is not None or out is not None:
            raise ConfigError(f"--seed, --town, --out: of which task? {', '.join(TASKS)}")
        for task in TASKS.values():
            _list_task(task)
        say("Returns are those of an agent, on the average; docs/tasks has a page for each.")
        say('`solution` is the task\'s own: rollouts(lambda: town_v0.rl_env(NAME), "solution")')
        return
    task = get_task(name)
    if seed is None and town is None and out is None:
        _describe_task(task)
        return
    if out is None:
        _describe_episode(task, seed or 0, town)
    else:
        _write(task, seed or 0, town, out)


def _list_task(task: "Task") -> None:
    from genagents_env.tasks.task import read_baselines

    people = "1 agent" if task.people == 1 else f"{task.people} agents"
    low, high = task.bounds
    say(f"{task.name}  {task.summary}", indent=4)
    say(f"    {people}, {task.horizon} ticks; an agent earns {low:g} to {high:g}", indent=4)
    earned = read_baselines().get(task.name, {})
    if earned:
        told = ", ".join(f"{name} {value:.2f}" for name, value in earned.items())
        say(f"    {told}", indent=4)


def _describe_task(task: "Task") -> None:
    from genagents_env.tasks import HELD_OUT, LAYOUTS, TRAINING

    _list_task(task)
    say(f"  {task.lesson}", indent=2)
    for what, seeds in (("to train on", TRAINING), ("held out", HELD_OUT)):
        say(f"  seeds {what}: {seeds.start} to {seeds.stop - 1}, in {LAYOUTS} towns", indent=4)
    known = "is known" if task.find_optimum is not None else "is not known"
    say(f"  optimum: {known}; docs/tasks/{task.name}.md has baselines and curves", indent=4)
    say(f'  train: env = town_v0.rl_env("{task.name}")', indent=4)
    say(f"  see one: genagents tasks {task.name} --seed 0", indent=4)


def _describe_episode(task: "Task", seed: int, town: str | None) -> None:
    """Tell where an episode plays, and who is to do what in it."""
    from genagents_env import town_v0
    from genagents_env.tasks.layouts import list_rooms
    from genagents_env.world.goals import describe_goal

    env = town_v0.rl_env(task, town)
    env.reset(seed=seed)
    world, board = env.world, env.parts.reward.board
    drawn = world.scenario
    say(f"{drawn.town}, {drawn.horizon} ticks; rooms: {', '.join(list_rooms(drawn))}", indent=2)
    for i, name in enumerate(world.names):
        goals = [describe_goal(world, board, i, slot) for slot in range(len(board.goals[i]))]
        place = world.plan.arena_id(int(world.state.arena[i]))
        say(f"  {name}, at {place}: {'; '.join(goals) or 'no goal'}", indent=4)
    for fact in drawn.facts:
        say(f"  known to {', '.join(fact.known_by) or 'nobody'}: {fact.statement}", indent=4)


def _write(task: "Task", seed: int, town: str | None, out: Path) -> None:
    from genagents_env.scenario import list_scenario_names, validate_folder
    from genagents_env.scenario.folder_text import format_scenario

    name = check_name(out, "scenario", list_scenario_names())
    drawn = task.draw(seed, town).model_copy(update={"name": name})
    where = f" --town {town}" if town else ""
    head = (
        f"# Drawn by: genagents tasks {task.name} --seed {seed}{where}\n"
        f"# {task.summary}\n"
        "# scenarios/README.md tells what may stand here.\n\n"
    )
    place_folder(out, format_scenario(drawn, head), validate_folder)
    say(f"{out}: {task.name}, seed {seed}")
    for step, command in (
        ("let it live", f"genagents run {out} --policy scripted --out {out.name}.sqlite"),
        ("look at the map", f"genagents map draw {out} --out {out.name}.png"),
        ("edit it", f"{out}/scenario.toml, {out}/people/residents.toml"),
    ):
        say(f"  {step:16} {command}", indent=19)
