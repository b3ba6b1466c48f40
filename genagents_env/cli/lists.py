"""`genagents list`: scenarios, policies, tasks, measures and the keys of a scenario."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from genagents_env.cli.new import check_name, place_folder
from genagents_env.cli.screen import print_json, print_steps, say
from genagents_env.errors import ConfigError, PolicyError

if TYPE_CHECKING:
    from genagents_env.train.tasks import Task

What: TypeAlias = Literal["scenarios", "policies", "tasks", "measures", "keys"]
app = typer.Typer()


@app.command("list")
def list_(
    what: Annotated[
        What,
        typer.Argument(help="Tasks are for training; keys are those of a scenario's files."),
    ],
    name: Annotated[
        str,
        typer.Argument(
            metavar="[NAME]",
            help="Describe this one: a task; a measure, or path/to/file.py:NAME; a table of keys, "
            "such as people.routine.",
        ),
    ] = "",
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="For a task: the episode of this seed (0 to 9999, held out 1000000 to 1009999).",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write that episode as a new scenario folder."),
    ] = None,
    markdown: Annotated[
        bool,
        typer.Option(
            "--markdown", help="Print measures or keys as the Markdown table of their page."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print measures as JSON.")] = False,
) -> None:
    """List scenarios, policies, tasks, measures or keys of a scenario, or describe one of them.

    Examples: genagents list tasks; genagents list tasks meet; genagents list keys rules

    genagents list tasks errand --seed 3 --out errand_3 && genagents run errand_3
    """
    if (seed is not None or out is not None) and (what != "tasks" or not name):
        from genagents_env.train.tasks import TASKS

        raise ConfigError(f"--seed, --out: of which task? {', '.join(TASKS)}")
    if as_json and what != "measures":
        raise ConfigError("--json: of measures only")
    if markdown and what not in ("measures", "keys"):
        raise ConfigError("--markdown: of measures and keys only")
    if name and what in ("scenarios", "policies"):
        raise ConfigError(f"{name!r}: only a task, a measure or a table of keys can be named here")
    if what == "tasks":
        _list_tasks(name, seed, out)
    elif what == "measures":
        _list_measures(name, markdown, as_json)
    elif what == "keys":
        _list_keys(name, markdown)
    else:
        listing: Callable[[], None] = _list_scenarios if what == "scenarios" else _list_policies
        listing()


def _list_scenarios() -> None:
    from genagents_env.scenario import list_scenario_names, load_scenario

    for name in list_scenario_names():
        scenario = load_scenario(name)
        people = f"{len(scenario.people)} people, {scenario.hours:g} hours"
        say(f"{name}  {scenario.title}  ({people})", indent=4)


def _list_policies() -> None:
    from genagents_env.run.policies import find_policy_class, list_policies

    for name in list_policies():
        try:
            policy = find_policy_class(name)
        except PolicyError as error:  # a plug-in that does not load hides no other
            say(f"{name}  {error}", indent=4)
            continue
        summary = (policy.__doc__ or "").strip().split("\n")[0]
        say(f"{name}  {summary}{'  (asks a model)' if policy.needs_model else ''}", indent=4)


def _list_keys(table: str, markdown: bool) -> None:
    """Print the keys of one table of a scenario, or of the file itself and its further tables."""
    from genagents_env.scenario.key_reference import find_key_tables, format_key_reference

    if markdown:
        typer.echo(format_key_reference(), nl=False)
        return
    tables, others = find_key_tables(table)
    for entry in tables:
        say(f"{' and '.join(entry.heads)}: {entry.text}", indent=4)
        for key in entry.keys:
            allowed = f"; {key.allowed.replace('`', '')}" if key.allowed else ""
            say(f"  {key.name}  {key.type}{allowed}; {key.default_words}", indent=6)
            say(f"      {key.meaning}", indent=6)
    if others:
        say(f"Tables within (genagents list keys TABLE): {', '.join(others)}", indent=4)


def _list_measures(name: str, markdown: bool, as_json: bool) -> None:
    """Print all measures, those of a sweep by default with a *, or the definition of one."""
    from genagents_env.study.evaluate.measures import DEFAULT, list_measures, load_measure

    if markdown:
        from genagents_env.study.evaluate.measures import format_measure_table

        typer.echo(format_measure_table(), nl=False)
    elif as_json and name:
        print_json(load_measure(name).as_json())
    elif as_json:
        print_json([{**m.as_json(), "default": m.name in DEFAULT} for m in list_measures()])
    elif name:
        measure = load_measure(name)
        say(f"{measure.label}  {measure.title} ({measure.unit or 'a number'})")
        say(f"    {measure.definition}")
        say(f"    source: {measure.source}")
    else:
        for measure in list_measures():
            star = "*" if measure.name in DEFAULT else " "
            say(f"{measure.name:24}{star} {measure.title} ({measure.unit})", indent=4)


def _list_tasks(name: str, seed: int | None, out: Path | None) -> None:
    """Print all tasks or one, or print or write the episode that a seed draws of one.

    A task puts people with goals into a town and rewards them for reaching these. Towns, people
    and goals follow from the seed.
    """
    from genagents_env.train.tasks import TASKS, get_task

    if not name:
        for task in TASKS.values():
            _print_task(task)
        say("Returns are those of an agent, on the average; docs/tasks has a page for each.")
        say('`solution` is the task\'s own: rollouts(lambda: town_v0.rl_env(NAME), "solution")')
    elif out is not None:
        _write_episode(get_task(name), seed or 0, out)
    elif seed is not None:
        _print_episode(get_task(name), seed)
    else:
        _describe_task(get_task(name))


def _print_task(task: "Task") -> None:
    from genagents_env.train.tasks.task import read_baselines

    people = "1 agent" if task.people == 1 else f"{task.people} agents"
    low, high = task.bounds
    say(f"{task.name}  {task.summary}", indent=4)
    say(f"    {people}, {task.horizon} ticks; an agent earns {low:g} to {high:g}", indent=4)
    if earned := read_baselines().get(task.name, {}):
        baselines = ", ".join(f"{name} {value:.2f}" for name, value in earned.items())
        say(f"    {baselines}", indent=4)


def _describe_task(task: "Task") -> None:
    from genagents_env.train.tasks import LAYOUTS, SEEDS

    _print_task(task)
    say(f"  {task.lesson}", indent=2)
    for seeds, what in SEEDS.items():
        say(f"  seeds {what}: {seeds.start} to {seeds.stop - 1}, in {LAYOUTS} towns", indent=4)
    known = "is known" if task.find_optimum is not None else "is not known"
    say(f"  optimum: {known}; docs/tasks/{task.name}.md has baselines and curves", indent=4)
    say(f'  train: env = town_v0.rl_env("{task.name}")', indent=4)
    say(f"  see one: genagents list tasks {task.name} --seed 0", indent=4)


def _print_episode(task: "Task", seed: int) -> None:
    """Print where an episode plays, and each person's goals in it."""
    from genagents_env import town_v0
    from genagents_env.train.tasks.layouts import list_rooms
    from genagents_env.world.goals import describe_goal

    env = town_v0.rl_env(task)
    env.reset(seed=seed)
    world, board = env.world, env.parts.reward.board
    scenario = world.scenario
    rooms = ", ".join(list_rooms(scenario))
    say(f"{scenario.town}, {scenario.horizon} ticks; rooms: {rooms}", indent=2)
    for i, name in enumerate(world.names):
        goals = [describe_goal(world, board, i, slot) for slot in range(len(board.goals[i]))]
        place = world.plan.arena_id(int(world.state.arena[i]))
        say(f"  {name}, at {place}: {'; '.join(goals) or 'no goal'}", indent=4)
    for fact in scenario.facts:
        say(f"  known to {', '.join(fact.known_by) or 'nobody'}: {fact.statement}", indent=4)


def _write_episode(task: "Task", seed: int, out: Path) -> None:
    from genagents_env.scenario import list_scenario_names, validate_folder
    from genagents_env.scenario.toml_text import format_scenario

    name = check_name(out, "scenario", list_scenario_names())
    drawn = task.draw(seed).model_copy(update={"name": name})
    head = (
        f"# Drawn by: genagents list tasks {task.name} --seed {seed}\n"
        f"# {task.summary}\n"
        "# scenarios/README.md tells what may stand here.\n\n"
    )
    place_folder(out, format_scenario(drawn, head), validate_folder)
    say(f"{out}: {task.name}, seed {seed}")
    steps = (
        ("run it", f"genagents run {out} --seed {seed} --policy learned --out {out.name}.sqlite"),
        ("look at the map", f"genagents map draw {out} --out {out.name}.png"),
        ("edit it", f"{out}/scenario.toml, {out}/people/residents.toml"),
    )
    print_steps(steps, 16)
