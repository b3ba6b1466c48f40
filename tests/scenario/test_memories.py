from datetime import datetime
from pathlib import Path
from shutil import copytree

import pytest

from genagents_env import town_v0
from genagents_env.scenario import (
    Scenario,
    first_memories,
    list_dated_memories,
    load_scenario,
    validate_folder,
)

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
