"""The town of a condition: its scenario loaded, and what the environment made of the options."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from genagents_env.config import TownConfig
from genagents_env.env import TownEnv
from genagents_env.record.rows import JSON
from genagents_env.scenario import Scenario
from genagents_env.scenario.digest import digest_scenario


@dataclass(frozen=True)
class PreparedTown:
    """The town of a run.

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


def prepare_town(config: TownConfig, repeats: int | None) -> PreparedTown:
    """Return the town of `config`.

    Args:
        config: with nothing left out but what is left to the scenario.
        repeats: how often everyone is interviewed at each end; None is the scenario's.

    Raises:
        ScenarioError, ConfigError: it cannot be made.
    """
    scenario = config.load_scenario()
    if repeats is not None:
        scenario = scenario.model_copy(update={"interview_repeats": repeats})
    env = TownEnv(replace(config, scenario=scenario, people=None, place=None))
    understood = env.world.scenario
    return PreparedTown(
        scenario,
        digest_scenario(scenario),
        understood.start.isoformat(),
        understood.hours,
        understood.seconds_per_tick,
        tuple(env.possible_agents),
    )
