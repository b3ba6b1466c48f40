"""A fork has its parent's record up to a tick, and another future only where something changes."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from genagents_env.config import TownConfig
from genagents_env.errors import ConfigError, DivergenceError
from genagents_env.record import RunReader, RunWriter, canonical_hash
from genagents_env.record.town_times import find_tick
from genagents_env.run import PolicySpec, RunOptions, RunSpec, fork, resume, run
from genagents_env.scenario.schema import ScheduledEvent
from tests.run.towns import CURIOUS, Killed, LoggingEndpoint, make_options, run_town, stop_at

LAST = 40
MINDS = ("random", "scripted", "smallville", "lyfe", "ai_town", "simuverse", "learned")
TALKERS = ("Isabella Rodriguez", "Maria Lopez", "Klaus Mueller")
CAFE = "Hobbs Cafe"


@pytest.fixture(scope="module")
def parent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a finished run of 40 ticks by a mind that asks a model."""
    path = tmp_path_factory.mktemp("parent") / "run.sqlite"
    assert run_town(path, LAST).status == "finished"
    return path


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an hour in which three people talk, by rule."""
    path = tmp_path_factory.mktemp("talk") / "run.sqlite"
    town = TownConfig("valentines_party", start="10:00", hours=0.5, people=TALKERS, place=CAFE)
    spec = RunSpec(town, policy=PolicySpec("scripted"))
    assert run(spec, path, RunOptions(interviews=False)).status == "finished"
    return path


def list_said(path: Path) -> list[tuple[int, str | None, str]]:
    with RunReader(path) as record:
        return [(e.tick, e.agent, e.data["text"]) for e in record.events(kind="say")]


def make_event(path: Path, tick: int, kind: str, **fields: object) -> ScheduledEvent:
    with RunReader(path) as record:
        return ScheduledEvent.model_validate({"at": record.time(tick), "kind": kind, **fields})


@pytest.mark.parametrize("tick", [0, 17, LAST - 1])
def test_an_unchanged_fork_equals_its_parent_and_makes_no_call(
    parent: Path, tmp_path: Path, tick: int
) -> None:
    log = tmp_path / "calls"
    log.touch()
    options = make_options(LoggingEndpoint(log))
    result = fork(parent, tmp_path / "fork.sqlite", tick, options=options)
    assert result.status == "finished"
    assert canonical_hash(result.path) == canonical_hash(parent)
    assert log.read_text() == ""


@pytest.mark.slow
@pytest.mark.parametrize("policy", MINDS)
def test_an_unchanged_fork_of_every_policy_equals_its_parent(policy: str, tmp_path: Path) -> None:
    options = RunOptions(model="scripted:neighbour", embedder="hashed", checkpoint_every=30)
    town = TownConfig("valentines_party", start="10:00", hours=0.15, people=TALKERS, place=CAFE)
    path = tmp_path / "run.sqlite"
    last = run(RunSpec(town, policy=PolicySpec(policy)), path, options).tick
    result = fork(path, tmp_path / "fork.sqlite", last // 2, options=options)
    assert canonical_hash(result.path) == canonical_hash(path)


def test_a_killed_fork_resumes_to_the_record_of_one_that_was_not_also_without_its_parent(
    parent: Path, tmp_path: Path
) -> None:
    event = make_event(parent, 22, "whisper", agent="Ada Brook", text="Go home.")
    copy, cut = tmp_path / "parent.sqlite", tmp_path / "cut.sqlite"
    copy.write_bytes(parent.read_bytes())
    whole = fork(copy, tmp_path / "whole.sqlite", 20, [event], make_options())
    with pytest.raises(Killed):
        fork(copy, cut, 20, [event], make_options(on_phase=stop_at(33)))
    copy.unlink()
    resumed = resume(cut, make_options())
    assert resumed.status == "finished"
    assert "parent.sqlite is not there any more" in resumed.note
    assert canonical_hash(cut) == canonical_hash(whole.path) != canonical_hash(parent)


def test_words_are_replaced_or_not_said_until_a_silence_ends_and_their_speaker_is_told(
    talk: Path, tmp_path: Path
) -> None:
    tick, agent, _ = list_said(talk)[0]
    later = [at for at, who, _ in list_said(talk) if who == agent][1]
    event = make_event(talk, tick, "silence", agent=agent)
    until = event.at + timedelta(seconds=10 * (later + 1 - tick))
    event = event.model_copy(update={"until": until})
    silent = fork(talk, tmp_path / "silent.sqlite", tick - 1, [event]).path
    assert not [at for at, who, _ in list_said(silent) if who == agent and at <= later]
    with RunReader(silent) as record:
        failed = [e.data["reason"] for e in record.events(tick, tick, "fail") if e.agent == agent]
    assert failed == ["no word came out"]
    event = make_event(talk, tick, "say", agent=agent, text="Fine weather today.")
    other = fork(talk, tmp_path / "other.sqlite", tick - 1, [event]).path
    assert (tick, agent, "Fine weather today.") in list_said(other)


def test_a_fork_of_a_fork_keeps_the_changes_of_both(talk: Path, tmp_path: Path) -> None:
    first = fork(talk, tmp_path / "a.sqlite", 5, [make_event(talk, 10, "news", text="One.")])
    again = fork(first.path, tmp_path / "b.sqlite", 20, [make_event(talk, 30, "news", text="Two.")])
    with RunReader(again.path) as record:
        news = [(event.tick, event.data["text"]) for event in record.events(kind="news")]
    assert news == [(10, "One."), (30, "Two.")]


def test_what_does_not_fit_is_refused_and_writes_nothing(talk: Path, tmp_path: Path) -> None:
    early = make_event(talk, 3, "news", text="Old.")
    stranger = make_event(talk, 9, "leave", agent="Nobody")
    for tick, events, said in (
        (5, [early], "not after the fork"),
        (5, [stranger], "no person"),
        (180, [], "has no tick"),
    ):
        with pytest.raises(ConfigError, match=said):
            fork(talk, tmp_path / "fork.sqlite", tick, events)
    assert not list(tmp_path.iterdir())
    before = talk.read_bytes()
    with pytest.raises(ConfigError, match="is the run that is forked, which stays"):
        fork(talk, talk.parent / "." / talk.name, 5, force=True)
    assert talk.read_bytes() == before


def test_minds_that_have_changed_are_named_in_a_line_and_nothing_is_left(
    parent: Path, tmp_path: Path
) -> None:
    copy, policy = tmp_path / "parent.sqlite", tmp_path / "curious.py"
    copy.write_bytes(parent.read_bytes())
    policy.write_text(Path(CURIOUS).read_text().replace("What now?", "And now?"))
    with RunWriter.open(copy) as writer:
        specs = {agent: {"name": str(policy), "config": {}} for agent in writer.meta.names}
        writer.replace_meta(replace(writer.meta, policies=specs))
    trusting = replace(make_options(), policies=(str(policy),))
    with pytest.raises(DivergenceError, match="cannot be forked at 09:06:10") as refusal:
        fork(copy, tmp_path / "fork.sqlite", 37, options=trusting)
    assert "\n" not in str(refusal.value)
    assert not (tmp_path / "fork.sqlite").exists()
    offered = str(refusal.value).split("--at ")[1].split(",")[0]
    with RunReader(copy) as record:
        tick = find_tick(record, offered, "--at")
    took_over = fork(copy, tmp_path / "fork.sqlite", tick, options=trusting)
    with RunReader(took_over.path) as record, RunReader(copy) as before:
        asked = {call.tick: messages[-1].content for call, messages in record.prompts()}
        kept = {call.tick: messages[-1].content for call, messages in before.prompts()}
    assert tick == 30
    assert all("And now?" in text for at, text in asked.items() if at >= tick)
    assert all(text == kept[at] for at, text in asked.items() if at < tick)
