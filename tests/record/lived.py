"""Writes run files without a town, for tests of the record alone."""

import numpy as np

from genagents_env.llm.calls import CallKey
from genagents_env.llm.cassette import RecordedReply
from genagents_env.record import Checkpoint, RunMeta, RunWriter
from genagents_env.scenario import load_scenario
from genagents_env.world.events import Event


def make_meta() -> RunMeta:
    scenario = load_scenario("tiny")
    names = tuple(person.name for person in scenario.people)
    return RunMeta(
        scenario=scenario,
        arguments={"hours": 1.0, "start": None},
        policies={name: {"name": "idle", "config": {}} for name in names},
        seed=7,
        names=names,
        start="2023-02-13T08:00:00",
        seconds_per_tick=10,
        versions={"genagents-env": "0"},
    )


def live(writer: RunWriter, until: int) -> None:
    """Write ticks up to `until`, two events each, with a checkpoint every fifth."""
    people = len(writer.meta.names)
    for tick in range(writer.tick + 1, until + 1):
        positions = np.full((people, 2), tick)
        events = [
            Event(2 * tick + k, tick, "doing", writer.meta.names[k], {"doing": f"é {tick}"})
            for k in (0, 1)
        ]
        writer.commit_tick(tick, positions, events)
        if tick % 5 == 0:
            writer.checkpoint(Checkpoint(tick, {"at": tick}, [{"seen": tick}]))


def call(tick: int, agent: str = "Ada", outcome: str = "reply") -> tuple[CallKey, RecordedReply]:
    reply = RecordedReply(
        "hash", "reply", '{"a":1}', 10, 5, 1, 0, latency_seconds=0.5, started_at=1.0
    )
    fallback = RecordedReply("hash", "fallback", "hm", 10, 5, 4, 1, fault="unavailable")
    return CallKey(agent, tick, "decide", 0), reply if outcome == "reply" else fallback
