"""Load a scenario folder: a valid scenario, or the list of its faults."""

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field, ValidationError

from genagents_env import __path__ as _roots
from genagents_env.errors import ScenarioError
from genagents_env.files import read_text
from genagents_env.name_search import find_alike
from genagents_env.scenario.checks import check, check_room, list_oddities
from genagents_env.scenario.cost import check_cost
from genagents_env.scenario.extends import read_whole
from genagents_env.scenario.faults import Fault, Origins, list_faults, quote
from genagents_env.scenario.fields import Model
from genagents_env.scenario.files import Folder
from genagents_env.scenario.people_selection import select_people, start_all_at
from genagents_env.scenario.schema import Scenario, ScheduledEvent
from genagents_env.scenario.town import lay_out, try_lay_out
from genagents_env.text import clean

_SHIPPED = ("*/scenario.toml", "stories/*/scenario.toml")  # in the folder of scenarios
_EVENTS_LIMIT = 1_000_000  # bytes
FAULT_LIMIT = 1000  # characters of one fault


def list_scenario_names() -> list[str]:
    """Return the names of the scenarios that come with the package, sorted."""
    return sorted(_find_shipped())


def load_scenario(
    name_or_path: str | Path,
    people: Sequence[str] | str | None = None,
    place: str | None = None,
) -> Scenario:
    """Load and check the scenario in a folder.

    Args:
        name_or_path: one of `list_scenario_names()`, or the path of a folder with a
            `scenario.toml`.
        people: names of those who take part, in this order, or the name of one of the
            scenario's casts (`people="3"`); None for all. What refers to anybody else is left out.
        place: where everyone starts; None is each one's own starting place.

    Raises:
        ScenarioError: there is no such scenario, its folder has faults (all are listed), or no
            nobody or no place of that name is in it.
    """
    checked = inspect_folder(name_or_path)
    if checked.scenario is None or checked.faults:
        raise ScenarioError(checked.faults)
    scenario = checked.scenario if people is None else select_people(checked.scenario, people)
    if place is None:
        return scenario
    scenario = start_all_at(scenario, place)
    plan = lay_out(scenario)
    crowded = [fault.text for fault in check_cost(scenario, plan)]
    crowded += [f"its capacity of {fault.text}" for fault in check_room(scenario, plan)]
    if crowded:
        raise ScenarioError([f"place: {text}" for text in crowded])
    return scenario


def validate_folder(path: str | Path) -> list[str]:
    """List the faults of a scenario folder as `file:key: text`; empty if it is valid.

    Raises:
        ScenarioError: there is no such folder.
    """
    return inspect_folder(path).faults


@dataclass(frozen=True, slots=True)
class CheckedFolder:
    """A scenario folder, read and checked.

    Attributes:
        scenario: for use if there are no faults; None if its shape is wrong.
        faults: as `file:key: text`.
        warnings: oddities that may be intended, written likewise.
    """

    scenario: Scenario | None
    faults: list[str]
    warnings: list[str]


def inspect_folder(path: str | Path) -> CheckedFolder:
    """Load a folder with its faults and warnings.

    Raises:
        ScenarioError: there is no such folder.
    """
    return check_folder(read_whole(_find(path), _find_shipped()))


def _find_shipped() -> dict[str, Path]:
    return {
        file.parent.name: file.parent
        for root in reversed(list(_roots))
        for pattern in _SHIPPED
        for file in (Path(root) / "scenarios").glob(pattern)
    }


def _find(name_or_path: str | Path) -> Path:
    shipped = _find_shipped()
    if isinstance(name_or_path, str) and name_or_path in shipped:
        return shipped[name_or_path]
    path = Path(name_or_path)
    try:
        if path.name == "scenario.toml" and path.is_file():
            return path.parent
        is_folder = path.is_dir()
    except (OSError, ValueError):  # too long, or with a NUL
        is_folder = False
    if not is_folder:
        raise ScenarioError([f"no scenario {quote(name_or_path)}; {_suggest(path, shipped)}"])
    return path


def _suggest(path: Path, shipped: Iterable[str]) -> str:
    """Suggest a shipped scenario, or a folder beside the path."""
    try:
        beside = [str(file.parent) for file in path.parent.glob("*/scenario.toml")]
    except (OSError, ValueError):
        beside = []
    near = find_alike(str(path), [*sorted(beside), *sorted(shipped)])
    wanted = (
        "a folder with a scenario.toml is wanted, or a name such as tiny; `genagents list "
        "scenarios` lists them (town_v0.rl_env makes the tasks)"
    )
    return f"did you mean {' or '.join(map(quote, near))}? ({wanted})" if near else wanted


def check_folder(folder: Folder) -> CheckedFolder:
    """Return the scenario of what was read, and everything wrong with it.

    What refers to what is checked once files and shape are right.
    """
    scenario, faults = _check(folder) if folder.raw else (None, [])
    if folder.unread:  # nobody may be left because of that
        faults = [fault for fault in faults if fault.loc != ("people",)]
    lines = [*folder.faults, *map(folder.origins.render, faults)]
    # File names and keys come from outside, and faults are shown in terminals.
    silent = () if scenario is None or lines else list_oddities(scenario)
    return CheckedFolder(scenario, _clean(lines), _clean([*folder.warnings, *silent]))


def _clean(lines: Iterable[str]) -> list[str]:
    return [clean(line, FAULT_LIMIT) for line in lines]


class _Events(Model):
    """A file of events."""

    events: tuple[ScheduledEvent, ...] = Field(min_length=1)


def read_events(path: Path) -> list[ScheduledEvent]:
    """Return the events of a TOML file of `[[events]]`, as a scenario has them.

    Raises:
        FileError: it cannot be read.
        ScenarioError: it is not TOML, or has something else than events.
    """
    text = read_text(path, _EVENTS_LIMIT)
    try:
        return list(_Events.model_validate(_freeze(tomllib.loads(text))).events)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError([f"{path.name}:file: not TOML: {error}"]) from None
    except ValidationError as error:
        origins = Origins(file=path.name)
        raise ScenarioError([origins.render(f) for f in list_faults(error, _Events)]) from None


def check_scenario(scenario: Scenario) -> list[str]:
    """List the faults of a scenario that comes from no folder, a line each."""
    faults = check(scenario)
    plan, misplaced = (None, []) if faults else try_lay_out(scenario)
    faults += misplaced
    if plan is not None and not faults:
        faults += check_room(scenario, plan)
    return _clean(map(Origins().render, faults))


def _check(folder: Folder) -> tuple[Scenario | None, list[Fault]]:
    """Return the scenario and its faults: of its shape, else of its references."""
    try:
        scenario = Scenario.model_validate(_freeze(folder.raw))
    except ValidationError as error:
        return None, list_faults(error, Scenario)
    if folder.faults:
        return None, []
    plan, misplaced = try_lay_out(scenario)
    faults = check(scenario) + misplaced
    if plan is not None and not faults:
        faults += check_room(scenario, plan)
        faults += check_cost(scenario, plan)
    return scenario, faults


def _freeze(value: object, key: str = "") -> object:
    """Turn every list in `value` into a tuple, as the strict schema wants them.

    An object that says nothing of its state starts in the first of its states.
    """
    if isinstance(value, dict):
        data = {name: _freeze(item, name) for name, item in value.items()}
        states = data.get("states")
        if key == "objects" and "state" not in data and isinstance(states, tuple) and states:
            data["state"] = states[0]
        return data
    return tuple(_freeze(item, key) for item in value) if isinstance(value, list) else value
