"""The town of a condition: its scenario loaded, and what the environment made of the options."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from genagents_env import town_v0
from genagents_env.record.rows import JSON
from genagents_env.scenario import Scenario, load_scenario, scenario_names
from genagents_env.sweep.design.experiment import RunEntry
from genagents_env.sweep.design.identity import digest_scenario


@dataclass(frozen=True)
class PreparedTown:
    """What a run is lived in.

    Attributes:
        scenario: with only the people who take part, where they start, and the repeats.
        digest: of the scenario.
        start: town time, ISO 8601.
        hours: simulated.
        seconds_per_tick: simulated.
        names: the agents.
    """

    scenario: Scenario
    digest: str
    start: str
    hours: float
    seconds_per_tick: int
    names: tuple[str, ...]

    @property
    def arguments(self) -> Mapping[str, JSON]:
        """Start, hours and seconds per tick, as `RunMeta.arguments` has them."""
        return {
            "start": self.start,
            "hours": self.hours,
            "seconds_per_tick": self.seconds_per_tick,
        }


def prepare_town(run: RunEntry, base: Path) -> PreparedTown:
    """Return the town that `run` asks for.

    Args:
        run: with nothing left out but what is left to the scenario.
        base: the folder that the scenario's path starts from.

    Raises:
        ScenarioError, ConfigError: it cannot be made.
    """
    scenario = load_scenario(
        resolve_scenario(run.scenario or "", base), people=run.people, place=run.place
    )
    if run.repeats is not None:
        scenario = scenario.model_copy(update={"interview_repeats": run.repeats})
    env = town_v0.parallel_env(
        scenario, start=run.start, hours=run.hours, seconds_per_tick=run.seconds_per_tick
    )
    lived = env.world.scenario
    return PreparedTown(
        scenario,
        digest_scenario(scenario),
        lived.start.isoformat(),
        lived.hours,
        lived.seconds_per_tick,
        tuple(env.possible_agents),
    )


def resolve_scenario(scenario: str, base: Path) -> str:
    """Return a shipped name as it is, and a path as it is from `base`."""
    if scenario in scenario_names() or not (base / scenario).exists():
        return scenario  # a wrong name is told in the words of the file
    return str((base / scenario).resolve())
