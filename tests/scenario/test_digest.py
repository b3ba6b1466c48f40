"""A key that a later version adds changes nothing of a scenario that goes without it."""

from io import BytesIO
from pathlib import Path
from typing import Annotated

import pytest
from PIL import Image
from pydantic import Field

from genagents_env.record import RunMeta, RunWriter, canonical_hash
from genagents_env.scenario import Scenario, list_scenario_names, load_scenario, validate_folder
from genagents_env.scenario.digest import digest_scenario
from genagents_env.scenario.schema import (
    AnswerCheck,
    ConversationRules,
    Fact,
    FactCheck,
    ObjectCheck,
    Person,
    PlaceCheck,
    Rules,
    ValueCheck,
)
from genagents_env.scenario.sprites import encode_sprite
from genagents_env.scenario.toml_text import format_scenario
from genagents_env.train.tasks.layouts import draw_town
from tests.record.lived import live


class LaterFact(Fact):
    source: str | None = None


class LaterPerson(Person):
    hobbies: tuple[str, ...] = ()


class LaterAnswerCheck(AnswerCheck):
    weight: float = 1.0


class LaterTalk(ConversationRules):
    gestures: bool = False


class LaterRules(Rules):
    weather: tuple[str, ...] = ()
    conversation: LaterTalk = LaterTalk()


LaterCheck = Annotated[
    LaterAnswerCheck | ValueCheck | PlaceCheck | FactCheck | ObjectCheck,
    Field(discriminator="kind"),
]


class LaterScenario(Scenario):
    rules: LaterRules = LaterRules()
    people: tuple[LaterPerson, ...]
    facts: tuple[LaterFact, ...] = ()
    checks: tuple[LaterCheck, ...] = ()
    seasons: tuple[str, ...] = ("spring",)


def add_keys(scenario: Scenario) -> LaterScenario:
    """Return `scenario` as a version reads it that knows more keys."""
    return LaterScenario.model_validate_json(scenario.model_dump_json())


@pytest.mark.parametrize("name", list_scenario_names())
def test_a_new_optional_key_changes_no_digest(name: str) -> None:
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
    ],
)
def test_a_scenario_that_says_something_else_has_another_digest(change: dict[str, object]) -> None:
    scenario = add_keys(load_scenario("valentines_party"))
    assert digest_scenario(scenario.model_copy(update=change)) != digest_scenario(scenario)


def test_people_facts_and_checks_that_say_something_else_have_another_digest() -> None:
    scenario = add_keys(load_scenario("murder_mystery"))
    digests = {digest_scenario(scenario)}
    for field, key, value in (
        ("people", "hobbies", ("chess",)),
        ("people", "retention", 9),
        ("facts", "source", "the radio"),
        ("facts", "secret", not scenario.facts[0].secret),
    ):
        first, *others = getattr(scenario, field)
        changed = (first.model_copy(update={key: value}), *others)
        digests.add(digest_scenario(scenario.model_copy(update={field: changed})))
    assert len(digests) == 5


def write(scenario: Scenario, folder: Path) -> Path:
    for name, content in format_scenario(scenario, "# Written by a test.\n\n").items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("name", list_scenario_names())
def test_every_shipped_scenario_is_the_same_after_writing_and_loading(
    name: str, tmp_path: Path
) -> None:
    scenario = load_scenario(name)
    folder = write(scenario, tmp_path / name)
    assert validate_folder(folder) == []
    assert load_scenario(folder) == scenario


@pytest.mark.parametrize("seed", [0, 7, 1_000_003])
def test_a_drawn_town_is_the_same_after_writing_and_loading(seed: int, tmp_path: Path) -> None:
    town = draw_town(seed)
    assert load_scenario(write(town, tmp_path / "town")) == town


def test_the_picture_of_a_person_is_a_file(tmp_path: Path) -> None:
    png = BytesIO()
    Image.new("RGB", (4, 4)).save(png, "PNG")
    tiny = load_scenario("tiny")
    ada = tiny.people[0].model_copy(update={"sprite": encode_sprite(png.getvalue())})
    scenario = tiny.model_copy(update={"people": (ada, *tiny.people[1:])})
    folder = write(scenario, tmp_path / "tiny")
    assert (folder / "person_1.png").read_bytes() == png.getvalue()
    assert load_scenario(folder) == scenario
