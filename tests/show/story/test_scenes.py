"""A run as scenes: by place and talk, walking folded, first hearings in their place."""

from pathlib import Path

import pytest

from genagents_env.record import RunReader
from genagents_env.show.story import Scene, find_scenes
from genagents_env.study.evaluate.run_data import RunData
from tests.study.evaluate.measures.street import (
    ADA,
    BEN,
    CAFE,
    HOME,
    Happening,
    begins,
    does,
    gathering,
    goes,
    joins,
    leaves,
    make_utterance,
    record_street,
    street,
)

SHIPPED = Path(__file__).parents[3] / "examples" / "runs"
MORNING: list[Happening] = [
    begins(ADA, doing="eating toast"),
    begins(BEN, asleep=True),
    does(3, ADA, "walking to the cafe"),
    goes(5, ADA, "street"),
    goes(7, ADA, CAFE),
    does(8, ADA, "pouring coffee"),
    (9, "wake", BEN, {"cause": "hour"}),
    goes(12, BEN, CAFE),
    does(12, BEN, "waiting for coffee"),
    *joins(15, 0, ADA, BEN),
    make_utterance(15, ADA, "There is cake, Ben!", [BEN], facts=["cake"]),
    (15, "learn", BEN, {"fact": "cake", "cause": 0, "source": ADA}),
    make_utterance(16, BEN, "I shall come.", [ADA]),
    leaves(17, 0, BEN),
    leaves(17, 0, ADA, "alone"),
    does(17, ADA, "pouring coffee"),
    does(18, BEN, "reading the paper"),
]
STEPS = [(tick, ADA) for tick in range(4, 8)] + [(tick, BEN) for tick in range(10, 13)]


def morning(changes: tuple[Happening, ...] = ()) -> list[Happening]:
    """Return the morning with the cause of what Ben learns set right, and more happenings."""
    told = sorted([*MORNING, *changes], key=lambda one: one[0])
    cause = next(id_ for id_, one in enumerate(told) if one[1] == "say")
    return [
        (tick, kind, who, {**data, "cause": cause} if kind == "learn" else data)
        for tick, kind, who, data in told
    ]


def describe(scenes: tuple[Scene, ...]) -> list[tuple[object, ...]]:
    return [(one.kind, one.first, one.last, one.place, one.people) for one in scenes]


def test_a_morning_is_told_by_place_and_talk(tmp_path: Path) -> None:
    with record_street(tmp_path, morning(), last=25, steps=STEPS) as data:
        assert describe(find_scenes(data)) == [
            ("activity", 0, 5, HOME, (ADA,)),
            ("sleep", 0, 9, HOME, (BEN,)),
            ("activity", 7, 15, CAFE, (ADA, BEN)),
            ("talk", 15, 17, CAFE, (ADA, BEN)),
            ("activity", 17, 25, CAFE, (ADA, BEN)),
        ]
        alone, _, before, talk, after = find_scenes(data)
        assert alone.title == f"{ADA}: eating toast"
        assert [(line.kind, line.agent, line.text) for line in before.lines] == [
            ("come", ADA, f"comes from {HOME}"),
            ("doing", ADA, "pouring coffee"),
            ("doing", BEN, "waiting for coffee"),
        ]
        assert talk.title == f"{ADA} tells {BEN} of cake"
        assert [(line.kind, line.agent, line.facts, line.other) for line in talk.lines] == [
            ("say", ADA, ("cake",), BEN),
            ("learn", BEN, ("cake",), ADA),
            ("say", BEN, (), ADA),
        ]
        assert [line.text for line in after.lines] == ["reading the paper"]  # Ada merely goes on


def test_a_gathering_is_a_scene_and_its_talks_name_it(tmp_path: Path) -> None:
    scenario = street(gatherings=(gathering(),))
    happenings = [
        begins(ADA, CAFE),
        goes(40, BEN, CAFE),
        make_utterance(45, ADA, "Cake?", [BEN], conversation=None),
        make_utterance(70, ADA, "Bye!", conversation=None),
    ]
    with record_street(tmp_path, happenings, last=80, scenario=scenario) as data:
        came, during, after = (one for one in find_scenes(data) if one.kind != "activity")
        assert (came.kind, came.first, came.last, came.gathering) == ("gathering", 30, 60, "treat")
        assert came.title == "treat: 2 of 2 people came"
        assert [(line.agent, line.text) for line in came.lines] == [
            (ADA, "is there for 30 minutes"),
            (BEN, "is there for 20 minutes"),
        ]
        assert (during.kind, during.gathering, during.people) == ("talk", "treat", (ADA, BEN))
        assert (after.gathering, after.title) == (None, f"{ADA} speaks, and nobody hears it")
        assert after.lines[0].unheard


def test_what_comes_from_outside_is_a_scene_with_who_learned_of_it(tmp_path: Path) -> None:
    happenings: list[Happening] = [
        (5, "news", None, {"text": "Cake!", "place": None, "heard_by": [ADA, BEN]}),
        (5, "learn", BEN, {"fact": "cake", "cause": 2, "source": None}),
        (6, "whisper", ADA, {"text": "I should bake."}),
        (7, "object", None, {"object": "Cafe/cafe/oven", "state": "broken"}),
        (8, "part", BEN, {}),
    ]
    with record_street(tmp_path, happenings, last=9) as data:
        news, thought, oven, gone = find_scenes(data)
        assert (news.title, news.people) == (f"News reaches {ADA} and {BEN}", (ADA, BEN))
        assert [(line.kind, line.agent, line.text) for line in news.lines] == [
            ("news", None, "Cake!"),
            ("learn", BEN, "hears of cake"),
        ]
        assert (thought.title, thought.lines[0].text) == (
            f"A thought is given to {ADA}",
            "I should bake.",
        )
        assert (oven.place, oven.title) == ("Cafe/cafe", "oven is now broken")
        assert gone.title == f"{BEN} leaves town"


@pytest.mark.parametrize(
    "name", ["murder_mystery", "smallville_13_february", "smallville_14_february"]
)
def test_every_word_and_first_hearing_of_a_shipped_run_is_in_one_scene(name: str) -> None:
    with RunReader(SHIPPED / f"{name}.sqlite.xz") as run:
        data = RunData(run)
        lines = [line for scene in find_scenes(data) for line in scene.lines]
        said = [line.event for line in lines if line.kind == "say"]
        learned = [line.event for line in lines if line.kind == "learn"]
        assert sorted(said) == [event.id for event in data.utterances]
        assert sorted(learned) == [event.id for event in data.of_kind("learn")]
        for scene in find_scenes(data):
            assert 0 <= scene.first <= scene.last <= data.last_tick
            assert scene.place in (*data.arenas, "") or scene.kind == "gathering"
            assert scene.title


def test_nights_are_folded_and_a_nap_of_its_own_is_not_one_of_them(tmp_path: Path) -> None:
    happenings: list[Happening] = [
        (1, "sleep", ADA, {"cause": "hour"}),
        (4, "sleep", BEN, {"cause": "hour"}),
        (6, "wake", ADA, {"cause": "hour"}),
        (9, "wake", BEN, {"cause": "hour"}),
        (20, "sleep", BEN, {"cause": "object"}),
    ]
    with record_street(tmp_path, happenings, last=30) as data:
        night, nap = (one for one in find_scenes(data) if one.kind == "sleep")
        assert (night.first, night.last, night.title) == (1, 9, "2 people sleep")
        assert [(line.tick, line.kind, line.agent) for line in night.lines] == [
            (1, "sleep", ADA),
            (4, "sleep", BEN),
            (6, "wake", ADA),
            (9, "wake", BEN),
        ]
        assert (nap.last, nap.title) == (30, f"{BEN} sleeps")
        assert [line.kind for line in nap.lines] == ["sleep"]  # the record ends before the waking
