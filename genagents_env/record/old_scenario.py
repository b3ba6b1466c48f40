"""Scenarios in files of an earlier version, whose patterns could look around."""

import json
from collections.abc import Iterator

from genagents_env.errors import ScenarioError
from genagents_env.record.rows import JSON
from genagents_env.scenario import list_scenario_names, load_scenario
from genagents_env.scenario.schema import Scenario

_PATTERNS = ("patterns", "yes", "no")


def modernize_scenario(text: str) -> tuple[str, list[str]]:
    """Return the JSON text of a scenario as this version reads it, and what was changed.

    Patterns that look around are in no scenario any more. Those of a shipped scenario are taken
    from it as it is now: it says the same without.

    Raises:
        ScenarioError: it has others.
    """
    try:
        return Scenario.model_validate_json(text).model_dump_json(), []
    except ValueError:
        data = json.loads(text)
    notes = [f"the patterns of {one} are those of today" for one in _renew_patterns(data)]
    try:
        return Scenario.model_validate_json(json.dumps(data)).model_dump_json(), notes
    except ValueError as error:
        raise ScenarioError([f"its scenario is none of this version: {error}"]) from None


def _renew_patterns(data: JSON) -> Iterator[str]:
    if data["name"] not in list_scenario_names():
        return
    shipped = load_scenario(data["name"]).model_dump(mode="json")
    for part in ("facts", "checks"):
        today = {one["id"]: one for one in shipped[part]}
        for one in data[part]:
            values = {v["value"]: v for v in today.get(one["id"], {}).get("values", ())}
            pairs = [(one, today.get(one["id"], {}))]
            pairs += [(v, values.get(v["value"], {})) for v in one.get("values", ())]
            if sum(_renew(*pair) for pair in pairs):
                yield f"{part} {one['id']!r}"


def _renew(spec: JSON, today: JSON) -> bool:
    now = {key: today[key] for key in _PATTERNS if key in today}
    changed = any(spec.get(key, []) != value for key, value in now.items())
    spec.update(now)
    return changed
