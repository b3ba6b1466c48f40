"""What a mind carries and what it asks stay bounded, whatever is said to it and for how long."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from genagents_env.actions import Move, Talk
from genagents_env.llm.calls import CompletionRequest
from genagents_env.llm.client import ModelClient
from genagents_env.llm.scripted import Rule, ScriptedEndpoint
from genagents_env.llm.tokens import bound_prompt_tokens
from genagents_env.memory.embedder import Embedder
from genagents_env.memory.open import open_source
from genagents_env.percept import Conversation, Result
from genagents_env.policies.lyfe import LyfePolicy
from genagents_env.policies.lyfe.mind import LyfeMind
from genagents_env.policy import Context, Profile
from genagents_env.rng import draw_index
from tests.policies.harness import POLICIES, fields_of
from tests.policies.lyfe.circle import vary_words
from tests.policies.percepts import START, Moment, Value, body, infos, person, profile, speech

VARIANTS = ("full", "no_option_action", "no_self_monitor", "no_summarize_and_forget")
TINY_LISTS = {
    "work_items": 2, "buffer_items": 3, "recent_items": 3, "long_items": 7, "heard_kept": 4,
    "sights_kept": 2,
}  # fmt: skip
TINY: dict[str, Value] = {**TINY_LISTS, "repetition_window": 5, "cluster_above": 0.2}
SECONDS = 10


def make_restless_rule(words: str) -> Rule:
    """Return a rule that does now this and now that, and ends all it says with `words`."""

    def rule(request: CompletionRequest) -> str:
        fields = fields_of(request)
        if "because" in fields:
            return json.dumps({"answer": words or "No.", "because": [1, 2]})
        if "option" not in fields:
            return json.dumps({name: f"{vary_words(request)} {words}" for name in fields})
        parts: Value = request.schema["properties"] if request.schema else {}
        drawn = {"subgoal": words or "nothing"}
        for name in ("option", "target"):
            allowed = parts[name].get("enum") or [parts[name]["const"]]
            drawn[name] = allowed[draw_index(request.seed, len(allowed), name)]
        return json.dumps(drawn)

    return rule


class Life:
    """Ann among people whose names, words and places are given; her steps succeed by turns."""

    def __init__(self, who: Profile, rule: Rule, **config: Value) -> None:
        self.endpoint = ScriptedEndpoint(rule)
        self.policy = LyfePolicy(**config)
        model, embedder = ModelClient(self.endpoint, run_seed=3), Embedder(open_source("hashed"))
        self.policy.reset({who.agent: who}, 3, Context("Town", START, SECONDS, model, embedder))
        self.who = who

    @property
    def mind(self) -> LyfeMind:
        return self.policy.minds[self.who.agent]

    def live(self, percepts: Iterator[Moment]) -> Iterator[int]:
        """Yield the number of each tick after she lived it."""
        result = Result(True, "")
        for tick, percept in enumerate(percepts):
            seen = replace(percept, agent=self.who.agent, result=result)
            (action,) = self.policy.act({self.who.agent: {}}, infos(seen)).values()
            arrived = isinstance(action, Move) and tick % 3 == 0
            lost = isinstance(action, Talk | Move) and tick % 5 == 0
            result = Result(not lost, "the way is barred" if lost else "", arrived)
            yield tick


def days(own: str, names: tuple[str, ...], words: str, place: str, ticks: int) -> Iterator[Moment]:
    """Yield moments in which people come and go, talk now and then, and say `words`."""
    known = tuple(f"{k} {place}"[:80] for k in range(14))
    percept = Moment(me=body(f"{known[0]}/{place}"[:160]), known=known)
    for tick in range(ticks):
        near = tuple(person(name, 1 + (tick + k) % 6) for k, name in enumerate(names))
        said = speech(names[tick % len(names)], f"{tick} {words}"[:500])
        talk = Conversation(1, (own, *names[:2]), None, True, 99)
        yield percept.later(
            SECONDS * tick,
            people=near if tick % 9 < 7 else (),
            heard=(said,) if tick % 4 < 2 else (),
            conversation=talk if tick % 9 in (3, 4, 5) else None,
        )


def check_capacities(mind: LyfeMind) -> None:
    most = {name.removesuffix("_items").removesuffix("_kept"): k for name, k in TINY_LISTS.items()}
    most |= {"stored": TINY_LISTS["buffer_items"], "pending": 6}
    assert {name: k for name, k in most.items() if len(getattr(mind, name)) > k} == {}
    assert len(mind.uttered) == len(mind.repeats) <= mind.config.repetition_window
    assert len(mind.turn.owed) <= 4


@pytest.mark.parametrize(
    "variant", ["full", *(pytest.param(v, marks=pytest.mark.slow) for v in VARIANTS if v != "full")]
)
def test_what_a_mind_carries_is_bounded_however_long_it_lives(variant: str) -> None:
    life = Life(profile(), make_restless_rule("And so on."), variant=variant, **TINY)
    names = ("Ben Birch", "Cat Cole", "Dan Dorn")
    sizes = []
    for tick in life.live(days("Ann Ash", names, "Good day, Ann.", "the square", 160)):
        check_capacities(life.mind)
        if tick % 10 == 9:
            state = life.policy.state()
            sizes.append(len(text := json.dumps(state, allow_nan=False)))
            assert json.loads(text) == state
    assert max(sizes[8:]) < 2 * max(sizes[:8])  # calls under way come and go
    asked = {request.messages[-1].content for request in life.endpoint.requests}
    assert len(asked) > 50


def test_no_prompt_of_any_file_is_longer_than_allowed() -> None:
    few, many = (
        list_hard_requests(("Ben Birch", "Cat Cole"), words, "square", "full", limit)
        for words, limit in (("欧阳说昨晚看见了他" * 9, 400), ("Good day.", 640))
    )
    assert max(bound_prompt_tokens(list(request.messages)) for request in few) <= 400
    assert max(bound_prompt_tokens(list(request.messages)) for request in many) <= 640
    questions = {request.messages[-1].content.rpartition("END>>>")[2] for request in many}
    files = {path.stem for path in (POLICIES / "lyfe" / "prompts").glob("*.jinja")} - {"system"}
    assert len(questions) >= len(files)
    assert len({tuple(sorted(fields_of(request))) for request in many}) == 6


def list_hard_requests(
    names: tuple[str, ...], words: str, place: str, variant: str, limit: int
) -> list[CompletionRequest]:
    """Return what somebody with hard names, words and places around her is asked, first asking."""
    own = f"I {names[0]}"[:60].strip()
    who = profile(
        agent=own,
        name=own,
        persona=f"{words[:300]}; {words[:400]}",
        traits=(words[:90], words[:90]),
        goal=words[:500],
        home=f"{place}/{place}"[:120],
        workplace=place[:120],
        relationships={name: words[:200] for name in names},
        memories=(words[:500], "I swim in the river.", f"The river: {words}"[:300]),
    )
    few: dict[str, Value] = {"recent_items": 2, "option_seconds": 60, "summary_after": 1}
    few |= {"cluster_above": 0.05, "forget_above": 1.0}
    life = Life(who, make_restless_rule(words[:60]), variant=variant, prompt_tokens=limit, **few)
    for _ in life.live(days(own, names, words, place, 40)):
        pass
    life.policy.interview(who.agent, [words[:300], "Who was it?"])
    return [request for request in life.endpoint.requests if len(request.messages) == 2]
