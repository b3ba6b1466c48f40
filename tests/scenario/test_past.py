"""Pasts as files: written, read, given to the people of a scenario."""

from datetime import datetime
from pathlib import Path
from shutil import copytree

import pytest

from genagents_env import town_v0
from genagents_env.config import TownConfig
from genagents_env.errors import ConfigError, FileError
from genagents_env.scenario import (
    Scenario,
    first_memories,
    list_dated_memories,
    load_scenario,
    validate_folder,
)
from genagents_env.scenario.past import give_pasts, read_pasts, write_pasts
from genagents_env.scenario.schema import Past, PastMemory

NINE = datetime(2023, 2, 13, 9)  # noqa: DTZ001
TEA = PastMemory(time=NINE, kind="event", text='Ada said: "Tea? 🍵"', importance=3.0)
BREW = PastMemory(time=NINE, kind="thought", text="Ada likes tea", importance=7.5, evidence=(0,))
PAST = Past(
    until=NINE,
    source="a test",
    memories=(TEA, BREW),
    facts=("tea",),
    places=("Cottage/kitchen", "nowhere"),
    talks={"Ada Brook": NINE},
)


def test_a_past_is_the_same_once_it_is_read_again(tmp_path: Path) -> None:
    (path,) = write_pasts(tmp_path / "memories", {"Ben Carver": PAST})
    assert path.name == "ben_carver.json"
    assert len([line for line in path.read_text().splitlines() if '"importance"' in line]) == 2
    assert read_pasts(tmp_path / "memories") == {"Ben Carver": PAST}


def test_with_a_past_come_places_and_facts() -> None:
    scenario = load_scenario("tiny")
    given = give_pasts(scenario, {"Ben Carver": PAST})
    ada, ben = given.people
    assert ada == scenario.people[0]
    assert ben.past == PAST
    assert ben.known_places == ("Cottage/kitchen",)
    (fact,) = [fact for fact in given.facts if fact.id == "tea"]
    assert "Ben Carver" in fact.known_by
    with pytest.raises(ConfigError, match="none of whom is in tiny"):
        give_pasts(scenario, {"Bob": PAST})


def test_nobody_remembers_what_is_still_to_come(tmp_path: Path) -> None:
    write_pasts(tmp_path, {"Ben Carver": PAST})
    for start, allowed in (("2023-02-13T09:00", True), ("2023-02-13T08:59", False)):
        config = TownConfig("tiny", memories=tmp_path, start=start, hours=1)
        if allowed:
            config.apply_to(config.load_scenario())
            continue
        with pytest.raises(ConfigError, match="start then or later"):
            config.apply_to(config.load_scenario())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "no past of a person"),
        ("[1]", "no past of a person"),
        ('{"name": "Ben Carver"}', "until"),
        ('{"name": 3, "until": "2023-02-13T09:00:00", "source": "s"}', "its name is no text"),
        ('{"name": "B", "until": "2023-02-13T09:00:00", "source": "s", "x": 1}', "x: Extra"),
    ],
)
def test_files_that_are_no_past_are_refused_by_name(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "ben.json").write_text(text)
    with pytest.raises(FileError, match=says):
        read_pasts(tmp_path)


def test_folders_without_pasts_and_people_twice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="holds no memories"):
        read_pasts(tmp_path)
    (path,) = write_pasts(tmp_path, {"Ben Carver": PAST})
    path.with_name("b.json").write_text(path.read_text())
    with pytest.raises(FileError, match="a second file of Ben Carver"):
        read_pasts(tmp_path)
    with pytest.raises(ConfigError, match="holds memories of people already"):
        write_pasts(tmp_path, {"Ben Carver": PAST})


def test_evidence_and_time_of_a_memory_fit_the_past() -> None:
    with pytest.raises(ValueError, match="its evidence comes after it"):
        Past(until=NINE, source="s", memories=(BREW, TEA))
    late = TEA.model_copy(update={"time": datetime(2023, 2, 13, 10)})  # noqa: DTZ001
    with pytest.raises(ValueError, match="made after"):
        Past(until=NINE, source="s", memories=(late,))


TINY = Path(__file__).parents[2] / "scenarios" / "tiny"
AT = "time = 2023-02-12T18:00:00"


def folder_with(tmp_path: Path, memories: str, extra: str = "") -> Path:
    """Return a copy of `tiny` in which Ada has these memories."""
    folder = Path(copytree(TINY, tmp_path / "tiny"))
    file = folder / "scenario.toml"
    text = file.read_text()
    at = text.index('persona = "Ada')
    file.write_text(f"{text[:at]}memories = {memories}\n{extra}\n{text[at:]}")
    return folder


def test_memories_have_a_time_where_one_is_given(tmp_path: Path) -> None:
    table = f'{{ {AT}, text = "Ada lost the key", importance = 7, about = ["Ada", "lost", "key"] }}'
    thought = f'{{ {AT}, text = "The key is gone", kind = "thought", evidence = [0] }}'
    extra = 'currently = "Ada looks for the key; Ada has told nobody"\nrecency_decay = 0.9'
    scenario = load_scenario(folder_with(tmp_path, f'["Ada paints", {table}, {thought}]', extra))
    ada = scenario.people[0]
    lost, gone = list_dated_memories(ada)
    assert (lost.text, lost.kind, lost.importance) == ("Ada lost the key", "event", 7)
    assert lost.time == datetime.fromisoformat("2023-02-12T18:00")
    assert (gone.kind, gone.evidence) == ("thought", (0,))
    assert first_memories(ada)[-3:] == (
        "Ada looks for the key",
        "Ada has told nobody",
        "Ada paints",
    )
    assert Scenario.model_validate_json(scenario.model_dump_json()) == scenario
    profile = town_v0.parallel_env(scenario=scenario).profiles()["Ada Brook"]
    assert profile.dated == (lost, gone)
    assert "Ada lost the key" not in profile.memories
    assert profile.sentences[-2:] == ("Ada looks for the key", "Ada has told nobody")
    assert "looks for the key" not in profile.persona
    assert profile.recency_decay == 0.9


@pytest.mark.parametrize(
    ("memories", "key", "words"),
    [
        ("[1]", "memories[0]", "this is a whole number; text in quotes is wanted"),
        ('[{ text = "x" }]', "memories[0].time", "missing; it is required"),
        (f'[{{ {AT}, text = "" }}]', "memories[0].text", "empty; say in a sentence"),
        (f'[{{ {AT}, txt = "x" }}]', "memories[0].txt", "unknown key; did you mean"),
        (f'[{{ {AT}, text = "x", kind = "dream" }}]', "memories[0].kind", '"dream" is unknown'),
        (f'[{{ {AT}, text = "x", importance = 11 }}]', "memories[0].importance", "at most 10 is"),
        (
            '[{ time = 2023-02-20T08:00:00, text = "x" }]',
            "memories[0].time",
            "is after the scenario's",
        ),
        (
            f'[{{ {AT}, text = "x", evidence = [0] }}]',
            "memories[0].evidence",
            "that come before it",
        ),
    ],
)
def test_memory_faults_name_their_key(memories: str, key: str, words: str, tmp_path: Path) -> None:
    faults = validate_folder(folder_with(tmp_path, memories))
    assert any(key in fault and words in fault for fault in faults), faults
