"""Each ablation changes what it names and nothing else."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from genagents_env.cognition.query import Moment as Now
from genagents_env.cognition.query import Query
from genagents_env.llm.scripted.prompt import Prompt, read_prompt
from genagents_env.policies.lyfe import controller, reflect, talk
from genagents_env.policies.lyfe.mind import LyfeMind, LyfeOption, OptionKind, WorkItem
from genagents_env.record import RunReader
from tests.policies.harness import fields_of, list_requests, moment, think
from tests.policies.lyfe.circle import NAMES, run_circle, vary_words
from tests.policies.lyfe.minds import make_mind
from tests.policies.percepts import Moment, Value, person

Faculty = Callable[[LyfeMind, Now], Sequence[Query]]

TICKS, SIZE = 40, 4
# Talks end, memories merge and what is alike is forgotten, all within minutes.
CONFIG: dict[str, Value] = {
    "recent_items": 2,
    "cluster_above": 0.2,
    "forget_above": 0.8,
    "option_seconds": 60,
}
EVERYTHING = {
    "controller.choose", "talk.speak", "reflect.think", "monitor.update", "memory.merge",
}  # fmt: skip


@pytest.mark.parametrize(
    ("variant", "gone"),
    [
        ("full", set()),
        ("no_option_action", {"reflect.think"}),
        ("no_self_monitor", {"monitor.update"}),
        ("no_summarize_and_forget", {"memory.merge"}),
    ],
)
def test_an_ablation_lacks_the_calls_it_names_and_no_others(
    tmp_path: Path, variant: str, gone: set[str]
) -> None:
    path = run_circle(tmp_path, SIZE, vary_words, TICKS, variant=variant, **CONFIG)
    with RunReader(path) as record:
        asked = Counter(call.purpose for call in record.calls())
    assert set(asked) == EVERYTHING - gone
    if variant == "no_option_action":  # the controller is asked at every tick
        assert asked["controller.choose"] == TICKS * SIZE
    else:
        assert asked["controller.choose"] < TICKS * SIZE / 4


BEN = NAMES[1]
HERE = Moment(people=(person(BEN),))
OBSERVED = ("I see Ben Birch.", "The door is open.")


def prompts_of(variant: str) -> dict[str, dict[str, Any]]:
    """Return what a mind of this variant is asked, of one state but for what it does not have."""
    mind = make_mind(variant=variant, prompt_tokens=4000, long_recall=2, recent_recall=1)
    item = WorkItem
    mind.work = [item("Did you hear of the river?", 0, BEN, 4), item("I have come to Cafe.", 0)]
    mind.buffer = [*(item(text, 0) for text in OBSERVED), *mind.work]
    mind.near = mind.people = [BEN]
    if mind.config.self_monitor:
        mind.summary.text = "The river is rising, Ben says."
    mind.long.seed("Ben swims in the river.")
    (mind.recent if mind.config.saf_memory else mind.long).seed("Rivers rise in spring.")
    faculties: dict[OptionKind, Faculty] = {
        "decide": controller.make_queries,
        "talk": talk.make_queries,
        "reflect": reflect.make_queries,
    }
    for kind, thoughts in faculties.items():
        mind.option = LyfeOption(kind, target=BEN, subgoal="ask of the river")
        think(mind, thoughts(mind, moment(mind, HERE)), HERE)
    return {
        ",".join(fields_of(request)): in_parts(read_prompt(request))
        for request in list_requests(mind)
    }


def in_parts(prompt: Prompt) -> dict[str, Any]:
    """Return who one is, the words around the fence, and the lines in it by kind."""
    parts: dict[str, Any] = {"system": prompt.system, "words": prompt.words}
    parts |= {"summary": [], "memories": [], "others": []}
    for line in prompt.lines:
        told = line.head == "summary" or line.text in OBSERVED
        numbered = "others" if line.number is None else "memories"
        parts["summary" if told else numbered].append(line)
    return parts


def test_prompts_of_an_ablation_differ_in_what_it_names_alone() -> None:
    whole, by_tick = prompts_of("full"), prompts_of("no_option_action")
    assert len(whole) == 3
    assert by_tick == whole
    unwatched, unforgetting = prompts_of("no_self_monitor"), prompts_of("no_summarize_and_forget")
    for kind, prompt in whole.items():
        assert [line.head for line in prompt["summary"]] == ["summary"]
        assert [line.text for line in unwatched[kind]["summary"]] == list(OBSERVED)
        assert {**unwatched[kind], "summary": prompt["summary"]} == prompt
        assert {line.text for line in prompt["memories"]} >= {"Rivers rise in spring."}
        assert len(unforgetting[kind]["memories"]) == len(prompt["memories"]) == 3
        assert {**unforgetting[kind], "memories": prompt["memories"]} == prompt
