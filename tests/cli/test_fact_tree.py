from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from genagents_env.cli.scene_text import Names, draw_tree
from genagents_env.evaluate.measures.diffusion import Hearing, Spread

START = datetime(2023, 2, 13, 8, tzinfo=UTC)


def draw(at_start: Sequence[str], *heard: Hearing) -> list[str]:
    names = Names((*at_start, *(one.agent for one in heard)))
    spread = Spread("party", "There is a party", tuple(at_start), heard)
    lines = draw_tree(spread, names, lambda t: START + timedelta(minutes=t), 10**6, 80)
    return [line.plain.rstrip() for line in lines][2:]


def test_who_told_it_before_they_had_heard_it_is_drawn_once_more_and_nobody_is_lost() -> None:
    lines = draw(["Ada"], Hearing("Cleo", 1, "Ben", 0), Hearing("Ben", 2, "Ada", 1))
    assert lines == [
        "  Ada (knew it from the start)",
        "  └─ Mon 08:02 Ben",
        "  Ben",
        "  └─ Mon 08:01 Cleo",
    ]


def test_two_who_heard_it_from_one_another_are_drawn() -> None:
    lines = draw([], Hearing("Ada", 1, "Ben", 0), Hearing("Ben", 1, "Ada", 1))
    assert lines == ["  Ben", "  └─ Mon 08:01 Ada", "     └─ Mon 08:01 Ben"]


def test_a_chain_may_be_longer_than_calls_may_nest() -> None:
    chain = [Hearing(f"P{k + 1}", k, f"P{k}", k) for k in range(1500)]
    assert len(draw(["P0"], *chain)) == 1501
