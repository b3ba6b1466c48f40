"""A key that a later version adds changes nothing of a scenario that goes without it."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from genagents_env.record import RunMeta, RunWriter, canonical_hash
from genagents_env.scenario import Scenario, list_scenario_names, load_scenario, validate_folder
from genagents_env.scenario.digest import digest_scenario
from genagents_env.scenario.schema import ConversationRules, Person, Rules
from genagents_env.scenario.sprites import encode_sprite
from genagents_env.scenario.toml_text import format_scenario
from genagents_env.train.tasks.layouts import draw_town
from tests.record.lived import live


class LaterPerson(Person):
    hobbies: tuple[str, ...] = ()


class LaterTalk(ConversationRules):
    gestures: bool = False


class LaterRules(Rules):
    weather: tuple[str, ...] = ()
    conversation: LaterTalk = LaterTalk()


class LaterScenario(Scenario):
    rules: LaterRules = LaterRules()
    people: tuple[LaterPerson, ...]
    seasons: tuple[str, ...] = ("spring",)


def add_keys(scenario: Scenario) -> LaterScenario:
    """Return `scenario` as a version reads it that knows more keys."""
    return LaterScenario.model_validate_json(scenario.model_dump_json())


def test_a_new_optional_key_changes_no_digest() -> None:
    for name in list_scenario_names():
        scenario = load_scenario(name)
        later = add_keys(scenario)
        assert "hobbies" in later.model_dump_json()
        assert digest_scenario(later) == digest_scenario(scenario)


def test_a_new_optional_key_changes_no_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashes, today = set(), load_scenario("tiny")
    names = tuple(person.name for person in today.people)
    for scenario in (today, add_keys(today)):
        monkeypatch.setattr("genagents_env.record.head.Scenario", type(scenario))
        path = tmp_path / f"{type(scenario).__name__}.sqlite"
        meta = RunMeta(scenario, {"hours": 1.0}, {}, 7, names, "2023-02-13T08:00:00", 10)
        with RunWriter.create(path, meta) as writer:
            live(writer, 3)
        hashes.add(canonical_hash(path))
    assert len(hashes) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"seasons": ("winter",)},
        {"rules": LaterRules(weather=("rain",))},
        {"rules": LaterRules(conversation=LaterTalk(gestures=True))},
        {"interview_repeats": 2},
        {"description": ""},
        {"people.hobbies": ("chess",)},
        {"people.retention": 9},
        {"facts.secret": True},
    ],
)
def test_a_scenario_that_says_something_else_has_another_digest(change: dict[str, object]) -> None:
    scenario = add_keys(load_scenario("valentines_party"))
    ((path, value),) = change.items()
    field, _, key = path.partition(".")
    if key:
        first, *others = getattr(scenario, field)
        value = (first.model_copy(update={key: value}), *others)
    other = scenario.model_copy(update={field: value})
    assert digest_scenario(other) != digest_scenario(scenario)


def write(scenario: Scenario, folder: Path) -> Path:
    for name, content in format_scenario(scenario, "# Written by a test.\n\n").items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("name", [*list_scenario_names(), 7])
def test_a_shipped_scenario_and_a_drawn_town_are_the_same_after_writing_and_loading(
    name: str | int, tmp_path: Path
) -> None:
    scenario = draw_town(name) if isinstance(name, int) else load_scenario(name)
    folder = write(scenario, tmp_path / "town")
    assert validate_folder(folder) == []
    assert load_scenario(folder) == scenario


def test_the_picture_of_a_person_is_a_file(tmp_path: Path) -> None:
    png = BytesIO()
    Image.new("RGB", (4, 4)).save(png, "PNG")
    tiny = load_scenario("tiny")
    ada = tiny.people[0].model_copy(update={"sprite": encode_sprite(png.getvalue())})
    scenario = tiny.model_copy(update={"people": (ada, *tiny.people[1:])})
    folder = write(scenario, tmp_path / "tiny")
    assert (folder / "person_1.png").read_bytes() == png.getvalue()
    assert load_scenario(folder) == scenario
