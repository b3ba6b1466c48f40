"""People as agents: what they enter is taken a tick at a time, recorded, and never asked twice."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from genagents_env.actions import Action, Idle, Interact, Move, Restart, Talk
from genagents_env.config import TownConfig
from genagents_env.env import TownEnv
from genagents_env.errors import ConfigError, DivergenceError, PolicyError, RecordError
from genagents_env.percept import Body, HeardWords, Percept, Result
from genagents_env.profile import Profile
from genagents_env.record import RunReader, RunWriter, canonical_hash
from genagents_env.record.cassette import OnPhase
from genagents_env.run import PolicySpec, RunOptions, RunSpec, fork, resume, rollout, run
from genagents_env.run.people import (
    MOST_WAITING,
    ActionQueue,
    RecordedPeople,
    decode_action,
    encode_action,
    make_action,
)
from tests.run.towns import Killed, stop_at

ADA = "Ada Brook"
LAST = 60
PLAN: dict[int, Action] = {
    1: Move("study"),
    2: Talk(None, "Is anybody here?"),
    3: Idle("reading"),
    4: Interact("desk", "tidy"),
}


class Moment:
    """As much of a percept as a queue looks at."""

    def __init__(self, **changes: object) -> None:
        self.agent, self.tick, self.text = ADA, 0, "You are in the kitchen."
        self.heard: tuple[HeardWords, ...] = ()
        self.result = Result(True, "")
        self.me = Body(ADA, "Cottage/kitchen", (6, 3), "standing", "", False, 0)
        self.time = datetime(2023, 2, 13, 9, tzinfo=UTC)
        for name, value in changes.items():
            setattr(self, name, value)


def decide(queue: ActionQueue, **changes: object) -> Action | None:
    moment: Percept = Moment(**changes)  # type: ignore[assignment]  # a part of one
    return asyncio.run(queue.decide(ADA, moment))


def hear(text: str = "Hello!", *, addressed: bool) -> HeardWords:
    return HeardWords("speech", "Ben Carver", text, addressed, False, (), 1)


def test_entries_are_taken_in_order_by_a_loop_of_steps() -> None:
    queue = ActionQueue(turn_seconds=0)
    for word in ("One", "Two"):
        queue.put(ADA, Talk(None, word))
    minds = {ADA: "human", "Ben Carver": "idle"}
    done = rollout(TownEnv("tiny"), minds, people=queue, max_ticks=3, keep_events=True)
    assert [event.data["text"] for event in done.events if event.kind == "say"] == ["One", "Two"]


@pytest.mark.parametrize(
    ("changes", "goes_on"),
    [
        ({}, True),
        ({"heard": (hear(addressed=False),)}, True),
        ({"heard": (hear(addressed=True),)}, False),
        ({"result": Result(True, "", arrived=True)}, False),
        ({"result": Result(False, "the way is blocked")}, False),
    ],
)
def test_a_walk_goes_on_until_it_arrives_or_somebody_speaks(
    changes: dict[str, object], goes_on: bool
) -> None:
    queue = ActionQueue(turn_seconds=0)
    queue.put(ADA, Move("park"), 3)
    assert decide(queue) == Move("park")
    assert decide(queue, **changes) == (Move("park") if goes_on else None)


def test_a_walk_ends_with_its_ticks_or_another_entry_and_what_waits_is_bounded() -> None:
    queue = ActionQueue(turn_seconds=0)
    queue.put(ADA, Move("park"), 2)
    assert [decide(queue) for _ in range(3)] == [Move("park"), Move("park"), None]
    queue.put(ADA, Move("park"), 9)
    assert decide(queue) == Move("park")
    queue.put(ADA, Idle())
    assert [decide(queue), decide(queue)] == [Idle(), None]
    for _ in range(MOST_WAITING):
        queue.put(ADA, Idle())
    with pytest.raises(ConfigError, match="wait already"):
        queue.put(ADA, Idle())
    queue.clear(ADA)
    assert decide(queue) is None


def test_an_entry_at_another_percept_is_not_taken_but_asked_anew_in_a_fork(
    tmp_path: Path, played: Path
) -> None:
    strange: Percept = Moment()  # type: ignore[assignment]
    with RunReader(played) as record, RunWriter.create(tmp_path / "a.sqlite", record.meta) as own:
        entered = record.inputs.get(ADA, 1)
        assert entered is not None
        assert decode_action(entered.action) == PLAN[1]
        with pytest.raises(DivergenceError, match="perceived"):
            asyncio.run(RecordedPeople(record.inputs, None, kept=False).decide(ADA, strange))
        people = RecordedPeople(own.inputs, Planned({1: Idle("anew")}), record.inputs)
        assert asyncio.run(people.decide(ADA, strange)) == Idle("anew")
        entered = own.inputs.get(ADA, 1)
    assert entered is not None
    assert decode_action(entered.action) == Idle("anew")


def test_the_town_waits_for_who_is_here_and_not_for_who_went_away_unless_all_have() -> None:
    asked: list[tuple[str, bool]] = []
    queue = ActionQueue(on_turn=lambda agent, _, waits: asked.append((agent, waits)))
    queue.set_here(ADA, False)

    async def play(then: Callable[[], None]) -> Action | None:
        turn = asyncio.create_task(queue.decide(ADA, Moment()))  # type: ignore[arg-type]
        await asyncio.sleep(0.1)
        assert not turn.done()
        then()
        return await turn

    assert asyncio.run(play(lambda: queue.set_here("Ben Carver", True))) is None
    asked.clear()
    assert decide(queue) is None
    queue.set_here(ADA, True)
    assert asyncio.run(play(lambda: queue.put(ADA, Idle("thinking")))) == Idle("thinking")
    assert queue.list_asked() == []
    assert asked == [(ADA, True), (ADA, True)]


@pytest.mark.parametrize("action", [None, Talk(None, "Hi", leave=True), Restart()])
def test_actions_are_read_as_they_were_written(action: Action | None) -> None:
    assert decode_action(encode_action(action)) == action


@pytest.mark.parametrize(
    "value", [5, {}, {"do": ["move"]}, {"do": "move", "place": 5}, {"do": "move", "speed": 9}]
)
def test_what_is_no_action_is_refused(value: object) -> None:
    with pytest.raises(ConfigError):
        make_action(value)
    with pytest.raises(RecordError):
        decode_action(str(value))


class Planned:
    """A person who does what is planned for a tick, and is away else."""

    def __init__(self, plan: dict[int, Action]) -> None:
        self.plan, self.asked = plan, 0

    def begin(self, profiles: Mapping[str, Profile]) -> None:
        assert ADA in profiles

    async def decide(self, agent: str, percept: Percept) -> Action | None:
        self.asked += 1
        return self.plan.get(percept.tick + 1)


def make_options(people: Planned | None, on_phase: OnPhase | None = None) -> RunOptions:
    own = {"people": people, "on_phase": on_phase}
    return RunOptions(interviews=False, checkpoint_every=25, **own)  # type: ignore[arg-type]


def make_spec() -> RunSpec:
    return RunSpec(
        TownConfig("tiny", hours=LAST / 360),
        policy=PolicySpec("scripted"),
        policy_for={ADA: "human"},
    )


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("played") / "run.sqlite"
    people = Planned(PLAN)
    assert run(make_spec(), path, make_options(people)).status == "finished"
    assert people.asked == LAST
    return path


def test_what_a_person_enters_happens_and_who_is_away_is_shown_so(played: Path) -> None:
    with RunReader(played) as record:
        own = [event for event in record.events() if event.agent == ADA]
        said = [event.data["text"] for event in own if event.kind == "say"]
        assert said == ["Is anybody here?"]
        doings = {event.data["doing"] for event in own if event.kind == "doing"}
        assert {"reading", "away"} <= doings
        assert record.meta.policies[ADA]["name"] == "human"


@pytest.mark.parametrize("tick", [3, LAST - 1])
def test_a_fork_of_a_played_run_asks_nobody_and_equals_it(
    played: Path, tmp_path: Path, tick: int
) -> None:
    people = Planned({})
    path = tmp_path / "fork.sqlite"
    assert fork(played, path, tick, options=make_options(people)).status == "finished"
    assert canonical_hash(path) == canonical_hash(played)
    assert people.asked == 0


def test_a_killed_run_goes_on_without_asking_again_and_without_people_with_them_away(
    played: Path, tmp_path: Path
) -> None:
    path = tmp_path / "run.sqlite"
    with pytest.raises(Killed):
        run(make_spec(), path, make_options(Planned(PLAN), on_phase=stop_at(47)))
    people = Planned(PLAN)
    assert resume(path, make_options(people)).status == "finished"
    assert canonical_hash(path) == canonical_hash(played)
    assert people.asked == LAST - 47
    assert resume(path, make_options(None), hours=0.05).tick == LAST + 18


def test_a_forged_entry_is_an_error_of_the_file(played: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    fork(played, path, 30, options=make_options(None))
    with RunWriter.open(path) as writer:
        entered = writer.inputs.get(ADA, LAST)
        assert entered is not None
        writer.inputs.put(ADA, LAST, replace(entered, action='{"do": "fly"}'))
        writer.set_status("interrupted")
    with pytest.raises(RecordError, match="damaged"):
        resume(path, make_options(None))


def test_nobody_plays_without_people(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nobody plays"):
        run(make_spec(), tmp_path / "run.sqlite", make_options(None))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(PolicyError, match="give `people`"):
        rollout(TownEnv("tiny"), "human", max_ticks=1)
