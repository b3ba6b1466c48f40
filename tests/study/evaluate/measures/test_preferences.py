from pathlib import Path

import pytest

from genagents_env.record import RunReader
from genagents_env.study.evaluate.measures.preferences import (
    Preference,
    compute_preferences,
    find_leaning,
    tally_preferences,
)
from genagents_env.study.evaluate.results import as_json
from tests.study.evaluate.suspects import (
    make_answers,
    make_judgements,
    make_verdicts,
    mystery,
    write,
)

ANIME, SOCCER, UNDECIDED = "anime", "soccer", "indecisive"


def _shares(anime: float, soccer: float) -> dict[str, float]:
    return {ANIME: anime, SOCCER: soccer, UNDECIDED: 1 - anime - soccer}


def test_shares_are_of_the_repeats_with_a_verdict_and_each_judge_has_their_own() -> None:
    given_ = [
        *make_verdicts("suspect", "Ada", "nobody", when="before"),
        *make_verdicts("suspect", "Ada", "Franco", "Franco", "Zoe"),
        *make_verdicts("suspect", "Ben", None, "Zoe"),
        *make_verdicts("suspect", "Cy", None),
        *make_verdicts("suspect", "Ada", "Zoe", by="model:wise"),
        *make_verdicts("ill", "Ada", "yes"),
        *make_verdicts("suspect", "Ada", None, by="model:mute"),
    ]
    rule, model = tally_preferences(mystery(), given_)
    assert rule == Preference(
        "suspect",
        ("Franco", "Zoe", "nobody"),
        {"Ada": {"Franco": 0.0, "Zoe": 0.0, "nobody": 1.0}},
        {
            "Ada": {"Franco": 2 / 3, "Zoe": 1 / 3, "nobody": 0.0},
            "Ben": {"Franco": 0.0, "Zoe": 1.0, "nobody": 0.0},
        },
        "rule",
        "nobody",
    )
    assert (model.by, model.before) == ("model:wise", {})
    assert tally_preferences(mystery(checks=()), given_) == ()
    assert tally_preferences(mystery(), []) == ()


@pytest.mark.parametrize(
    ("shares", "value"),
    [
        ({ANIME: 2 / 3, SOCCER: 1 / 3}, ANIME),
        ({ANIME: 0.5, SOCCER: 0.25, UNDECIDED: 0.25}, ANIME),
        ({ANIME: 0.5, SOCCER: 0.5}, None),
        ({ANIME: 1 / 3, SOCCER: 1 / 3, UNDECIDED: 1 / 3}, None),
        ({}, None),
    ],
)
def test_one_leans_to_the_only_value_with_half(shares: dict[str, float], value: str) -> None:
    assert find_leaning(shares) == value


def test_those_changed_their_mind_who_leaned_elsewhere_before() -> None:
    one = Preference(
        "club",
        (ANIME, SOCCER, UNDECIDED),
        before={
            "Yi": _shares(0, 0),
            "Lorenzo": _shares(1 / 3, 0),
            "Julian": _shares(0, 1),
            "Fatima": _shares(0.5, 0.5),
            "Gone": _shares(1, 0),
        },
        after={
            "Yi": _shares(2 / 3, 0),
            "Lorenzo": _shares(1, 0),
            "Julian": _shares(0, 1),
            "Fatima": _shares(1, 0),
            "New": _shares(1, 0),
        },
        otherwise=UNDECIDED,
    )
    assert one.changed == {"Yi": (UNDECIDED, ANIME), "Lorenzo": (UNDECIDED, ANIME)}
    assert as_json(one)["changed"]["Yi"] == [UNDECIDED, ANIME]


def test_preferences_are_read_from_a_run(tmp_path: Path) -> None:
    rows = [
        *make_answers("Ada", "Zoe", "Zoe", "Franco", tick=0),
        *make_answers("Ada", "Franco", "Franco", "Zoe"),
    ]
    path = write(
        tmp_path / "a.sqlite", mystery(), interviews=rows, judgements=make_judgements("Ada", "Zoe")
    )
    with RunReader(path) as run:
        rule, model = compute_preferences(run)
    assert rule.changed == {"Ada": ("Zoe", "Franco")}
    assert (model.by, model.after["Ada"]["Zoe"]) == ("model:wise", 1.0)
    with RunReader(write(tmp_path / "b.sqlite", mystery())) as run:
        assert compute_preferences(run) == ()
