"""The four tools in a real town: what each does, and what its failures say."""

from pathlib import Path

import pytest

from genagents_env.actions import Idle, Restart, Talk
from genagents_env.llm.scripted.prompt import Prompt
from genagents_env.policies.simuverse.results import REMOVED
from genagents_env.world.events import Event
from tests.policies.percepts import Value
from tests.policies.simuverse.town import (
    ANN,
    BEN,
    CAT,
    DAN,
    EVERYBODY,
    Quarter,
    find,
    follow,
    play,
    quarter,
    speaks,
)

PAIR = {ANN: "hall", BEN: "hall"}
APART = {ANN: "hall", BEN: "yard"}


def told(town: Quarter, name: str) -> list[str]:
    """Return the inputs with which tools were chosen, but the first."""
    chosen = [prompt for prompt in town.list_asked(name) if not speaks(prompt)]
    return [" ".join(find(prompt, "it came to")) for prompt in chosen[1:]]


def list_events(town: Quarter, kind: str) -> list[Event]:
    return [event for event in town.events if event.kind == kind]


def members(town: Quarter, name: str) -> tuple[str, ...]:
    talk = town.percept(name).conversation
    return () if talk is None else talk.members


def test_one_who_arrives_is_told_who_is_there_and_what_is_nearest(tmp_path: Path) -> None:
    script = {ANN: ["(MOVE) I want to move to the yard."], BEN: ["(SCAN)"]}
    town = play(tmp_path, APART, script, 20, turn_seconds=60)
    second = town.list_asked(ANN)[1]
    x, y = town.percept(ANN).me.tile
    assert find(second, "it came to")[0] == f"You moved to yard, at ({x}, {y})."
    assert find(second, "it came to")[1] == f"Here: {BEN}."
    assert "pump (idle)" in find(second, "it came to")[2]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("(MOVE) the moon", "you know no place called 'the moon'; you know: "),
        ("(MOVE)", "you named no place"),
        ("(MOVE) shed", "You did not get to shed: shed is closed; open 12:00 to 14:00"),
        ("(MOVE) hall", f"You are at hall already. Here: {BEN}."),
        ("(CONVERSE) Dan Dorn", "nobody called 'Dan Dorn' is near; near you: Ben Birch"),
        ("(CALL) Ben", "say where to meet; you know: "),
        ("(CALL) Ann, yard", "you cannot call yourself"),
        ("(CALL) Dan Dorn, yard", "you know nobody called 'Dan Dorn'; you know: Ben Birch"),
    ],
)
def test_what_a_tool_comes_to_nothing_for_stands_in_the_next_prompt(
    tmp_path: Path, reply: str, why: str
) -> None:
    town = play(tmp_path, PAIR, {ANN: [reply]}, 4)
    assert why in told(town, ANN)[0]
    assert not any(note["kind"] == "strike" for note in town.notes)


def test_a_scan_tells_names_kinds_distances_and_coordinates_the_nearest_first(
    tmp_path: Path,
) -> None:
    town = play(tmp_path, {ANN: "yard", BEN: "yard"}, {}, 1)
    seen = town.percept(ANN)
    town.step()
    prompt = town.list_asked(ANN)[1]
    lines = find(prompt, "it came to")
    near = sorted(
        [(one.distance, one.name, one.tile, "person") for one in seen.people]
        + [(one.distance, one.name, one.tile, "thing") for one in seen.objects]
    )
    assert lines[0].startswith("Your scan at 10:00 found within sight, seen from ")
    assert [line.partition(":")[0] for line in lines[1:]] == [
        f"{name}, {kind}, {distance} tiles away at ({x}, {y})"
        for distance, name, (x, y), kind in near
    ]


def test_who_has_had_all_exchanges_is_removed_with_the_notice_and_chooses_a_tool(
    tmp_path: Path,
) -> None:
    town = play(tmp_path, PAIR, {ANN: ["(CONVERSE) Ben"]}, 30, turn_seconds=60)
    said = [event.agent for event in list_events(town, "say")]
    assert said[:20] == [ANN, BEN] * 9 + [ANN, *said[19:20]]
    assert said.count(ANN) >= 10
    after = [prompt for prompt in town.list_asked(ANN) if not speaks(prompt)][1]
    assert find(after, "it came to") == [
        "You have been in conversation too long and have been removed from the conversation. "
        "Please select one of the four tools to use next."
    ]
    assert "Choose one tool" in after.words


@pytest.mark.parametrize(("count", "idle"), [("round", True), ("utterance", False)])
def test_the_policy_keeps_to_its_own_limit_where_the_town_allows_more(
    tmp_path: Path, count: str, idle: bool
) -> None:
    scenario, script = quarter(tmp_path, PAIR, exchanges=100), {ANN: ["(CONVERSE) Ben"]}
    town = Quarter(scenario, follow(script), exchanges=4, count=count, allow_idle=idle)
    town.step(14)
    first = [e for e in list_events(town, "say") if e.data["conversation"] == 0]
    assert len(first) == (7 if count == "round" else 4)
    assert (REMOVED.replace("four", "five") if idle else REMOVED) in told(town, ANN)[0]


def converse(folder: Path, *words: str, ticks: int) -> Quarter:
    return play(folder, PAIR, {ANN: ["(CONVERSE) Ben"]}, ticks, {"Ben": words}, turn_seconds=60)


def test_leaving_says_the_words_before_the_signal_and_tells_the_one_left(tmp_path: Path) -> None:
    town = converse(tmp_path, "I must go. (LEAVE CONVERSATION)", ticks=4)
    assert Talk(None, "I must go.", True, f"talking to {ANN}", "💬") in [a[BEN] for a in town.acted]
    assert told(town, BEN)[0] == f"You left the conversation with {ANN}."
    assert told(town, ANN)[0] == f"The conversation with {BEN} is over: nobody is left in it."
    assert not any(note["kind"] == "strike" for note in town.notes)


@pytest.mark.parametrize("seed", range(4))
def test_one_who_walks_off_is_talked_to_where_they_are_heard_or_not_at_all(
    tmp_path: Path, seed: int
) -> None:
    script = {ANN: ["(CONVERSE) Ben"], BEN: ["(MOVE) yard"]}
    town = Quarter(quarter(tmp_path, PAIR), follow(script), seed, turn_seconds=10)
    town.step()
    together = members(town, ANN) == members(town, BEN) == (ANN, BEN)
    town.step(2)
    if together:
        walking = "You were on your way to yard when the conversation began."
        assert walking in town.mind(BEN).input
    else:
        assert f"You could not talk to {BEN}" in told(town, ANN)[0]


def test_a_call_answers_an_invitation_in_its_own_words(tmp_path: Path) -> None:
    script = {
        ANN: ["(CALL) Ben, hall: there is soup."],
        BEN: ["(SCAN)", "(CALL) Ann, hall: gladly, at noon."],
    }
    town = play(tmp_path, APART, script, 6)
    assert f"You answered the invitation of {ANN} to hall." in " ".join(told(town, BEN))
    heard = [line.text for line in town.mind(ANN).history if "phone" in line.head]
    assert heard == ["Gladly, at noon."]
    assert town.mind(ANN).invitations == []


def test_a_call_to_somebody_who_is_talking_waits_and_is_not_taken_for_what_was_chosen_since(
    tmp_path: Path,
) -> None:
    homes = {ANN: "hall", BEN: "yard", CAT: "yard"}
    script = {
        ANN: ["(SCAN)", "(CALL) Ben, hall", *["(SCAN)"] * 4, "(MOVE) yard"],
        BEN: ["(CONVERSE) Cat"],
    }
    town = play(
        tmp_path, homes, script, 4, {"Cat": ["So.", "So.", "So.", "Bye. (LEAVE CONVERSATION)"]}
    )
    assert f"{BEN} is talking to somebody. Your call waits" in told(town, ANN)[1]
    town.step(10)
    assert [one.who for one in town.mind(BEN).invitations] == [ANN]
    assert town.mind(ANN).calls == []
    kept = [one.text for one in town.policy.memories(ANN)]
    assert f"You invited {BEN} to hall." in kept
    assert any(text.startswith("I chose (MOVE) yard. You moved to yard") for text in kept)


def test_a_fourth_is_not_asked_to_join_and_one_is_told_why(tmp_path: Path) -> None:
    homes = dict.fromkeys(EVERYBODY, "yard")
    script, words = {ANN: ["(CONVERSE) Ben and Cat"]}, {"Cat": ["(CONVERSE) Dan: come here!"]}
    town = play(tmp_path, homes, script, 8, words, turn_seconds=40)
    notes = [line.text for line in town.mind(CAT).history]
    assert f"{DAN} cannot join: 3 are talking already" in notes
    assert members(town, DAN) == ()


def test_one_who_idles_does_so_for_its_time_and_then_chooses_anew(tmp_path: Path) -> None:
    config: dict[str, Value] = {"allow_idle": True, "idle_seconds": 30}
    town = play(tmp_path, PAIR, {ANN: ["(IDLE) whittling"]}, 5, **config)
    assert [acted[ANN] for acted in town.acted][:3] == [Idle("whittling", "🙂")] * 3
    assert told(town, ANN)[0] == "You were idle for 1 minute: whittling."


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
