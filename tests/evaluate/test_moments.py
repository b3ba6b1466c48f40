from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from genagents_env.evaluate.moments import ShownMoment, choose_moments
from genagents_env.evaluate.run_data import RunData
from genagents_env.record import RunReader, RunWriter
from genagents_env.scenario.schema import Gathering
from genagents_env.world.events import Event
from tests.report.planted import ADA, BEN, Happening, cake, make_utterance, meta, plant, scenario


def choose(path: Path) -> tuple[ShownMoment, ...]:
    with RunReader(path) as run:
        return choose_moments(RunData(run))


def test_the_first_hearing_is_shown_and_moments_close_to_it_are_not(tmp_path: Path) -> None:
    first, end = choose(cake(tmp_path / "a"))
    assert (first.reason, first.tick, first.agents) == ("hearing", 2, (ADA, BEN))
    assert first.caption.startswith(f"{ADA} tells {BEN} of “crumbs”, the first to hear it.")
    assert first.place == "Cottage/kitchen"
    # The longest talk is within two minutes of it, and so is the start.
    assert (end.reason, end.tick, end.agents) == ("end", 60, ())


def test_the_longest_talk_is_shown_at_its_middle(tmp_path: Path) -> None:
    said = [make_utterance(tick, ADA, "Hm.", conversation=1) for tick in (100, 110, 120)]
    said += [make_utterance(tick, BEN, "Hm.", conversation=2) for tick in (200, 210)]
    found = {one.reason: one for one in choose(plant(tmp_path / "a", 300, said))}
    assert list(found) == ["start", "talk", "end"]  # in the order of time
    assert (found["talk"].tick, found["talk"].agents) == (110, (ADA,))
    assert "3 utterances" in found["talk"].caption


def test_of_a_gathering_the_fullest_tick_with_words_is_shown(tmp_path: Path) -> None:
    plain = scenario()
    tea = Gathering(
        id="tea",
        place="Cottage",
        start=datetime.fromisoformat(meta().start) + timedelta(minutes=5),
        end=datetime.fromisoformat(meta().start) + timedelta(minutes=20),
    )
    happenings: list[Happening] = [
        (10, "part", BEN, {}),
        (
            60,
            "join",
            BEN,
            {"place": "Cottage/study", "tile": [1, 1], "doing": "", "emoji": "", "asleep": False},
        ),
        make_utterance(80, ADA, "Tea?", conversation=None),
    ]
    path = plant(
        tmp_path / "a", 200, happenings, scenario=plain.model_copy(update={"gatherings": (tea,)})
    )
    found = {one.reason: one for one in choose(path)}
    assert (found["gathering"].tick, found["gathering"].agents) == (80, (ADA, BEN))
    assert found["gathering"].caption.startswith("2 of 2 people at tea")


def test_a_run_without_a_tick_has_no_moment_and_one_of_a_tick_has_one(tmp_path: Path) -> None:
    assert [one.reason for one in choose(plant(tmp_path / "a", 0))] == ["end"]


def test_without_a_gathering_the_fullest_room_is_shown_but_not_the_open_ground(
    tmp_path: Path,
) -> None:
    outside = scenario().outside
    places = {ADA: outside, BEN: outside, "Gus": outside, "Hal": outside}
    places |= dict.fromkeys(("Cem", "Dia", "Eve"), "Cottage/study")
    shown = {"tile": [1, 1], "doing": "", "emoji": "", "asleep": False}
    came = [
        Event(k, 10 * k, "join", name, {"place": place} | shown)
        for k, (name, place) in enumerate(places.items())
    ]
    policies = {name: {"name": "idle", "config": {}} for name in places}
    head = meta(policies, names=tuple(places), scenario=scenario(facts=()))
    with RunWriter.create(tmp_path / "a", head) as writer:
        for tick in range(101):
            own = [event for event in came if event.tick == tick]
            writer.commit_tick(tick, np.zeros((len(places), 2), dtype=np.int16), own)
    found = {one.reason: one for one in choose(tmp_path / "a")}
    assert (found["gathering"].place, found["gathering"].tick) == ("Cottage/study", 60)
    assert found["gathering"].agents == ("Cem", "Dia", "Eve")
    assert found["gathering"].caption == "3 people, awake, in Cottage, study: the most in one room."
