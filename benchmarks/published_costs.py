"""What others report of the cost of their agents, for comparison."""

from dataclasses import dataclass

from genagents_env.study.evaluate.rates import GAME_SPEED

# The day that joonspk-research/generative_agents ships (docs/smallville.md has the same counts).
_SHIPPED_CALLS, _SHIPPED_TALK = 2016 + 625 + 720 + 202, 202
_SHIPPED_HOURS = 3 * 16
_PARK = 2000 / 25 / 16 / 2


@dataclass(frozen=True, slots=True)
class PublishedCost:
    """Figures of others, for comparison; None where the source has none.

    Attributes:
        name: whose.
        calls_per_waking_hour: of an agent, in all.
        calls_outside_per_hour: of an agent awake, outside conversations.
        dollars_per_hour: per agent and game hour.
        dollars_per_human_hour: per agent.
        source: where the figure is from and how it was obtained.
    """

    name: str
    calls_per_waking_hour: float | None
    calls_outside_per_hour: float | None
    dollars_per_hour: float | None
    dollars_per_human_hour: float | None
    source: str


def list_published_costs(speed: float = GAME_SPEED) -> tuple[PublishedCost, ...]:
    """Return the figures of others; what is known per game hour follows the game's speed."""
    return (
        PublishedCost(
            "public Smallville code",
            _SHIPPED_CALLS / _SHIPPED_HOURS,
            (_SHIPPED_CALLS - _SHIPPED_TALK) / _SHIPPED_HOURS,
            None,
            None,
            "estimate from the one day that the code ships for 3 agents, of 16 waking hours: "
            "2,016 calls of planning and placing, 625 ratings of importance, 720 of reflection "
            "and 202 of conversation, before retries",
        ),
        PublishedCost(
            "Park et al. 2023",
            None,
            None,
            _PARK,
            _PARK * speed,
            "estimate of Lyfe Agents, appendix F: at least $2,000 for 25 agents, 2 days of 16 "
            f"hours; a human hour at {speed:g} times real time",
        ),
        PublishedCost(
            "Lyfe Agents 2023",
            None,
            None,
            None,
            0.5,
            "as reported (figure 6), gpt-3.5-turbo at the prices of 2023",
        ),
    )
