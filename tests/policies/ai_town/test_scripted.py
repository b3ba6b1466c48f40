"""A town of these minds that lives by scripted replies, and what its report says of it."""

from pathlib import Path

import pytest

from genagents_env.llm.scripted import ScriptedEndpoint
from genagents_env.policies.ai_town import signs
from genagents_env.record import FacultyUse, RunReader
from genagents_env.run import PolicySpec, run
from genagents_env.world.events import Event
from tests.policies.percepts import Value
from tests.run import towns
from tests.scripted import neighbour

FORMS = ("do you have a moment to talk?", "Gladly, ", "Not now, ", "Later, ")


def live(folder: Path, rule: Value = neighbour, minutes: int = 15, **config: Value) -> Path:
    """Return the file of a run of three people at noon in the cafe."""
    path = folder / "run.sqlite"
    spec = towns.make_spec(
        "valentines_party",
        6 * minutes,
        people=towns.FOUR[:3],
        start="12:00",
        place="Hobbs Cafe/cafe",
        policy=PolicySpec("ai_town", {"wander": "near", **config}),
    )
    options = towns.make_options(ScriptedEndpoint(rule), embedder="hashed", interviews=False)
    assert run(spec, path, options).status == "finished"
    return path


def read(path: Path) -> tuple[list[Event], list[str], FacultyUse]:
    """Return what was said, the purposes of all calls, and what came of reflection."""
    with RunReader(path) as record:
        assert record.policy_fault_count() == 0
        assert record.sum_calls().fallbacks == 0
        (use,) = record.list_faculty_uses()
        said = [event for event in record.events() if event.kind == "say"]
        return said, [call.purpose for call in record.calls()], use


@pytest.mark.parametrize(("preset", "config"), [("2024", {}), ("2023", {"reflect_at": 5})])
def test_news_goes_round_by_talk_and_one_reflects_at_a_low_threshold_alone(
    tmp_path: Path, preset: str, config: dict[str, Value]
) -> None:
    said, purposes, use = read(live(tmp_path, preset=preset, **config))
    own = [event for event in said if not any(form in event.data["text"] for form in FORMS)]
    assert {event.agent for event in own} == set(towns.FOUR[:3])
    told = [event.data["heard_by"] for event in own if "party" in event.data["facts"]]
    assert {name for names in told for name in names} >= set(towns.FOUR[1:3])
    assert {"remember.summary", "remember.importance", "converse.start"} <= set(purposes)
    invited = signs.write_invitation(towns.FOUR[1])
    assert (preset == "2024") is any(event.data["text"] == invited for event in said)
    reflects = {purpose for purpose in purposes if purpose.startswith("reflect")}
    assert reflects == ({"reflect.insights", "reflect.importance"} if config else set())
    assert (use.switch, use.on, use.ran) == ("reflection", True, bool(config))  # as reports say
