"""The options of a town, declared and documented once: `TownConfig`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import Literal, TypeAlias, TypedDict, Unpack, get_args

from pydantic import ValidationError

from genagents_env.errors import ConfigError
from genagents_env.scenario import Scenario, load_scenario
from genagents_env.scenario.faults import list_faults
from genagents_env.scenario.past import give_pasts, read_pasts
from genagents_env.world.rewards import RewardFunction

ScenarioSource: TypeAlias = str | Path | Scenario
ActionFormat: TypeAlias = Literal["words", "menu"]
MenuKind: TypeAlias = Literal["town", "portable", "plain"]
AgentIds: TypeAlias = Literal["names", "indexed"]
RenderMode: TypeAlias = Literal["human", "ansi", "rgb_array"]
RENDER_MODES: tuple[RenderMode, ...] = get_args(RenderMode)
SEEDS = range(2**63)


class TownOptions(TypedDict, total=False):
    """The options of `TownConfig` but the scenario, as keyword arguments."""

    actions: str
    menu: str
    ids: str
    max_cycles: int | None
    start: str | datetime | None
    hours: float | None
    people: Sequence[str] | str | None
    place: str | None
    memories: str | Path | None
    seconds_per_tick: int | None
    vision_radius: int | None
    reward: str | RewardFunction | None
    text: bool
    goal_line: bool
    render_mode: str | None
    percepts: bool


@dataclass(frozen=True)
class TownConfig:
    """What makes a town out of a scenario. None leaves an option to the scenario.

    Attributes:
        scenario: a shipped name, a folder, or a loaded `Scenario`.
        actions: "words" (choice and message) or "menu" (`Discrete`, for trainers).
        menu: "town", whose places are those of the scenario; "plain", whose slots are drawn for
            each agent and episode, so that a choice means nothing unseen; or "portable", an easier
            one whose choices mean the same in every town, such as "go to the place of goal 1".
        ids: "names", or "indexed" for `resident_0` and so on.
        max_cycles: ticks until truncation; None is the scenario's hours.
        start: a clock time on the scenario's first day (`"08:00"`) or a whole date and time.
        hours: the horizon in town hours.
        people: run these people only, by name, or one of the scenario's casts (`"3"`).
        place: where everyone starts; None is each one's own starting place.
        memories: a folder of what people carry along from an earlier run; see
            `genagents import-memories`.
        seconds_per_tick: simulated seconds per step.
        vision_radius: in tiles, for everyone.
        reward: a name (see `world.rewards`) or a callable `(world, events) -> {name: float}`.
        text: whether observations have a text; only the menu can do without.
        goal_line: whether each agent's text says what its goals are, where it has some.
        render_mode: None, "human", "ansi" (a string) or "rgb_array" (uint8, H x W x 3).
        percepts: whether `infos[agent]["percept"]` is there, which policies read; trainers leave
            it out, since some take infos of numbers alone.

    Raises:
        ConfigError: `actions`, `ids`, `render_mode` or `max_cycles` is not allowed, or `people`,
            `place` or `memories` stand beside a loaded scenario. What the scenario's rules
            forbid is found by `load_scenario` and `apply_to`.
    """

    scenario: ScenarioSource = "tiny"
    actions: str = "words"
    menu: str = "town"
    ids: str = "names"
    max_cycles: int | None = None
    start: str | datetime | None = None
    hours: float | None = None
    people: Sequence[str] | str | None = None
    place: str | None = None
    memories: str | Path | None = None
    seconds_per_tick: int | None = None
    vision_radius: int | None = None
    reward: str | RewardFunction | None = None
    text: bool = True
    goal_line: bool = False
    render_mode: str | None = None
    percepts: bool = False

    def __post_init__(self) -> None:
        _check("actions", self.actions, get_args(ActionFormat))
        _check("menu", self.menu, get_args(MenuKind))
        _check("ids", self.ids, get_args(AgentIds))
        _check("render_mode", self.render_mode, (None, *RENDER_MODES))
        _check("percepts", self.percepts, (False, True))
        if not self.text and self.actions == "words":
            raise ConfigError('text: without it, actions="menu" is needed; words are answers to it')
        for name in ("max_cycles", "seconds_per_tick", "vision_radius"):
            value = getattr(self, name)
            _check_type(name, value, Integral, "a whole number")
            if value is not None and value < 1:
                raise ConfigError(f"{name}: {value} is not allowed; at least 1")
        _check_type("hours", self.hours, Real, "a number")
        if isinstance(self.hours, int) and abs(self.hours) > 10**18:
            digits = len(str(self.hours))
            raise ConfigError(f"hours: it has {digits} digits; at most 18 are allowed")
        _check_type("start", self.start, str | datetime, "text")
        _check_type("place", self.place, str, "text")
        _check_type("memories", self.memories, str | Path, "text")
        _check_type("people", self.people, str | list | tuple, "text")
        if not isinstance(self.people, str):
            for name in self.people or ():
                _check_type("people", name, str, "text")
        if not isinstance(self.scenario, str | Path | Scenario):
            raise ConfigError(f"scenario: {self.scenario!r} is not allowed; a name or folder is")
        if isinstance(self.scenario, Scenario):
            for name in ("people", "place", "memories"):
                if getattr(self, name) is not None:
                    raise ConfigError(f"{name}: only with a scenario given by name or folder")

    @classmethod
    def create(
        cls, scenario: "ScenarioSource | TownConfig", **options: Unpack[TownOptions]
    ) -> "TownConfig":
        """Return the config of a scenario, or one that exists already with other options."""
        if isinstance(scenario, TownConfig):
            return replace(scenario, **options) if options else scenario
        return cls(scenario, **options)

    def load_scenario(self) -> Scenario:
        """Return the scenario with its `people`, `place` and `memories`, before other options.

        Raises:
            ScenarioError: the scenario has faults; all are listed.
            FileError: the memories cannot be read.
        """
        if isinstance(self.scenario, Scenario):
            return self.scenario
        scenario = load_scenario(self.scenario, people=self.people, place=self.place)
        if self.memories is None:
            return scenario
        return give_pasts(scenario, read_pasts(Path(self.memories)))

    def apply_to(self, scenario: Scenario) -> Scenario:
        """Return `scenario` with `start`, `hours`, `seconds_per_tick` and `vision_radius`.

        Raises:
            ConfigError: a value that a scenario file may not have either.
        """
        data = scenario.model_dump()
        if self.start is not None:
            data["start"] = _parse_start(scenario, self.start)
            if self.hours is None:  # the end stays where the scenario put it
                data["hours"] = _count_hours_left(scenario, data["start"])
        if self.hours is not None:
            data["hours"] = float(self.hours)
        if self.seconds_per_tick is not None:
            data["seconds_per_tick"] = int(self.seconds_per_tick)
        if self.vision_radius is not None:
            data["rules"]["vision_radius"] = int(self.vision_radius)
            for person in data["people"]:
                person["vision_radius"] = None
        try:
            changed = Scenario.model_validate(data)
        except ValidationError as error:
            faults = list_faults(error, Scenario)
            texts = [f"{'.'.join(map(str, fault.loc))}: {fault.text}" for fault in faults]
            raise ConfigError(f"{scenario.name}: {'; '.join(texts)}") from None
        for person in changed.people:
            if person.past is not None and person.past.until > changed.start:
                raise ConfigError(
                    f"start: {changed.start} is before {person.past.until}, up to when "
                    f"{person.name} remembers; start then or later"
                )
        return changed


def check_seed(seed: object) -> int:
    """Return the seed of an episode, one of SEEDS, as an int; others raise ConfigError."""
    if not isinstance(seed, Integral) or int(seed) not in SEEDS:
        raise ConfigError(f"seed: {seed!r} is not allowed; a whole number from 0 to 2**63 - 1 is")
    return int(seed)


def check_reset_options(options: Mapping[str, object] | None) -> None:
    """Raise ConfigError where a caller of `reset` gives options, of which there are none.

    One named `options` is let through: with it PettingZoo's API tests try whether `reset` takes
    options at all.
    """
    unknown = sorted(set(options or ()) - {"options"})
    if unknown:
        raise ConfigError(
            f"options: no {', '.join(map(repr, unknown))}; reset has none: a scenario and its "
            "options are chosen where the environment is made, the episode by seed"
        )


def _check(name: str, value: object, allowed: tuple[object, ...]) -> None:
    if value not in allowed:
        raise ConfigError(f"{name}: {value!r} is not allowed; use one of {allowed}")


def _check_type(name: str, value: object, kind: type | UnionType, wanted: str) -> None:
    wrong = isinstance(value, bool) or not isinstance(value, kind)
    if wrong and value is not None:
        raise ConfigError(f"{name}: {value!r} is not allowed; {wanted} is")


def _count_hours_left(scenario: Scenario, start: datetime) -> float:
    if start.tzinfo is not None:
        raise ConfigError("start: it has a time zone; write local town time, without one")
    end = scenario.start + timedelta(hours=scenario.hours)
    if start >= end:
        raise ConfigError(f"start: {start} is not before the end, {end}; give hours too")
    return scenario.hours - (start - scenario.start).total_seconds() / 3600


def _parse_start(scenario: Scenario, start: str | datetime) -> datetime:
    if isinstance(start, datetime):
        return start
    if re.fullmatch(r"\d{1,2}:\d{2}(:\d{2})?", start):
        start = f"{scenario.first_day.isoformat()}T{start.zfill(5)}"
    try:
        return datetime.fromisoformat(start)
    except ValueError:
        raise ConfigError(
            f"start: {start!r} is not a time; write 08:00 or 2023-02-13T08:00"
        ) from None
