"""What is told of a town that was made of a map from elsewhere."""

from pathlib import Path

from genagents_env.cli.screen import say


def describe_town(folder: Path) -> None:
    """Print what is in a town, what is odd in it, and what to do next."""
    from genagents_env.scenario import lay_out, load_scenario
    from genagents_env.scenario.town import list_warnings

    scenario = load_scenario(folder)
    plan = lay_out(scenario)
    sectors, rooms = len(scenario.sectors), sum(len(s.arenas) for s in scenario.sectors)
    size = f"{plan.width} x {plan.height} tiles, {sectors} sectors, {rooms} arenas"
    things = f"{len(plan.objects)} objects on {sum(len(o.tiles) for o in plan.objects)} tiles"
    say(f"{folder}: {size}, {things}, {len(plan.spawns)} spawn tiles")
    for line in list_warnings(plan):
        say(line, indent=2)
    for step, command in (
        ("edit it", f"{folder}/scenario.toml, {folder}/people/residents.toml"),
        ("look at it", f"genagents map draw {folder} --out {scenario.name}.png"),
        ("let it live", f"genagents run {folder} --policy random"),
    ):
        say(f"  {step:20} {command}", indent=23)
