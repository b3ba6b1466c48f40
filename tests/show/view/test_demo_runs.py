"""Each demo is there, and its moment is one of its run."""

from urllib.parse import parse_qs

import pytest

from genagents_env.name_search import find_person
from genagents_env.record import RunReader
from genagents_env.show.view.demo_runs import DEMOS, find_demo


@pytest.mark.parametrize("name", DEMOS)
def test_its_moment_is_one_of_its_run(name: str) -> None:
    demo = find_demo(name.upper())
    moment = {key: value for key, (value,) in parse_qs(demo.moment).items()}
    with RunReader(demo.path) as run:
        assert 0 <= int(moment["t"]) < run.last_tick
        assert find_person(moment["p"], run.meta.names)
        assert moment.get("f") in {None, *(fact.id for fact in run.meta.scenario.facts)}
        # Something is said within a minute of looking.
        soon = int(moment["t"]) + 60 * int(moment["play"]) // run.meta.seconds_per_tick
        assert any(e.kind == "say" for e in run.events(int(moment["t"]), soon))
