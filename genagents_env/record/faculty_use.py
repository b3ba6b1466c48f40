"""The faculties of a run's policies that were switched on, and whether they ever ran."""

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
    """The use of a faculty that can be switched off.

    Attributes:
        policy: its name.
        switch: the option, such as `reflection`.
        faculty: the first word of the purposes of its calls.
        on: whether it was switched on.
        calls: that agents of the policy made for it.
        fallbacks: the calls among them that took the default.
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
    """Return the note of the switches of policies in a run file."""
    return encode(
        [
            {
                "policy": policy.policy,
                "agents": list(policy.agents),
                "switches": [[part.name, part.faculty, part.on] for part in policy.switches],
            }
            for policy in policies
        ]
    )


def decode_switches(note: str | None) -> list[PolicySwitches]:
    """Return the switches in a note; none for None.

    Raises:
        ValueError: it is no such note.
    """
    return _SWITCHES.validate_json(note or "[]", strict=True)


_SWITCHES = TypeAdapter(list[PolicySwitches])


def count_uses(
    policies: Sequence[PolicySwitches], counts: Mapping[tuple[str, str], tuple[int, int]]
) -> Iterator[FacultyUse]:
    """Yield the use of each faculty that can be switched off.

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
