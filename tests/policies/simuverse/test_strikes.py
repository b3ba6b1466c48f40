"""Two replies without a tool: what was asked again, what is reset, and what that leaves alone."""

from pathlib import Path

import pytest

from genagents_env.actions import Restart
from genagents_env.llm.scripted.prompt import Prompt
from tests.policies.simuverse.town import ANN, BEN, Quarter, find, follow, play, quarter

ALONE = {ANN: "hall"}


def say(prompt: Prompt) -> list[tuple[object, ...]]:
    """Return all that a prompt says but the time and what is seen, to compare two."""
    changing = ("now", "you are at", "here with you")
    return [(line.heads, line.text) for line in prompt.lines if line.head not in changing]


def test_two_in_a_row_return_the_agent_to_its_start_with_the_introduction_again(
    tmp_path: Path,
) -> None:
    town = play(tmp_path, ALONE, {ANN: ["(MOVE) yard", "I walk.", "I just walk."]})
    start = town.percept(ANN).me.tile
    while not town.mind(ANN).strikes and not any(r["reset"] for r in town.notes):
        assert len(town.acted) < 20
        town.step()
    first, once, again, *_ = town.list_asked(ANN)
    assert "This is the beginning" in first.words
    assert find(first, "it came to") == []
    assert "You moved to yard" in find(once, "it came to")[0]
    # The second prompt is the last input, word for word, at the same tick.
    assert (once.lines, once.words) == (again.lines, again.words)
    assert [note["kind"] for note in town.notes] == ["tool", "strike", "strike"]
    assert [note["strikes"] for note in town.notes] == [0, 1, 2]
    assert [note["reset"] for note in town.notes] == [False, False, True]
    assert town.acted[-1][ANN] == Restart()
    assert town.percept(ANN).me.tile == start
    assert town.mind(ANN).strikes == 0
    # Then the introduction is asked again, as at the beginning.
    town.step()
    introduced = town.list_asked(ANN)[3]
    assert say(introduced) == say(first)
    assert introduced.words == first.words


@pytest.mark.parametrize("between", ["(SCAN)", "(CALL) Ben"])
def test_a_tool_in_between_clears_the_count_even_in_vain(tmp_path: Path, between: str) -> None:
    town = play(tmp_path, ALONE, {ANN: ["Hm.", between, "Hm.", "(SCAN)"]}, 6)
    assert [note["kind"] for note in town.notes][:4:2] == ["strike", "strike"]
    assert not any(note["reset"] for note in town.notes)
    assert Restart() not in [acted[ANN] for acted in town.acted]


@pytest.mark.parametrize("keep", [True, False])
def test_memory_and_who_was_seen_survive_a_reset_where_they_are_to(
    tmp_path: Path, keep: bool
) -> None:
    script = {ANN: ["(MOVE) yard", "Hm.", "Hm."]}
    town = play(tmp_path, {ANN: "hall", BEN: "yard"}, script, keep_memory=keep)
    while Restart() not in [acted[ANN] for acted in town.acted]:
        assert len(town.acted) < 20
        town.step()
    assert (BEN in town.mind(ANN).seen) == keep
    walked = [one.text for one in town.policy.memories(ANN) if "You moved to yard" in one.text]
    assert bool(walked) == keep
    assert not any("yard" in line.text for line in town.mind(ANN).history)


def test_a_town_without_restart_says_so_and_the_agent_stays(tmp_path: Path) -> None:
    scenario = quarter(tmp_path, ALONE, restart=False)
    script = {ANN: ["(MOVE) yard", "Hm.", "Hm."]}
    town = Quarter(scenario, follow(script), turn_seconds=10)
    town.step(8)
    introduced = next(p for p in town.list_asked(ANN)[1:] if "This is the beginning" in p.words)
    assert find(introduced, "it came to") == [
        "You are still where you were: this town knows no restart."
    ]
    assert town.percept(ANN).me.place == "yard"
