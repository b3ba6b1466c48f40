"""Which faculties of a run's policies were switched on, and whether they ever ran."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, TypeAdapter

from genagents_env.policy import FacultySwitch
from genagents_env.record.rows import JSON, encode

SWITCHES = "faculties"  # the note of them in a run file, outside the canonical hash


def _name_fields(stored: JSON) -> JSON:
    return dict(zip(("name", "faculty", "on"), stored, strict=True))


@dataclass(frozen=True, slots=True)
class PolicySwitches:
    """The switches of a policy, and the agents it decides for."""

    policy: str
    agents: tuple[str, ...]
    switches: tuple[Annotated[FacultySwitch, BeforeValidator(_name_fields)], ...]


@dataclass(frozen=True, slots=True)
class FacultyUse:
    """A faculty that can be switched off, and what came of it in a run.

    Attributes:
        policy: whose it is.
        switch: the option, such as `reflection`.
        faculty: the word that the purposes of its calls begin with.
        on: as it stood.
        calls: that agents of the policy made for it.
        fallbacks: those of them whose default was taken.
    """

    policy: str
    switch: str
    faculty: str
    on: bool
    calls: int
    fallbacks: int

    @property
    def ran(self) -> bool:
        """Whether any of its calls had a reply, so that it had an effect."""
        return self.calls > self.fallbacks


def encode_switches(policies: Iterable[PolicySwitches]) -> str:
    """Return the note of the switches of a run's policies."""
    return encode(
        [
            {
                "policy": one.policy,
                "agents": list(one.agents),
                "switches": [[part.name, part.faculty, part.on] for part in one.switches],
            }
            for one in policies
        ]
    )


def decode_switches(note: str | None) -> list[PolicySwitches]:
    """Return the switches that a note tells of; none where there is no note.

    Raises:
        ValueError: it is no such note.
    """
    return _SWITCHES.validate_json(note or "[]", strict=True)


_SWITCHES = TypeAdapter(list[PolicySwitches])


def count_uses(
    policies: Sequence[PolicySwitches], counts: Mapping[tuple[str, str], tuple[int, int]]
) -> Iterator[FacultyUse]:
    """Yield what came of each faculty that can be switched off.

    Args:
        policies: of a run.
        counts: calls and fallbacks by agent and faculty.
    """
    for policy in policies:
        for switch in policy.switches:
            own = [counts.get((agent, switch.faculty), (0, 0)) for agent in policy.agents]
            calls, fallbacks = (sum(part) for part in zip((0, 0), *own, strict=True))
            yield FacultyUse(
                policy.policy, switch.name, switch.faculty, switch.on, calls, fallbacks
            )
